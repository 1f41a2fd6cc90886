/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_KERNEL_NAMES_H
#define CAPTURE_KERNEL_NAMES_H

#include "base/err.h"
#include "base/map64.h"
#include "base/vec.h"
#include "capture/programs.h"
#include "capture/stacks.h"
#include "proc/kallsyms.h"

/*
 * Symbols for the kernel addresses of these stacks, and no others. Asks the kernel by our own
 * program; a negative errno when that cannot be done, and /proc/kallsyms has to be read.
 */
int kernel_names_read(const struct stacks *stacks, const struct programs *p, struct kallsyms **ret,
		      struct err *err);

/*
 * The addresses to ask for, of a kernel stack: that of the call for a return address, and that of a
 * leaf that an interrupt hit. Those in `seen` are left out, those that are added are put into it.
 * -ENOMEM or 0.
 */
int kernel_names_collect(struct vec *addrs, struct map64 *seen, const struct cs_stack *st);

/*
 * What the kernel says of `addr`, "name+0x10/0x20 [module]", as two lines of the form of
 * /proc/kallsyms, the symbol and its end; adds them to `out`. 0 when it says no name, else 1;
 * -ENOMEM.
 */
int kernel_names_add(struct vec *out, u64 addr, const char *text);

#endif
