/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything a profile holds, as docs/json.md says. Each small object is built with jansson and
 * written at once, one on a line; the few brackets around them are written here. So memory does
 * not grow with the profile, and line tools can work on the result. Labels of frames are made into
 * JSON strings once and shared between all the stacks that have them.
 *
 * jansson keeps integers in 64 bits with a sign: larger ones are written as the largest. Addresses
 * use all 64 bits, and readers keep 53 of a number: they are strings.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include <jansson.h>

#include "analysis/cause.h"
#include "analysis/complete.h"
#include "analysis/hist.h"
#include "analysis/label.h"
#include "analysis/syscall_name.h"
#include "base/mem.h"
#include "profile/estimate.h"
#include "render/render.h"
#include "render/utf8.h"

#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY)

struct writer {
	const struct profile *p;
	struct sink *out;
	struct labels labels;
	struct causes causes;
	json_t **label_of_frame;
	int error; /* -ENOMEM */
};

static int dump_piece(const char *data, size_t sz, void *arg)
{
	sink__put(arg, data, sz);
	return 0;
}

/* Writes and frees a value. */
static void put(struct writer *w, json_t *value)
{
	if (!value || json_dump_callback(value, dump_piece, w->out, DUMP_FLAGS))
		w->error = -ENOMEM;
	json_decref(value);
}

static void set(struct writer *w, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		w->error = -ENOMEM;
}

static void append(struct writer *w, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		w->error = -ENOMEM;
}

static json_t *number(u64 n)
{
	return json_integer(n > LLONG_MAX ? LLONG_MAX : (json_int_t)n);
}

static json_t *address(u64 addr)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "0x%llx", addr);
	return json_string(buf);
}

static json_t *text(const char *s)
{
	char *clean = utf8_clean(s);
	json_t *value = clean ? json_string(clean) : NULL;

	mem_free(clean);
	return value;
}

static json_t *str(const struct writer *w, u32 id)
{
	return text(profile__str(w->p, id));
}

/* Ids of a profile begin at 1, indexes of the JSON at 0. */
static json_t *index_or_null(u32 id)
{
	return id ? number(id - 1) : json_null();
}

static void set_number(struct writer *w, json_t *object, const char *key, u64 n)
{
	set(w, object, key, number(n));
}

static json_t *states(struct writer *w, const u64 ns[PROFILE_STATES])
{
	json_t *object = json_object();
	u32 i;

	for (i = 0; i < PROFILE_STATES; i++) {
		const char key[2] = { PROFILE_STATE_LETTERS[i], '\0' };

		if (ns[i])
			set_number(w, object, key, ns[i]);
	}
	return object;
}

struct flag_name {
	u32 bit;
	const char *name;
};

static json_t *flags(struct writer *w, u32 bits, const struct flag_name *names)
{
	json_t *array = json_array();

	for (; names->name; names++) {
		if (bits & names->bit)
			append(w, array, json_string(names->name));
	}
	return array;
}

static const struct flag_name side_names[] = {
	{ SIDE_USER, "user" },
	{ SIDE_KERNEL, "kernel" },
	{ 0, NULL },
};

static json_t *header(struct writer *w)
{
	const struct profile_header *h = &w->p->hdr;
	json_t *o = json_object();

	set(w, o, "host", str(w, h->host));
	set(w, o, "kernel", str(w, h->kernel));
	set(w, o, "arch", str(w, h->arch));
	set(w, o, "coldspot", str(w, h->version));
	set(w, o, "command", str(w, h->command));
	set(w, o, "target", str(w, h->target));
	set(w, o, "hooks", str(w, h->hooks));
	set_number(w, o, "ncpu", h->ncpu);
	set_number(w, o, "begin_wall_ns", h->begin_wall_ns);
	set_number(w, o, "begin_mono_ns", h->begin_mono_ns);
	set_number(w, o, "window_ns", h->window_ns);
	set_number(w, o, "period_ns", h->period_ns);
	set_number(w, o, "period_min_ns", h->period_min_ns);
	set_number(w, o, "period_max_ns", h->period_max_ns);
	set_number(w, o, "period_sum_ns", h->period_sum_ns);
	set_number(w, o, "period_changes", h->period_changes);
	set_number(w, o, "min_ns", h->min_ns);
	set(w, o, "max_ns", h->max_ns == ~0ULL ? json_null() : number(h->max_ns));
	set(w, o, "filtered", json_boolean(h->filtered));
	set(w, o, "sides", flags(w, h->sides, side_names));
	set_number(w, o, "switches_seen", h->switches_seen);
	set_number(w, o, "waits_chosen", h->waits_chosen);
	set_number(w, o, "prog_runs", h->prog_runs);
	set_number(w, o, "prog_ns", h->prog_ns);
	set_number(w, o, "self_cpu_ns", h->self_cpu_ns);
	set_number(w, o, "kernel_bytes", h->kernel_bytes);
	return o;
}

