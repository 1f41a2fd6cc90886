/* SPDX-License-Identifier: Apache-2.0 */
/* The waits of the page: the columns of row_type.c, and what the analyses say of them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cause/syscall_name.h"
#include "analysis/name/object_label.h"
#include "analysis/view/wait_stacks.h"
#include "render/page/page_rows_priv.h"

#define PLACE_SZ 512 /* a function of the kernel in brackets */

/* For wait.notes: what replaces an unknown stack, see wait_stacks.h. */
enum note {
	NOTES_USER_MISSED = 1,
	NOTES_KERNEL_MISSED = 2,
	NOTES_LOST = 4,
	NOTES_CUT = 8,
};

/*
 * As a row of the summary's table of places: without a user stack, the system call stands for what
 * the program does; outside of one, the kernel's function.
 */
static void put_place(struct page_builder *b, u32 wait, const struct wait_stacks *s,
		      const char *call)
{
	struct places *pl = &b->places;
	bool has_call = *call && cause_has_syscall(causes__of(b->side->causes, wait));
	u32 user = 0, kernel = 0, own;
	char text[PLACE_SZ];

	if (places__user(pl, s->user, &user) || places__kernel(pl, s->kernel, &kernel))
		b->rows->error = -ENOMEM;
	if (*places__text(pl, user))
		page_rows__put_text(b, COL_WAIT_PLACE, places__text(pl, user));
	else if (has_call || !*places__text(pl, kernel))
		page_rows__put_text(b, COL_WAIT_PLACE, has_call ? call : "no stack");
	else {
		snprintf(text, sizeof(text), "[%s]", places__text(pl, kernel));
		page_rows__put_text(b, COL_WAIT_PLACE, text);
	}
	own = places__own(pl, s->user);
	page_rows__put_id(b, COL_WAIT_OWN, b->rows->frames, own ? own : places__own(pl, s->kernel));
}

static void put_stacks_of_wait(struct page_builder *b, u32 wait, const char *call)
{
	struct wait_stacks s = wait_stacks_of(b->p, wait, b->side->sides);
	u64 notes = 0;

	if (s.user_missed)
		notes |= NOTES_USER_MISSED;
	if (s.kernel_missed)
		notes |= NOTES_KERNEL_MISSED;
	if (s.lost)
		notes |= NOTES_LOST;
	if (b->p->stacks[s.kernel].flags & STACK_CUT)
		notes |= NOTES_CUT;
	page_rows__put_id(b, COL_WAIT_USER, b->rows->stacks, s.user);
	page_rows__put_id(b, COL_WAIT_KERNEL, b->rows->stacks, s.kernel);
	page_rows__put(b, COL_WAIT_NOTES, notes);
	put_place(b, wait, &s, call);
}

static void put_owner(struct page_builder *b, const struct profile_wait *w)
{
	char owner[OWNER_LABEL_SZ];

	page_rows__put_text(b, COL_WAIT_OWNER, owner_label(b->p, w, owner, sizeof(owner)));
}

static void put_hist(struct page_builder *b, const struct profile_wait *w)
{
	u32 i, n = 0;

	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		if (!w->hist[i])
			continue;
		page_rows__put(b, COL_HIST_BUCKET, i);
		page_rows__put(b, COL_HIST_COUNT, w->hist[i]);
		n++;
	}
	page_rows__put(b, COL_WAIT_BUCKETS, n);
}

/* Stacks depend on the sides that are shown, histograms have rows, and calls and owners names. */
static const char *const shown_apart[] = { "user_stack", "kernel_stack", "hist",    "sysno",
					   "owner_tid",	 "pad",		 "part_of", "waker" };

static bool is_shown_apart(const char *name)
{
	u32 i = 0;

	while (i < ARRAY_LEN(shown_apart) && strcmp(shown_apart[i], name) != 0)
		i++;
	return i < ARRAY_LEN(shown_apart);
}

