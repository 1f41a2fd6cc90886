/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each object is built with jansson and written at once. Labels of frames are made into JSON
 * strings once and shared between all the stacks that have them.
 *
 * jansson keeps integers in 64 bits with a sign: larger ones are written as the largest. Addresses
 * use all 64 bits, and readers keep 53 of a number: they are strings.
 */
#include "render/json_parts.h"

#include <errno.h>
#include <stdio.h>

#include "analysis/complete.h"
#include "analysis/hist.h"
#include "analysis/object_label.h"
#include "analysis/syscall_name.h"
#include "base/mem.h"
#include "profile/estimate.h"
#include "render/json_value.h"

#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY)

static int dump_piece(const char *data, size_t sz, void *arg)
{
	sink__put(arg, data, sz);
	return 0;
}

void json_parts__put(struct json_parts *j, json_t *value)
{
	if (!value || json_dump_callback(value, dump_piece, j->out, DUMP_FLAGS))
		j->error = -ENOMEM;
	json_decref(value);
}

static void set(struct json_parts *j, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new_nocheck(object, key, value))
		j->error = -ENOMEM;
}

static void append(struct json_parts *j, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		j->error = -ENOMEM;
}

static json_t *address(u64 addr)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "0x%llx", addr);
	return json_string(buf);
}

static json_t *str(const struct json_parts *j, u32 id)
{
	return json_value_text(profile__str(j->p, id));
}

void json_parts__set_text(struct json_parts *j, json_t *object, const char *key, const char *s)
{
	set(j, object, key, json_value_text(s));
}

/* Ids of a profile begin at 1, indexes of the JSON at 0. */
static json_t *index_or_null(u32 id)
{
	return id ? json_value_number(id - 1) : json_null();
}

void json_parts__set_number(struct json_parts *j, json_t *object, const char *key, u64 n)
{
	set(j, object, key, json_value_number(n));
}

static json_t *states(struct json_parts *j, const u64 ns[PROFILE_STATES])
{
	json_t *object = json_object();
	u32 i;

	for (i = 0; i < PROFILE_STATES; i++) {
		const char key[2] = { PROFILE_STATE_LETTERS[i], '\0' };

		if (ns[i])
			json_parts__set_number(j, object, key, ns[i]);
	}
	return object;
}

struct flag_name {
	u32 bit;
	const char *name;
};

static json_t *flags(struct json_parts *j, u32 bits, const struct flag_name *names)
{
	json_t *array = json_array();

	for (; names->name; names++) {
		if (bits & names->bit)
			append(j, array, json_string(names->name));
	}
	return array;
}

static const struct flag_name side_names[] = {
	{ SIDE_USER, "user" },
	{ SIDE_KERNEL, "kernel" },
	{ 0, NULL },
};

json_t *json_parts__header(struct json_parts *j)
{
	const struct profile_header *h = &j->p->hdr;
	json_t *o = json_object();

	set(j, o, "host", str(j, h->host));
	set(j, o, "kernel", str(j, h->kernel));
	set(j, o, "arch", str(j, h->arch));
	set(j, o, "coldspot", str(j, h->version));
	set(j, o, "command", str(j, h->command));
	set(j, o, "target", str(j, h->target));
	set(j, o, "hooks", str(j, h->hooks));
	json_parts__set_number(j, o, "ncpu", h->ncpu);
	json_parts__set_number(j, o, "begin_wall_ns", h->begin_wall_ns);
	json_parts__set_number(j, o, "begin_mono_ns", h->begin_mono_ns);
	json_parts__set_number(j, o, "window_ns", h->window_ns);
	json_parts__set_number(j, o, "period_ns", h->period_ns);
	json_parts__set_number(j, o, "period_min_ns", h->period_min_ns);
	json_parts__set_number(j, o, "period_max_ns", h->period_max_ns);
	json_parts__set_number(j, o, "period_sum_ns", h->period_sum_ns);
	json_parts__set_number(j, o, "period_changes", h->period_changes);
	json_parts__set_number(j, o, "min_ns", h->min_ns);
	set(j, o, "max_ns", h->max_ns == ~0ULL ? json_null() : json_value_number(h->max_ns));
	set(j, o, "filtered", json_boolean(h->filtered));
	set(j, o, "sides", flags(j, h->sides, side_names));
	json_parts__set_number(j, o, "switches_seen", h->switches_seen);
	json_parts__set_number(j, o, "waits_chosen", h->waits_chosen);
	json_parts__set_number(j, o, "prog_runs", h->prog_runs);
	json_parts__set_number(j, o, "prog_ns", h->prog_ns);
	json_parts__set_number(j, o, "self_cpu_ns", h->self_cpu_ns);
	json_parts__set_number(j, o, "kernel_bytes", h->kernel_bytes);
	if (profile__has_on_cpu(j->p)) {
		json_parts__set_number(j, o, "on_cpu_hz", h->on_cpu_hz);
		json_parts__set_number(j, o, "on_cpu_samples", h->on_cpu_samples);
	}
	if (h->hist_unit_ns)
		json_parts__set_number(j, o, "hist_unit_ns", h->hist_unit_ns);
	return o;
}

