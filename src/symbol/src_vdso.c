/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel maps the same vDSO image into every process, so our own copy serves for all. It is a
 * complete ELF file in memory. A 32-bit process has another image with other offsets. Nothing in a
 * profile distinguishes it, so its few functions have wrong names or none.
 */
#include "symbol/source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "proc/maps.h"

/* The image has all its symbols. */
static const struct module_search no_search = { .where = { .debug_dir = "" } };

static int load_image(struct module_code *vdso, const struct map_range *range)
{
	size_t sz = range->end - range->start;
	void *copy = mem_alloc(sz);
	int r;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, (const void *)range->start, sz);
	r = image__open_mem(copy, sz, range->path, &vdso->image, NULL);
	if (!r)
		r = module_code__load(vdso, NULL, &no_search);
	mem_free(copy);
	return r == -ENOMEM ? r : 0;
}

static int load(struct module_code *vdso)
{
	struct maps maps;
	size_t i;
	int r = maps__read(&maps, (u32)getpid(), NULL);

	vdso->reason = FRAME_FILE_GONE;
	for (i = 0; i < maps.len && !r; i++) {
		if (map_range__is_vdso(&maps.ranges[i]))
			r = load_image(vdso, &maps.ranges[i]);
	}
	maps__done(&maps);
	vdso->tried = r != -ENOMEM;
	return r == -ENOMEM ? r : 0;
}

static int find(struct resolver *r, const struct symbol_query *q, struct symbol_answer *ret)
{
	int error = r->vdso.tried ? 0 : load(&r->vdso);

	if (!error)
		module_code__find(&r->vdso, q->addr, &ret->name, &ret->name_off, &ret->reason);
	return error;
}

const struct symbol_source symbol_source_vdso = {
	.kind = MODULE_VDSO,
	.find = find,
};
