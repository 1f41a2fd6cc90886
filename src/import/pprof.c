/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.proto of pprof: Go's block and mutex profiles, off_cpu of OpenTelemetry, and ours. One
 * pass collects where the tables are; samples refer to them by id. Every length is checked by
 * base/view.h, and an id that is in no table is an error.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/map64.h"
#include "import/format.h"
#include "import/name_hints.h"
#include "import/wire.h"

struct value_type {
	struct view type, unit;
};

struct pprof {
	struct input *in;
	struct gather *g;
	const u8 *start; /* of the file, for messages */
	struct vec strings; /* struct view */
	struct vec types; /* struct view: ValueType */
	struct vec samples; /* struct view */
	struct map64 mappings, locations, functions; /* by id: index into `messages` */
	struct vec messages; /* struct view */
	size_t time_value, count_value; /* which values; no count: SIZE_MAX */
	u64 unit_ns;
	u64 default_type; /* string */
	bool has_tids, has_pids, is_mixed;
};

static int fault(const struct pprof *p, const struct view *at, const char *what, struct err *err)
{
	return input__fault_at(p->in, (u64)(at->p - p->start), err, "%s", what);
}

static bool looks_like_types(struct view message)
{
	struct wire_field f;

	while (wire__next(&message, &f)) {
		if (f.number < 1 || f.number > 2 || f.is_bytes)
			return false;
	}
	return !message.bad;
}

static bool detect(struct view head)
{
	struct wire_field f;
	struct view at = head;
	u32 n;

	if (import_is_text(head))
		return false;
	for (n = 0; n < 3; n++) {
		struct view before = at;

		if (!wire__next(&at, &f))
			return n && !view__left(&before);
		if (f.number < 1 || f.number > 15)
			return false;
		if (f.number == 1 && (!f.is_bytes || !looks_like_types(f.bytes)))
			return false;
	}
	return true;
}

static struct view text_of(const struct pprof *p, u64 id)
{
	return id < p->strings.len ? *(struct view *)vec__at(&p->strings, id) : view__of_str("");
}

static int keep(struct vec *list, struct view v)
{
	struct view *slot = vec__push(list);

	if (!slot)
		return -ENOMEM;
	*slot = v;
	return 0;
}

/* A message with an id in field 1. */
static int keep_by_id(struct pprof *p, struct map64 *by_id, struct view message)
{
	u64 id = wire__number(message, 1);
	int r = keep(&p->messages, message);

	return r ? r : map64__set(by_id, id, p->messages.len - 1);
}

static int take_field(struct pprof *p, const struct wire_field *f)
{
	struct profile_header *h = builder__header(p->g->b);

	switch (f->number) {
	case 1:
		return keep(&p->types, f->bytes);
	case 2:
		return keep(&p->samples, f->bytes);
	case 3:
		return keep_by_id(p, &p->mappings, f->bytes);
	case 4:
		return keep_by_id(p, &p->locations, f->bytes);
	case 5:
		return keep_by_id(p, &p->functions, f->bytes);
	case 6:
		return keep(&p->strings, f->bytes);
	case 9:
		h->begin_wall_ns = f->number_value;
		return 0;
	case 10:
		h->window_ns = f->number_value;
		return 0;
	case 14:
		p->default_type = f->number_value;
		return 0;
	default:
		return 0;
	}
}

static int read_tables(struct pprof *p, struct view all, struct err *err)
{
	struct wire_field f;
	int r = 0;

	while (!r && wire__next(&all, &f))
		r = take_field(p, &f);
	if (r)
		return err__nomem(err);
	if (all.bad)
		return fault(p, &all, "no field of a pprof profile: damaged, or cut short", err);
	if (!p->types.len || !p->strings.len)
		return fault(p, &all, "a pprof profile without sample types: cut short?", err);
	return 0;
}

static struct value_type type_at(const struct pprof *p, size_t i)
{
	const struct view *message = vec__at(&p->types, i);

	return (struct value_type){ text_of(p, wire__number(*message, 1)),
				    text_of(p, wire__number(*message, 2)) };
}

static u64 unit_of(const struct view *unit)
{
	if (view__eq(unit, "nanoseconds") || view__eq(unit, "ns"))
		return 1;
	if (view__eq(unit, "microseconds") || view__eq(unit, "us"))
		return NSEC_PER_USEC;
	if (view__eq(unit, "milliseconds") || view__eq(unit, "ms"))
		return NSEC_PER_MSEC;
	return view__eq(unit, "seconds") ? NSEC_PER_SEC : 0;
}

/* 0: no time of waits; the higher, the better. */
static u32 rank_of(const struct pprof *p, const struct value_type *t)
{
	struct view by_default = text_of(p, p->default_type);

	if (!unit_of(&t->unit))
		return 0;
	if (p->g->opt->sample_type)
		return view__eq(&t->type, p->g->opt->sample_type);
	if (view__eq(&t->type, "off_cpu") || view__eq(&t->type, "offcpu"))
		return 4;
	if (view__eq(&t->type, "delay"))
		return 3;
	if (view__eq(&t->type, "cpu") || view__eq(&t->type, "on_cpu"))
		return 0;
	return view__left(&by_default) && view__left(&t->type) == view__left(&by_default) &&
			       memcmp(t->type.p, by_default.p, view__left(&t->type)) == 0 ?
		       2 :
		       1;
}