static json_t *merged(struct writer *w)
{
	const struct profile_header *h = &w->p->hdr;
	json_t *o = json_object();

	set_number(w, o, "windows", h->windows);
	set_number(w, o, "gap_ns", h->gap_ns);
	set_number(w, o, "overlap_ns", h->overlap_ns);
	set_number(w, o, "machine_ns", h->machine_ns);
	return o;
}

static json_t *selection(struct writer *w)
{
	const struct profile_header *h = &w->p->hdr;
	json_t *o = json_object();

	set(w, o, "filters", str(w, h->selection));
	set_number(w, o, "whole_off_ns", h->whole_off_ns);
	set_number(w, o, "whole_wall_ns", h->whole_wall_ns);
	set_number(w, o, "whole_threads", h->whole_threads);
	return o;
}

static json_t *budget(struct writer *w)
{
	json_t *o = json_object();
	struct profile_budget b;

	if (profile__budget(w->p, &b))
		w->error = -ENOMEM;
	set_number(w, o, "threads", b.threads);
	set_number(w, o, "processes", b.processes);
	set_number(w, o, "wall_ns", b.wall_ns);
	set_number(w, o, "on_ns", b.on_ns);
	set_number(w, o, "preempted_ns", b.preempted_ns);
	set_number(w, o, "runq_ns", b.runq_ns);
	set_number(w, o, "blocked_ns", b.blocked_ns);
	set(w, o, "blocked_by_state_ns", states(w, b.blocked_by_state_ns));
	set_number(w, o, "unaccounted_ns", b.unaccounted_ns);
	set_number(w, o, "listed_blocked_ns", b.listed_blocked_ns);
	set_number(w, o, "listed_runq_ns", b.listed_runq_ns);
	set_number(w, o, "switches", b.switches);
	set_number(w, o, "preemptions", b.preemptions);
	set_number(w, o, "wakeups", b.wakeups);
	set_number(w, o, "migrations", b.migrations);
	return o;
}

static json_t *losses(struct writer *w)
{
	json_t *array = json_array();
	int i;

	for (i = 0; i < LOSS_CNT; i++) {
		const struct profile_loss *loss = &w->p->losses[i];
		json_t *o;

		if (!loss->events && !loss->ns)
			continue;
		o = json_object();
		set(w, o, "name", json_string(loss_name((enum profile_loss_kind)i)));
		set_number(w, o, "events", loss->events);
		set_number(w, o, "ns", loss->ns);
		set(w, o, "sentence", json_string(loss_sentence((enum profile_loss_kind)i)));
		append(w, array, o);
	}
	return array;
}

static json_t *incomplete(struct writer *w, const struct complete_row *row)
{
	json_t *o = json_object();

	set(w, o, "reason", json_string(row->reason));
	set(w, o, "module", index_or_null(row->module));
	set(w, o, "words", text(row->words));
	set_number(w, o, "events", row->count);
	set_number(w, o, "ns", row->ns);
	set_number(w, o, "se_ns", estimate_se_ns(row->var_us2));
	return o;
}

static json_t *user_stacks(struct writer *w)
{
	const struct profile_header *h = &w->p->hdr;
	struct complete c;
	json_t *o, *rest;
	struct arena a;
	u32 i;

	if (h->sides && !(h->sides & SIDE_USER))
		return json_null();
	o = json_object();
	rest = json_array();
	arena__init(&a);
	if (complete__build(w->p, &a, &c, NULL))
		w->error = -ENOMEM;
	set_number(w, o, "total_ns", c.total_ns);
	set_number(w, o, "total_se_ns", estimate_se_ns(c.total_var_us2));
	set_number(w, o, "whole_ns", c.whole_ns);
	set_number(w, o, "whole_se_ns", estimate_se_ns(c.whole_var_us2));
	for (i = 0; i < c.len && !w->error; i++)
		append(w, rest, incomplete(w, &c.rows[i]));
	set(w, o, "rest", rest);
	arena__done(&a);
	return o;
}

