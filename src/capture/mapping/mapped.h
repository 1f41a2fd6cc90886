/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_MAPPED_H
#define CAPTURE_MAPPING_MAPPED_H

#include "abi/event.h"
#include "abi/stack.h"
#include "base/err.h"
#include "base/file_id.h"
#include "base/map64.h"
#include "base/notices.h"
#include "base/types.h"
#include "base/vec.h"
#include "capture/mapping/segments.h"
#include "capture/runtime/readers.h"
#include "proc/maps.h"
#include "unwind/rules.h"
#include "unwind/space.h"
#include "unwind/table.h"

/* A mapped file of the trace. */
struct mapped_file {
	struct cs_module_key key;
	u32 id; /* 0: unused entry */
	int fd; /* -1: not open, or handed over */
	bool given; /* to the resolver */
	/*
	 * What symbols are looked up by; all 0 for the vDSO. The generation is that of `key`, or,
	 * if the programs did not see it, that of the opened file.
	 */
	struct file_id file;
	char *path; /* as the process saw it, "" if unknown */
	u16 state; /* enum cs_module_state */
	u32 flags; /* enum cs_module_flag */
	struct place place; /* CS_MODULE_READY */
	u32 table_of; /* CS_MODULE_READY: id of the file that owns `place`, usually itself */
	u32 used_s; /* when its table was last used by any file: for eviction */
	char build_id[TABLE_BUILD_ID_SZ];
	u64 build_ns; /* time to build its table */
};

/*
 * The files mapped in a trace. They are opened when the programs first see them, because they may
 * be deleted or replaced and the process may exit. Their unwind tables are in kernel memory. A
 * table is built once per build ID. When the budget is used up, the least recently used tables are
 * evicted. Not thread-safe.
 */
struct mapped {
	struct segments *segments; /* borrowed */
	struct rules rules;
	struct space space;
	struct vec files; /* struct mapped_file by id */
	int modules_fd; /* borrowed */
	const struct readers *readers; /* borrowed */
	volatile u32 *tables_gen; /* in the programs' memory */
	volatile u32 *next_id;
	u64 begin_wall_ns; /* all files were first seen after this */
	bool hold; /* set by the caller: tables of new files must wait for mapped__build() */
	/* Called while mapped__build() builds; it may call mapped__see() with `hold` set. */
	struct table_pause pause;
	struct vec held; /* u32: ids of waiting files */
	size_t held_done; /* number of these that no longer wait */
	u64 tables; /* built */
	u64 evicted;
	u64 build_ns;
	u64 budget_full; /* files without a table because the budget was used up */
	struct notices notices;
};

struct mapped_maps {
	struct segments *segments;
	int modules_fd;
	const struct readers *readers; /* borrowed */
	volatile u32 *tables_gen;
	volatile u32 *next_id; /* of a module */
};

/* `budget` in bytes of table memory. Also adds the vDSO. */
int mapped__init(struct mapped *m, const struct mapped_maps *maps, u64 budget, struct err *err);
void mapped__done(struct mapped *m);
/*
 * The programs saw a file. Opens it, builds its table unless it must wait, and tells the programs.
 * An unopenable file is no error: its frames stay unnamed, with that reason, unless a later request
 * succeeds. -ENOMEM.
 */
int mapped__see(struct mapped *m, const struct cs_module_event *ev);
/*
 * The same for a mapping that user space found: *ret_key is the file's, created if new. A file that
 * could not be opened counts as a different one when it can be, because its inode number may have
 * been reused; the key leads to the latest. Only if the programs cannot look up mappings. -ENOMEM.
 */
int mapped__take(struct mapped *m, u32 tgid, const struct map_range *range,
		 struct cs_module_key *ret_key);
/* Number of files that wait for their tables. */
size_t mapped__waiting(const struct mapped *m);
/* Builds the table of the file that has waited longest; there must be one. -ENOMEM. */
int mapped__build(struct mapped *m);
/* NULL for an unknown number. */
struct mapped_file *mapped__at(const struct mapped *m, u32 id);

#endif
