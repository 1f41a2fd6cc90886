/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_WAKE_PATTERN_PRIV_H
#define ANALYSIS_MODEL_WAKE_PATTERN_PRIV_H

#include "analysis/model/wake_pattern.h"
#include "analysis/name/place.h"
#include "base/intern.h"

/* For wake_pattern.c and the files of the patterns only. */

/* A pattern before its texts. */
struct found_pattern {
	struct wake_pattern sums; /* texts are not set */
	u32 object; /* text */
	u32 then; /* text */
	u32 whom_task; /* of the sleeper that `whom` names */
	u64 most; /* wakeups of the row that has sums.waker and whom_task */
};

struct finding {
	const struct profile *p;
	struct labels labels;
	struct places places;
	struct causes causes;
	struct strtab texts;
	u32 *wait_of_wake;
	u32 *object_text; /* by object id */
	u32 *place_of_waker; /* text of `places`, by waker id */
	bool *taken; /* by wake id: it is part of a pattern */
	u32 *herd_of_task; /* 1 + number in `found`; 0: none */
	struct vec found; /* struct found_pattern */
	struct arena *a;
};

/* Whether this many wakeups come `per_s` times a second or more often. */
bool finding__is_often(const struct finding *f, u64 wakes, u32 per_s);
/* Whether the wait that this wake ended was for a lock: then the sleeper was not woken for work. */
bool finding__is_for_lock(const struct finding *f, u32 wake);
/* Adds a wake of any doing to the sums of a pattern. */
void found_pattern__add(struct found_pattern *found, const struct profile_wake *wake);
/* -ENOMEM or 0. */
int finding__push(struct finding *f, const struct found_pattern *found);

/*
 * Each adds the patterns of its kind; -ENOMEM or 0. In this order, because a wakeup that is part of
 * one pattern is in no storm.
 */
int find_ping_pongs(struct finding *f);
int find_herds(struct finding *f);
int find_convoys(struct finding *f);
int find_storms(struct finding *f);

#endif
