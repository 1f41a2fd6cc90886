/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways to a mapped file, most reliable first:
 *
 *   map_files  the mapping's own file, deleted or not, but needs a capability;
 *   exe        the program's own file, deleted or not; needs only ptrace access;
 *   root       the path as the process sees it: not for deleted files, correct in containers;
 *   path       the path as we see it, if the process is gone or out of reach.
 *
 * The path comes from an untrusted process. It is therefore first opened with O_PATH, which has no
 * effect on the file, and only a regular file with the right inode is opened for reading, through
 * our own descriptor: no FIFO can block us, no device is opened, and nobody can swap the file in
 * between.
 *
 * While a file is mapped or open, its inode number is not reused. But it may have been released
 * between when it was seen and when we open it, and another file may soon get the number. The
 * generation tells them apart. ext4, XFS and btrfs provide one; tmpfs does not, but does not reuse
 * numbers. For others, the time of the last change decides: a file with a reused number is newer
 * than the old one.
 */
#include "proc/mapfile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

/* File systems use the time of the last tick, at most 10 ms ago. */
#define TICK_NS (10 * NSEC_PER_MSEC)

/* What must be true of the file found. */
struct wanted {
	u64 dev;
	u64 ino;
	/*
	 * overlayfs and btrfs give a mapping a different device number than stat() gives its file.
	 * So if the way to the file leaves no doubt, only the inode is compared.
	 */
	bool any_dev;
	u32 generation; /* 0: unknown */
	u64 since_ns; /* if generations cannot decide: unchanged since; 0: not checked */
};

static bool is_wanted(const struct stat *st, const struct wanted *w)
{
	return S_ISREG(st->st_mode) && st->st_ino == w->ino && (st->st_dev == w->dev || w->any_dev);
}

u32 module_file_generation(int fd)
{
	/* declared as long, written as int; a FUSE file system may write a long */
	long generation = 0;
	u32 low;

	if (ioctl(fd, FS_IOC_GETVERSION, &generation))
		return 0;
	memcpy(&low, &generation, sizeof(low));
	return low;
}

/* Whether an open file with the right inode number is the one that was seen. */
static bool is_seen(int fd, const struct stat *st, const struct wanted *w)
{
	u32 found = w->generation ? module_file_generation(fd) : 0;
	u64 changed_ns = (u64)st->st_ctim.tv_sec * NSEC_PER_SEC + (u64)st->st_ctim.tv_nsec;

	if (found)
		return found == w->generation;
	return !w->since_ns || changed_ns + TICK_NS < w->since_ns;
}

/* Opens for reading what an O_PATH descriptor refers to, and closes that descriptor. */
static int reopen(int path_fd, const struct wanted *w, int *ret_fd)
{
	char self[32];
	struct stat st;
	int fd, r = 0;

	if (fstat(path_fd, &st))
		r = -errno;
	else if (!is_wanted(&st, w))
		r = -ESTALE;
	if (!r) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (fd < 0) {
			r = -errno;
		} else if (!is_seen(fd, &st, w)) {
			close(fd);
			r = -ESTALE;
		} else {
			*ret_fd = fd;
		}
	}
	close(path_fd);
	return r;
}

static int open_path(const char *path, const struct wanted *w, int *ret_fd)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : reopen(fd, w, ret_fd);
}

static int open_in_root(u32 tgid, const char *path, const struct wanted *w, int *ret_fd)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	char root[32];
	int root_fd, fd, r;

	snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	r = fd < 0 ? -errno : 0;
	close(root_fd);
	return r ? r : reopen(fd, w, ret_fd);
}

/* The more useful of two errors: no permission, then another file, then the rest. */
static int worse(int a, int b)
{
	if (a == -EPERM || b == -EPERM || a == -EACCES || b == -EACCES)
		return -EACCES;
	if (a == -ENOMEM || b == -ENOMEM)
		return -ENOMEM;
	return a == -ESTALE || b == -ESTALE ? -ESTALE : -ENOENT;
}

/*
 * The file name that the kernel may mean by `path`: "\012" may be a newline or literal, and "
 * (deleted)" may be part of the name. NULL if there is no such reading; *ret_r is then -ENOMEM if
 * memory is short.
 */