static int no_type(const struct pprof *p, struct err *err)
{
	char names[160] = "";
	size_t i, len = 0;

	for (i = 0; i < p->types.len && len < sizeof(names) - 1; i++) {
		struct value_type t = type_at(p, i);

		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%.*s/%.*s",
					i ? ", " : "", (int)view__left(&t.type), t.type.p,
					(int)view__left(&t.unit), t.unit.p);
	}
	return err__set(err, -EINVAL, "'%.100s' has no time of waits%s; its sample types: %.150s",
			p->in->name, p->g->opt->sample_type ? " of that --sample-type" : "", names);
}

static int choose_values(struct pprof *p, struct err *err)
{
	u32 best = 0;
	size_t i;

	p->count_value = SIZE_MAX;
	for (i = 0; i < p->types.len; i++) {
		struct value_type t = type_at(p, i);
		u32 rank = rank_of(p, &t);

		/* samples are not waits */
		if (view__eq(&t.unit, "count") && !view__eq(&t.type, "samples") &&
		    !view__eq(&t.type, "sample") && p->count_value == SIZE_MAX)
			p->count_value = i;
		if (rank <= best)
			continue;
		best = rank;
		p->time_value = i;
		p->unit_ns = unit_of(&t.unit);
		p->is_mixed = rank < 3 && !p->g->opt->sample_type;
	}
	return best ? 0 : no_type(p, err);
}

static struct view find(const struct pprof *p, const struct map64 *by_id, u64 id, bool *ret_found)
{
	u64 index;

	*ret_found = map64__get(by_id, id, &index);
	return *ret_found ? *(struct view *)vec__at(&p->messages, index) : view__of_str("");
}

/* A function, or one that was inlined in the next. */
static int put_line(struct pprof *p, struct view line, struct gather_frame f, struct err *err)
{
	u64 id = wire__number(line, 1);
	bool found;
	struct view function = find(p, &p->functions, id, &found);

	if (!found)
		return fault(p, &line, "a function that the profile does not have", err);
	f.name = text_of(p, wire__number(function, 2));
	f.file = text_of(p, wire__number(function, 4));
	f.line = (u32)wire__number(line, 2);
	return gather__frame(p->g, &f) ? err__nomem(err) : 0;
}

/* Lines are innermost first, as are locations. */
static int put_location(struct pprof *p, u64 id, const struct view *sample, struct err *err)
{
	struct gather_frame f = { .side = GATHER_SIDE_USER };
	struct view location, mapping, rest;
	struct wire_field line;
	bool found, has_line = false;
	int r = 0;

	location = find(p, &p->locations, id, &found);
	if (!found)
		return fault(p, sample, "a location that the profile does not have", err);
	mapping = find(p, &p->mappings, wire__number(location, 2), &found);
	f.addr = wire__number(location, 3);
	f.module = text_of(p, wire__number(mapping, 5));
	if (view_starts(&f.module, "[kernel"))
		f.side = GATHER_SIDE_KERNEL;
	for (rest = location; !r && wire__next(&rest, &line);) {
		if (line.number != 4 || !line.is_bytes)
			continue;
		r = put_line(p, line.bytes, f, err);
		has_line = true;
	}
	if (!r && !has_line)
		r = gather__frame(p->g, &f) ? err__nomem(err) : 0;
	return r;
}

struct labels {
	struct view thread, process, state, call;
	u64 tid, pid;
};

static void take_label(const struct pprof *p, struct view label, struct labels *l)
{
	struct view key = text_of(p, wire__number(label, 1));
	struct view text = text_of(p, wire__number(label, 2));
	u64 number = wire__number(label, 3);

	if (view__eq(&key, "thread") || view__eq(&key, "thread.name") || view__eq(&key, "comm"))
		l->thread = text;
	else if (view__eq(&key, "process") || view__eq(&key, "process.executable.name"))
		l->process = text;
	else if (view__eq(&key, "state"))
		l->state = text;
	else if (view__eq(&key, "syscall"))
		l->call = text;
	else if (view__eq(&key, "tid") || view__eq(&key, "thread.id"))
		l->tid = number;
	else if (view__eq(&key, "pid") || view__eq(&key, "process.pid"))
		l->pid = number;
}

/* State and system call, as our own files have them. */
static void apply_labels(const struct pprof *p, const struct labels *l, struct gather_wait *w)
{
	const char *at = view__left(&l->state) == 1 ? strchr(PROFILE_STATE_LETTERS, *l->state.p) :
						      NULL;
	char call[64];

	if (!at || !*at)
		return;
	w->guess = false;
	w->state = (u32)(at - PROFILE_STATE_LETTERS);
	if (p->g->opt->syscall_number && view__left(&l->call) &&
	    view__copy(&l->call, call, sizeof(call)))
		w->sysno = p->g->opt->syscall_number(call);
	if (!w->state) {
		w->runq_ns = w->blocked_ns;
		w->blocked_ns = 0;
	}
}