json_t *json_parts__merged(struct json_parts *j)
{
	const struct profile_header *h = &j->p->hdr;
	json_t *o = json_object();

	json_parts__set_number(j, o, "windows", h->windows);
	json_parts__set_number(j, o, "gap_ns", h->gap_ns);
	json_parts__set_number(j, o, "overlap_ns", h->overlap_ns);
	json_parts__set_number(j, o, "machine_ns", h->machine_ns);
	return o;
}

json_t *json_parts__selection(struct json_parts *j)
{
	const struct profile_header *h = &j->p->hdr;
	json_t *o = json_object();

	set(j, o, "filters", str(j, h->selection));
	json_parts__set_number(j, o, "whole_off_ns", h->whole_off_ns);
	json_parts__set_number(j, o, "whole_wall_ns", h->whole_wall_ns);
	json_parts__set_number(j, o, "whole_threads", h->whole_threads);
	if (profile__has_on_cpu(j->p))
		json_parts__set_number(j, o, "whole_on_ns", h->whole_on_ns);
	return o;
}

json_t *json_parts__budget(struct json_parts *j)
{
	json_t *o = json_object();
	struct profile_budget b;

	if (profile__budget(j->p, &b))
		j->error = -ENOMEM;
	json_parts__set_number(j, o, "threads", b.threads);
	json_parts__set_number(j, o, "processes", b.processes);
	json_parts__set_number(j, o, "wall_ns", b.wall_ns);
	json_parts__set_number(j, o, "on_ns", b.on_ns);
	json_parts__set_number(j, o, "preempted_ns", b.preempted_ns);
	json_parts__set_number(j, o, "runq_ns", b.runq_ns);
	json_parts__set_number(j, o, "blocked_ns", b.blocked_ns);
	set(j, o, "blocked_by_state_ns", states(j, b.blocked_by_state_ns));
	json_parts__set_number(j, o, "unaccounted_ns", b.unaccounted_ns);
	json_parts__set_number(j, o, "listed_blocked_ns", b.listed_blocked_ns);
	json_parts__set_number(j, o, "listed_runq_ns", b.listed_runq_ns);
	if (profile__has_on_cpu(j->p)) {
		json_parts__set_number(j, o, "listed_on_ns", b.listed_on_ns);
		json_parts__set_number(j, o, "listed_samples", b.on_samples);
	}
	json_parts__set_number(j, o, "switches", b.switches);
	json_parts__set_number(j, o, "preemptions", b.preemptions);
	json_parts__set_number(j, o, "wakeups", b.wakeups);
	json_parts__set_number(j, o, "migrations", b.migrations);
	return o;
}

json_t *json_parts__loss(struct json_parts *j, enum profile_loss_kind kind)
{
	const struct profile_loss *loss = &j->p->losses[kind];
	json_t *o;

	if (!loss->events && !loss->ns)
		return NULL;
	o = json_object();
	set(j, o, "name", json_string(loss_name(kind)));
	json_parts__set_number(j, o, "events", loss->events);
	json_parts__set_number(j, o, "ns", loss->ns);
	set(j, o, "sentence", json_string(loss_sentence(kind)));
	return o;
}

json_t *json_parts__losses(struct json_parts *j)
{
	json_t *array = json_array();
	int i;

	for (i = 0; i < LOSS_CNT; i++) {
		json_t *o = json_parts__loss(j, (enum profile_loss_kind)i);

		if (o)
			append(j, array, o);
	}
	return array;
}

static json_t *incomplete(struct json_parts *j, const struct complete_row *row)
{
	json_t *o = json_object();

	set(j, o, "reason", json_string(row->reason));
	set(j, o, "module", index_or_null(row->module));
	set(j, o, "words", json_value_text(row->words));
	json_parts__set_number(j, o, "events", row->count);
	json_parts__set_number(j, o, "ns", row->ns);
	json_parts__set_number(j, o, "se_ns", estimate_se_ns(row->var_us2));
	return o;
}

