/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_WINDOWS_MERGE_HEADER_H
#define PROFILE_WINDOWS_MERGE_HEADER_H

#include "profile/builder.h"
#include "profile/windows/merge_time.h"

/* Fills the header of `b` from those of the parts, at least one. -ENOMEM or 0. */
int merge_header(struct builder *b, const struct profile *const *parts, size_t len,
		 const struct merge_times *times);

#endif
