/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/symtab.h"
#include "elf/variable/thread_variable.h"
#include "elf/variable/variable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names are cut to what they are asked into, and the byte is in the variable. */
static void find_variables(const struct image *img, size_t size)
{
	u64 off, in_it;
	char name[16];

	/* behind the end as well: memory without bytes in the file is counted on there */
	for (off = 0; off < size + 4096; off += 13) {
		memset(name, 'x', sizeof(name));
		if (!variable_find(img, off, name, sizeof(name), &in_it))
			continue;
		if (!*name || !memchr(name, '\0', sizeof(name)))
			abort();
		if (variable_find(img, off - in_it, name, 1, &in_it) && *name)
			abort();
	}
}

static void find_thread_variables(const struct image *img)
{
	struct thread_variable var;

	if (thread_variable_find(img, "otel_thread_ctx_v1", &var) != (var.way != 0))
		abort();
	(void)thread_variable_find(img, "v", &var);
}

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
	find_variables(img, size);
	find_thread_variables(img);
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
