/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_ROWS_H
#define RECORDING_ROWS_H

#include "profile/profile.h"
#include "recording/database.h"
#include "recording/labels.h"
#include "recording/schema.h"
#include "recording/window.h"

/* The query tables. */

/* The rows of a window in `windows`, `losses` and `imports`. `head` is that of the profile. */
int rows_insert_sums(struct database *d, u32 window, const struct profile *p,
		     const struct window_head *head, struct err *err);
/* All rows of a window that follow from the profile alone: also those. */
int rows_insert(struct database *d, u32 window, const struct profile *p,
		const struct window_head *head, struct err *err);
int rows_insert_causes(struct database *d, u32 window, const struct profile *p,
		       const struct recording_cause *causes, size_t len, struct err *err);
/*
 * Waits of one thread with equal labels, object and owner are one row. `labels` by wait id; NULL:
 * all have the cause `cause` and an unknown class.
 */
int rows_insert_waits(struct database *d, u32 window, const struct profile *p,
		      const struct recording_label *labels, const char *cause, struct err *err);
/*
 * Where threads waited: the stacks with most time, as far as there is room, and the waits with
 * each. `labels` and `cause` as above; the stacks depend on the profile and the number of the
 * window only.
 */
int rows_insert_places(struct database *d, u32 window, const struct profile *p,
		       const struct recording_label *labels, const char *cause, struct err *err);
/*
 * Number and checksum of the rows that a query returns; its first parameter, if any, is the window.
 */
int rows_sum(struct database *d, u32 window, const char *sql, struct seal *ret, struct err *err);
/* The same for the rows of a table that belong to a window, as stored in the file. */
int rows_seal(struct database *d, u32 window, enum sealed_table table, struct seal *ret,
	      struct err *err);

/* Whether a count or longest of 0 is known to be 0. Visits see time, not waits. */
static inline bool rows_is_counted(const struct profile *p, const struct profile_wait *w)
{
	return !p->hdr.visit_hz && !(w->flags & WAIT_SUMMED);
}

/* Parts of rows_insert(). */
int rows_insert_objects(struct database *d, u32 window, const struct profile *p, struct err *err);
int rows_insert_on_cpu(struct database *d, u32 window, const struct profile *p, struct err *err);
int rows_insert_histograms(struct database *d, u32 window, const struct profile *p,
			   struct err *err);
int rows_insert_wakes(struct database *d, u32 window, const struct profile *p, struct err *err);

#endif
