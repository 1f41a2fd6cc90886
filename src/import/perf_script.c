/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of `perf script`: a line for each event, below it its stack, leaf first, and an empty
 * line. Of the scheduler's events come the exact times of threads (sched_trace.h); the samples of
 * `perf record --off-cpu` are sums. Other events are passed over. Which fields a line has depends
 * on options, so it is read from the time outwards.
 */
#include <errno.h>
#include <string.h>

#include "import/format.h"
#include "import/name_hints.h"
#include "import/sched_trace.h"

struct event {
	struct view comm;
	u32 tgid, tid;
	u64 cpu;
	u64 time_ns;
	u64 period;
	struct view name;
	struct view rest;
};

struct perf_script {
	struct input *in;
	struct gather *g;
	struct sched_trace sched;
	char line[4096]; /* of the event in hand; its views point here */
	struct event event;
	bool has_event;
	bool seen_switch, seen_off_cpu;
};

/* "3052.236997:", with 6 or 9 digits behind the dot */
static bool take_time(struct view word, u64 *ret_ns)
{
	u64 seconds, fraction, unit = NSEC_PER_SEC;
	size_t digits;

	if (!view_ends(&word, ":"))
		return false;
	word.end--;
	seconds = view__dec(&word);
	if (word.bad || !view__accept(&word, '.'))
		return false;
	digits = view__left(&word);
	fraction = view__dec(&word);
	if (word.bad || view__left(&word) || digits > 9 || seconds > ~0ULL / NSEC_PER_SEC / 2)
		return false;
	for (; digits; digits--)
		unit /= 10;
	*ret_ns = seconds * NSEC_PER_SEC + fraction * unit;
	return true;
}

/* A thread that has ended may have lost its number: "-1". */
#define TID_GONE ~0U

static u64 take_id(struct view *word)
{
	if (!view_starts(word, "-1"))
		return view__dec(word);
	word->p += 2;
	return TID_GONE;
}

/* "12" or "12/34" */
static bool take_ids(struct view word, struct event *e)
{
	u64 a = take_id(&word), b = a;
	bool both = view__accept(&word, '/');

	if (both)
		b = take_id(&word);
	e->tgid = both && a != TID_GONE ? (u32)a : 0;
	e->tid = (u32)b;
	return !word.bad && !view__left(&word) && a <= TID_GONE && b <= TID_GONE;
}

/* What stands before the time: "comm tid [cpu]". */
static bool read_who(struct view who, struct event *e)
{
	struct view word;

	who = import_trim(who);
	if (view_ends(&who, "]") && import_split_last(&who, '[', &word)) {
		e->cpu = view__dec(&word);
		who = import_trim(who);
	}
	if (!import_split_last(&who, ' ', &word) || !take_ids(word, e))
		return false;
	e->comm = import_trim(who);
	return true;
}

/* Behind the time: "[period] event: text". */
static bool read_what(struct view what, struct event *e)
{
	struct view word, rest;

	if (!view__token(&what, &word))
		return false;
	rest = word;
	e->period = view__dec(&rest);
	if (rest.bad || view__left(&rest))
		e->period = 0;
	else if (!view__token(&what, &word))
		return false;
	if (!view_ends(&word, ":") && !view_starts(&word, "PERF_RECORD_"))
		return false;
	e->name = word;
	e->name.end -= view_ends(&word, ":");
	e->rest = import_trim(what);
	return true;
}

static bool read_event(struct view line, struct event *e)
{
	struct view rest = line, word;

	*e = (struct event){ 0 };
	while (view__token(&rest, &word)) {
		if (!take_time(word, &e->time_ns))
			continue;
		return read_who(view__of(line.p, (size_t)(word.p - line.p)), e) &&
		       read_what(rest, e);
	}
	return false;
}

static bool detect(struct view head)
{
	struct view line;
	struct event e;

	if (!import_is_text(head))
		return false;
	while (import_head_line(&head, &line)) {
		if (view__left(&line) && *line.p != '#')
			return read_event(line, &e);
	}
	return false;
}

