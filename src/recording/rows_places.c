/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Query rows of where threads waited. Uncompressed, all stacks would take several times the size of
 * the blocks that have them, most of it names. So only the stacks with most time are kept, within a
 * share of the size of the blocks; what was waited elsewhere is in rows of stack 0, so that sums
 * stay whole. Nearly all time of a usual recording is in few stacks.
 *
 * The stacks are chosen by the profile alone, so that a check of the file chooses the same ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "recording/row.h"
#include "recording/rows.h"

#define FRAME_COLUMNS 4
#define NODE_COLUMNS 5
#define WAIT_COLUMNS 6
/* Bytes of a row without its text, pages that are not full included. */
#define FRAME_SZ 18
#define NODE_SZ 20
#define WAIT_SZ 24
/*
 * Blocks take about five bytes for each node of the trie. An eighth of it, but no less than what a
 * short recording needs, which is one window, and each window of a long one.
 */
#define BUDGET_OF_NODES(nodes) ((u64)(nodes)*5 / 8)
#define BUDGET_FIRST (32U << 10)
#define BUDGET_LATER (4U << 10)
#define FUNCTION_SZ 512

struct leaf {
	u32 stack;
	u32 rows; /* of waits, at most */
	u64 ns;
};

struct kept {
	const struct profile *p;
	struct leaf *leaves; /* by stack at first, then those with waits, longest first */
	u32 leaves_len;
	u8 *frames; /* by frame: it is in a kept stack */
	u8 *nodes; /* by stack: it, or one with it on the way to the root, is kept */
	u8 *whole; /* by stack: its waits refer to it */
};

/* Of the kernel if the thread was in no program. */
static u32 stack_of(const struct profile_wait *w)
{
	return w->ustack ? w->ustack : w->kstack;
}

static const struct profile_frame *frame_at(const struct profile *p, u32 stack)
{
	return &p->frames[p->stacks[stack].frame];
}

