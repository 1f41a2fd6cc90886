/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MAPS_H
#define PROC_MAPS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* One mapping of a process. */
struct map_range {
	u64 start; /* [start, end) */
	u64 end;
	u64 off; /* offset of `start` in the file, in bytes */
	u64 dev; /* makedev(major, minor) as the kernel prints it; 0 without a file */
	u64 ino; /* 0 without a file */
	/*
	 * As the kernel prints it (a newline in it is "\012"), but without " (deleted)"; "" when
	 * there is none. Owned by the struct maps, see there.
	 */
	const char *path;
	bool exec;
	bool deleted;
};

/*
 * The mappings of a process, sorted, not overlapping. All zero is an empty one. The ranges and
 * their paths live until maps__done(). Not thread-safe.
 */
struct maps {
	struct map_range *ranges;
	size_t len;
	struct arena strings;
};

void maps__init(struct maps *m);
/* NULL is fine. */
void maps__done(struct maps *m);

/*
 * The text of /proc/PID/maps, every mapping. Initialises *m, which is empty after an error. -EINVAL
 * with the line number for text that the kernel would not write; -ENOMEM.
 */
int maps__parse(struct maps *m, struct view text, struct err *err);

/*
 * The executable mappings of a live process, and [vdso]. Initialises *m, which is empty after an
 * error and for a kernel thread. -ESRCH if the process has exited, -EACCES, or as maps__parse().
 */
int maps__read(struct maps *m, u32 pid, struct err *err);
/* The same of all mappings. */
int maps__read_all(struct maps *m, u32 pid, struct err *err);

/* The mapping that contains `addr`, or NULL. */
const struct map_range *maps__find(const struct maps *m, u64 addr);

/*
 * The first mapped code of a file whose name (without directories) is `name`, or only starts so if
 * not `whole`; NULL if there is none.
 */
const struct map_range *maps__code_named(const struct maps *m, const char *name, bool whole);

/* A mapping of a file: it has a device and an inode, and is not just named memory. */
bool map_range__is_file(const struct map_range *range);
/* Memory without a file: code in it was made at run time. */
bool map_range__is_memory(const struct map_range *range);
/* The vDSO: its text is in no file, but is an ELF image of the kernel. */
bool map_range__is_vdso(const struct map_range *range);

#endif
