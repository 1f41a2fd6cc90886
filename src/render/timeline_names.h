/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TIMELINE_NAMES_H
#define RENDER_TIMELINE_NAMES_H

#include "analysis/cause/cause_memo.h"
#include "analysis/model/timeline.h"
#include "analysis/name/label.h"
#include "analysis/name/place.h"
#include "base/err.h"

/* The timeline of a profile, and the names of what it has: for formats that show it. */
struct timeline_names {
	struct timeline timeline;
	struct labels labels;
	struct places places;
	struct causes causes;
};

/*
 * `memo`: of causes of `p`, or NULL. Borrows both. -ENOMEM or 0; release with
 * timeline_names__done() in either case.
 */
int timeline_names__init(struct timeline_names *n, const struct profile *p, struct cause_memo *memo,
			 struct err *err);
void timeline_names__done(struct timeline_names *n);

/* The task that ended a wait; 0: it is not known, not recorded, or an interrupt. */
u32 timeline_waking_task(const struct profile *p, u32 moment);

typedef void timeline_fact_fn(void *arg, const char *name, const char *text);
/*
 * What is known of a wait, by names that formats share: "place", "kernel", "object", "owner",
 * "waker". Nothing is called for what is not known. -ENOMEM or 0.
 */
int timeline_names__facts(struct timeline_names *n, const struct profile *p, u32 moment,
			  timeline_fact_fn *put, void *arg);

#endif