json_t *json_parts__user_stacks(struct json_parts *j)
{
	const struct profile_header *h = &j->p->hdr;
	struct complete c;
	json_t *o, *rest;
	struct arena a;
	u32 i;

	if (h->sides && !(h->sides & SIDE_USER))
		return json_null();
	o = json_object();
	rest = json_array();
	arena__init(&a);
	if (complete__build(j->p, &a, &c, NULL))
		j->error = -ENOMEM;
	json_parts__set_number(j, o, "total_ns", c.total_ns);
	json_parts__set_number(j, o, "total_se_ns", estimate_se_ns(c.total_var_us2));
	json_parts__set_number(j, o, "whole_ns", c.whole_ns);
	json_parts__set_number(j, o, "whole_se_ns", estimate_se_ns(c.whole_var_us2));
	for (i = 0; i < c.len && !j->error; i++)
		append(j, rest, incomplete(j, &c.rows[i]));
	set(j, o, "rest", rest);
	arena__done(&a);
	return o;
}

json_t *json_parts__module(struct json_parts *j, u32 id)
{
	static const char *const kinds[] = { "none", "kernel", "elf", "vdso", "anon", "code" };
	const struct profile_module *m = &j->p->modules[id];
	json_t *o = json_object();

	set(j, o, "kind", json_string(m->kind < ARRAY_LEN(kinds) ? kinds[m->kind] : kinds[0]));
	set(j, o, "path", str(j, m->path));
	set(j, o, "build_id", m->build_id ? str(j, m->build_id) : json_null());
	set(j, o, "tgid", m->tgid ? json_value_number(m->tgid) : json_null());
	return o;
}

json_t *json_parts__frame(struct json_parts *j, u32 id)
{
	const struct profile_frame *f = &j->p->frames[id];
	const char *reason = frame_reason_sentence((enum frame_reason)f->reason);
	bool truncated = f->flags & FRAME_TRUNCATED;
	json_t *o = json_object();

	set(j, o, "name", f->name ? str(j, f->name) : json_null());
	set(j, o, "label", json_incref(j->label_of_frame[id]));
	set(j, o, "module", index_or_null(f->module));
	set(j, o, "addr", address(truncated ? 0 : f->addr));
	json_parts__set_number(j, o, "offset", f->name_off);
	set(j, o, "kernel", json_boolean(f->flags & FRAME_KERNEL));
	set(j, o, "return", json_boolean(f->flags & FRAME_RETURN));
	set(j, o, "reason", f->name ? json_null() : json_string(reason));
	set(j, o, "inlined", json_boolean(f->flags & FRAME_INLINED));
	set(j, o, "file", f->file ? str(j, f->file) : json_null());
	set(j, o, "line", f->file ? json_value_number(f->line) : json_null());
	set(j, o, "truncated",
	    truncated ? json_string(stack_end_name((enum stack_end)f->addr)) : json_null());
	return o;
}

/* The trie as it is: whole stacks for every inner node would be quadratic. */
json_t *json_parts__stack(struct json_parts *j, u32 id)
{
	const struct profile_stack *s = &j->p->stacks[id];
	json_t *o = json_object();

	set(j, o, "parent", index_or_null(s->parent));
	set(j, o, "frame", index_or_null(s->frame));
	set(j, o, "cut", s->flags & STACK_CUT ? json_string("depth") : json_null());
	return o;
}

static const struct flag_name task_flags[] = {
	{ TASK_KTHREAD, "kthread" },
	{ TASK_EXITED, "exited" },
	{ TASK_EXECED, "execed" },
	{ TASK_BORN, "born" },
	{ 0, NULL },
};

static json_t *bucket(struct json_parts *j, u64 floor_ns, u64 count)
{
	json_t *pair = json_array();

	append(j, pair, json_value_number(floor_ns));
	append(j, pair, json_value_number(count));
	return pair;
}

static json_t *text_or_null(struct json_parts *j, u32 id)
{
	return id ? str(j, id) : json_null();
}

void json_parts__set_str(struct json_parts *j, json_t *object, const char *key, u32 id)
{
	set(j, object, key, text_or_null(j, id));
}

/* Those of one thread. */
static json_t *hists(struct json_parts *j, u32 task)
{
	const struct profile_task *t = &j->p->tasks[task];
	const u64 sums[HIST_KINDS] = {
		[HIST_ON] = t->hist_on_ns,
		[HIST_OFF] = t->hist_runq_ns + t->hist_blocked_ns,
		[HIST_RUNQ] = t->hist_runq_ns,
		[HIST_BLOCKED] = t->hist_blocked_ns,
	};
	json_t *o = json_object();
	u32 kind, i, end;

	bins_of_task(j->p, task, &i, &end);
	for (kind = 0; kind < HIST_KINDS; kind++) {
		json_t *one = json_object(), *buckets = json_array();

		for (; i < end && j->p->bins[i].kind == kind; i++)
			append(j, buckets,
			       bucket(j,
				      bins_floor_ns(j->p->hdr.hist_unit_ns, j->p->bins[i].bucket),
				      j->p->bins[i].count));
		json_parts__set_number(j, one, "ns", sums[kind]);
		set(j, one, "hist", buckets);
		set(j, o, hist_kind_name((enum hist_kind)kind), one);
	}
	return o;
}

