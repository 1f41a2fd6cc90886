/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/view.h"
#include "capture/runtime/hotspot.h"

/* The input is the memory at BASE: pointers to the two tables and to a ConstMethod come first. */
#define BASE 0x10000ULL

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_input(void *arg, u64 addr, void *dst, size_t sz)
{
	struct view bytes = view__sub(arg, addr - BASE, sz);

	if (bytes.bad)
		return false;
	memcpy(dst, bytes.p, sz);
	return true;
}

static void check_name(const struct hotspot *h, const struct hotspot_memory *mem, u64 code)
{
	/* three symbols of 1 KiB, and each byte of a signature is at most one "boolean[], " */
	const size_t most = 16 << 10;
	char *name = NULL;

	if (hotspot__name(h, code, mem, &name))
		return;
	if (!name || !*name || strnlen(name, most) == most)
		abort();
	mem_free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct hotspot_symbols s = { .structs = BASE, .types = BASE + 8 };
	struct view bytes = view__of(data, size);
	const struct hotspot_memory mem = { .read = read_input, .arg = &bytes };
	struct hotspot h;
	u64 code = 0, addr;
	int r = hotspot__read(&h, &s, &mem);

	if (r && r != -EAGAIN && r != -ENOTSUP && r != -EFAULT)
		abort();
	if (!r && (!h.code_start || h.code_end <= h.code_start || !h.code || !h.pool_entries))
		abort();
	/* a layout that was not read to its end must do no harm either */
	read_input(&bytes, BASE + 16, &code, sizeof(code));
	check_name(&h, &mem, code);
	for (addr = BASE; addr < BASE + size; addr += 248)
		check_name(&h, &mem, addr);
	return 0;
}
