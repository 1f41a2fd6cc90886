/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel text, modules and BPF programs, all from kallsyms. A table with hidden addresses would
 * give wrong names, so then there are none, and the reason says why.
 */
#include "symbol/source.h"

static int find(struct resolver *r, const struct symbol_query *q, struct symbol_answer *ret)
{
	const char *module;

	if (!r->kallsyms || kallsyms__hidden(r->kallsyms))
		ret->reason = FRAME_KERNEL_HIDDEN;
	else if (!kallsyms__find(r->kallsyms, q->addr, &ret->name, &module, &ret->name_off))
		ret->reason = FRAME_NO_SYMBOL;
	return 0;
}

const struct symbol_source symbol_source_kernel = {
	.kind = MODULE_KERNEL,
	.find = find,
};
