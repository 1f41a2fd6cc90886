/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_H
#define ANALYSIS_DIFF_H

#include "analysis/cause.h"
#include "analysis/tree.h"
#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * What changed between two profiles: time off the CPU, blocked and run queue, per unit, in all, by
 * cause, by function and by path. Functions are matched by symbol_key.h. A function or path has
 * what was waited anywhere below it; a function that calls itself counts once.
 *
 * A program that needs less time for the same work waits longer for the next: blocked time in waits
 * for work is an item of its own and in no other. The run queue time behind it is as any other.
 */

enum diff_side {
	DIFF_BEFORE = 0,
	DIFF_AFTER = 1,
};

/* What the times of a side are divided by. */
enum diff_per {
	DIFF_PER_WALL = 0, /* second of the window */
	DIFF_PER_THREAD, /* second of a thread */
	DIFF_PER_REQUEST, /* request, of which the user knows how many there were */
};

enum diff_verdict {
	DIFF_SMALL = 0, /* too little of either side to be tested */
	DIFF_UNKNOWN, /* there are no seconds to tell it by */
	DIFF_NOISE, /* no more than seconds differ by, or by too little to matter */
	DIFF_MORE,
	DIFF_LESS,
};

/* The part of adjusted p up to which a difference is one; see diff_test_adjust(). */
#define DIFF_FALSE_PART 0.05
/* Parts of a side below which nothing is tested, and of a value below which no change matters. */
#define DIFF_WEIGHT_MIN 0.005
#define DIFF_EFFECT_MIN 0.02

struct diff_item {
	u64 ns[2];
	u64 count[2];
	u64 max_ns[2]; /* the longest single wait */
	double rate[2]; /* ns per unit */
	double p; /* adjusted; 1 where it was not tested */
	u32 verdict; /* enum diff_verdict */
	u32 row; /* of the tests, from 1; internal */
};

struct diff_cause {
	u32 cause; /* enum cause */
	struct diff_item item;
};

struct diff_frame {
	const char *name;
	const char *module;
	u32 kind; /* enum tree_kind: TREE_USER, TREE_KERNEL, TREE_CODE, TREE_INLINED */
	struct diff_item item;
};

/* As struct tree_node has it. */
struct diff_node {
	const char *name;
	const char *module;
	u32 kind; /* enum tree_kind */
	u32 parent;
	u32 depth;
	u32 end;
	u64 self_ns[2];
	u64 path_hash;
	struct diff_item item;
};

struct diff_options {
	u32 per; /* enum diff_per */
	double requests[2]; /* DIFF_PER_REQUEST: more than 0 */
	bool interpreter; /* as in shown.h */
	bool idle; /* take waits for work for waits as any other */
	const struct ruleset *rules; /* as of causes__init() */
};

struct diff {
	const struct profile *p[2];
	struct diff_options opt; /* as they were given */
	struct profile_budget budget[2];
	double units[2]; /* seconds, thread seconds or requests of each side */
	u32 intervals[2]; /* those in which there was a unit to divide by */
	bool tested; /* both sides have DIFF_TEST_MIN of them; else no item was */
	struct diff_item total;
	struct diff_item idle; /* beside `total`; all zero where waits for work are in it */
	/* the largest change first, by its size per unit; then name */
	struct diff_cause causes[CAUSE_CNT];
	u32 causes_len;
	struct diff_frame *frames;
	u32 frames_len;
	struct diff_node *nodes; /* preorder, children by name; node 0 is all */
	u32 nodes_len;
	u32 depth; /* greatest */
	/* of each side, by wait */
	u64 *counted_ns[2]; /* its time but for what is idle of it */
	u32 *leaf[2]; /* its node; 0: it has none */
};

/*
 * Borrows the profiles, whose frames are named, as long as the result is used; everything else
 * lives in the arena. -EINVAL for profiles that last no time, -ENOMEM, or 0.
 */
int diff__build(const struct profile *const p[2], const struct diff_options *opt, struct arena *a,
		struct diff *ret, struct err *err);

/* ns per unit more than before; less than 0 where it is less. */
double diff_item__change(const struct diff_item *it);
/*
 * The longest single wait of the side that has more, as part of the change; 0 where nothing
 * changed. 1 and above: without it there would be none.
 */
double diff_item__largest(const struct diff *d, const struct diff_item *it);

#endif
