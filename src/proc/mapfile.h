/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MAPFILE_H
#define PROC_MAPFILE_H

#include "base/err.h"
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

/*
 * The same for a file of which only the path, device and inode are known, and no process: the path
 * is tried, and device and inode must both be right.
 */
int module_file_open_path(const char *path, u64 dev, u64 ino, int *ret_fd, struct err *err);

/*
 * Opens a regular file of a process by an absolute path as that process sees it: symbolic links
 * cannot lead out of its root. The caller closes *ret_fd. Negative errno of the failed open.
 */
int module_file_open_in_root(u32 tgid, const char *path, int *ret_fd);

#endif
