/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_DIFF_H
#define ANALYSIS_DIFF_DIFF_H

#include "analysis/cause/cause.h"
#include "analysis/model/tree.h"
#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * What changed between two profiles: off-CPU time, blocked and run queue, per unit, in total, by
 * cause, by function and by path. Functions are matched by symbol_key.h. A function or path has the
 * time waited anywhere below it; a recursive function counts once.
 *
 * A program that needs less time for the same work waits longer for the next piece: blocked time in
 * waits for work is a separate item and in no other. The run queue time after it counts like any
 * other.
 */

enum diff_side {
	DIFF_BEFORE = 0,
	DIFF_AFTER = 1,
};

/* What the times of a side are divided by. */
enum diff_per {
	DIFF_PER_WALL = 0, /* second of the window */
	DIFF_PER_THREAD, /* second of a thread */
	DIFF_PER_REQUEST, /* request, whose number the user states */
};

enum diff_verdict {
	DIFF_SMALL = 0, /* too little on both sides to be tested */
	DIFF_UNKNOWN, /* there are no seconds to test with */
	DIFF_NOISE, /* within the variation between seconds, or too small to matter */
	DIFF_MORE,
	DIFF_LESS,
};

/* The highest adjusted p that counts as a difference; see diff_test_adjust(). */
#define DIFF_FALSE_PART 0.05
/* Smallest part of a side that is tested, and smallest relative change that matters. */
#define DIFF_WEIGHT_MIN 0.005
#define DIFF_EFFECT_MIN 0.02

struct diff_item {
	u64 ns[2];
	u64 count[2];
	u64 max_ns[2]; /* the longest single wait */
	double rate[2]; /* ns per unit */
	double p; /* adjusted; 1 if not tested */
	u32 verdict; /* enum diff_verdict */
	u32 row; /* in the tests, from 1; internal */
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

/* As in struct tree_node. */
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
	bool idle; /* treat waits for work like other waits */
	const struct ruleset *rules; /* as for causes__init() */
};

struct diff {
	const struct profile *p[2];
	struct diff_options opt; /* as given */
	struct profile_budget budget[2];
	double units[2]; /* seconds, thread seconds or requests of each side */
	u32 intervals[2]; /* those with a unit to divide by */
	bool tested; /* both sides have DIFF_TEST_MIN of them; otherwise no item was tested */
	struct diff_item total;
	struct diff_item idle; /* next to `total`; all zero if waits for work are included in it */
	/* largest change first, by its size per unit; then by name */
	struct diff_cause causes[CAUSE_CNT];
	u32 causes_len;
	struct diff_frame *frames;
	u32 frames_len;
	struct diff_node *nodes; /* preorder, children by name; node 0 is the total */
	u32 nodes_len;
	u32 depth; /* greatest */
	/* of each side, by wait */
	u64 *counted_ns[2]; /* its time without idle time */
	u32 *leaf[2]; /* its node; 0: it has none */
};

/*
 * Borrows the profiles, whose frames are named, as long as the result is used; everything else is
 * in the arena. -EINVAL for profiles of zero length, or of tasks and of threads, -ENOMEM, or 0.
 */
int diff__build(const struct profile *const p[2], const struct diff_options *opt, struct arena *a,
		struct diff *ret, struct err *err);

/* Change in ns per unit; negative if it decreased. */
double diff_item__change(const struct diff_item *it);
/*
 * The longest single wait of the larger side, as a fraction of the change; 0 if nothing changed. 1
 * and above: without it there would be no change.
 */
double diff_item__largest(const struct diff *d, const struct diff_item *it);

#endif
