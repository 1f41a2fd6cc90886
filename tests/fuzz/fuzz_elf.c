/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/symtab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* no separate files: only the bytes at hand */
	struct symtab_options opt = { .debug_dir = "" };
	struct symtab *st = NULL;
	struct image *img = NULL;
	u64 off, vaddr, start;
	const char *name;

	if (image__open_mem(data, size, "input", &img, NULL))
		return 0;
	if (strlen(img->build_id) % 2)
		abort();
	if (symtab__load(img, &opt, &st, NULL))
		abort();
	image__release(img);
	for (off = 0; off < size; off += 7) {
		if (!image__vaddr_of_offset(img, off, &vaddr))
			continue;
		if (symtab__find(st, vaddr, &name, &start) && (!*name || start > vaddr))
			abort();
	}
	symtab__free(st);
	image__free(img);
	return 0;
}
