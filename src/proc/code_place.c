/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anyone can write to /tmp. A perf map is accepted only if it belongs to the user of the process or
 * to root and is not older than the process, since its PID may have been used before. Symbolic
 * links to it are not followed. A jitdump needs no such check: the process itself has mapped it.
 */
#include "proc/code_place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "proc/mapfile.h"
#include "proc/task.h"

/* Start times are in clock ticks, file times in coarser kernel ticks. */
#define STALE_SLACK_NS (2 * NSEC_PER_SEC)

void code_place__init(struct code_place *p, u32 tgid)
{
	*p = (struct code_place){ .tgid = tgid, .tmp_fd = -1, .map_fd = -1, .dump_fd = -1 };
}

static void set_fd(int *slot, int fd)
{
	if (*slot >= 0)
		close(*slot);
	*slot = fd;
}

void code_place__done(struct code_place *p)
{
	if (!p)
		return;
	set_fd(&p->tmp_fd, -1);
	set_fd(&p->map_fd, -1);
	set_fd(&p->dump_fd, -1);
}

/* Keeps the old descriptor of the same file: a new one gains nothing. */
static void take_fd(int *slot, int fd)
{
	struct stat was, is;

	if (*slot >= 0 && !fstat(*slot, &was) && !fstat(fd, &is) && was.st_dev == is.st_dev &&
	    was.st_ino == is.st_ino)
		close(fd);
	else
		set_fd(slot, fd);
}

static int open_at(int dir, const char *path, u64 flags, u64 resolve)
{
	struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = resolve };
	int fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/*
 * Identifies the process; forgets what was found of an earlier one with this PID. False if it is
 * another process and `kept` is set.
 */
static bool identify(struct code_place *p)
{
	struct task_status task;
	u64 start_ns;
	char root[32];
	int root_fd, fd;

	if (task_status__read(&task, p->tgid, NULL) || proc_task_start(p->tgid, &start_ns, NULL))
		return true;
	if (p->kept && p->ns_pid && start_ns != p->start_ns)
		return false;
	snprintf(root, sizeof(root), "/proc/%u/root", p->tgid);
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return true; /* a zombie, or not accessible to us */
	fd = open_at(root_fd, "tmp", O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);
	close(root_fd);
	if (fd < 0)
		return true;
	if (p->ns_pid && start_ns != p->start_ns) {
		u32 tgid = p->tgid;

		code_place__done(p);
		code_place__init(p, tgid);
	}
	p->ns_pid = task.ns_pid;
	p->uid = task.uid;
	p->euid = task.euid;
	p->start_ns = start_ns;
	take_fd(&p->tmp_fd, fd);
	return true;
}

static s64 ns_of(struct timespec t)
{
	return t.tv_sec * (s64)NSEC_PER_SEC + t.tv_nsec;
}

static bool is_older(const struct code_place *p, const struct stat *st)
{
	struct timespec wall, boot;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return ns_of(st->st_mtim) + (s64)STALE_SLACK_NS <
	       (s64)p->start_ns + ns_of(wall) - ns_of(boot);
}

static int check_map(const struct code_place *p, const char *name, const struct stat *st,
		     struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return err__set(err, -EPERM, "'/tmp/%s' is not a regular file: not used", name);
	if (st->st_uid != p->uid && st->st_uid != p->euid && st->st_uid != 0)
		return err__set(err, -EPERM, "'/tmp/%s' of process %u belongs to user %u: not used",
				name, p->tgid, st->st_uid);
	if (is_older(p, st))
		return err__set(err, -ESTALE, "'/tmp/%s' is older than process %u: not used", name,
				p->tgid);
	return 0;
}

static int look_for_map(struct code_place *p, struct err *err)
{
	char name[32], self[32];
	struct stat st;
	int path_fd, fd, r;

	if (p->tmp_fd < 0)
		return 0;
	snprintf(name, sizeof(name), "perf-%u.map", p->ns_pid);
	path_fd = open_at(p->tmp_fd, name, O_PATH, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	if (path_fd < 0)
		return 0;
	r = fstat(path_fd, &st) ? -errno : check_map(p, name, &st, err);
	if (!r) {
		/* through our own descriptor: the file cannot be swapped in between */
		snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (fd >= 0)
			take_fd(&p->map_fd, fd);
	}
	close(path_fd);
	return r;
}

/* ".../jit-4711.dump" */
static bool is_dump(const struct map_range *range)
{
	const char *name = strrchr(range->path, '/');
	size_t digits;

	if (!range->exec || !map_range__is_file(range) || !name || strncmp(name, "/jit-", 5) != 0)
		return false;
	digits = strspn(name + 5, "0123456789");
	return digits && strcmp(name + 5 + digits, ".dump") == 0;
}

static void look_for_dump(struct code_place *p, const struct maps *maps)
{
	struct err err;
	size_t i;
	int fd;

	for (i = 0; i < maps->len; i++) {
		if (!is_dump(&maps->ranges[i]))
			continue;
		if (module_file_open(p->tgid, &maps->ranges[i], &fd, &err))
			log_debug("jitdump: %s", err.msg);
		else
			take_fd(&p->dump_fd, fd);
	}
}

int code_place__look(struct code_place *p, const struct maps *maps, struct err *err)
{
	if (identify(p) && maps)
		look_for_dump(p, maps);
	return look_for_map(p, err);
}
