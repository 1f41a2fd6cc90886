/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page filters, groups and adds up itself, so it gets waits rather than a finished tree. What
 * rules or text determine (causes, labels, places, losses, effort) is computed here, by the
 * analyses that all formats share, and sent as text: the page repeats no rule.
 *
 * Strings are in the order in which columns refer to them; unused ones are not sent.
 */
#include "render/page/page_rows.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/model/tree.h"
#include "analysis/name/cgroup_label.h"
#include "analysis/name/object_label.h"
#include "render/page/page_rows_priv.h"

#define PARTS_MAX (1U << 17) /* half a megabyte; without them, the page has no strip of seconds */

const struct column_kind page_column_kinds[COL_DIFF_CNT] = {
#define X(NAME, name, is_delta) { name, is_delta },
	COLUMNS(X) DIFF_COLUMNS(X)
#undef X
};

void page_rows__put(struct page_builder *b, u32 column, u64 value)
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

void page_rows__put_text(struct page_builder *b, u32 column, const char *text)
{
	page_rows__put(b, column, string_of(b->rows, text));
}

void page_rows__put_id(struct page_builder *b, u32 column, u32 base, u32 id)
{
	page_rows__put(b, column, id ? base + id : 0);
}

static void put_str(struct page_builder *b, u32 column, u32 str)
{
	page_rows__put_text(b, column, profile__str(b->p, str));
}

static void put_modules(struct page_builder *b)
{
	u32 i;

	for (i = 1; i < b->p->modules_len; i++) {
		const struct profile_module *m = &b->p->modules[i];

		page_rows__put(b, COL_MODULE_KIND, m->kind);
		put_str(b, COL_MODULE_PATH, m->path);
		put_str(b, COL_MODULE_BUILD_ID, m->build_id);
	}
}

static void put_frames(struct page_builder *b)
{
	u32 i;

	for (i = 1; i < b->p->frames_len; i++) {
		const struct profile_frame *f = &b->p->frames[i];

		page_rows__put_text(b, COL_FRAME_LABEL, labels__frame(b->side->labels, i));
		page_rows__put(b, COL_FRAME_KIND, tree_kind_of_frame(b->p, i));
		page_rows__put_id(b, COL_FRAME_MODULE, b->rows->modules, f->module);
		put_str(b, COL_FRAME_FILE, f->file);
		page_rows__put(b, COL_FRAME_LINE, f->line);
		page_rows__put_text(b, COL_FRAME_REASON,
				    f->name ? "" :
					      frame_reason_sentence((enum frame_reason)f->reason));
	}
}

static void put_stacks(struct page_builder *b)
{
	u32 i;

	for (i = 1; i < b->p->stacks_len; i++) {
		page_rows__put_id(b, COL_STACK_PARENT, b->rows->stacks, b->p->stacks[i].parent);
		page_rows__put_id(b, COL_STACK_FRAME, b->rows->frames, b->p->stacks[i].frame);
		page_rows__put(b, COL_STACK_OF_WAKER, (b->p->stacks[i].flags & STACK_WAKER) != 0);
	}
}

static void put_task(struct page_builder *b, const struct profile_task *t)
{
	char cgroup[CGROUP_ID_SZ];
	u64 blocked_ns = 0;
	u32 s;

	for (s = 0; s < PROFILE_STATES; s++)
		blocked_ns += t->blocked_ns[s];
	page_rows__put(b, COL_TASK_TID, t->tid);
	page_rows__put(b, COL_TASK_TGID, t->tgid);
	put_str(b, COL_TASK_COMM, t->comm);
	put_str(b, COL_TASK_GROUP_COMM, t->group_comm);
	page_rows__put(b, COL_TASK_FLAGS, t->flags);
	page_rows__put(b, COL_TASK_WALL, t->wall_ns);
	page_rows__put(b, COL_TASK_ON, t->on_ns);
	page_rows__put(b, COL_TASK_PREEMPTED, t->preempted_ns);
	page_rows__put(b, COL_TASK_RUNQ, t->runq_ns);
	page_rows__put(b, COL_TASK_BLOCKED, blocked_ns);
	page_rows__put(b, COL_TASK_UNACCOUNTED, t->unaccounted_ns);
	page_rows__put(b, COL_TASK_SWITCHES, t->switches);
	page_rows__put_text(b, COL_TASK_CGROUP, cgroup_label(b->p, t, cgroup));
}

