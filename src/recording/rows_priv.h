/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_ROWS_PRIV_H
#define RECORDING_ROWS_PRIV_H

#include "profile/profile.h"
#include "recording/database.h"

/* Parts of rows_insert(). */
int rows_insert_objects(struct database *d, u32 window, const struct profile *p, struct err *err);
int rows_insert_on_cpu(struct database *d, u32 window, const struct profile *p, struct err *err);
int rows_insert_histograms(struct database *d, u32 window, const struct profile *p,
			   struct err *err);

#endif
