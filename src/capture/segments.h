/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_SEGMENTS_H
#define CAPTURE_SEGMENTS_H

#include "abi/unwind.h"
#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * The kernel's side of table memory: segments are BPF arrays that we have mapped and that the
 * programs find in a map of maps. What is written to one is seen by the programs at once.
 */
struct segments {
	int outer_fd; /* borrowed */
	u8 **mem; /* CS_SEGMENTS_MAX, NULL where there is none */
	int *fds;
	u32 cnt; /* segments made */
	struct cs_unwind_rule *rules; /* the dictionary, mapped */
	struct vec putting; /* of struct putting *: segments that the programs may not see yet */
	bool settled;
};

/* `outer_fd` is the map of maps, `rules_fd` the array of rules; both borrowed. */
int segments__init(struct segments *s, int outer_fd, int rules_fd, struct err *err);
/*
 * Before the hooks are there: returns when the programs see all segments. Those that are made later
 * are seen at once.
 */
int segments__settle(struct segments *s, struct err *err);
/* NULL is fine. The maps must be there still; programs that run keep what they see. */
void segments__done(struct segments *s);
/* A space_segment_fn: `arg` is the object. NULL when the kernel gives no memory. */
u8 *segments__make(void *arg, u32 segno);
u64 segments__memory_bytes(const struct segments *s);
/* Returns when no program that started before the call runs any more. */
void segments__wait_for_programs(const struct segments *s);

#endif