/* "__schedule+0x618 ([kernel.kallsyms])", with an address before it or not */
static int read_frame(struct perf_script *ps, struct view line)
{
	struct gather_frame f = { 0 };
	struct view text = import_trim(line), word = text, rest = text, version;

	view__token(&rest, &word);
	f.addr = view__hex(&word);
	if (!word.bad && !view__left(&word) && view__left(&rest))
		text = import_trim(rest);
	else
		f.addr = 0;
	if (view_ends(&text, ")") && import_split_last(&text, '(', &f.module)) {
		f.module.end--;
		text = import_trim(text);
	}
	f.inlined = view__eq(&f.module, "inlined");
	if (f.inlined)
		f.module = view__of_str("");
	if (view_starts(&f.module, "[kernel") || view_starts(&f.module, "[guest.kernel"))
		f.side = GATHER_SIDE_KERNEL;
	else if (view__left(&f.module))
		f.side = GATHER_SIDE_USER;
	import_take_offset(&text, &f.name_off);
	f.name = text;
	/* clock_nanosleep@GLIBC_2.2.5 */
	if (import_split_last(&text, '@', &version) && view_starts(&version, "GLIBC"))
		f.name = text;
	while (view_ends(&f.name, "@"))
		f.name.end--;
	return gather__frame(ps->g, &f);
}

/* The value of "key=", which ends before `next`, or at a space if that is NULL. */
static bool field(struct view text, const char *key, const char *next, struct view *ret)
{
	const u8 *at = memmem(text.p, view__left(&text), key, strlen(key)), *end;

	if (!at)
		return false;
	*ret = view__of(at + strlen(key), (size_t)(text.end - at) - strlen(key));
	end = next ? memmem(ret->p, view__left(ret), next, strlen(next)) :
		     memchr(ret->p, ' ', view__left(ret));
	if (end)
		ret->end = end;
	return !next || end;
}

static bool pid_field(struct view text, const char *key, u32 *ret_pid)
{
	struct view value;
	u64 pid;

	if (!field(text, key, NULL, &value))
		return false;
	pid = view__dec(&value);
	*ret_pid = (u32)pid;
	return !value.bad && !view__left(&value) && pid <= ~0U;
}

static int take_switch(struct perf_script *ps, struct err *err)
{
	const struct event *e = &ps->event;
	struct sched_switch sw = { .time_ns = e->time_ns, .cpu = e->cpu };
	struct view state;
	const char *letter;
	int r;

	if (!field(e->rest, "prev_comm=", " prev_pid=", &sw.prev_comm) ||
	    !pid_field(e->rest, "prev_pid=", &sw.prev) ||
	    !field(e->rest, "prev_state=", NULL, &state) || !view__left(&state) ||
	    !field(e->rest, "next_comm=", " next_pid=", &sw.next_comm) ||
	    !pid_field(e->rest, "next_pid=", &sw.next))
		return input__fault(ps->in, err, "a sched_switch above here without its fields");
	letter = strchr(PROFILE_STATE_LETTERS, *state.p);
	sw.prev_state = letter && *letter ? (u32)(letter - PROFILE_STATE_LETTERS) : 1;
	if (e->tid == sw.prev || e->tid == TID_GONE)
		sw.prev_tgid = e->tgid;
	ps->seen_switch = true;
	r = sched_trace__switch(&ps->sched, &sw);
	return r ? import_refuse(ps->in, r, err) : 0;
}

static int take_wake(struct perf_script *ps, bool is_new, struct err *err)
{
	const struct event *e = &ps->event;
	struct view comm;
	u32 tid;
	int r;

	if (!field(e->rest, "comm=", " pid=", &comm) || !pid_field(e->rest, " pid=", &tid))
		return input__fault(ps->in, err, "a wakeup above here without its fields");
	r = sched_trace__wake(&ps->sched, e->time_ns, tid, &comm, is_new);
	return r ? import_refuse(ps->in, r, err) : 0;
}

/* A sum of perf record --off-cpu: the period is its time. */
static int take_off_cpu(struct perf_script *ps, struct err *err)
{
	const struct event *e = &ps->event;
	struct gather_wait w = {
		.leaf_first = true, .guess = true, .sysno = -1, .blocked_ns = e->period
	};
	int r;

	/* where a stack of ours begins */
	if (!e->period) {
		gather__drop_frames(ps->g);
		return 0;
	}
	ps->seen_off_cpu = true;
	r = gather__task(ps->g, &e->comm, e->tgid, e->tid, &w.task);
	if (!r)
		r = gather__wait(ps->g, &w);
	return r ? import_refuse(ps->in, r, err) : 0;
}

/* "PERF_RECORD_LOST lost 12" */
static int take_lost(struct perf_script *ps, struct err *err)
{
	struct view text = ps->event.rest, n = text;
	u64 events;
	int r;

	import_split_last(&text, ' ', &n);
	events = view__dec(&n);
	r = builder__loss(ps->g->b, LOSS_SOURCE_LOST, n.bad ? 1 : events, 0);
	return r ? import_refuse(ps->in, r, err) : 0;
}

