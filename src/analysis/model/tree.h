/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_TREE_H
#define ANALYSIS_MODEL_TREE_H

#include "analysis/model/group.h"
#include "analysis/view/time_view.h"
#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * The waits of a profile, or the rows of a view of it, merged into one tree: a group (group.h),
 * then the user frames from root to leaf, then the kernel frames from entry to leaf. Frames with
 * the same label and side under the same parent are one node. Inverted, a path goes from the
 * function that waited to the group.
 */

enum tree_kind {
	TREE_ALL = 0, /* the node above all groups; only node 0 */
	TREE_GROUP,
	TREE_USER,
	TREE_MARK, /* "-" between user and kernel frames */
	TREE_KERNEL,
	TREE_NOTE, /* stands for what is unknown: "[lost]", "[Missed User Stack]" */
	TREE_CODE, /* an interpreted user frame */
	TREE_TRUNCATED, /* FRAME_TRUNCATED */
	TREE_INLINED, /* a user frame that the compiler inlined */
	TREE_ON_CPU, /* at the leaf of time on a CPU, if the tree has waits too */
	TREE_WAKER, /* a frame or the name of a waker: wake_view.h */
};

/* Name of the group of waits for work. */
#define TREE_IDLE "[idle]"

struct tree_options {
	enum group_by root;
	u32 sides; /* enum profile_side; 0: those that the profile has */
	bool delimiter; /* put TREE_MARK between them if both sides are present */
	bool invert;
	enum time_view view; /* what the waits of the profile are; VIEW_DEFAULT is VIEW_OFF */
	bool idle_apart; /* waits for work below a group TREE_IDLE; not inverted */
	struct cause_memo *memo; /* of causes, or NULL (cause_memo.h) */
};

/* Values are the times of the rows of the view. total is self plus the children's totals. */
struct tree_node {
	const char *name;
	u32 kind; /* enum tree_kind */
	u32 parent;
	u32 depth; /* 0 at node 0 */
	u32 end; /* nodes (index, end) are those below this one */
	u64 total_ns;
	u64 self_ns;
	u64 count; /* waits, total; 0 if `uncounted` */
	u64 samples; /* of them, those that were chosen */
	u64 on_ns; /* of total_ns, time on a CPU */
	u64 on_samples;
	bool uncounted; /* how many waits some of it was is not known */
	u64 var_us2; /* of total_ns, see profile/estimate.h */
	/*
	 * Where total_ns is estimated and the thread totals give the exact time: that time; else
	 * total_ns. For node 0 and groups of threads, not inverted.
	 */
	u64 exact_ns;
	u64 path_hash; /* of kinds and names from the root: the same in any profile */
};

/* In preorder, children sorted by name, then kind. */
struct tree {
	struct tree_node *nodes;
	u32 *of_wait; /* by wait id: the node whose self_ns has its time */
	u32 len; /* at least 1 */
	u32 depth; /* greatest */
};

/* The kind of node that a frame of a stack becomes. */
enum tree_kind tree_kind_of_frame(const struct profile *p, u32 frame);

/* The path_hash of a node below a parent, and that of the root. */
u64 tree_path_hash(u64 parent, u32 kind, const char *name);
#define TREE_ROOT_HASH 0xcbf29ce484222325ULL

/* Everything is in the arena. -ENOMEM or 0. */
int tree__build(const struct profile *p, const struct tree_options *opt, struct arena *a,
		struct tree *ret_tree, struct err *err);

#endif
