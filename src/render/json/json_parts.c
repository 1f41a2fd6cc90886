/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members are written as they are found, and nothing is kept. Addresses use all 64 bits, but
 * readers keep only 53 bits of a number, so they are strings.
 */
#include "render/json/json_parts.h"

#include <errno.h>
#include <stdio.h>

#include "analysis/view/complete.h"
#include "analysis/model/hist.h"
#include "analysis/name/object_label.h"
#include "analysis/cause/syscall_name.h"
#include "profile/estimate.h"
#include "render/json/json_parts_priv.h"

static void put_address(struct json_parts *j, const char *key, u64 addr)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "0x%llx", addr);
	json__text(&j->to, key, buf);
}

void json_put_str(struct json_parts *j, const char *key, u32 id)
{
	json__text(&j->to, key, profile__str(j->p, id));
}

void json_put_str_or_null(struct json_parts *j, const char *key, u32 id)
{
	json__text(&j->to, key, id ? profile__str(j->p, id) : NULL);
}

void json_put_number_or_null(struct json_parts *j, const char *key, bool known, u64 n)
{
	if (known)
		json__u64(&j->to, key, n);
	else
		json__null(&j->to, key);
}

void json_put_known(struct json_parts *j, const char *key, u32 unknown, u64 n)
{
	json_put_number_or_null(j, key, !(j->p->hdr.unknown & unknown), n);
}

/* Ids of a profile begin at 1, indexes of the JSON at 0. */
void json_put_index(struct json_parts *j, const char *key, u32 id)
{
	json_put_number_or_null(j, key, id, (u64)id - 1);
}

static void put_states(struct json_parts *j, const char *key, const u64 ns[PROFILE_STATES])
{
	u32 i;

	json__object(&j->to, key);
	for (i = 0; i < PROFILE_STATES; i++) {
		const char state[2] = { PROFILE_STATE_LETTERS[i], '\0' };

		if (ns[i])
			json__u64(&j->to, state, ns[i]);
	}
	json__end_object(&j->to);
}

void json_put_flags(struct json_parts *j, const char *key, u32 bits, const struct flag_name *names)
{
	json__array(&j->to, key);
	for (; names->name; names++) {
		if (bits & names->bit)
			json__text(&j->to, NULL, names->name);
	}
	json__end_array(&j->to);
}

static const struct flag_name side_names[] = {
	{ SIDE_USER, "user" },
	{ SIDE_KERNEL, "kernel" },
	{ 0, NULL },
};

static const struct flag_name visit_sources[] = {
	{ VISITS_OF_BPF, "bpf" },
	{ VISITS_OF_PROC, "proc" },
	{ VISITS_OF_TASKS, "tasks" },
	{ 0, NULL },
};

static const struct flag_name unknown_flags[] = {
#define X(NAME, name, words) { UNKNOWN_##NAME, name },
	PROFILE_UNKNOWNS(X)
#undef X
		{ 0, NULL },
};

