/* SPDX-License-Identifier: Apache-2.0 */
/* JIT-compiled code, from what its process writes about it. */
#include "symbol/source.h"

#include <errno.h>

static int find(struct resolver *r, const struct symbol_query *q, struct symbol_answer *ret)
{
	const struct runtime_code *code = runtime_codes__get(&r->runtime, q->module->tgid, r->pass);
	u64 start;

	if (!code)
		return -ENOMEM;
	ret->reason = FRAME_ANON;
	if (!runtime_code__find(code, q->addr, &ret->name, &start))
		return 0;
	ret->name_off = q->addr - start;
	if (r->lines)
		runtime_code__line(code, q->addr, &ret->file, &ret->line);
	return 0;
}

const struct symbol_source symbol_source_runtime = {
	.kind = MODULE_ANON,
	.find = find,
};
