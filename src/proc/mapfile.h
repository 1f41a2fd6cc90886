/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MAPFILE_H
#define PROC_MAPFILE_H

#include "base/err.h"
#include "base/file_id.h"
#include "proc/maps.h"

/*
 * Opens the file behind a mapping of a live process, for reading, close-on-exec; the caller closes
 * *ret_fd. The file is the mapped one even if it was deleted or replaced since, as far as we may
 * reach it: by /proc/PID/map_files (needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN), by
 * /proc/PID/exe, by the path in the root of the process, by the path. It is always checked that the
 * inode is the mapped one. Only regular files are opened.
 *
 * -EINVAL for a mapping that has no file, -ENOENT when the file is not to be had any more, -EACCES
 * when we may not open it, -ESTALE when only other files are found under its path.
 */
int module_file_open(u32 tgid, const struct map_range *range, int *ret_fd, struct err *err);

/* A file that was seen mapped, and may have been deleted or replaced since. */
struct file_sight {
	struct file_id file;
	u64 since_ns; /* wall clock, not later than it was seen; 0: nothing happened since */
};

/*
 * The same for a mapping that was seen a while ago: the process may be gone or run another program.
 * What is found must be of the generation that was seen. Where that cannot be compared, because it
 * was not seen or the file system does not tell it, then the mapping itself and /proc/PID/exe are
 * still trusted, but a path only if the file there was not changed (ctime) since it was seen: this
 * refuses some files that are the right ones. `sight` has the same inode as `range`.
 */
int module_file_open_seen(u32 tgid, const struct map_range *range, const struct file_sight *sight,
			  int *ret_fd, struct err *err);
/* The same without a process: `path` is tried, and device and inode must both be right. */
int module_file_open_path(const char *path, const struct file_sight *sight, int *ret_fd,
			  struct err *err);

/* The generation of the inode of an open file; 0 where the file system does not tell it. */
u32 module_file_generation(int fd);

#endif