void json_parts__header(struct json_parts *j)
{
	const struct profile_header *h = &j->p->hdr;

	json_put_str(j, "host", h->host);
	json_put_str(j, "kernel", h->kernel);
	json_put_str(j, "arch", h->arch);
	json_put_str(j, "coldspot", h->version);
	json_put_str(j, "command", h->command);
	json_put_str(j, "target", h->target);
	json_put_str(j, "hooks", h->hooks);
	json_put_known(j, "ncpu", UNKNOWN_MACHINE, h->ncpu);
	json_put_known(j, "begin_wall_ns", UNKNOWN_BEGIN, h->begin_wall_ns);
	json_put_number_or_null(j, "begin_mono_ns",
				!(h->unknown & UNKNOWN_BEGIN) && (h->begin_mono_ns || !h->source),
				h->begin_mono_ns);
	json_put_known(j, "window_ns", UNKNOWN_WINDOW, h->window_ns);
	json__u64(&j->to, "period_ns", h->period_ns);
	json__u64(&j->to, "period_min_ns", h->period_min_ns);
	json__u64(&j->to, "period_max_ns", h->period_max_ns);
	json__u64(&j->to, "period_sum_ns", h->period_sum_ns);
	json__u64(&j->to, "period_changes", h->period_changes);
	json__u64(&j->to, "min_ns", h->min_ns);
	json_put_number_or_null(j, "max_ns", h->max_ns != ~0ULL, h->max_ns);
	json__bool(&j->to, "filtered", h->filtered);
	json_put_flags(j, "sides", h->sides, side_names);
	json__u64(&j->to, "switches_seen", h->switches_seen);
	json__u64(&j->to, "waits_chosen", h->waits_chosen);
	json__u64(&j->to, "prog_runs", h->prog_runs);
	json__u64(&j->to, "prog_ns", h->prog_ns);
	json__u64(&j->to, "self_cpu_ns", h->self_cpu_ns);
	json__u64(&j->to, "kernel_bytes", h->kernel_bytes);
	if (profile__has_on_cpu(j->p)) {
		json__u64(&j->to, "on_cpu_hz", h->on_cpu_hz);
		json__u64(&j->to, "on_cpu_samples", h->on_cpu_samples);
	}
	if (h->hist_unit_ns)
		json__u64(&j->to, "hist_unit_ns", h->hist_unit_ns);
	if (h->wakers)
		json__bool(&j->to, "wakers", true);
	if (h->source)
		json_put_str(j, "source", h->source);
	/* hourly sums have no source, and no threads */
	if (h->source || h->unknown)
		json_put_flags(j, "unknown", h->unknown, unknown_flags);
	if (h->max_moments)
		json__u64(&j->to, "max_events", h->max_moments);
	if (h->trigger)
		json_put_str(j, "trigger", h->trigger);
	if (h->visit_hz) {
		json__u64(&j->to, "visit_hz", h->visit_hz);
		json_put_flags(j, "visit_sources", h->visit_sources, visit_sources);
		json__u64(&j->to, "visited_ns", h->visited_ns);
		json__u64(&j->to, "visits", h->visits);
		json__u64(&j->to, "visits_changed", h->visits_changed);
		json__u64(&j->to, "visit_passes", h->visit_passes);
		json__u64(&j->to, "visit_passes_missed", h->visit_passes_missed);
		json__u64(&j->to, "visit_late_ns", h->visit_late_ns);
		json__u64(&j->to, "visit_late_max_ns", h->visit_late_max_ns);
	}
	if (h->measured) {
		json__u64(&j->to, "measured_ns", h->measured_ns);
		json__u64(&j->to, "measure_hits", h->measure_hits);
		json__u64(&j->to, "measure_cost_ns", h->measure_cost_ns);
	}
}

void json_parts__merged(struct json_parts *j)
{
	const struct profile_header *h = &j->p->hdr;

	json__u64(&j->to, "windows", h->windows);
	json__u64(&j->to, "gap_ns", h->gap_ns);
	json__u64(&j->to, "overlap_ns", h->overlap_ns);
	json__u64(&j->to, "machine_ns", h->machine_ns);
}

void json_parts__selection(struct json_parts *j)
{
	const struct profile_header *h = &j->p->hdr;

	json_put_str(j, "filters", h->selection);
	json__u64(&j->to, "whole_off_ns", h->whole_off_ns);
	json__u64(&j->to, "whole_wall_ns", h->whole_wall_ns);
	json__u64(&j->to, "whole_threads", h->whole_threads);
	if (profile__has_on_cpu(j->p))
		json__u64(&j->to, "whole_on_ns", h->whole_on_ns);
}

/* /proc counts switches until a thread has exited, and neither wakeups nor migrations. */
static bool knows_switches(const struct json_parts *j, bool exited)
{
	return !(j->p->hdr.unknown & UNKNOWN_ON_CPU) &&
	       !(exited && profile_header__is_of_proc(&j->p->hdr));
}

static bool knows_wakeups(const struct json_parts *j)
{
	return !(j->p->hdr.unknown & UNKNOWN_ON_CPU) && !profile_header__is_of_proc(&j->p->hdr);
}

static bool any_exited(const struct profile *p)
{
	u32 i;

	for (i = 1; i < p->tasks_len; i++)
		if (p->tasks[i].flags & TASK_EXITED)
			return true;
	return false;
}

static bool knows_preemption(const struct json_parts *j)
{
	return !j->p->hdr.visit_hz && !(j->p->hdr.unknown & UNKNOWN_PREEMPTION);
}

