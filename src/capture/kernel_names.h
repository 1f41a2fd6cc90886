/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_KERNEL_NAMES_H
#define CAPTURE_KERNEL_NAMES_H

#include "base/err.h"
#include "base/vec.h"
#include "capture/programs.h"
#include "capture/stacks.h"
#include "proc/kallsyms.h"

/*
 * Symbols for the kernel addresses of these stacks, and no others: the bytes before return
 * addresses have theirs. Asks the kernel by our own program; a negative errno when that cannot be
 * done, and /proc/kallsyms has to be read.
 */
int kernel_names_read(const struct stacks *stacks, const struct programs *p, struct kallsyms **ret,
		      struct err *err);

/*
 * What the kernel says of `addr`, "name+0x10/0x20 [module]", as two lines of the form of
 * /proc/kallsyms, the symbol and its end; adds them to `out`. 0 when it says no name, else 1;
 * -ENOMEM.
 */
int kernel_names_add(struct vec *out, u64 addr, const char *text);

#endif
