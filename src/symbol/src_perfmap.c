/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code made at run time, by the perf map of its process. A JIT goes on writing, so a map that
 * nobody gave is read anew for each profile; if the process is gone by then, the map as last read
 * still serves.
 */
#include "symbol/source.h"

#include <errno.h>

#include "base/log.h"

struct perfmap_entry *perfmap_entry_of(struct resolver *r, u32 tgid)
{
	struct perfmap_entry *entry;
	size_t i;

	for (i = 0; i < r->perfmaps.len; i++) {
		entry = vec__at(&r->perfmaps, i);
		if (entry->tgid == tgid)
			return entry;
	}
	entry = vec__push(&r->perfmaps);
	if (entry)
		entry->tgid = tgid;
	return entry;
}

static int refresh(struct perfmap_entry *entry, u64 pass)
{
	struct perfmap *map;
	struct err err = { 0 };
	int r;

	if (entry->given || entry->pass == pass)
		return 0;
	r = perfmap__read(entry->tgid, &map, &err);
	if (r == -ENOMEM)
		return r;
	entry->pass = pass;
	if (r) {
		log_debug("%s", err.msg);
		return 0;
	}
	perfmap__free(entry->map);
	entry->map = map;
	return 0;
}

static int find(struct resolver *r, const struct symbol_query *q, struct symbol_answer *ret)
{
	struct perfmap_entry *entry = perfmap_entry_of(r, q->module->tgid);
	u64 start;
	int error = entry ? refresh(entry, r->pass) : -ENOMEM;

	if (error)
		return error;
	ret->reason = FRAME_ANON;
	if (entry->map && perfmap__find(entry->map, q->addr, &ret->name, &start))
		ret->name_off = q->addr - start;
	return 0;
}

const struct symbol_source symbol_source_perfmap = {
	.kind = MODULE_ANON,
	.find = find,
};