void json_parts__budget(struct json_parts *j)
{
	bool switches = knows_switches(j, any_exited(j->p)), wakeups = knows_wakeups(j);
	struct profile_budget b;

	if (profile__budget(j->p, &b))
		j->error = -ENOMEM;
	json_put_known(j, "threads", UNKNOWN_THREADS | UNKNOWN_NUMBERS, b.threads);
	json_put_known(j, "processes", UNKNOWN_PROCESSES | UNKNOWN_NUMBERS, b.processes);
	json_put_known(j, "wall_ns", UNKNOWN_ON_CPU, b.wall_ns);
	json_put_known(j, "on_ns", UNKNOWN_ON_CPU, b.on_ns);
	json_put_number_or_null(j, "preempted_ns", knows_preemption(j), b.preempted_ns);
	json_put_known(j, "runq_ns", UNKNOWN_RUNQ, b.runq_ns);
	json__u64(&j->to, "blocked_ns", b.blocked_ns);
	put_states(j, "blocked_by_state_ns", b.blocked_by_state_ns);
	json_put_known(j, "unaccounted_ns", UNKNOWN_ON_CPU, b.unaccounted_ns);
	json__u64(&j->to, "listed_blocked_ns", b.listed_blocked_ns);
	json__u64(&j->to, "listed_runq_ns", b.listed_runq_ns);
	if (profile__has_on_cpu(j->p)) {
		json__u64(&j->to, "listed_on_ns", b.listed_on_ns);
		json__u64(&j->to, "listed_samples", b.on_samples);
	}
	json_put_number_or_null(j, "switches", switches, b.switches);
	json_put_number_or_null(j, "preemptions", switches, b.preemptions);
	json_put_number_or_null(j, "wakeups", wakeups, b.wakeups);
	json_put_number_or_null(j, "migrations", wakeups, b.migrations);
}

bool json_parts__has_loss(const struct json_parts *j, enum profile_loss_kind kind)
{
	return j->p->losses[kind].events || j->p->losses[kind].ns;
}

void json_parts__loss(struct json_parts *j, enum profile_loss_kind kind)
{
	const struct profile_loss *loss = &j->p->losses[kind];

	json__text(&j->to, "name", loss_name(kind));
	json__u64(&j->to, "events", loss->events);
	json__u64(&j->to, "ns", loss->ns);
	json__text(&j->to, "sentence", loss_sentence(kind));
}

static void put_incomplete(struct json_parts *j, const struct complete_row *row)
{
	json__object(&j->to, NULL);
	json__text(&j->to, "reason", row->reason);
	if (!j->alone)
		json_put_index(j, "module", row->module);
	json__text(&j->to, "words", row->words);
	json__u64(&j->to, "events", row->count);
	json__u64(&j->to, "ns", row->ns);
	json__u64(&j->to, "se_ns", estimate_se_ns(row->var_us2));
	json__end_object(&j->to);
}

bool json_parts__has_user_stacks(const struct json_parts *j)
{
	return !j->p->hdr.sides || j->p->hdr.sides & SIDE_USER;
}

void json_parts__user_stacks(struct json_parts *j)
{
	struct complete c = { 0 };
	struct arena a;
	u32 i;

	arena__init(&a);
	if (complete__build(j->p, &a, &c, NULL))
		j->error = -ENOMEM;
	json__u64(&j->to, "total_ns", c.total_ns);
	json__u64(&j->to, "total_se_ns", estimate_se_ns(c.total_var_us2));
	json__u64(&j->to, "whole_ns", c.whole_ns);
	json__u64(&j->to, "whole_se_ns", estimate_se_ns(c.whole_var_us2));
	json__array(&j->to, "rest");
	for (i = 0; i < c.len && !j->error; i++)
		put_incomplete(j, &c.rows[i]);
	json__end_array(&j->to);
	arena__done(&a);
}

void json_parts__module(struct json_parts *j, u32 id)
{
	static const char *const kinds[] = {
		"none", "kernel", "elf", "vdso", "anon", "code", "note"
	};
	const struct profile_module *m = &j->p->modules[id];

	json__text(&j->to, "kind", m->kind < ARRAY_LEN(kinds) ? kinds[m->kind] : kinds[0]);
	json_put_str(j, "path", m->path);
	json_put_str_or_null(j, "build_id", m->build_id);
	json_put_number_or_null(j, "tgid", m->tgid, m->tgid);
}

void json_parts__frame(struct json_parts *j, u32 id)
{
	const struct profile_frame *f = &j->p->frames[id];
	const char *reason = frame_reason_sentence((enum frame_reason)f->reason);
	bool truncated = f->flags & FRAME_TRUNCATED;

	json_put_str_or_null(j, "name", f->name);
	json__text(&j->to, "label", labels__frame(&j->labels, id));
	json_put_index(j, "module", f->module);
	put_address(j, "addr", truncated ? 0 : f->addr);
	json__u64(&j->to, "offset", f->name_off);
	json__bool(&j->to, "kernel", f->flags & FRAME_KERNEL);
	json__bool(&j->to, "return", f->flags & FRAME_RETURN);
	json__text(&j->to, "reason", f->name ? NULL : reason);
	json__bool(&j->to, "inlined", f->flags & FRAME_INLINED);
	json_put_str_or_null(j, "file", f->file);
	json_put_number_or_null(j, "line", f->file, f->line);
	json__text(&j->to, "truncated", truncated ? stack_end_name((enum stack_end)f->addr) : NULL);
}

