/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int each(void *arg, const struct toml_item *item, struct err *err)
{
	u32 *line = arg;

	(void)err;
	if (item->line < *line || (item->line == *line && !item->is_element) ||
	    strlen(item->table) >= TOML_NAME_SZ || strlen(item->text) >= TOML_TEXT_SZ)
		abort();
	if (item->type == TOML_TABLE ? *item->key || !*item->table : !*item->key)
		abort();
	*line = item->line;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	u32 line = 0;
	int r = toml_read(view__of(data, size), each, &line, &err);

	if (!r != !*err.msg)
		abort();
	return 0;
}
