/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_ROWS_H
#define RECORDING_ROWS_H

#include "profile/profile.h"
#include "recording/database.h"
#include "recording/schema.h"
#include "recording/window.h"
#include "recording/writer.h"

/*
 * The tables that people query. Numbers that SQLite's integers cannot hold are stored as REAL.
 */

/* All rows of a window. `head` is that of the profile. */
int rows_insert(struct database *d, u32 window, const struct profile *p,
		const struct window_head *head, struct err *err);
int rows_insert_causes(struct database *d, u32 window, const struct recording_cause *causes,
		       size_t len, struct err *err);
/* Number and checksum of the rows of a table that belong to a window, as they are in the file. */
int rows_seal(struct database *d, u32 window, enum sealed_table table, struct seal *ret,
	      struct err *err);

#endif
