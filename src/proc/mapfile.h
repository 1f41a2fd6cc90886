/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MAPFILE_H
#define PROC_MAPFILE_H

#include "base/err.h"
#include "base/file_id.h"
#include "proc/maps.h"

/*
 * Opens the file behind a mapping of a live process, for reading, close-on-exec; the caller closes
 * *ret_fd. The file is the mapped one even if it was deleted or replaced since, as far as we have
 * access: through /proc/PID/map_files (needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN), through
 * /proc/PID/exe, by path in the root of the process, by path. The inode is always checked. Only
 * regular files are opened.
 *
 * -EINVAL for a mapping without a file, -ENOENT if the file no longer exists, -EACCES if we may not
 * open it, -ESTALE if its path leads only to other files.
 */
int module_file_open(u32 tgid, const struct map_range *range, int *ret_fd, struct err *err);

/* A file that was seen mapped, and may have been deleted or replaced since. */
struct file_sight {
	struct file_id file;
	u64 since_ns; /* wall clock, no later than when it was seen; 0: unchanged since then */
};

/*
 * The same for a mapping that was seen a while ago: the process may have exited or run another
 * program. The file must have the generation that was seen. If generations cannot be compared (none
 * was seen, or the file system has none), the mapping itself and /proc/PID/exe are still trusted,
 * but a path only if the file was not changed (ctime) since it was seen. This refuses some correct
 * files. `sight` has the same inode as `range`.
 */
int module_file_open_seen(u32 tgid, const struct map_range *range, const struct file_sight *sight,
			  int *ret_fd, struct err *err);
/* The same without a process: tries `path`, which must have the right device and inode. */
int module_file_open_path(const char *path, const struct file_sight *sight, int *ret_fd,
			  struct err *err);

/* The inode generation of an open file; 0 if the file system does not provide it. */
u32 module_file_generation(int fd);

#endif
