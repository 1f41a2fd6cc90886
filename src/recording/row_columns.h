/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_ROW_COLUMNS_H
#define RECORDING_ROW_COLUMNS_H

#include "profile/row_type.h"
#include "recording/block/column.h"

/*
 * The columns of rows of a profile that have a number in recordings (profile/row_type.h): as they
 * are, or as the difference from the row before; calls with 1 added. `before` is the row before,
 * with the ids of the section, or one of zeros.
 */
void section_out__row(struct section_out *s, const struct row_type *type, const void *row,
		      const void *before);
/*
 * Sets these columns of `row`; what an older version did not store is 0. -EBADMSG for a number that
 * does not fit its column, -EOPNOTSUPP for a state that this version does not know; or 0.
 */
int section_in__row(struct section_in *s, const struct row_type *type, void *row,
		    const void *before);

#endif
