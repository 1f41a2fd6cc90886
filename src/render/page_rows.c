/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page filters, groups and adds up by itself, therefore it gets waits and not a finished tree.
 * What a rule or a sentence decides (causes, labels, places, losses, effort) is decided here, by
 * the analyses that all formats share, and goes along as text: the page knows no rule twice.
 *
 * Strings come in the order in which columns ask for them; only those that are asked for go along.
 */
#include "render/page_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cgroup_label.h"
#include "analysis/object_label.h"
#include "analysis/place.h"
#include "analysis/syscall_name.h"
#include "analysis/tree.h"
#include "analysis/wait_stacks.h"

/* X(NAME, name, is delta) */
#define COLUMNS(X)                                                                                 \
	X(MODULE_KIND, "module.kind", false)                                                       \
	X(MODULE_PATH, "module.path", true)                                                        \
	X(MODULE_BUILD_ID, "module.build_id", true)                                                \
	X(FRAME_LABEL, "frame.label", true)                                                        \
	X(FRAME_KIND, "frame.kind", false)                                                         \
	X(FRAME_MODULE, "frame.module", true)                                                      \
	X(FRAME_FILE, "frame.file", true)                                                          \
	X(FRAME_LINE, "frame.line", false)                                                         \
	X(FRAME_REASON, "frame.reason", true)                                                      \
	X(STACK_PARENT, "stack.parent", true)                                                      \
	X(STACK_FRAME, "stack.frame", true)                                                        \
	X(TASK_TID, "task.tid", true)                                                              \
	X(TASK_TGID, "task.tgid", true)                                                            \
	X(TASK_COMM, "task.comm", true)                                                            \
	X(TASK_GROUP_COMM, "task.group_comm", true)                                                \
	X(TASK_FLAGS, "task.flags", false)                                                         \
	X(TASK_WALL, "task.wall_ns", true)                                                         \
	X(TASK_ON, "task.on_ns", false)                                                            \
	X(TASK_PREEMPTED, "task.preempted_ns", false)                                              \
	X(TASK_RUNQ, "task.runq_ns", false)                                                        \
	X(TASK_BLOCKED, "task.blocked_ns", false)                                                  \
	X(TASK_UNACCOUNTED, "task.unaccounted_ns", false)                                          \
	X(TASK_SWITCHES, "task.switches", false)                                                   \
	X(TASK_CGROUP, "task.cgroup", true)                                                        \
	X(OBJECT_LABEL, "object.label", true)                                                      \
	X(WAIT_TASK, "wait.task", true)                                                            \
	X(WAIT_USER, "wait.user_stack", true)                                                      \
	X(WAIT_KERNEL, "wait.kernel_stack", true)                                                  \
	X(WAIT_NOTES, "wait.notes", false)                                                         \
	X(WAIT_CAUSE, "wait.cause", false)                                                         \
	X(WAIT_SYSCALL, "wait.syscall", true)                                                      \
	X(WAIT_STATE, "wait.state", false)                                                         \
	X(WAIT_FLAGS, "wait.flags", false)                                                         \
	X(WAIT_BLOCKED, "wait.blocked_ns", false)                                                  \
	X(WAIT_RUNQ, "wait.runq_ns", false)                                                        \
	X(WAIT_COUNT, "wait.count", false)                                                         \
	X(WAIT_MAX, "wait.max_ns", false)                                                          \
	X(WAIT_SAMPLES, "wait.samples", false)                                                     \
	X(WAIT_VAR, "wait.var_us2", false)                                                         \
	X(WAIT_USER_PLACE, "wait.user_place", true)                                                \
	X(WAIT_KERNEL_PLACE, "wait.kernel_place", true)                                            \
	X(WAIT_ON, "wait.on_ns", false)                                                            \
	X(WAIT_BUCKETS, "wait.buckets", false)                                                     \
	X(WAIT_KIND, "wait.kind", false)                                                           \
	X(WAIT_CLASS, "wait.class", false)                                                         \
	X(WAIT_OBJECT, "wait.object", true)                                                        \
	X(WAIT_OWNER, "wait.owner", true)                                                          \
	X(WAIT_OWNER_TASK, "wait.owner_task", true)                                                \
	X(HIST_BUCKET, "hist.bucket", false)                                                       \
	X(HIST_COUNT, "hist.count", false)                                                         \
	X(BIN_TASK, "bin.task", true)                                                              \
	X(BIN_KIND, "bin.kind", false)                                                             \
	X(BIN_BUCKET, "bin.bucket", false)                                                         \
	X(BIN_COUNT, "bin.count", false)

