/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_KNOWN_CODE_H
#define UNWIND_KNOWN_CODE_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "elf/cfi.h"
#include "elf/image.h"

/* Maximum number of ranges per file; a damaged file may claim any number. */
#define KNOWN_CODE_MAX (1U << 20)

/* Code with a rule that its call frame information does not give. */
struct known_range {
	u64 off; /* [off, end) of the file */
	u64 end;
	struct cfi_rule rule; /* its rule */
	bool fills; /* applies only where the file has no rule; else always */
};

/* Ranges from several sources, in any order until known_code__cfi_read(). */
struct known_code {
	struct vec ranges; /* struct known_range */
};

void known_code__init(struct known_code *k);
void known_code__done(struct known_code *k);
/*
 * Adds [start, end), link-time addresses. Drops what is not code of the file or exceeds
 * KNOWN_CODE_MAX. -ENOMEM or 0.
 */
int known_code__add(struct known_code *k, const struct image *img, u64 start, u64 end,
		    const struct cfi_rule *rule, bool fills);
/*
 * As cfi_read(), with the ranges on top of its rows. Sorts the ranges. If two overlap, the one that
 * begins first wins; if both begin together, the one that does not fill. If there are ranges, a
 * file without call frame information is not an error: its other code is CFI_CFA_NONE.
 */
int known_code__cfi_read(struct known_code *k, const struct image *img, const char *name,
			 cfi_row_fn fn, void *arg, struct err *err);

#endif
