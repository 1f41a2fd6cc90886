/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_CFI_H
#define ELF_CFI_H

#include "base/err.h"
#include "base/types.h"
#include "elf/image.h"

/*
 * Call frame information (CFI): for each byte of code, how to find the caller's registers from
 * those of the current frame. Registers have DWARF numbers.
 */

/* How to compute the canonical frame address (CFA), the caller's stack pointer. */
enum cfi_cfa {
	CFI_CFA_NONE = 0, /* no information */
	CFI_CFA_REG, /* reg + off */
	CFI_CFA_DEREF, /* *(reg + off) + off2 */
	CFI_CFA_PLT, /* x86-64: sp + off + ((ip & 15) >= off2 ? 8 : 0) */
	CFI_CFA_SIGNAL, /* the kernel put the registers on the stack; ignore the other fields */
	CFI_CFA_END, /* there is no caller; ignore the other fields */
	CFI_CFA_UNSUPPORTED,
};

/* Which register the CFA is based on: register numbers differ between machines. */
enum cfi_base { CFI_BASE_REG = 0, CFI_BASE_SP, CFI_BASE_FP };

/* Where a register of the caller is. */
enum cfi_how {
	CFI_SAME = 0, /* in the register itself */
	CFI_AT_CFA, /* in memory at CFA + off */
	CFI_AT_FP, /* in memory at the current frame pointer + off */
	CFI_IN_REG, /* in register `reg` */
	CFI_UNDEFINED, /* lost */
	CFI_UNKNOWN, /* by a rule that we do not support */
};

struct cfi_saved {
	s32 off;
	u8 how; /* enum cfi_how */
	u8 reg;
};

struct cfi_rule {
	s32 off;
	s32 off2;
	u8 cfa; /* enum cfi_cfa */
	u8 base; /* enum cfi_base, of reg */
	u8 reg;
	struct cfi_saved ra; /* return address */
	struct cfi_saved fp; /* rbp, x29 */
	struct cfi_saved bx; /* rbx; not on arm64 */
};

/*
 * Takes a row: `rule` applies from file offset `off` on. A negative result stops the reading and is
 * returned.
 */
typedef int (*cfi_row_fn)(void *arg, u64 off, const struct cfi_rule *rule);

/*
 * Calls `fn` for all code of an x86-64 or arm64 file, by rising offset. Each row begins where the
 * previous one ends; the last row marks the end of the information (CFI_CFA_NONE). Neighbours may
 * be equal. Code without information is a row of CFI_CFA_NONE. Gaps of less than 16 bytes, which
 * align functions, get no row; the last byte of any gap belongs to the function after it.
 * `.eh_frame` takes precedence, found by section or by program header; `.debug_frame` fills the
 * rest. Invalid entries are skipped.
 *
 * -ENODATA if there is no information, or the file is for another machine; -E2BIG for more rows
 * than any program has; -ENOMEM; or the return value of `fn`, without a message.
 */
int cfi_read(const struct image *img, const char *name, cfi_row_fn fn, void *arg, struct err *err);

#endif
