/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of interpreters, from what was read while the program ran. */
#include "symbol/source.h"

static int find(struct resolver *r, const struct symbol_query *q, struct symbol_answer *ret)
{
	struct function_name name;
	int error = functions__name(&r->functions, q->module->dev, q->addr, &name);

	ret->reason = FRAME_CODE_UNREAD;
	ret->name = name.name;
	ret->file = name.file;
	ret->line = name.line;
	return error;
}

const struct symbol_source symbol_source_python = {
	.kind = MODULE_CODE,
	.find = find,
};