/* One node of the trie: whole stacks for every inner node would be quadratic. */
void json_parts__stack(struct json_parts *j, u32 id)
{
	const struct profile_stack *s = &j->p->stacks[id];

	json_put_index(j, "parent", s->parent);
	json_put_index(j, "frame", s->frame);
	json__text(&j->to, "cut", s->flags & STACK_CUT ? "depth" : NULL);
}

static const struct flag_name task_flags[] = {
	{ TASK_KTHREAD, "kthread" },
	{ TASK_EXITED, "exited" },
	{ TASK_EXECED, "execed" },
	{ TASK_BORN, "born" },
	{ 0, NULL },
};

static void put_bucket(struct json_parts *j, u64 floor_ns, u64 count)
{
	json__array(&j->to, NULL);
	json__u64(&j->to, NULL, floor_ns);
	json__u64(&j->to, NULL, count);
	json__end_array(&j->to);
}

/* Those of one thread. */
static void put_hists(struct json_parts *j, u32 task)
{
	const struct profile_task *t = &j->p->tasks[task];
	const u64 sums[HIST_KINDS] = {
		[HIST_ON] = t->hist_on_ns,
		[HIST_OFF] = t->hist_runq_ns + t->hist_blocked_ns,
		[HIST_RUNQ] = t->hist_runq_ns,
		[HIST_BLOCKED] = t->hist_blocked_ns,
	};
	const struct profile_bin *bins = j->p->bins;
	u32 kind, i, end;

	bins_of_task(j->p, task, &i, &end);
	json__object(&j->to, "hists");
	for (kind = 0; kind < HIST_KINDS; kind++) {
		json__object(&j->to, hist_kind_name((enum hist_kind)kind));
		json__u64(&j->to, "ns", sums[kind]);
		json__array(&j->to, "hist");
		for (; i < end && bins[i].kind == kind; i++)
			put_bucket(j, bins_floor_ns(j->p->hdr.hist_unit_ns, bins[i].bucket),
				   bins[i].count);
		json__end_array(&j->to);
		json__end_object(&j->to);
	}
	json__end_object(&j->to);
}

void json_parts__task(struct json_parts *j, u32 id)
{
	const struct profile_task *t = &j->p->tasks[id];
	bool switches = knows_switches(j, t->flags & TASK_EXITED), wakeups = knows_wakeups(j);
	bool alone = !t->parts;

	json_put_number_or_null(j, "tid", alone && !(j->p->hdr.unknown & UNKNOWN_THREADS), t->tid);
	json_put_number_or_null(j, "tgid", alone && !(j->p->hdr.unknown & UNKNOWN_PROCESSES),
				t->tgid);
	if (t->parts) {
		json__u64(&j->to, "threads", t->threads);
		json__u64(&j->to, "processes", t->processes);
	}
	json_put_str(j, "comm", t->comm);
	json_put_str(j, "group_comm", t->group_comm);
	json_put_flags(j, "flags", t->flags, task_flags);
	json_put_number_or_null(j, "start_boottime_ns",
				alone && !(j->p->hdr.unknown & UNKNOWN_BEGIN) &&
					(t->start_boottime_ns || !j->p->hdr.source),
				t->start_boottime_ns);
	json__u64(&j->to, "cgroup_id", t->cgroup_id);
	json_put_str_or_null(j, "cgroup", t->cgroup);
	if (t->container)
		json_put_str(j, "container", t->container);
	json_put_known(j, "begin_ns", UNKNOWN_ON_CPU, t->begin_ns);
	json_put_known(j, "wall_ns", UNKNOWN_ON_CPU, t->wall_ns);
	json_put_known(j, "on_ns", UNKNOWN_ON_CPU, t->on_ns);
	json_put_number_or_null(j, "preempted_ns", knows_preemption(j), t->preempted_ns);
	json_put_known(j, "runq_ns", UNKNOWN_RUNQ, t->runq_ns);
	put_states(j, "blocked_ns", t->blocked_ns);
	json_put_known(j, "unaccounted_ns", UNKNOWN_ON_CPU, t->unaccounted_ns);
	if (t->gap_wait_ns)
		json__u64(&j->to, "gap_wait_ns", t->gap_wait_ns);
	json_put_number_or_null(j, "switches", switches, t->switches);
	json_put_number_or_null(j, "preemptions", switches, t->preemptions);
	json_put_number_or_null(j, "wakeups", wakeups, t->wakeups);
	json_put_number_or_null(j, "migrations", wakeups, t->migrations);
	if (j->p->hdr.hist_unit_ns)
		put_hists(j, id);
}