/* Of a diff alone, behind all others. */
#define DIFF_COLUMNS(X)                                                                            \
	X(WAIT_PATH, "wait.path", true)                                                            \
	X(PATH_PARENT, "path.parent", true)                                                        \
	X(PATH_VERDICT, "path.verdict", false)                                                     \
	X(PATH_P, "path.p", false)                                                                 \
	X(FUNC_LABEL, "func.label", true)                                                          \
	X(FUNC_KIND, "func.kind", false)                                                           \
	X(FUNC_VERDICT, "func.verdict", false)                                                     \
	X(FUNC_P, "func.p", false)

enum {
#define X(NAME, name, is_delta) COL_##NAME,
	COLUMNS(X)
#undef X
		COL_CNT
};

enum {
	COL_DIFF = COL_CNT - 1,
#define X(NAME, name, is_delta) COL_##NAME,
	DIFF_COLUMNS(X)
#undef X
		COL_DIFF_CNT
};

static const struct column_kind column_kinds[COL_DIFF_CNT] = {
#define X(NAME, name, is_delta) { name, is_delta },
	COLUMNS(X) DIFF_COLUMNS(X)
#undef X
};

/* Of wait.notes: what stands where a stack is not known, see wait_stacks.h. */
enum note {
	NOTES_USER_MISSED = 1,
	NOTES_KERNEL_MISSED = 2,
	NOTES_LOST = 4,
	NOTES_CUT = 8,
};

/* Rows of one profile, behind those of the profile before it. */
struct builder {
	struct page_rows *rows;
	const struct page_side *side;
	const struct profile *p;
	struct places places;
};

static void put(struct builder *b, u32 column, u64 value)
{
	columns__put(&b->rows->columns, column, value);
}

static u32 string_of(struct page_rows *rows, const char *text)
{
	u32 id = 0;

	if (strtab__add(&rows->strings, text, &id))
		rows->error = -ENOMEM;
	return id;
}

static void put_text(struct builder *b, u32 column, const char *text)
{
	put(b, column, string_of(b->rows, text));
}

/* An id of this profile, as the page has it: behind `base` rows of the one before. */
static void put_id(struct builder *b, u32 column, u32 base, u32 id)
{
	put(b, column, id ? base + id : 0);
}

static void put_str(struct builder *b, u32 column, u32 str)
{
	put_text(b, column, profile__str(b->p, str));
}

static void put_modules(struct builder *b)
{
	u32 i;

	for (i = 1; i < b->p->modules_len; i++) {
		const struct profile_module *m = &b->p->modules[i];

		put(b, COL_MODULE_KIND, m->kind);
		put_str(b, COL_MODULE_PATH, m->path);
		put_str(b, COL_MODULE_BUILD_ID, m->build_id);
	}
}

static void put_frames(struct builder *b)
{
	u32 i;

	for (i = 1; i < b->p->frames_len; i++) {
		const struct profile_frame *f = &b->p->frames[i];

		put_text(b, COL_FRAME_LABEL, labels__frame(b->side->labels, i));
		put(b, COL_FRAME_KIND, tree_kind_of_frame(b->p, i));
		put_id(b, COL_FRAME_MODULE, b->rows->modules, f->module);
		put_str(b, COL_FRAME_FILE, f->file);
		put(b, COL_FRAME_LINE, f->line);
		put_text(b, COL_FRAME_REASON,
			 f->name ? "" : frame_reason_sentence((enum frame_reason)f->reason));
	}
}

static void put_stacks(struct builder *b)
{
	u32 i;

	for (i = 1; i < b->p->stacks_len; i++) {
		put_id(b, COL_STACK_PARENT, b->rows->stacks, b->p->stacks[i].parent);
		put_id(b, COL_STACK_FRAME, b->rows->frames, b->p->stacks[i].frame);
	}
}

static void put_task(struct builder *b, const struct profile_task *t)
{
	char cgroup[CGROUP_ID_SZ];
	u64 blocked_ns = 0;
	u32 s;

	for (s = 0; s < PROFILE_STATES; s++)
		blocked_ns += t->blocked_ns[s];
	put(b, COL_TASK_TID, t->tid);
	put(b, COL_TASK_TGID, t->tgid);
	put_str(b, COL_TASK_COMM, t->comm);
	put_str(b, COL_TASK_GROUP_COMM, t->group_comm);
	put(b, COL_TASK_FLAGS, t->flags);
	put(b, COL_TASK_WALL, t->wall_ns);
	put(b, COL_TASK_ON, t->on_ns);
	put(b, COL_TASK_PREEMPTED, t->preempted_ns);
	put(b, COL_TASK_RUNQ, t->runq_ns);
	put(b, COL_TASK_BLOCKED, blocked_ns);
	put(b, COL_TASK_UNACCOUNTED, t->unaccounted_ns);
	put(b, COL_TASK_SWITCHES, t->switches);
	put_text(b, COL_TASK_CGROUP, cgroup_label(b->p, t, cgroup));
}

