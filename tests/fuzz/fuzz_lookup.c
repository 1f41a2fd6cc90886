/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/lookup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct walk {
	const struct image *img;
	u64 sum;
};

static bool look(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct walk *walk = arg;
	struct lookup_piece piece;
	struct view bytes;

	walk->sum += strlen(name);
	if (lookup_bytes(walk->img, vaddr, sz, &bytes)) {
		if (view__left(&bytes) != sz)
			abort();
		while (view__left(&bytes))
			walk->sum += view__u8(&bytes);
	}
	if (lookup_cold_piece(walk->img, vaddr, vaddr + sz, &piece) && piece.end <= piece.start)
		abort();
	return walk->sum < 1 << 24;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct walk walk = { 0 };
	struct image *img;

	if (image__open_mem(data, size, "fuzz", &img, NULL))
		return 0;
	walk.img = img;
	lookup_symbols(img, LOOKUP_DYNSYM, look, &walk);
	lookup_symbols(img, LOOKUP_SYMTAB, look, &walk);
	image__free(img);
	return 0;
}