static int task_of(struct pprof *p, const struct labels *l, u32 *ret_task)
{
	struct view comm = view__left(&l->thread)  ? l->thread :
			   view__left(&l->process) ? l->process :
						     view__of_str("all threads");
	int r = gather__task(p->g, &comm, (u32)l->pid, (u32)l->tid, ret_task);

	p->has_tids |= l->tid != 0;
	p->has_pids |= l->pid != 0;
	if (!r && view__left(&l->process))
		r = gather__process(p->g, *ret_task, &l->process);
	return r;
}

/* All values of a repeated field of numbers, packed or not; the one at `want`. */
static u64 value_at(struct view sample, size_t want)
{
	struct wire_field f;
	size_t n = 0;

	while (wire__next(&sample, &f)) {
		if (f.number != 2)
			continue;
		if (!f.is_bytes && n++ == want)
			return f.number_value;
		while (f.is_bytes && view__left(&f.bytes)) {
			u64 value = view__uleb(&f.bytes);

			if (n++ == want)
				return value;
		}
	}
	return 0;
}

static int put_locations(struct pprof *p, struct view sample, struct err *err)
{
	struct view rest = sample;
	struct wire_field f;
	int r = 0;

	while (!r && wire__next(&rest, &f)) {
		if (f.number != 1)
			continue;
		if (!f.is_bytes)
			r = put_location(p, f.number_value, &sample, err);
		while (!r && f.is_bytes && view__left(&f.bytes))
			r = put_location(p, view__uleb(&f.bytes), &sample, err);
	}
	return r;
}

static int read_sample(struct pprof *p, struct view sample, struct err *err)
{
	struct gather_wait w = { .leaf_first = true, .guess = true, .sysno = -1 };
	u64 value = value_at(sample, p->time_value);
	struct view rest = sample;
	struct labels l = { 0 };
	struct wire_field f;
	int r;

	if (!value)
		return 0;
	if (value >> 63 || __builtin_mul_overflow(value, p->unit_ns, &w.blocked_ns))
		return fault(p, &sample, "a time below zero, or more than a number can hold", err);
	if (p->count_value != SIZE_MAX)
		w.count = value_at(sample, p->count_value);
	while (wire__next(&rest, &f)) {
		if (f.number == 3 && f.is_bytes)
			take_label(p, f.bytes, &l);
	}
	if (rest.bad)
		return fault(p, &sample, "a sample that is damaged", err);
	apply_labels(p, &l, &w);
	r = put_locations(p, sample, err);
	if (r)
		return r;
	r = task_of(p, &l, &w.task);
	if (!r)
		r = gather__wait(p->g, &w);
	return r ? import_refuse(p->in, r, err) : 0;
}

static u32 unknown_of(const struct pprof *p)
{
	const struct profile_header *h = builder__header(p->g->b);
	u32 unknown = UNKNOWN_MACHINE | UNKNOWN_ON_CPU | UNKNOWN_RUNQ | UNKNOWN_STATES |
		      UNKNOWN_LOSSES;

	if (!h->begin_wall_ns)
		unknown |= UNKNOWN_BEGIN;
	if (!h->window_ns)
		unknown |= UNKNOWN_WINDOW;
	if (!p->has_tids)
		unknown |= UNKNOWN_THREADS;
	if (!p->has_pids)
		unknown |= UNKNOWN_PROCESSES;
	return unknown | (p->is_mixed ? UNKNOWN_MIXED : 0);
}

static int read_all(struct pprof *p, struct profile **ret, struct err *err)
{
	struct view all;
	size_t i;
	int r = input__rest(p->in, &all, err);

	p->start = all.p;
	if (!r)
		r = read_tables(p, all, err);
	if (!r)
		r = choose_values(p, err);
	for (i = 0; i < p->samples.len && !r; i++)
		r = read_sample(p, *(struct view *)vec__at(&p->samples, i), err);
	return r ? r : gather__finish(p->g, "pprof", unknown_of(p), ret, err);
}

static int read_pprof(struct input *in, struct gather *g, struct profile **ret, struct err *err)
{
	struct pprof p = { .in = in, .g = g };
	struct vec *const lists[] = { &p.strings, &p.types, &p.samples, &p.messages };
	size_t i;
	int r;

	for (i = 0; i < ARRAY_LEN(lists); i++)
		vec__init(lists[i], sizeof(struct view));
	map64__init(&p.mappings);
	map64__init(&p.locations);
	map64__init(&p.functions);
	r = read_all(&p, ret, err);
	for (i = 0; i < ARRAY_LEN(lists); i++)
		vec__done(lists[i]);
	map64__done(&p.mappings);
	map64__done(&p.locations);
	map64__done(&p.functions);
	return r;
}

const struct import_format import_pprof = {
	.name = "pprof",
	.detect = detect,
	.read = read_pprof,
};
