/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_SEGMENTS_H
#define CAPTURE_MAPPING_SEGMENTS_H

#include "abi/unwind.h"
#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * The kernel side of table memory: segments are BPF arrays that we map and that the programs find
 * in a map of maps. The programs see writes at once.
 */
struct segments {
	int outer_fd; /* borrowed */
	u8 **mem; /* CS_SEGMENTS_MAX, NULL for those not created */
	int *fds;
	u32 cnt; /* segments created */
	struct cs_unwind_rule *rules; /* the dictionary, mapped */
	struct vec putting; /* of struct putting *: segments that the programs may not see yet */
	bool settled;
};

/* `outer_fd` is the map of maps, `rules_fd` the array of rules; both borrowed. */
int segments__init(struct segments *s, int outer_fd, int rules_fd, struct err *err);
/*
 * Before hooks are attached: returns when the programs see all segments. Later ones are visible at
 * once.
 */
int segments__settle(struct segments *s, struct err *err);
/* NULL is fine. The maps must still exist; running programs keep what they see. */
void segments__done(struct segments *s);
/* A space_segment_fn: `arg` is the object. NULL if the kernel has no memory. */
u8 *segments__make(void *arg, u32 segno);
u64 segments__memory_bytes(const struct segments *s);
/* Returns when every program that started before the call has ended. */
void segments__wait_for_programs(const struct segments *s);

#endif
