/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page filters, groups and adds up by itself, therefore it gets waits and not a finished tree.
 * What a rule or a sentence decides (causes, labels, places, losses, effort) is decided here, by
 * the analyses that all formats share, and goes along as text: the page knows no rule twice.
 *
 * Strings come in the order in which columns ask for them; only those that are asked for go along.
 */
#include "render/page_data.h"

#include <errno.h>

#include "analysis/cause_memo.h"
#include "analysis/label.h"
#include "analysis/object_label.h"
#include "analysis/place.h"
#include "analysis/syscall_name.h"
#include "analysis/tree.h"
#include "analysis/wait_stacks.h"
#include "render/columns.h"
#include "render/page_head.h"
#include "render/render_view.h"

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

enum {
#define X(NAME, name, is_delta) COL_##NAME,
	COLUMNS(X)
#undef X
		COL_CNT
};

static const struct column_kind column_kinds[COL_CNT] = {
#define X(NAME, name, is_delta) { name, is_delta },
	COLUMNS(X)
#undef X
};

/* Of wait.notes: what stands where a stack is not known, see wait_stacks.h. */
enum note {
	NOTES_USER_MISSED = 1,
	NOTES_KERNEL_MISSED = 2,
	NOTES_LOST = 4,
	NOTES_CUT = 8,
};

struct builder {
	const struct profile *p; /* as it is shown */
	const struct render_options *opt;
	struct strtab strings;
	struct labels labels;
	struct places places;
	struct causes causes;
	struct columns columns;
	int error; /* -ENOMEM */
};

static void put(struct builder *b, u32 column, u64 value)
{
	columns__put(&b->columns, column, value);
}

static void put_text(struct builder *b, u32 column, const char *text)
{
	u32 id = 0;

	if (strtab__add(&b->strings, text, &id))
		b->error = -ENOMEM;
	put(b, column, id);
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

		put_text(b, COL_FRAME_LABEL, labels__frame(&b->labels, i));
		put(b, COL_FRAME_KIND, tree_kind_of_frame(b->p, i));
		put(b, COL_FRAME_MODULE, f->module);
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
		put(b, COL_STACK_PARENT, b->p->stacks[i].parent);
		put(b, COL_STACK_FRAME, b->p->stacks[i].frame);
	}
}

static void put_task(struct builder *b, const struct profile_task *t)
{
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
}

/* The histograms of threads, where they were kept: profile/bins.h. */
static void put_bins(struct builder *b)
{
	u32 i;

	for (i = 1; i < b->p->bins_len; i++) {
		const struct profile_bin *bin = &b->p->bins[i];

		put(b, COL_BIN_TASK, bin->task);
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
		b->error = -ENOMEM;
	snprintf(text, sizeof(text), "%s%s%s", places__text(&b->places, library),
		 library ? " -> " : "", places__text(&b->places, user));
	put_text(b, COL_WAIT_USER_PLACE, text);
}

static void put_stacks_of_wait(struct builder *b, u32 wait)
{
	struct wait_stacks s = wait_stacks_of(b->p, wait, b->opt->sides);
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
		b->error = -ENOMEM;
	put(b, COL_WAIT_USER, s.user);
	put(b, COL_WAIT_KERNEL, s.kernel);
	put(b, COL_WAIT_NOTES, notes);
	put_user_place(b, s.user);
	put_text(b, COL_WAIT_KERNEL_PLACE, places__text(&b->places, kernel));
}

/* What it was for, and who held that. */
static void put_object_of_wait(struct builder *b, const struct profile_wait *w)
{
	char owner[OWNER_LABEL_SZ];

	put(b, COL_WAIT_OBJECT, w->object);
	put_text(b, COL_WAIT_OWNER, owner_label(b->p, w, owner, sizeof(owner)));
	put(b, COL_WAIT_OWNER_TASK, w->owner);
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

static void put_wait(struct builder *b, u32 wait)
{
	const struct profile_wait *w = &b->p->waits[wait];
	const char *call = syscall_name(profile__str(b->p, b->p->hdr.arch), w->sysno);
	char number[32] = "";

	if (!call && w->sysno >= 0)
		snprintf(number, sizeof(number), "system call %d", w->sysno);
	put(b, COL_WAIT_TASK, w->task);
	put_stacks_of_wait(b, wait);
	put(b, COL_WAIT_CAUSE, causes__shown(&b->causes, wait));
	put(b, COL_WAIT_KIND, causes__of(&b->causes, wait));
	put(b, COL_WAIT_CLASS, causes__class(&b->causes, wait));
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
}

static int build(struct builder *b)
{
	u32 i;
	int r = strtab__init(&b->strings);

	if (!r)
		r = labels__init(&b->labels, b->p, NULL);
	if (!r)
		r = places__init(&b->places, b->p, &b->labels, NULL);
	if (!r)
		r = causes__recall(&b->causes, b->p, b->opt->memo, NULL);
	if (!r)
		r = columns__init(&b->columns, column_kinds, COL_CNT);
	if (r)
		return r;
	put_modules(b);
	put_frames(b);
	put_stacks(b);
	for (i = 1; i < b->p->tasks_len; i++)
		put_task(b, &b->p->tasks[i]);
	put_objects(b);
	put_bins(b);
	for (i = 1; i < b->p->waits_len && !b->error; i++)
		put_wait(b, i);
	return b->error ? b->error : columns__error(&b->columns);
}

static void put_columns(const struct columns *c, struct sink *out)
{
	u32 i;

	for (i = 0; i < c->len; i++)
		sink__put(out, c->list[i].bytes.buf, c->list[i].bytes.len);
}

int page_data_put(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	struct builder b = { .opt = opt };
	struct shown shown;
	int r = shown__init(&shown, p, &shown_opt, NULL);

	b.p = shown.p;
	if (!r)
		r = build(&b);
	if (!r)
		r = page_head_put(p, opt, &b.strings, &b.columns, out);
	if (!r)
		put_columns(&b.columns, out);
	columns__done(&b.columns);
	causes__done(&b.causes);
	places__done(&b.places);
	labels__done(&b.labels);
	strtab__done(&b.strings);
	shown__done(&shown);
	return r ? err__nomem(err) : 0;
}