json_t *json_parts__task(struct json_parts *j, u32 id)
{
	const struct profile_task *t = &j->p->tasks[id];
	json_t *o = json_object();

	json_parts__set_number(j, o, "tid", t->tid);
	json_parts__set_number(j, o, "tgid", t->tgid);
	set(j, o, "comm", str(j, t->comm));
	set(j, o, "group_comm", str(j, t->group_comm));
	set(j, o, "flags", flags(j, t->flags, task_flags));
	json_parts__set_number(j, o, "start_boottime_ns", t->start_boottime_ns);
	json_parts__set_number(j, o, "cgroup_id", t->cgroup_id);
	json_parts__set_str(j, o, "cgroup", t->cgroup);
	json_parts__set_number(j, o, "begin_ns", t->begin_ns);
	json_parts__set_number(j, o, "wall_ns", t->wall_ns);
	json_parts__set_number(j, o, "on_ns", t->on_ns);
	json_parts__set_number(j, o, "preempted_ns", t->preempted_ns);
	json_parts__set_number(j, o, "runq_ns", t->runq_ns);
	set(j, o, "blocked_ns", states(j, t->blocked_ns));
	json_parts__set_number(j, o, "unaccounted_ns", t->unaccounted_ns);
	json_parts__set_number(j, o, "switches", t->switches);
	json_parts__set_number(j, o, "preemptions", t->preemptions);
	json_parts__set_number(j, o, "wakeups", t->wakeups);
	json_parts__set_number(j, o, "migrations", t->migrations);
	if (j->p->hdr.hist_unit_ns)
		set(j, o, "hists", hists(j, id));
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
	{ WAIT_THROTTLED, "throttled" },
	{ 0, NULL },
};

static json_t *hist(struct json_parts *j, const u32 counts[PROFILE_HIST_LEN])
{
	json_t *array = json_array();
	u32 i;

	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		if (counts[i])
			append(j, array, bucket(j, hist_floor_ns(i), counts[i]));
	}
	return array;
}

static json_t *names(struct json_parts *j, u32 leaf)
{
	json_t *array = json_array();

	for (; leaf; leaf = j->p->stacks[leaf].parent)
		append(j, array, json_incref(j->label_of_frame[j->p->stacks[leaf].frame]));
	return array;
}

static json_t *object_label_or_null(struct json_parts *j, u32 id)
{
	char label[OBJECT_LABEL_SZ];

	return id ? json_value_text(object_label(j->p, id, label, sizeof(label))) : json_null();
}

json_t *json_parts__object(struct json_parts *j, u32 id)
{
	const struct profile_object *obj = &j->p->objects[id];
	bool is_file = obj->kind == OBJECT_FILE;
	json_t *o = json_object();

	set(j, o, "kind", json_string(object_kind_name((enum object_kind)obj->kind)));
	set(j, o, "label", object_label_or_null(j, id));
	set(j, o, "futex",
	    obj->futex ? json_string(futex_kind_name((enum futex_kind)obj->futex)) : json_null());
	set(j, o, "role",
	    obj->kind == OBJECT_SOCKET ?
		    json_string(socket_role_name((enum socket_role)obj->role)) :
		    json_null());
	json_parts__set_number(j, o, "family", obj->family);
	json_parts__set_number(j, o, "socket_type", obj->type);
	json_parts__set_number(j, o, "protocol", obj->protocol);
	json_parts__set_number(j, o, "port", obj->port);
	json_parts__set_number(j, o, "number", obj->number);
	json_parts__set_number(j, o, "tgid", obj->tgid);
	json_parts__set_number(j, o, "more", obj->more);
	set(j, o, "name", text_or_null(j, obj->name));
	set(j, o, "peer", text_or_null(j, obj->peer));
	set(j, o, "file", is_file ? json_null() : text_or_null(j, obj->file));
	set(j, o, "device", is_file ? text_or_null(j, obj->file) : json_null());
	json_parts__set_number(j, o, "dev", obj->dev);
	json_parts__set_number(j, o, "ino", obj->ino);
	set(j, o, "addr", address(obj->addr));
	json_parts__set_number(j, o, "offset", obj->name_off);
	return o;
}