const struct flag_name json_wait_flags[] = {
	{ WAIT_IOWAIT, "iowait" },
	{ WAIT_KILLABLE, "killable" },
	{ WAIT_PREEMPTED, "preempted" },
	{ WAIT_NEW, "new" },
	{ WAIT_PRE, "pre" },
	{ WAIT_OPEN, "open" },
	{ WAIT_LOST, "lost" },
	{ WAIT_NO_RESUME, "no_resume" },
	{ WAIT_THROTTLED, "throttled" },
	{ WAIT_SUMMED, "summed" },
	{ WAIT_VISITED, "visited" },
	{ WAIT_RUNNABLE, "runnable" },
	{ 0, NULL },
};

static void put_hist(struct json_parts *j, const char *key, const u32 counts[PROFILE_HIST_LEN])
{
	u32 i;

	json__array(&j->to, key);
	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		if (counts[i])
			put_bucket(j, hist_floor_ns(i), counts[i]);
	}
	json__end_array(&j->to);
}

void json_put_names(struct json_parts *j, const char *key, u32 leaf)
{
	json__array(&j->to, key);
	for (; leaf; leaf = j->p->stacks[leaf].parent)
		json__text(&j->to, NULL, labels__frame(&j->labels, j->p->stacks[leaf].frame));
	json__end_array(&j->to);
}

static void put_object_label(struct json_parts *j, const char *key, u32 id)
{
	char label[OBJECT_LABEL_SZ];

	json__text(&j->to, key, id ? object_label(j->p, id, label, sizeof(label)) : NULL);
}

void json_parts__object(struct json_parts *j, u32 id)
{
	const struct profile_object *obj = &j->p->objects[id];
	bool is_file = obj->kind == OBJECT_FILE;

	json__text(&j->to, "kind", object_kind_name((enum object_kind)obj->kind));
	put_object_label(j, "label", id);
	json__text(&j->to, "futex",
		   obj->futex ? futex_kind_name((enum futex_kind)obj->futex) : NULL);
	json__text(&j->to, "role",
		   obj->kind == OBJECT_SOCKET ? socket_role_name((enum socket_role)obj->role) :
						NULL);
	json__u64(&j->to, "family", obj->family);
	json__u64(&j->to, "socket_type", obj->type);
	json__u64(&j->to, "protocol", obj->protocol);
	json__u64(&j->to, "port", obj->port);
	json__u64(&j->to, "number", obj->number);
	json__u64(&j->to, "tgid", obj->tgid);
	json__u64(&j->to, "more", obj->more);
	json_put_str_or_null(j, "name", obj->name);
	json_put_str_or_null(j, "peer", obj->peer);
	json_put_str_or_null(j, "file", is_file ? 0 : obj->file);
	json_put_str_or_null(j, "device", is_file ? obj->file : 0);
	json__u64(&j->to, "dev", obj->dev);
	json__u64(&j->to, "ino", obj->ino);
	put_address(j, "addr", obj->addr);
	json__u64(&j->to, "offset", obj->name_off);
}

void json_put_owner(struct json_parts *j, u32 task, u32 tid)
{
	if (!tid) {
		json__null(&j->to, "owner");
		return;
	}
	json__object(&j->to, "owner");
	json_put_known(j, "tid", UNKNOWN_THREADS, tid);
	json_put_index(j, "task", task);
	json__text(&j->to, "comm", task ? profile__str(j->p, j->p->tasks[task].comm) : NULL);
	json__end_object(&j->to);
}

/* Of the wait of a waker (a wake has both), or of the row itself. */
static bool is_did(const struct row_column *c)
{
	return strncmp(c->name, "did_", 4) == 0;
}

static void put_call(struct json_parts *j, const struct row_column *c, s32 sysno)
{
	json_put_number_or_null(j, c->name, sysno >= 0, (u64)sysno);
	json__text(&j->to, is_did(c) ? "did_syscall" : "syscall",
		   syscall_name(profile__str(j->p, j->p->hdr.arch), sysno));
}

