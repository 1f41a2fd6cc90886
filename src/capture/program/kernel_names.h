/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_KERNEL_NAMES_H
#define CAPTURE_PROGRAM_KERNEL_NAMES_H

#include "base/err.h"
#include "base/map64.h"
#include "base/vec.h"
#include "capture/program/programs.h"
#include "capture/program/stacks.h"
#include "proc/kallsyms.h"

/*
 * Symbols for the kernel addresses of these stacks, and no others. Queries the kernel with our own
 * program; a negative errno if that is impossible, and /proc/kallsyms must be read.
 */
int kernel_names_read(const struct stacks *stacks, const struct programs *p, struct kallsyms **ret,
		      struct err *err);

/*
 * The addresses to look up for a kernel stack: the call of each return address, and a leaf hit by
 * an interrupt. Skips those in `seen` and adds the others to it. -ENOMEM or 0.
 */
int kernel_names_collect(struct vec *addrs, struct map64 *seen, const struct cs_stack *st);

/*
 * The kernel's text for `addr`, "name+0x10/0x20 [module]", as two lines in the format of
 * /proc/kallsyms, the symbol and its end; appended to `out`. 0 if it contains no name, else 1;
 * -ENOMEM.
 */
int kernel_names_add(struct vec *out, u64 addr, const char *text);

#endif