/* Thread histograms, if they were kept: profile/bins.h. */
static void put_bins(struct page_builder *b)
{
	u32 i;

	for (i = 1; i < b->p->bins_len; i++) {
		const struct profile_bin *bin = &b->p->bins[i];

		page_rows__put_id(b, COL_BIN_TASK, b->rows->tasks, bin->task);
		page_rows__put(b, COL_BIN_KIND, bin->kind);
		page_rows__put(b, COL_BIN_BUCKET, bin->bucket);
		page_rows__put(b, COL_BIN_COUNT, bin->count);
	}
}

/* How much of each wait was in which interval, profile/replicate.h: not of a diff. */
static void put_intervals(struct page_builder *b)
{
	const struct profile *p = b->p;
	u32 i;

	if (b->rows->diff || p->replicates_len > PARTS_MAX)
		return;
	for (i = 0; i < p->intervals_len; i++) {
		page_rows__put(b, COL_INTERVAL_BEGIN, p->intervals[i].begin_ns);
		page_rows__put(b, COL_INTERVAL_LENGTH, p->intervals[i].length_ns);
	}
	for (i = 0; i < p->replicates_len; i++) {
		page_rows__put(b, COL_PART_WAIT, p->replicates[i].wait);
		page_rows__put(b, COL_PART_INTERVAL, p->replicates[i].interval);
		page_rows__put(b, COL_PART_NS, p->replicates[i].ns);
	}
}

static void put_objects(struct page_builder *b)
{
	char label[OBJECT_LABEL_SZ];
	u32 i;

	for (i = 1; i < b->p->objects_len; i++) {
		page_rows__put_text(b, COL_OBJECT_LABEL,
				    object_label(b->p, i, label, sizeof(label)));
		page_rows__put(b, COL_OBJECT_SAYS, object_says_something(b->p, i));
	}
}

int page_rows__init(struct page_rows *rows, bool diff)
{
	int r;

	*rows = (struct page_rows){ .diff = diff };
	r = strtab__init(&rows->strings);
	return r ? r :
		   columns__init(&rows->columns, page_column_kinds, diff ? COL_DIFF_CNT : COL_CNT);
}

void page_rows__done(struct page_rows *rows)
{
	columns__done(&rows->columns);
	strtab__done(&rows->strings);
}

int page_rows__add(struct page_rows *rows, const struct page_side *side)
{
	const struct profile *p = side->p;
	struct page_builder b = { .rows = rows, .side = side, .p = p };
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
		put_intervals(&b);
		if (!rows->diff)
			page_rows__put_moments(&b);
		page_rows__put_waits(&b);
		rows->modules += p->modules_len - 1;
		rows->frames += p->frames_len - 1;
		rows->stacks += p->stacks_len - 1;
		rows->tasks += p->tasks_len - 1;
		rows->objects += p->objects_len - 1;
	}
	places__done(&b.places);
	return r ? r : rows->error;
}

/* Modules, tasks and objects are those of `side`, the first side. */
static void put_divided(struct page_builder *b)
{
	struct page_rows *rows = b->rows, before = *rows;

	rows->modules = rows->tasks = rows->objects = 0;
	put_frames(b);
	put_stacks(b);
	page_rows__put_waits(b);
	rows->divided = rows->waits - before.waits;
	rows->modules = before.modules;
	rows->tasks = before.tasks;
	rows->objects = before.objects;
	rows->frames += b->p->frames_len - 1;
	rows->stacks += b->p->stacks_len - 1;
}

int page_rows__add_divided(struct page_rows *rows, const struct page_side *side)
{
	struct page_builder b = { .rows = rows, .side = side, .p = side->p };
	int r = places__init(&b.places, b.p, side->labels, NULL);

	if (!r)
		put_divided(&b);
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