static json_t *module(struct writer *w, u32 id)
{
	static const char *const kinds[] = { "none", "kernel", "elf", "vdso", "anon", "code" };
	const struct profile_module *m = &w->p->modules[id];
	json_t *o = json_object();

	set(w, o, "kind", json_string(m->kind < ARRAY_LEN(kinds) ? kinds[m->kind] : kinds[0]));
	set(w, o, "path", str(w, m->path));
	set(w, o, "build_id", m->build_id ? str(w, m->build_id) : json_null());
	set(w, o, "tgid", m->tgid ? number(m->tgid) : json_null());
	return o;
}

static json_t *frame(struct writer *w, u32 id)
{
	const struct profile_frame *f = &w->p->frames[id];
	const char *reason = frame_reason_sentence((enum frame_reason)f->reason);
	bool truncated = f->flags & FRAME_TRUNCATED;
	json_t *o = json_object();

	set(w, o, "name", f->name ? str(w, f->name) : json_null());
	set(w, o, "label", json_incref(w->label_of_frame[id]));
	set(w, o, "module", index_or_null(f->module));
	set(w, o, "addr", address(truncated ? 0 : f->addr));
	set_number(w, o, "offset", f->name_off);
	set(w, o, "kernel", json_boolean(f->flags & FRAME_KERNEL));
	set(w, o, "return", json_boolean(f->flags & FRAME_RETURN));
	set(w, o, "reason", f->name ? json_null() : json_string(reason));
	set(w, o, "inlined", json_boolean(f->flags & FRAME_INLINED));
	set(w, o, "file", f->file ? str(w, f->file) : json_null());
	set(w, o, "line", f->file ? number(f->line) : json_null());
	set(w, o, "truncated",
	    truncated ? json_string(stack_end_name((enum stack_end)f->addr)) : json_null());
	return o;
}

/* The trie as it is: whole stacks for every inner node would be quadratic. */
static json_t *stack(struct writer *w, u32 id)
{
	const struct profile_stack *s = &w->p->stacks[id];
	json_t *o = json_object();

	set(w, o, "parent", index_or_null(s->parent));
	set(w, o, "frame", index_or_null(s->frame));
	set(w, o, "cut", s->flags & STACK_CUT ? json_string("depth") : json_null());
	return o;
}

static const struct flag_name task_flags[] = {
	{ TASK_KTHREAD, "kthread" },
	{ TASK_EXITED, "exited" },
	{ TASK_EXECED, "execed" },
	{ TASK_BORN, "born" },
	{ 0, NULL },
};

static json_t *task(struct writer *w, u32 id)
{
	const struct profile_task *t = &w->p->tasks[id];
	json_t *o = json_object();

	set_number(w, o, "tid", t->tid);
	set_number(w, o, "tgid", t->tgid);
	set(w, o, "comm", str(w, t->comm));
	set(w, o, "group_comm", str(w, t->group_comm));
	set(w, o, "flags", flags(w, t->flags, task_flags));
	set_number(w, o, "start_boottime_ns", t->start_boottime_ns);
	set_number(w, o, "cgroup_id", t->cgroup_id);
	set_number(w, o, "begin_ns", t->begin_ns);
	set_number(w, o, "wall_ns", t->wall_ns);
	set_number(w, o, "on_ns", t->on_ns);
	set_number(w, o, "preempted_ns", t->preempted_ns);
	set_number(w, o, "runq_ns", t->runq_ns);
	set(w, o, "blocked_ns", states(w, t->blocked_ns));
	set_number(w, o, "unaccounted_ns", t->unaccounted_ns);
	set_number(w, o, "switches", t->switches);
	set_number(w, o, "preemptions", t->preemptions);
	set_number(w, o, "wakeups", t->wakeups);
	set_number(w, o, "migrations", t->migrations);
	return o;
}

static const struct flag_name wait_flags[] = {
	{ WAIT_IOWAIT, "iowait" },
	{ WAIT_KILLABLE, "killable" },
	{ WAIT_PREEMPTED, "preempted" },
	{ WAIT_NEW, "new" },
	{ WAIT_PRE, "pre" },
	{ WAIT_OPEN, "open" },
	{ WAIT_LOST, "lost" },
	{ WAIT_NO_RESUME, "no_resume" },
	{ 0, NULL },
};

static json_t *hist(struct writer *w, const u32 counts[PROFILE_HIST_LEN])
{
	json_t *array = json_array();
	u32 i;

	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		json_t *bucket;

		if (!counts[i])
			continue;
		bucket = json_array();
		append(w, bucket, number(hist_floor_ns(i)));
		append(w, bucket, number(counts[i]));
		append(w, array, bucket);
	}
	return array;
}

