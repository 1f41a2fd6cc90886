/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel opens a cgroup v2 directory by a file handle that contains only its ID, and
 * /proc/self/fd then gives its path. That needs CAP_DAC_READ_SEARCH. Without it, directories are
 * read one by one; the inode numbers of their entries are the IDs. One walk finds all cgroups that
 * exist, so the next one is delayed until walks take only a small part of our time.
 */
#include "proc/cgroup/cgroup_paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/self_memory.h"
#include "proc/cgroup/cgroup.h"

/* Longest path reported, with its NUL. */
#define PATH_SZ 4096
/* include/linux/exportfs.h, 5.5: the handle is the ID of a kernfs_node. */
#define FILEID_KERNFS 0xfe
/* Walks take at most one part in this many of the time. */
#define WALK_PART 20
#define DELETED " (deleted)"

void cgroup_paths__init(struct cgroup_paths *c)
{
	memset(c, 0, sizeof(*c));
	c->mount_fd = -1;
	map64__init(&c->by_id);
}

void cgroup_paths__done(struct cgroup_paths *c)
{
	if (c->mount_fd >= 0)
		close(c->mount_fd);
	strtab__done(&c->paths);
	map64__done(&c->by_id);
	mem_free(c->mount);
	cgroup_paths__init(c);
}

int cgroup_paths__open(struct cgroup_paths *c, const char *dir)
{
	size_t len = strlen(dir);
	struct statfs fs;
	struct stat st;

	while (len && dir[len - 1] == '/')
		len--;
	c->mount = mem_strndup(dir, len);
	if (!c->mount || strtab__init(&c->paths))
		return -ENOMEM;
	c->mount_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->mount_fd < 0)
		return -ENOENT;
	c->is_whole = !fstat(c->mount_fd, &st) && st.st_ino == CGROUP_ROOT_ID;
	c->walks = fstatfs(c->mount_fd, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC;
	return 0;
}

static bool is_full(const struct cgroup_paths *c)
{
	return c->by_id.len >= CGROUP_PATHS_MAX;
}

static int keep_len(struct cgroup_paths *c, u64 id, const char *path, size_t len)
{
	u32 str;
	int r;

	if (!self_memory_allows(vec__growth(&c->paths.bytes, len + 1)))
		return 0;
	r = strtab__add_len(&c->paths, path, len, &str);
	return r ? r : map64__set(&c->by_id, id, str);
}

static int keep(struct cgroup_paths *c, u64 id, const char *path)
{
	return keep_len(c, id, path, strlen(path));
}

/* A descriptor, or a negative errno. */
static int open_by_id(const struct cgroup_paths *c, u64 id)
{
	union {
		struct file_handle head;
		char bytes[sizeof(struct file_handle) + sizeof(id)];
	} handle = { .head = { .handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS } };
	int fd;

	memcpy(handle.bytes + offsetof(struct file_handle, f_handle), &id, sizeof(id));
	fd = open_by_handle_at(c->mount_fd, &handle.head, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* A cgroup removed between the two calls still has its old name. */
static void cut_deleted(char *path, u64 id)
{
	size_t len = strlen(path), cut = strlen(DELETED);
	struct stat st;

	if (!stat(path, &st) && st.st_ino == id)
		return;
	if (len > cut && !strcmp(path + len - cut, DELETED))
		path[len - cut] = '\0';
}

/* A cgroup outside the mount shows a path that is not its own. */
static const char *below_mount(const struct cgroup_paths *c, const char *path)
{
	size_t len = strlen(c->mount);

	if (strncmp(path, c->mount, len) != 0)
		return NULL;
	path += len;
	return *path ? (*path == '/' ? path : NULL) : "/";
}

static int keep_by_fd(struct cgroup_paths *c, u64 id, int fd)
{
	char link[32], path[PATH_SZ];
	const char *below;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path));
	if (len <= 0 || (size_t)len >= sizeof(path))
		return 0;
	path[len] = '\0';
	cut_deleted(path, id);
	below = below_mount(c, path);
	return below ? keep(c, id, below) : map64__set(&c->by_id, id, 0);
}

/* True: the kernel gave an answer. */
static bool ask(struct cgroup_paths *c, u64 id, int *ret_error)
{
	int fd = open_by_id(c, id);

	*ret_error = 0;
	if (fd >= 0) {
		*ret_error = keep_by_fd(c, id, fd);
		close(fd);
		return true;
	}
	if (fd == -ESTALE)
		*ret_error = map64__set(&c->by_id, id, 0);
	/* transient: try again next time */
	return fd == -ESTALE || fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM;
}

/* "a/b" for "/a/b", as openat() expects it. */
static const char *relative(const char *path)
{
	return path[1] ? path + 1 : ".";
}

static int keep_entry(struct cgroup_paths *c, u32 parent, const struct dirent *entry)
{
	const char *above = strtab__get(&c->paths, parent);
	char path[PATH_SZ];
	int len;

	if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
		return 0;
	len = snprintf(path, sizeof(path), "%s/%s", above[1] ? above : "", entry->d_name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return 0;
	return keep(c, entry->d_ino, path);
}

/* A directory that is gone, or closed to us, has no entries. */
static int keep_entries(struct cgroup_paths *c, u32 parent)
{
	int fd = openat(c->mount_fd, relative(strtab__get(&c->paths, parent)),
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int r = 0;

	if (!dir && fd >= 0)
		close(fd);
	if (!dir)
		return 0;
	while (!r && !is_full(c) && (entry = readdir(dir)))
		r = keep_entry(c, parent, entry);
	closedir(dir);
	return r;
}

/* Visits every known path once; new paths are appended. */
static int walk(struct cgroup_paths *c)
{
	struct stat st;
	u32 i;
	int r;

	if (fstat(c->mount_fd, &st))
		return 0;
	r = keep(c, st.st_ino, "/");
	for (i = 1; !r && i < strtab__len(&c->paths); i++)
		r = keep_entries(c, i);
	return r;
}

/* If a walk does not find an ID, it is not visible to us, and no reason for another walk. */
static int walk_in_time(struct cgroup_paths *c, u64 id)
{
	u64 begin_ns = clock_mono_ns(), end_ns, known;
	int r;

	if (begin_ns < c->next_walk_ns)
		return 0;
	r = walk(c);
	if (!r && !map64__get(&c->by_id, id, &known))
		r = map64__set(&c->by_id, id, 0);
	end_ns = clock_mono_ns();
	c->next_walk_ns = end_ns + WALK_PART * (end_ns - begin_ns);
	return r;
}

int cgroup_paths__see(struct cgroup_paths *c, u64 id)
{
	u64 known;
	int r;

	if (c->mount_fd < 0 || !id || is_full(c) || map64__get(&c->by_id, id, &known))
		return 0;
	if (!c->walks && ask(c, id, &r))
		return r;
	c->walks = true;
	return walk_in_time(c, id);
}

int cgroup_paths__tell(struct cgroup_paths *c, u64 id, const char *path, size_t len)
{
	if (!c->is_whole || !len || *path != '/')
		return cgroup_paths__see(c, id);
	return is_full(c) ? 0 : keep_len(c, id, path, len);
}

const char *cgroup_paths__find(const struct cgroup_paths *c, u64 id)
{
	u64 str;

	if (!map64__get(&c->by_id, id, &str) || !str)
		return NULL;
	return strtab__get(&c->paths, (u32)str);
}