static char *reading_of(const char *path, bool unescape, bool marked, int *ret_r)
{
	size_t sz = strlen(path) + sizeof(" (deleted)");
	char *name, *to;

	if (unescape && !strstr(path, "\\012"))
		return NULL;
	name = mem_alloc(sz);
	if (!name) {
		*ret_r = -ENOMEM;
		return NULL;
	}
	for (to = name; *path; to++) {
		if (unescape && strncmp(path, "\\012", 4) == 0) {
			*to = '\n';
			path += 4;
		} else {
			*to = *path++;
		}
	}
	if (marked)
		memcpy(to, " (deleted)", sizeof(" (deleted)"));
	return name;
}

/* Tries every reading of a path; tgid 0: in our own root. */
static int open_readings(u32 tgid, const struct map_range *range, const struct wanted *w,
			 int *ret_fd)
{
	int variant, r = -ENOENT;

	if (*range->path != '/')
		return -ENOENT;
	for (variant = 0; variant < 4; variant++) {
		bool marked = variant & 2;
		int tried = -ENOENT;
		char *name;

		if (marked && !range->deleted)
			break;
		name = reading_of(range->path, variant & 1, marked, &tried);
		if (name)
			tried = tgid ? open_in_root(tgid, name, w, ret_fd) :
				       open_path(name, w, ret_fd);
		mem_free(name);
		if (!tried)
			return 0;
		r = worse(r, tried);
	}
	return r;
}

static int try_doors(u32 tgid, const struct map_range *range, const struct file_sight *sight,
		     int *ret_fd)
{
	u32 generation = sight->file.generation;
	struct wanted exact = { .dev = range->dev, .ino = range->ino, .generation = generation };
	struct wanted sure = { .ino = range->ino, .any_dev = true, .generation = generation };
	char door[80];
	int r, tried;

	snprintf(door, sizeof(door), "/proc/%u/map_files/%llx-%llx", tgid, range->start,
		 range->end);
	tried = open_path(door, &sure, ret_fd);
	if (!tried)
		return 0;
	r = worse(-ENOENT, tried);
	snprintf(door, sizeof(door), "/proc/%u/exe", tgid);
	/* usually this is another file, which means nothing */
	if (!open_path(door, &exact, ret_fd))
		return 0;
	/* from here on the path decides, and the file there may be newer */
	exact.since_ns = sight->since_ns;
	sure.since_ns = sight->since_ns;
	tried = open_readings(tgid, range, &sure, ret_fd);
	if (!tried)
		return 0;
	r = worse(r, tried);
	tried = open_readings(0, range, &exact, ret_fd);
	return tried ? worse(r, tried) : 0;
}

static int sentence(int r, const char *path, struct err *err)
{
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r == -EACCES)
		return err__set(err, r, "no permission to open '%s' as it is mapped", path);
	if (r == -ESTALE)
		return err__set(err, r, "'%s' was replaced by another file", path);
	return err__set(err, r, "'%s' no longer exists", path);
}

int module_file_open_seen(u32 tgid, const struct map_range *range, const struct file_sight *sight,
			  int *ret_fd, struct err *err)
{
	int r;

	if (!map_range__is_file(range))
		return err__set(err, -EINVAL, "mapping '%s' has no file", range->path);
	r = try_doors(tgid, range, sight, ret_fd);
	return r ? sentence(r, range->path, err) : 0;
}

int module_file_open(u32 tgid, const struct map_range *range, int *ret_fd, struct err *err)
{
	struct file_sight now = { 0 };

	return module_file_open_seen(tgid, range, &now, ret_fd, err);
}

int module_file_open_path(const char *path, const struct file_sight *sight, int *ret_fd,
			  struct err *err)
{
	struct map_range range = { .path = path, .deleted = true };
	struct wanted exact = {
		.dev = sight->file.dev,
		.ino = sight->file.ino,
		.generation = sight->file.generation,
		.since_ns = sight->since_ns,
	};
	int r;

	if (!sight->file.ino)
		return err__set(err, -EINVAL, "module '%s' has no file", path);
	r = open_readings(0, &range, &exact, ret_fd);
	return r ? sentence(r, path, err) : 0;
}