static json_t *names(struct writer *w, u32 leaf)
{
	json_t *array = json_array();

	for (; leaf; leaf = w->p->stacks[leaf].parent)
		append(w, array, json_incref(w->label_of_frame[w->p->stacks[leaf].frame]));
	return array;
}

static json_t *wait(struct writer *w, u32 id)
{
	const struct profile_wait *wait = &w->p->waits[id];
	const char *call = syscall_name(profile__str(w->p, w->p->hdr.arch), wait->sysno);
	const char state[2] = { PROFILE_STATE_LETTERS[wait->state], '\0' };
	json_t *o = json_object();

	set(w, o, "task", index_or_null(wait->task));
	set(w, o, "state", json_string(state));
	set(w, o, "sysno", wait->sysno < 0 ? json_null() : json_integer(wait->sysno));
	set(w, o, "syscall", call ? json_string(call) : json_null());
	set(w, o, "cause", json_string(cause_name(causes__of(&w->causes, id))));
	set(w, o, "flags", flags(w, wait->flags, wait_flags));
	set_number(w, o, "blocked_ns", wait->blocked_ns);
	set_number(w, o, "runq_ns", wait->runq_ns);
	set_number(w, o, "count", wait->count);
	set_number(w, o, "max_ns", wait->max_ns);
	set_number(w, o, "samples", wait->samples);
	set_number(w, o, "se_ns", estimate_se_ns(wait->var_us2));
	set(w, o, "hist", hist(w, wait->hist));
	set(w, o, "user_stack", index_or_null(wait->ustack));
	set(w, o, "kernel_stack", index_or_null(wait->kstack));
	set(w, o, "user", names(w, wait->ustack));
	set(w, o, "kernel", names(w, wait->kstack));
	return o;
}

/* ,"key":[ and one element a line. `len` counts the zero element, which is not written. */
static void put_array(struct writer *w, const char *key, u32 len,
		      json_t *(*element)(struct writer *, u32))
{
	u32 i;

	sink__printf(w->out, ",\n\"%s\":[", key);
	for (i = 1; i < len && !w->error; i++) {
		sink__puts(w->out, i > 1 ? ",\n" : "\n");
		put(w, element(w, i));
	}
	sink__puts(w->out, "]");
}

static void put_all(struct writer *w)
{
	const struct profile *p = w->p;

	sink__puts(w->out, "{\"format\":\"coldspot\",\n\"version\":2,\n\"header\":");
	put(w, header(w));
	if (p->hdr.windows > 1) {
		sink__puts(w->out, ",\n\"merged\":");
		put(w, merged(w));
	}
	if (p->hdr.selection) {
		sink__puts(w->out, ",\n\"selection\":");
		put(w, selection(w));
	}
	sink__puts(w->out, ",\n\"budget\":");
	put(w, budget(w));
	sink__puts(w->out, ",\n\"losses\":");
	put(w, losses(w));
	sink__puts(w->out, ",\n\"user_stacks\":");
	put(w, user_stacks(w));
	put_array(w, "modules", p->modules_len, module);
	put_array(w, "frames", p->frames_len, frame);
	put_array(w, "stacks", p->stacks_len, stack);
	put_array(w, "tasks", p->tasks_len, task);
	put_array(w, "waits", p->waits_len, wait);
	sink__puts(w->out, "}\n");
}

static int make_labels(struct writer *w)
{
	u32 i;
	int r = labels__init(&w->labels, w->p, NULL);

	if (r)
		return r;
	w->label_of_frame = mem_array(w->p->frames_len + 1, sizeof(json_t *));
	if (!w->label_of_frame)
		return -ENOMEM;
	for (i = 1; i < w->p->frames_len; i++) {
		w->label_of_frame[i] = text(labels__frame(&w->labels, i));
		if (!w->label_of_frame[i])
			return -ENOMEM;
	}
	return 0;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct writer w = { .p = p, .out = out };
	u32 i;
	int r;

	(void)opt;
	r = make_labels(&w);
	if (!r)
		r = causes__init(&w.causes, p, NULL);
	if (!r) {
		put_all(&w);
		r = w.error;
	}
	for (i = 1; w.label_of_frame && i < p->frames_len; i++)
		json_decref(w.label_of_frame[i]);
	mem_free(w.label_of_frame);
	causes__done(&w.causes);
	labels__done(&w.labels);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_json = {
	.name = "json",
	.endings = ".json",
	.mime = "application/json",
	.help = "everything, for programs: docs/json.md",
	.render = render,
};