/* Our column of the same name: the owner's name is text, and its thread a column beside it. */
static u8 column_of_wait(const char *name)
{
	char ours[64];
	u8 i = 0;

	snprintf(ours, sizeof(ours), "wait.%s%s", name, strcmp(name, "owner") == 0 ? "_task" : "");
	while (i < COL_CNT && strcmp(page_column_kinds[i].name, ours) != 0)
		i++;
	return i;
}

/* A column that the page neither has nor shows apart is an error: no test of a page passes then. */
static void find_columns_of_wait(struct page_builder *b)
{
	u32 i;

	for (i = 0; i < wait_row_type.columns_len; i++) {
		const char *name = wait_row_type.columns[i].name;

		b->of_wait[i] = is_shown_apart(name) ? COL_CNT : column_of_wait(name);
		if (b->of_wait[i] == COL_CNT && !is_shown_apart(name))
			b->rows->error = -EPROTO;
	}
}

static void put_columns_of_wait(struct page_builder *b, const struct profile_wait *w)
{
	u32 i;

	for (i = 0; i < wait_row_type.columns_len; i++) {
		const struct row_column *c = &wait_row_type.columns[i];
		u64 value;

		if (b->of_wait[i] == COL_CNT)
			continue;
		value = row_column__get(c, w);
		if (c->kind == ROW_TASK)
			page_rows__put_id(b, b->of_wait[i], b->rows->tasks, (u32)value);
		else if (c->kind == ROW_OBJECT)
			page_rows__put_id(b, b->of_wait[i], b->rows->objects, (u32)value);
		else
			page_rows__put(b, b->of_wait[i], value);
	}
}

/* The part of a wait in a row: all of it, its idle part, or the rest. */
struct row {
	struct profile_wait wait;
	u32 cause; /* as shown */
	u32 class;
	u32 path; /* for a diff */
};

static void put_row(struct page_builder *b, u32 wait, const struct row *row)
{
	const struct profile_wait *w = &row->wait;
	const char *call = syscall_name(profile__str(b->p, b->p->hdr.arch), w->sysno);
	char number[32] = "";

	if (!call && w->sysno >= 0)
		snprintf(number, sizeof(number), "system call %d", w->sysno);
	call = call ? call : number;
	put_columns_of_wait(b, w);
	put_stacks_of_wait(b, wait, call);
	page_rows__put(b, COL_WAIT_CAUSE, row->cause);
	page_rows__put(b, COL_WAIT_KIND, causes__of(b->side->causes, wait));
	page_rows__put(b, COL_WAIT_CLASS, row->class);
	page_rows__put_text(b, COL_WAIT_SYSCALL, call);
	put_owner(b, w);
	put_hist(b, w);
	if (b->rows->diff)
		page_rows__put(b, COL_WAIT_PATH, row->path);
	b->rows->waits++;
}

static void put_wait(struct page_builder *b, u32 wait)
{
	struct row row = {
		.wait = b->p->waits[wait],
		.cause = causes__shown(b->side->causes, wait),
		.class = causes__class(b->side->causes, wait),
	};

	put_row(b, wait, &row);
}

/* In a diff, idle time is separate from all other time, and may be part of a wait: see diff.h. */
static void put_wait_of_diff(struct page_builder *b, u32 wait)
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
		row.class = CLASS_WORK; /* waiting for a CPU, whatever came before */
	if (idle_ns) {
		row.wait.blocked_ns = 0;
		row.wait.max_ns = 0; /* known only for the whole wait */
		row.wait.count = row.wait.samples = row.wait.var_us2 = 0;
		row.wait.flags &= ~(u32)WAIT_SUMMED; /* the row before has its count, or none */
		memset(row.wait.hist, 0, sizeof(row.wait.hist));
	}
	put_row(b, wait, &row);
}

void page_rows__put_waits(struct page_builder *b)
{
	u32 i;

	find_columns_of_wait(b);
	for (i = 1; i < b->p->waits_len && !b->rows->error; i++) {
		if (b->side->counted_ns)
			put_wait_of_diff(b, i);
		else
			put_wait(b, i);
	}
}