/* An event with all of its stack. */
static int end_event(struct perf_script *ps, struct err *err)
{
	struct view name = ps->event.name, kind;
	u32 tid;
	int r = 0;

	if (!ps->has_event)
		return 0;
	ps->has_event = false;
	sched_trace__see(&ps->sched, ps->event.time_ns);
	if (view_starts(&name, "PERF_RECORD_LOST"))
		return take_lost(ps, err);
	if (view_starts(&name, "offcpu-time"))
		return take_off_cpu(ps, err);
	if (import_split_last(&name, ':', &kind))
		name = kind;
	if (view__eq(&name, "sched_switch"))
		r = take_switch(ps, err);
	else if (view__eq(&name, "sched_waking") || view__eq(&name, "sched_wakeup"))
		r = take_wake(ps, false, err);
	else if (view__eq(&name, "sched_wakeup_new"))
		r = take_wake(ps, true, err);
	else if (view__eq(&name, "sched_migrate_task") && pid_field(ps->event.rest, " pid=", &tid))
		sched_trace__migrate(&ps->sched, ps->event.time_ns, tid);
	gather__drop_frames(ps->g);
	return r;
}

/* "# hostname : web1" */
static int read_comment(struct perf_script *ps, struct view line)
{
	struct profile_header *h = builder__header(ps->g->b);
	struct view value = line, n;

	if (!import_split_last(&line, ':', &value))
		return 0;
	value = import_trim(value);
	if (view_starts(&line, "# hostname"))
		return gather__str(ps->g, &value, &h->host);
	if (view_starts(&line, "# os release"))
		return gather__str(ps->g, &value, &h->kernel);
	if (view_starts(&line, "# arch"))
		return gather__str(ps->g, &value, &h->arch);
	n = value;
	if (view_starts(&line, "# nrcpus online"))
		h->ncpu = (u32)view__dec(&n);
	return 0;
}

static int read_line(struct perf_script *ps, struct view line, struct err *err)
{
	struct event e;
	int r;

	if (view_starts(&line, "#")) {
		r = read_comment(ps, line);
		return r ? import_refuse(ps->in, r, err) : 0;
	}
	if (!view__left(&line))
		return end_event(ps, err);
	if (!read_event(line, &e)) {
		if (*line.p != ' ' && *line.p != '\t')
			return input__fault(ps->in, err, "neither an event nor a frame");
		r = ps->has_event ? read_frame(ps, line) : 0;
		return r ? import_refuse(ps->in, r, err) : 0;
	}
	r = end_event(ps, err);
	if (r)
		return r;
	if (!view__copy(&line, ps->line, sizeof(ps->line)))
		return input__fault(ps->in, err, "an event of more than %zu bytes",
				    sizeof(ps->line));
	ps->has_event = read_event(view__of(ps->line, view__left(&line)), &ps->event);
	return 0;
}

static int finish(struct perf_script *ps, struct profile **ret, struct err *err)
{
	const struct profile_header *h = builder__header(ps->g->b);
	u32 unknown = UNKNOWN_BEGIN | (h->host ? 0 : UNKNOWN_MACHINE);
	int r = ps->seen_switch ? sched_trace__end(&ps->sched) : 0;

	if (r)
		return import_refuse(ps->in, r, err);
	if (!ps->seen_switch && !ps->seen_off_cpu)
		return err__set(err, -EINVAL,
				"'%s' has no events of the scheduler: record with `perf sched "
				"record -g` or `perf record -e sched:sched_switch -a -g`",
				ps->in->name);
	if (!ps->seen_switch)
		unknown |= UNKNOWN_WINDOW | UNKNOWN_ON_CPU | UNKNOWN_RUNQ | UNKNOWN_STATES;
	else if (!ps->sched.has_wakeups)
		unknown |= UNKNOWN_RUNQ;
	if (ps->seen_switch && !ps->sched.has_tgids)
		unknown |= UNKNOWN_PROCESSES;
	if (!ps->g->opt->lost_shown)
		unknown |= UNKNOWN_LOSSES;
	return gather__finish(ps->g, ps->seen_switch ? "perf sched" : "perf record --off-cpu",
			      unknown, ret, err);
}

static int read_perf_script(struct input *in, struct gather *g, struct profile **ret,
			    struct err *err)
{
	struct perf_script ps = { .in = in, .g = g };
	struct view line;
	int r = sched_trace__init(&ps.sched, g);

	if (r)
		err__nomem(err);
	while (!r && (r = input__line(in, &line, err)) > 0)
		r = read_line(&ps, line, err);
	if (!r)
		r = end_event(&ps, err);
	if (!r)
		r = finish(&ps, ret, err);
	sched_trace__done(&ps.sched);
	return r;
}

const struct import_format import_perf_script = {
	.name = "perf-script",
	.detect = detect,
	.read = read_perf_script,
};
