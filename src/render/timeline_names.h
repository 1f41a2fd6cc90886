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

#endif