/* The last part of the path of its file. */
static const char *module_of(const struct profile *p, const struct profile_frame *f)
{
	const char *path = profile__str(p, p->modules[f->module].path), *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *function_of(const struct profile *p, const struct profile_frame *f, char *buf)
{
	if (f->name)
		return profile__str(p, f->name);
	snprintf(buf, FUNCTION_SZ, "[%s+0x%llx]", module_of(p, f), f->addr);
	return buf;
}

/* Code that only does the waiting: the C library's, and the kernel's scheduler. */
static bool only_waits(const struct profile *p, const struct profile_frame *f)
{
	static const char *const files[] = { "libc.so",	  "libc-",   "libpthread", "libc.musl-",
					     "ld-linux-", "ld-musl", "[vdso]" };
	const char *file = module_of(p, f);
	size_t i;

	if (f->flags & FRAME_KERNEL)
		return strstr(profile__str(p, f->name), "schedule");
	for (i = 0; i < ARRAY_LEN(files); i++) {
		if (!strncmp(file, files[i], strlen(files[i])))
			return true;
	}
	return f->flags & FRAME_TRUNCATED;
}

/* The node whose function is the place of a stack; the leaf if all of it only waits. */
static u32 place_of(const struct profile *p, u32 stack)
{
	u32 node;

	for (node = stack; node; node = p->stacks[node].parent) {
		if (!only_waits(p, frame_at(p, node)))
			return node;
	}
	return stack;
}

static int compare_leaves(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->stack < y->stack ? -1 : 1;
}

static void sort_leaves(struct kept *k)
{
	u32 i, n = 0;

	for (i = 1; i < k->p->waits_len; i++) {
		const struct profile_wait *w = &k->p->waits[i];
		struct leaf *leaf = &k->leaves[stack_of(w)];

		leaf->stack = stack_of(w);
		leaf->rows++;
		leaf->ns += w->blocked_ns + w->runq_ns;
	}
	for (i = 1; i < k->p->stacks_len; i++) {
		if (k->leaves[i].rows)
			k->leaves[n++] = k->leaves[i];
	}
	k->leaves_len = n;
	qsort(k->leaves, n, sizeof(*k->leaves), compare_leaves);
}

static u64 frame_size(const struct kept *k, u32 frame)
{
	const struct profile_frame *f = &k->p->frames[frame];
	char buf[FUNCTION_SZ];

	if (k->frames[frame])
		return 0;
	return FRAME_SZ + strlen(function_of(k->p, f, buf)) + strlen(module_of(k->p, f));
}

/* What the tables grow by; a frame that is twice among the new ones counts twice. */
static u64 size_of(const struct kept *k, const struct leaf *leaf)
{
	u64 sz = (u64)leaf->rows * WAIT_SZ;
	u32 node;

	for (node = leaf->stack; node && !k->nodes[node]; node = k->p->stacks[node].parent)
		sz += NODE_SZ + frame_size(k, k->p->stacks[node].frame);
	return sz;
}

static void choose(struct kept *k, u64 budget)
{
	const struct profile_stack *stacks = k->p->stacks;
	u32 i, node;

	sort_leaves(k);
	for (i = 0; i < k->leaves_len; i++) {
		u64 sz = size_of(k, &k->leaves[i]);

		if (sz > budget)
			return;
		budget -= sz;
		k->whole[k->leaves[i].stack] = 1;
		for (node = k->leaves[i].stack; node && !k->nodes[node];
		     node = stacks[node].parent) {
			k->nodes[node] = 1;
			k->frames[stacks[node].frame] = 1;
		}
	}
}

static int insert_frames(const struct kept *k, struct database *d, u32 window, struct err *err)
{
	char buf[FUNCTION_SZ];
	struct row row;
	int r = row__begin(&row, d, "stack_frames", FRAME_COLUMNS, "", err);
	u32 i;

	for (i = 1; i < k->p->frames_len && !r; i++) {
		if (!k->frames[i])
			continue;
		row__numbers(&row, (u64[]){ window, i }, 2);
		row__text(&row, function_of(k->p, &k->p->frames[i], buf));
		row__text(&row, module_of(k->p, &k->p->frames[i]));
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}

static int insert_nodes(const struct kept *k, struct database *d, u32 window, struct err *err)
{
	const struct profile *p = k->p;
	struct row row;
	int r = row__begin(&row, d, "stack_nodes", NODE_COLUMNS, "", err);
	u32 i;

	for (i = 1; i < p->stacks_len && !r; i++) {
		if (!k->nodes[i])
			continue;
		row__numbers(&row,
			     (u64[]){ window, i, p->stacks[i].parent,
				      k->whole[i] ? place_of(p, i) : 0, p->stacks[i].frame },
			     5);
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}

static int insert_waits(const struct kept *k, struct database *d, u32 window,
			const struct recording_label *labels, const char *cause, struct err *err)
{
	static const char add[] =
		" ON CONFLICT(window, task, cause, stack) DO UPDATE SET"
		" count = count + excluded.count," /* NULL if either is not known */
		" ns = ns + excluded.ns";
	struct row row;
	int r = row__begin(&row, d, "place_waits", WAIT_COLUMNS, add, err);
	u32 i;

	for (i = 1; i < k->p->waits_len && !r; i++) {
		const struct profile_wait *w = &k->p->waits[i];
		u32 stack = stack_of(w);

		row__numbers(&row, (u64[]){ window, w->task }, 2);
		row__text(&row, labels ? labels[i].cause : cause);
		row__u64(&row, k->whole[stack] ? stack : 0);
		row__known(&row, w->count || rows_is_counted(k->p, w), w->count);
		row__u64(&row, w->blocked_ns + w->runq_ns);
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}

int rows_insert_places(struct database *d, u32 window, const struct profile *p,
		       const struct recording_label *labels, const char *cause, struct err *err)
{
	struct kept k = {
		.p = p,
		.leaves = mem_array(p->stacks_len, sizeof(struct leaf)),
		.frames = mem_array(p->frames_len, 1),
		.nodes = mem_array(p->stacks_len, 1),
		.whole = mem_array(p->stacks_len, 1),
	};
	u64 least = window == 1 ? BUDGET_FIRST : BUDGET_LATER;
	u64 budget = BUDGET_OF_NODES(p->stacks_len);
	int r = k.leaves && k.frames && k.nodes && k.whole ? 0 : err__nomem(err);

	if (!r)
		choose(&k, budget > least ? budget : least);
	if (!r)
		r = insert_frames(&k, d, window, err);
	if (!r)
		r = insert_nodes(&k, d, window, err);
	if (!r)
		r = insert_waits(&k, d, window, labels, cause, err);
	mem_free(k.leaves);
	mem_free(k.frames);
	mem_free(k.nodes);
	mem_free(k.whole);
	return r;
}
