/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/runtime/runtimes.h"

#include <stdio.h>
#include <string.h>

#include "abi/stack.h"
#include "base/text/units.h"
#include "capture/runtime/cpython.h"
#include "capture/runtime/jit_runtimes.h"
#include "capture/runtime/openjdk.h"

const struct runtime *const runtimes[RUNTIMES_CNT] = {
	&runtime_openjdk, &runtime_openj9, &runtime_node, &runtime_dotnet,
	&runtime_cpython, &runtime_php,	   &runtime_ruby,
};

bool runtime_process__has(const struct runtime_process *p, const char *option)
{
	return process_words__has(&p->cmdline, option) || process_words__has(&p->environ, option);
}

const struct runtime *runtimes_by_file(const struct maps *maps)
{
	for (size_t i = 0; i < ARRAY_LEN(runtimes); i++) {
		const struct runtime_file *file = runtimes[i]->files;

		for (; file->start; file++)
			if (maps__code_named(maps, file->start, file->whole))
				return runtimes[i];
	}
	return NULL;
}

const struct runtime *runtimes_find(const struct runtime_process *p)
{
	const struct runtime *rt = runtimes_by_file(p->maps);

	for (size_t i = 0; !rt && i < ARRAY_LEN(runtimes); i++)
		if (runtimes[i]->is_in && runtimes[i]->is_in(p))
			rt = runtimes[i];
	return rt;
}

static void advise_unknown(struct runtime_advice *a)
{
	if (!a->mappings || !a->unnamed)
		return;
	snprintf(a->names, sizeof(a->names),
		 "JIT-compiled code has none (%u mapping%s): no perf map, no jitdump", a->mappings,
		 units_plural(a->mappings));
	snprintf(a->todo, sizeof(a->todo),
		 "check whether the JIT compiler can write a perf map or a jitdump");
}

void runtimes_advise(const struct runtime *rt, const struct runtime_process *p,
		     struct runtime_advice *a)
{
	if (rt)
		rt->advise(a, p);
	/* A program with an interpreter built in may compile code of its own. */
	if (!runtimes_by_file(p->maps))
		advise_unknown(a);
}

const char *runtimes_code_label(u64 addr)
{
	for (size_t i = 0; i < ARRAY_LEN(runtimes); i++) {
		const struct runtime_reader *reader = runtimes[i]->reader;

		if (reader && reader->code_flag == (addr & CS_CODE_RUNTIME))
			return reader->code_label;
	}
	return "[code]";
}
