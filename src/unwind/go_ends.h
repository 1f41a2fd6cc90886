/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_GO_ENDS_H
#define UNWIND_GO_ENDS_H

#include "base/err.h"
#include "base/types.h"
#include "elf/cfi.h"
#include "elf/image.h"

/* A Go program has a dozen such functions; a damaged one may claim any number. */
#define GO_ENDS_MAX 64

/* Code above which there is nothing more on its stack that a rule could find. */
struct go_end {
	u64 off; /* [off, end) of the file */
	u64 end;
	enum cfi_cfa cfa; /* CFI_CFA_END, or CFI_CFA_UNSUPPORTED where somebody has called it */
};

/* By rising offset, without overlaps. */
struct go_ends {
	struct go_end at[GO_ENDS_MAX];
	u32 len;
};

/*
 * Finds the functions of Go's runtime where its stacks end, also in a stripped file. None in what
 * is no Go program for x86-64 or arm64. The image is borrowed for the call only. -ENOMEM or 0.
 */
int go_ends__read(struct go_ends *e, const struct image *img);
/*
 * The same as cfi_read(), but in those functions their end is what the rows say. When there are
 * any, a file without call frame information is none that has nothing: all its other code gets
 * CFI_CFA_NONE.
 */
int go_ends__cfi_read(const struct go_ends *e, const struct image *img, const char *name,
		      cfi_row_fn fn, void *arg, struct err *err);

#endif
