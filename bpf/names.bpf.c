/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Names of kernel addresses, looked up one by one: a microsecond each, and a trace has some
 * hundred. Printing all of /proc/kallsyms takes the kernel 40 ms.
 */
#include "lib/maps.bpf.h"

static const char symbol_format[] = "%pS";

/* Run by user space at the end, once per batch. No address is disclosed to it. */
SEC("syscall")
int name_symbols(void *ctx)
{
	struct cs_symbol *symbol;
	u32 i;

	for (i = 0; i < CS_SYMBOLS_LEN; i++) {
		u32 at = i;
		u64 addr;

		symbol = bpf_map_lookup_elem(&symbols, &at);
		if (!symbol || !symbol->addr)
			break;
		addr = symbol->addr;
		bpf_snprintf(symbol->text, sizeof(symbol->text), symbol_format, &addr,
			     sizeof(addr));
	}
	return 0;
}