/* The histograms of threads, where they were kept: profile/bins.h. */
static void put_bins(struct builder *b)
{
	u32 i;

	for (i = 1; i < b->p->bins_len; i++) {
		const struct profile_bin *bin = &b->p->bins[i];

		put_id(b, COL_BIN_TASK, b->rows->tasks, bin->task);
		put(b, COL_BIN_KIND, bin->kind);
		put(b, COL_BIN_BUCKET, bin->bucket);
		put(b, COL_BIN_COUNT, bin->count);
	}
}

static void put_objects(struct builder *b)
{
	char label[OBJECT_LABEL_SZ];
	u32 i;

	for (i = 1; i < b->p->objects_len; i++)
		put_text(b, COL_OBJECT_LABEL, object_label(b->p, i, label, sizeof(label)));
}

/* "libpq PQexec -> query < main" */
static void put_user_place(struct builder *b, u32 stack)
{
	u32 library = 0, user = 0;
	char text[1024];

	if (places__library(&b->places, stack, &library) || places__user(&b->places, stack, &user))
		b->rows->error = -ENOMEM;
	snprintf(text, sizeof(text), "%s%s%s", places__text(&b->places, library),
		 library ? " -> " : "", places__text(&b->places, user));
	put_text(b, COL_WAIT_USER_PLACE, text);
}

static void put_stacks_of_wait(struct builder *b, u32 wait)
{
	struct wait_stacks s = wait_stacks_of(b->p, wait, b->side->sides);
	u32 kernel = 0;
	u64 notes = 0;

	if (s.user_missed)
		notes |= NOTES_USER_MISSED;
	if (s.kernel_missed)
		notes |= NOTES_KERNEL_MISSED;
	if (s.lost)
		notes |= NOTES_LOST;
	if (b->p->stacks[s.kernel].flags & STACK_CUT)
		notes |= NOTES_CUT;
	if (places__kernel(&b->places, s.kernel, &kernel))
		b->rows->error = -ENOMEM;
	put_id(b, COL_WAIT_USER, b->rows->stacks, s.user);
	put_id(b, COL_WAIT_KERNEL, b->rows->stacks, s.kernel);
	put(b, COL_WAIT_NOTES, notes);
	put_user_place(b, s.user);
	put_text(b, COL_WAIT_KERNEL_PLACE, places__text(&b->places, kernel));
}

/* What it was for, and who held that. */
static void put_object_of_wait(struct builder *b, const struct profile_wait *w)
{
	char owner[OWNER_LABEL_SZ];

	put_id(b, COL_WAIT_OBJECT, b->rows->objects, w->object);
	put_text(b, COL_WAIT_OWNER, owner_label(b->p, w, owner, sizeof(owner)));
	put_id(b, COL_WAIT_OWNER_TASK, b->rows->tasks, w->owner);
}

static void put_hist(struct builder *b, const struct profile_wait *w)
{
	u32 i, n = 0;

	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		if (!w->hist[i])
			continue;
		put(b, COL_HIST_BUCKET, i);
		put(b, COL_HIST_COUNT, w->hist[i]);
		n++;
	}
	put(b, COL_WAIT_BUCKETS, n);
}

/* What a row says of a wait: all of it, or what is idle of it, or the rest. */
struct row {
	struct profile_wait wait;
	u32 cause; /* as shown */
	u32 class;
	u32 path; /* of a diff */
};

static void put_row(struct builder *b, u32 wait, const struct row *row)
{
	const struct profile_wait *w = &row->wait;
	const char *call = syscall_name(profile__str(b->p, b->p->hdr.arch), w->sysno);
	char number[32] = "";

	if (!call && w->sysno >= 0)
		snprintf(number, sizeof(number), "system call %d", w->sysno);
	put_id(b, COL_WAIT_TASK, b->rows->tasks, w->task);
	put_stacks_of_wait(b, wait);
	put(b, COL_WAIT_CAUSE, row->cause);
	put(b, COL_WAIT_KIND, causes__of(b->side->causes, wait));
	put(b, COL_WAIT_CLASS, row->class);
	put_text(b, COL_WAIT_SYSCALL, call ? call : number);
	put(b, COL_WAIT_STATE, w->state);
	put(b, COL_WAIT_FLAGS, w->flags);
	put(b, COL_WAIT_BLOCKED, w->blocked_ns);
	put(b, COL_WAIT_RUNQ, w->runq_ns);
	put(b, COL_WAIT_COUNT, w->count);
	put(b, COL_WAIT_MAX, w->max_ns);
	put(b, COL_WAIT_SAMPLES, w->samples);
	put(b, COL_WAIT_VAR, w->var_us2);
	put(b, COL_WAIT_ON, w->on_ns);
	put_object_of_wait(b, w);
	put_hist(b, w);
	if (b->rows->diff)
		put(b, COL_WAIT_PATH, row->path);
	b->rows->waits++;
}

