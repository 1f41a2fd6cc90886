/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_SYMBOL_H
#define ABI_SYMBOL_H

#include <linux/types.h>

/* Kernel addresses are looked up in batches, up to the first 0. */
#define CS_SYMBOLS_LEN 64
/* Longer than any name (KSYM_NAME_LEN is 512), "+0x10/0x20" and a module's name together. */
#define CS_SYMBOL_SZ 632

struct cs_symbol {
	__u64 addr;
	char text[CS_SYMBOL_SZ]; /* "name+0x10/0x20 [module]"; a number alone: no symbol */
};

#endif
