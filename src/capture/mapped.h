/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPED_H
#define CAPTURE_MAPPED_H

#include "abi/event.h"
#include "abi/stack.h"
#include "base/err.h"
#include "base/file_id.h"
#include "base/map64.h"
#include "base/notices.h"
#include "base/types.h"
#include "base/vec.h"
#include "capture/segments.h"
#include "proc/maps.h"
#include "unwind/rules.h"
#include "unwind/space.h"
#include "unwind/table.h"

/* A mapped file of the trace. */
struct mapped_file {
	struct cs_module_key key;
	u32 id; /* 0: the number is not used */
	int fd; /* -1: not to be had, or given away */
	bool given; /* to who names frames */
	/*
	 * What names go by; all 0 for the vDSO. The generation is that of `key`, or where the
	 * programs did not see it, of the file that was opened.
	 */
	struct file_id file;
	char *path; /* as the process saw it, "" when not known */
	u16 state; /* enum cs_module_state */
	u16 flags; /* enum cs_module_flag */
	struct place place; /* CS_MODULE_READY */
	u32 table_of; /* CS_MODULE_READY: id of the file whose `place` it is, mostly its own */
	u32 used_s; /* its table, by any file: when room is looked for */
	char build_id[TABLE_BUILD_ID_SZ];
	u64 build_ns; /* time that its table took */
};

/*
 * The files that were mapped in a trace: opened when the programs first meet them, so that they may
 * be deleted or replaced and the process may end; with their unwind tables in kernel memory. A
 * table is built once for a build ID. When the budget is used up, the tables that were not used for
 * the longest time go. Not thread-safe.
 */
struct mapped {
	struct segments *segments; /* borrowed */
	struct rules rules;
	struct space space;
	struct vec files; /* struct mapped_file by id */
	int modules_fd; /* borrowed */
	int pythons_fd;
	volatile u32 *tables_gen; /* in the programs' memory */
	volatile u32 *next_id;
	u64 begin_wall_ns; /* no file was seen before */
	bool hold; /* set by the caller: tables of new files have to wait for mapped__build() */
	struct vec held; /* u32: ids of those that wait */
	size_t held_done; /* how many of them wait no more */
	u64 tables; /* built */
	u64 evicted;
	u64 build_ns;
	u64 budget_full; /* files without a table because there was no room */
	struct notices notices;
};

struct mapped_maps {
	struct segments *segments;
	int modules_fd;
	int pythons_fd;
	volatile u32 *tables_gen;
	volatile u32 *next_id; /* of a module */
};

/* `budget` in bytes of table memory. Also puts the vDSO in. */
int mapped__init(struct mapped *m, const struct mapped_maps *maps, u64 budget, struct err *err);
void mapped__done(struct mapped *m);
/*
 * The programs met a file. Opens it, builds its table, unless it is to wait, and tells the
 * programs. A file that cannot be had is no error: its frames are shown without names, for that
 * reason, unless it is had when they ask again. -ENOMEM.
 */
int mapped__see(struct mapped *m, const struct cs_module_event *ev);
/*
 * The same for a mapping that user space found: *ret_key is the file's, made if it was not seen
 * before. A file that was not to be had is taken for another one when it is, as its number may have
 * been used again; the key leads to the latest. Only where the programs do not find mappings by
 * themselves. -ENOMEM.
 */
int mapped__take(struct mapped *m, u32 tgid, const struct map_range *range,
		 struct cs_module_key *ret_key);
/* How many files wait for their tables. */
size_t mapped__waiting(const struct mapped *m);
/* The table of the one that has waited longest; there must be one. -ENOMEM. */
int mapped__build(struct mapped *m);
/* NULL for a number that was not heard of. */
struct mapped_file *mapped__at(const struct mapped *m, u32 id);

#endif
