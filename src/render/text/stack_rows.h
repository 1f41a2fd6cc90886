/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_STACK_ROWS_H
#define RENDER_TEXT_STACK_ROWS_H

#include "analysis/view/wait_stacks.h"
#include "base/err.h"
#include "profile/profile.h"
#include "render/render.h"

struct causes;

/*
 * Waits summed as bcc's offcputime does: by thread, comm, user and kernel stack; shortest first,
 * equal ones in the order of the profile.
 */
struct stack_row {
	u32 tid;
	u32 tgid;
	u32 comm; /* string id; 0 also for a wait whose thread is unknown */
	u32 state; /* index into PROFILE_STATE_LETTERS; 0 unless grouped by it */
	u32 object; /* the object; 0 unless grouped by it */
	u32 owner; /* a wait with the row's owner; likewise */
	bool idle; /* a wait for work, if these are separate */
	struct wait_stacks stacks;
	u64 off_ns; /* or on a CPU: stacks.on_cpu */
	u64 samples; /* chosen waits */
	u64 var_us2; /* of off_ns, see profile/estimate.h; 0: nothing is estimated */
};

/* Additional grouping. */
enum stack_row_by {
	STACK_ROW_STATE = 1,
	STACK_ROW_OBJECT = 2, /* and its owner */
};

struct stack_rows {
	struct stack_row *rows;
	size_t len;
};

/*
 * `sides`: enum profile_side, 0 for all; `by`: bits of enum stack_row_by; `apart`: waits for work,
 * according to these causes, are separate rows; NULL: they are not. -ENOMEM or 0; release with
 * stack_rows__done() either way.
 */
int stack_rows__init(struct stack_rows *sr, const struct profile *p, u32 sides, u32 by,
		     const struct causes *apart, struct err *err);
void stack_rows__done(struct stack_rows *sr);

/* The nodes of a stack, root first; free *ret_nodes with mem_free(). -ENOMEM or the number. */
int stack_from_root(const struct profile *p, u32 leaf, u32 **ret_nodes);

/* A sum in the unit of the options, rounded half up. */
u64 stack_row_value(u64 ns, enum render_unit unit);

#endif