static void put_state(struct json_parts *j, const char *key, u64 state)
{
	const char letter[2] = { PROFILE_STATE_LETTERS[state], '\0' };

	json__text(&j->to, key, letter);
}

void json_put_column(struct json_parts *j, const struct row_column *c, const void *row)
{
	const u64 value = c->kind == ROW_HIST ? 0 : row_column__get(c, row);

	switch (c->kind) {
	case ROW_STACK:
		if (j->alone)
			break; /* only its names: there is no table of stacks */
		json_put_index(j, c->name, (u32)value);
		break;
	case ROW_TASK:
	case ROW_WAKER:
		json_put_index(j, c->name, (u32)value);
		break;
	case ROW_DOING:
		json__text(&j->to, c->name, doing_name((enum profile_doing)value));
		break;
	case ROW_OBJECT:
		json_put_index(j, c->name, (u32)value);
		put_object_label(j, is_did(c) ? "did_object_label" : "object_label", (u32)value);
		break;
	case ROW_CALL:
		put_call(j, c, (s32)(u32)value);
		break;
	case ROW_STATE:
		put_state(j, c->name, value);
		break;
	case ROW_VARIANCE:
		json__u64(&j->to, "se_ns", estimate_se_ns(value));
		break;
	case ROW_HIST:
		put_hist(j, c->name, (const u32 *)((const char *)row + c->off));
		break;
	case ROW_ZERO:
		break;
	default:
		json__u64(&j->to, c->name, value);
		break;
	}
}

/* Of a sum without a number of waits, it is not known. */
static bool is_counted(const struct profile_wait *w)
{
	return w->count || !(w->flags & WAIT_SUMMED);
}

void json_parts__wait(struct json_parts *j, u32 id)
{
	const struct profile_wait *wait = &j->p->waits[id];
	u32 i;

	for (i = 0; i < wait_row_type.columns_len; i++) {
		const struct row_column *c = &wait_row_type.columns[i];

		if (c->kind == ROW_FLAGS)
			json_put_flags(j, c->name, wait->flags, json_wait_flags);
		else if (c->off == offsetof(struct profile_wait, owner))
			json_put_owner(j, wait->owner, wait->owner_tid);
		else if (c->off == offsetof(struct profile_wait, count))
			json_put_number_or_null(j, c->name, is_counted(wait), wait->count);
		else if (c->off == offsetof(struct profile_wait, max_ns))
			json_put_number_or_null(j, c->name, !(wait->flags & WAIT_SUMMED),
						wait->max_ns);
		else if (c->off != offsetof(struct profile_wait, owner_tid))
			json_put_column(j, c, wait);
		if (c->kind == ROW_CALL) {
			json__text(&j->to, "cause", cause_name(causes__of(&j->causes, id)));
			json__text(&j->to, "class", class_name(causes__class(&j->causes, id)));
		}
	}
	json_put_names(j, "user", wait->ustack);
	json_put_names(j, "kernel", wait->kstack);
}

void json_parts__hot(struct json_parts *j, u32 id)
{
	const struct profile_hot *hot = &j->p->hots[id];
	u32 i;

	for (i = 0; i < hot_row_type.columns_len; i++) {
		const struct row_column *c = &hot_row_type.columns[i];

		if (c->kind == ROW_FLAGS)
			json__bool(&j->to, "sampled", !(hot->flags & HOT_NOT_SAMPLED));
		else
			json_put_column(j, c, hot);
	}
	json_put_names(j, "user", hot->ustack);
	json_put_names(j, "kernel", hot->kstack);
}

void json_parts__measured(struct json_parts *j, u32 id)
{
	const struct profile_measured *m = &j->p->measured[id];

	for (u32 i = 0; i < measured_row_type.columns_len; i++)
		json_put_column(j, &measured_row_type.columns[i], m);
	json_put_names(j, "user", m->ustack);
	json_put_names(j, "waker_user", m->waker_ustack);
}

int json_parts__init(struct json_parts *j, const struct profile *p, struct cause_memo *memo,
		     struct sink *out)
{
	int r;

	memset(j, 0, sizeof(*j));
	j->p = p;
	j->to.out = out;
	r = labels__init(&j->labels, p, NULL);
	return r ? r : causes__recall(&j->causes, p, memo, NULL);
}

void json_parts__done(struct json_parts *j)
{
	causes__done(&j->causes);
	labels__done(&j->labels);
}