/* Who held what it waited for. */
static json_t *owner(struct json_parts *j, const struct profile_wait *wait)
{
	json_t *o;

	if (!wait->owner_tid)
		return json_null();
	o = json_object();
	json_parts__set_number(j, o, "tid", wait->owner_tid);
	set(j, o, "task", index_or_null(wait->owner));
	set(j, o, "comm", wait->owner ? str(j, j->p->tasks[wait->owner].comm) : json_null());
	return o;
}

json_t *json_parts__wait(struct json_parts *j, u32 id)
{
	const struct profile_wait *wait = &j->p->waits[id];
	const char *call = syscall_name(profile__str(j->p, j->p->hdr.arch), wait->sysno);
	const char state[2] = { PROFILE_STATE_LETTERS[wait->state], '\0' };
	json_t *o = json_object();

	set(j, o, "task", index_or_null(wait->task));
	set(j, o, "state", json_string(state));
	set(j, o, "sysno", wait->sysno < 0 ? json_null() : json_integer(wait->sysno));
	set(j, o, "syscall", call ? json_string(call) : json_null());
	set(j, o, "cause", json_string(cause_name(causes__of(&j->causes, id))));
	set(j, o, "class", json_string(class_name(causes__class(&j->causes, id))));
	set(j, o, "flags", flags(j, wait->flags, wait_flags));
	set(j, o, "object", index_or_null(wait->object));
	set(j, o, "object_label", object_label_or_null(j, wait->object));
	set(j, o, "owner", owner(j, wait));
	json_parts__set_number(j, o, "blocked_ns", wait->blocked_ns);
	json_parts__set_number(j, o, "runq_ns", wait->runq_ns);
	json_parts__set_number(j, o, "count", wait->count);
	json_parts__set_number(j, o, "max_ns", wait->max_ns);
	json_parts__set_number(j, o, "samples", wait->samples);
	json_parts__set_number(j, o, "se_ns", estimate_se_ns(wait->var_us2));
	set(j, o, "hist", hist(j, wait->hist));
	set(j, o, "user_stack", index_or_null(wait->ustack));
	set(j, o, "kernel_stack", index_or_null(wait->kstack));
	set(j, o, "user", names(j, wait->ustack));
	set(j, o, "kernel", names(j, wait->kstack));
	return o;
}

json_t *json_parts__hot(struct json_parts *j, u32 id)
{
	const struct profile_hot *hot = &j->p->hots[id];
	const char *call = syscall_name(profile__str(j->p, j->p->hdr.arch), hot->sysno);
	json_t *o = json_object();

	set(j, o, "task", index_or_null(hot->task));
	set(j, o, "sysno", hot->sysno < 0 ? json_null() : json_value_number((u64)hot->sysno));
	set(j, o, "syscall", call ? json_string(call) : json_null());
	set(j, o, "sampled", json_boolean(!(hot->flags & HOT_NOT_SAMPLED)));
	json_parts__set_number(j, o, "on_ns", hot->on_ns);
	json_parts__set_number(j, o, "samples", hot->samples);
	json_parts__set_number(j, o, "se_ns", estimate_se_ns(hot->var_us2));
	set(j, o, "user_stack", index_or_null(hot->ustack));
	set(j, o, "kernel_stack", index_or_null(hot->kstack));
	set(j, o, "user", names(j, hot->ustack));
	set(j, o, "kernel", names(j, hot->kstack));
	return o;
}

static int make_labels(struct json_parts *j)
{
	u32 i;
	int r = labels__init(&j->labels, j->p, NULL);

	if (r)
		return r;
	j->label_of_frame = mem_array(j->p->frames_len + 1, sizeof(json_t *));
	if (!j->label_of_frame)
		return -ENOMEM;
	for (i = 1; i < j->p->frames_len; i++) {
		j->label_of_frame[i] = json_value_text(labels__frame(&j->labels, i));
		if (!j->label_of_frame[i])
			return -ENOMEM;
	}
	return 0;
}

int json_parts__init(struct json_parts *j, const struct profile *p, struct cause_memo *memo,
		     struct sink *out)
{
	int r;

	memset(j, 0, sizeof(*j));
	j->p = p;
	j->out = out;
	r = make_labels(j);
	return r ? r : causes__recall(&j->causes, p, memo, NULL);
}

void json_parts__done(struct json_parts *j)
{
	u32 i;

	for (i = 1; j->label_of_frame && i < j->p->frames_len; i++)
		json_decref(j->label_of_frame[i]);
	mem_free(j->label_of_frame);
	causes__done(&j->causes);
	labels__done(&j->labels);
}
