/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped files: the offset in the file identifies the byte, wherever it was mapped. */
#include "symbol/source.h"

#include <errno.h>

static int find(struct resolver *r, const struct symbol_query *q, struct symbol_answer *ret)
{
	struct file_id file = profile_module__file(q->module);
	const struct module_code *code = modules__get(&r->modules, &file, q->path, &r->search);

	if (!code)
		return -ENOMEM;
	if (!module_code__find(code, q->addr, &ret->name, &ret->name_off, &ret->reason) && q->back)
		ret->begins = module_code__begins(code, q->addr + 1, &ret->name);
	return 0;
}

const struct symbol_source symbol_source_elf = {
	.kind = MODULE_ELF,
	.find = find,
};