static void put_wait(struct builder *b, u32 wait)
{
	struct row row = {
		.wait = b->p->waits[wait],
		.cause = causes__shown(b->side->causes, wait),
		.class = causes__class(b->side->causes, wait),
	};

	put_row(b, wait, &row);
}

/* Idle time is beside all other of a diff, and may be a part of a wait: see diff.h. */
static void put_wait_of_diff(struct builder *b, u32 wait)
{
	const struct profile_wait *w = &b->p->waits[wait];
	u64 counted_ns = b->side->counted_ns[wait], idle_ns = wait_ns(w) - counted_ns;
	struct row row = { .wait = *w };

	if (idle_ns) {
		row.cause = causes__shown(b->side->causes, wait);
		row.class = causes__class(b->side->causes, wait);
		row.wait.runq_ns = 0;
		if (row.wait.max_ns > idle_ns)
			row.wait.max_ns = idle_ns;
		put_row(b, wait, &row);
	}
	if (idle_ns && !counted_ns)
		return;
	row = (struct row){ .wait = *w,
			    .cause = causes__of(b->side->causes, wait),
			    .class = causes__class(b->side->causes, wait),
			    .path = b->side->path[wait] };
	if (b->side->idle_apart && row.class == CLASS_IDLE)
		row.class = CLASS_WORK; /* for a CPU, whatever it was that came before */
	if (idle_ns) {
		row.wait.blocked_ns = 0;
		row.wait.max_ns = 0; /* of the whole of a wait alone it is known */
		row.wait.count = row.wait.samples = row.wait.var_us2 = 0;
		memset(row.wait.hist, 0, sizeof(row.wait.hist));
	}
	put_row(b, wait, &row);
}

int page_rows__init(struct page_rows *rows, bool diff)
{
	int r;

	*rows = (struct page_rows){ .diff = diff };
	r = strtab__init(&rows->strings);
	return r ? r : columns__init(&rows->columns, column_kinds, diff ? COL_DIFF_CNT : COL_CNT);
}

void page_rows__done(struct page_rows *rows)
{
	columns__done(&rows->columns);
	strtab__done(&rows->strings);
}

int page_rows__add(struct page_rows *rows, const struct page_side *side)
{
	const struct profile *p = side->p;
	struct builder b = { .rows = rows, .side = side, .p = p };
	u32 i;
	int r = places__init(&b.places, p, side->labels, NULL);

	if (!r) {
		put_modules(&b);
		put_frames(&b);
		put_stacks(&b);
		for (i = 1; i < p->tasks_len; i++)
			put_task(&b, &p->tasks[i]);
		put_objects(&b);
		put_bins(&b);
		for (i = 1; i < p->waits_len && !rows->error; i++) {
			if (side->counted_ns)
				put_wait_of_diff(&b, i);
			else
				put_wait(&b, i);
		}
		rows->modules += p->modules_len - 1;
		rows->frames += p->frames_len - 1;
		rows->stacks += p->stacks_len - 1;
		rows->tasks += p->tasks_len - 1;
		rows->objects += p->objects_len - 1;
	}
	places__done(&b.places);
	return r ? r : rows->error;
}

u64 page_billionths(double p)
{
	return (u64)llround(p * 1e9);
}

void page_rows__put_path(struct page_rows *rows, u32 parent, const struct diff_item *it)
{
	columns__put(&rows->columns, COL_PATH_PARENT, parent);
	columns__put(&rows->columns, COL_PATH_VERDICT, it->verdict);
	columns__put(&rows->columns, COL_PATH_P, page_billionths(it->p));
}

void page_rows__put_function(struct page_rows *rows, const char *label, u32 kind,
			     const struct diff_item *it)
{
	columns__put(&rows->columns, COL_FUNC_LABEL, string_of(rows, label));
	columns__put(&rows->columns, COL_FUNC_KIND, kind);
	columns__put(&rows->columns, COL_FUNC_VERDICT, it->verdict);
	columns__put(&rows->columns, COL_FUNC_P, page_billionths(it->p));
}

int page_rows__finish(struct page_rows *rows)
{
	return rows->error ? rows->error : columns__error(&rows->columns);
}
