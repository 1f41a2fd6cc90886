/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_CHECK_CHECK_PRIV_H
#define PROFILE_CHECK_CHECK_PRIV_H

/* Between check.c and check_wakers.c. Each returns -EINVAL with a message, -ENOMEM or 0. */
#include "profile/row_type.h"

static inline bool has_str(const struct profile *p, u32 str)
{
	return str < strtab__len(&p->strings);
}

/* Element 0 is zero. */
int check_zero(const char *what, const void *items, u32 len, size_t elem_sz, struct err *err);
/* What holds of all rows. */
int check_row(const struct profile *p, const struct row_type *type, const void *row, u32 i,
	      struct err *err);
/* When waits happened; the waits have passed. */
int check_marks(const struct profile *p, struct err *err);
int check_moments(const struct profile *p, struct err *err);
/* Wakers and wakes; the waits have passed. */
int check_wakers(const struct profile *p, struct err *err);

#endif
