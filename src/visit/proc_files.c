/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One read is enough for each of these files: the kernel writes a text that fits in a page at once.
 * A file is read from its start again by pread(), which saves looking up its path.
 */
#include "visit/proc_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const char *const names[] = {
	[PROC_SCHEDSTAT] = "schedstat", [PROC_STAT] = "stat",	[PROC_STATUS] = "status",
	[PROC_SYSCALL] = "syscall",	[PROC_WCHAN] = "wchan", [PROC_STACK] = "stack",
	[PROC_COMM] = "comm",
};

const char *proc_file_name(enum proc_file file)
{
	return names[file];
}

bool proc_text_read(int root_fd, const char *path, char *buf, size_t sz, struct view *ret)
{
	int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0) {
		n = read(fd, buf, sz);
		close(fd);
	}
	if (n <= 0)
		return false;
	*ret = view__of(buf, (size_t)n);
	return true;
}

int proc_files__init(struct proc_files *pf, const char *root)
{
	*pf = (struct proc_files){ 0 };
	pf->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return pf->root_fd < 0 ? -errno : 0;
}

void proc_files__done(struct proc_files *pf)
{
	if (pf && pf->root_fd >= 0)
		close(pf->root_fd);
}

int proc_files__open(struct proc_files *pf, u32 tgid, u32 tid, enum proc_file file)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%u/task/%u/%s", tgid, tid, names[file]);
	fd = openat(pf->root_fd, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static bool is_gone(const struct proc_files *pf, u32 tgid, u32 tid)
{
	char path[64];

	snprintf(path, sizeof(path), "%u/task/%u", tgid, tid);
	return faccessat(pf->root_fd, path, F_OK, 0) != 0;
}

static int fail(struct proc_files *pf, u32 tgid, u32 tid, enum proc_file file, int r)
{
	if (r == -ESRCH || (r == -ENOENT && is_gone(pf, tgid, tid)))
		return -ESRCH;
	pf->missing[file] = -r;
	pf->missing_cnt[file]++;
	return r;
}

int proc_files__read(struct proc_files *pf, u32 tgid, u32 tid, enum proc_file file, int fd,
		     struct view *ret)
{
	int own = fd < 0 ? proc_files__open(pf, tgid, tid, file) : fd;
	ssize_t n;
	int r;

	if (own < 0)
		return fail(pf, tgid, tid, file, own);
	n = pread(own, pf->text, sizeof(pf->text), 0);
	r = n < 0 ? -errno : 0;
	if (fd < 0)
		close(own);
	if (r)
		return fail(pf, tgid, tid, file, r);
	pf->read_cnt[file]++;
	*ret = view__of(pf->text, (size_t)n);
	return 0;
}
