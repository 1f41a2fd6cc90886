/* SPDX-License-Identifier: Apache-2.0 */
/* The registry: a new source is a file with a const table, and a line here. */
#include "symbol/source.h"

static const struct symbol_source *const sources[] = {
	&symbol_source_kernel,	&symbol_source_elf,    &symbol_source_vdso,
	&symbol_source_runtime, &symbol_source_python,
};

const struct symbol_source *symbol_source_of(enum module_kind kind)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(sources); i++) {
		if (sources[i]->kind == kind)
			return sources[i];
	}
	return NULL;
}
