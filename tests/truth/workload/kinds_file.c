/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of files, and the disk below them. */
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PAGE 4096UL
#define COLD_SZ (16UL << 20)
/* Farther apart than any read-ahead. */
#define STRIDE (COLD_SZ / 32)

static char page[PAGE] __attribute__((aligned(4096)));

/* An access time is written to the journal, which may be waited for. */
static int open_named(struct wait *w, int flags)
{
	return open(w->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOATIME | flags, 0600);
}

/* fd[0] wants what fd[1] has. */
static int make_files(struct wait *w)
{
	kinds_name(w, "");
	w->fd[0] = open_named(w, 0);
	w->fd[1] = open_named(w, 0);
	return w->fd[0] < 0 || w->fd[1] < 0 ? -errno : 0;
}

/*
 * A child that has the lock, of a file of its own as take() opens it, until a byte comes through
 * w->fd[nr]. It lives on after that: whoever waited sees it before it is gone. Its PID or -errno.
 */
static int hold_in_child(struct wait *w, int nr, int (*take)(int fd), int (*drop)(int fd))
{
	int hold[2], held[2], fd, pid;
	char byte;

	if (pipe2(hold, O_CLOEXEC) || pipe2(held, O_CLOEXEC))
		return -errno;
	w->fd[nr] = hold[1];
	pid = (int)kinds_check(fork(), "fork");
	if (!pid) {
		for (int i = 1; i <= 2; i++)
			close(w->fd[i]);
		fd = (int)kinds_check(open_named(w, 0), "open");
		kinds_check(take(fd), "take");
		kinds_check(write(held[1], "x", 1), "write");
		kinds_check(read(hold[0], &byte, 1), "read");
		kinds_check(drop(fd), "drop");
		_exit(read(hold[0], &byte, 1) < 0);
	}
	return read(held[0], &byte, 1) == 1 ? pid : -EIO;
}

static void feed_byte(struct wait *w)
{
	kinds_check(write(w->fd[1], "x", 1), "write");
}

static int open_waiter(struct wait *w)
{
	kinds_name(w, "");
	w->fd[0] = open_named(w, 0);
	return w->fd[0] < 0 ? -errno : 0;
}

static int made_by(struct wait *w, int pid)
{
	w->owner = w->pid = pid;
	return pid < 0 ? pid : 0;
}

static int take_exclusive(int fd)
{
	return flock(fd, LOCK_EX);
}

static int take_shared(int fd)
{
	return flock(fd, LOCK_SH);
}

static int drop_flock(int fd)
{
	return flock(fd, LOCK_UN);
}

static int make_flock(struct wait *w)
{
	int r = open_waiter(w);

	return r ? r : made_by(w, hold_in_child(w, 1, take_exclusive, drop_flock));
}

static void wait_flock(struct wait *w)
{
	kinds_check(flock(w->fd[0], LOCK_EX), "flock");
}

static void wait_shared(struct wait *w)
{
	kinds_check(flock(w->fd[0], LOCK_SH), "flock");
}

/* Both conflict with the waiter; the kernel lists the first one first. */
static int make_readers(struct wait *w)
{
	int r = open_waiter(w);

	if (!r)
		r = made_by(w, hold_in_child(w, 1, take_shared, drop_flock));
	if (!r)
		r = hold_in_child(w, 2, take_shared, drop_flock);
	return r < 0 ? r : 0;
}

static void feed_both(struct wait *w)
{
	feed_byte(w);
	kinds_check(write(w->fd[2], "x", 1), "write");
}

static int record_lock(int fd, int cmd, short type, short whence, off_t start)
{
	struct flock l = { .l_type = type, .l_whence = whence, .l_start = start, .l_len = 1 };

	return fcntl(fd, cmd, &l);
}

static int make_ofd(struct wait *w)
{
	int r = make_files(w);

	/* an open file has it, which this process opened */
	w->owner = getpid();
	return r ? r : record_lock(w->fd[1], F_OFD_SETLK, F_WRLCK, SEEK_SET, 0) ? -errno : 0;
}

static void wait_ofd(struct wait *w)
{
	kinds_check(record_lock(w->fd[0], F_OFD_SETLKW, F_WRLCK, SEEK_SET, 0), "fcntl");
}

static void feed_ofd(struct wait *w)
{
	kinds_check(record_lock(w->fd[1], F_OFD_SETLK, F_UNLCK, SEEK_SET, 0), "fcntl");
}

static int take_first(int fd)
{
	return record_lock(fd, F_SETLK, F_WRLCK, SEEK_SET, 0);
}

static int drop_first(int fd)
{
	return record_lock(fd, F_SETLK, F_UNLCK, SEEK_SET, 0);
}

/* A lock of the old kind is a process's, so another one has it. */
static int make_fcntl(struct wait *w)
{
	int r = open_waiter(w);

	return r ? r : made_by(w, hold_in_child(w, 1, take_first, drop_first));
}

static void wait_fcntl(struct wait *w)
{
	kinds_check(record_lock(w->fd[0], F_SETLKW, F_WRLCK, SEEK_SET, 0), "fcntl");
}

#define RANGE_AT 100

static int take_range(int fd)
{
	return record_lock(fd, F_SETLK, F_WRLCK, SEEK_SET, RANGE_AT);
}

static int drop_range(int fd)
{
	return record_lock(fd, F_SETLK, F_UNLCK, SEEK_SET, RANGE_AT);
}

/* Others hold other bytes of the file. The waiter counts from where its descriptor is. */
static int make_range(struct wait *w)
{
	int r = open_waiter(w);

	if (!r)
		r = hold_in_child(w, 2, take_first, drop_first);
	if (r >= 0)
		r = made_by(w, hold_in_child(w, 1, take_range, drop_range));
	if (!r && (record_lock(w->fd[0], F_SETLK, F_WRLCK, SEEK_SET, RANGE_AT / 2) ||
		   lseek(w->fd[0], RANGE_AT / 2, SEEK_SET) < 0))
		r = -errno;
	return r;
}

static void wait_range_read(struct wait *w)
{
	kinds_check(record_lock(w->fd[0], F_SETLKW, F_RDLCK, SEEK_CUR, RANGE_AT / 2), "fcntl");
}

/* Who opens it waits for the one who has it on lease to give it back. */
static int make_lease(struct wait *w)
{
	kinds_name(w, "");
	signal(SIGIO, SIG_IGN);
	w->fd[1] = open_named(w, 0);
	return w->fd[1] < 0 || fcntl(w->fd[1], F_SETLEASE, F_WRLCK) ? -errno : 0;
}

static void wait_open(struct wait *w)
{
	kinds_check(open(w->path, O_RDWR | O_CLOEXEC), "open");
}

static void feed_lease(struct wait *w)
{
	kinds_check(fcntl(w->fd[1], F_SETLEASE, F_UNLCK), "fcntl");
}

static int on_disk(void)
{
	struct statfs st;

	if (statfs(kinds_dir, &st))
		return -errno;
	return st.f_type == TMPFS_MAGIC || st.f_type == RAMFS_MAGIC ? -ENODEV : 0;
}

static int make_disk(struct wait *w)
{
	int r = on_disk();

	if (r)
		return r;
	kinds_name(w, "");
	w->fd[0] = open_named(w, O_TRUNC);
	return w->fd[0] < 0 ? -errno : 0;
}

static void dirty(struct wait *w, u64 i)
{
	kinds_check(pwrite(w->fd[0], page, PAGE, (off_t)(i * PAGE)), "pwrite");
}

/* Each kind that syncs, again and again: one is over soon on a good disk. */
#define SYNCS(name, call)                                                                          \
	static void wait_##name(struct wait *w)                                                    \
	{                                                                                          \
		u64 end = kinds_deadline(), i;                                                     \
                                                                                                   \
		for (i = 0; mono_ns() < end; i++) {                                                \
			dirty(w, i % 64);                                                          \
			kinds_check(call, #name);                                                  \
		}                                                                                  \
	}

SYNCS(fsync, fsync(w->fd[0]))
SYNCS(fdatasync, fdatasync(w->fd[0]))
SYNCS(range, sync_file_range(w->fd[0], 0, 64 * PAGE,
			     SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				     SYNC_FILE_RANGE_WAIT_AFTER))

static int make_dsync(struct wait *w)
{
	int r = make_disk(w);

	if (r)
		return r;
	close(w->fd[0]);
	w->fd[0] = open_named(w, O_DSYNC);
	return w->fd[0] < 0 ? -errno : 0;
}

SYNCS(dsync, 0)

static int make_msync(struct wait *w)
{
	int r = make_disk(w);

	if (r)
		return r;
	w->map_sz = 64 * PAGE;
	if (ftruncate(w->fd[0], (off_t)w->map_sz))
		return -errno;
	w->map = mmap(NULL, w->map_sz, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd[0], 0);
	return w->map == MAP_FAILED ? -errno : 0;
}

static void wait_msync(struct wait *w)
{
	u64 end = kinds_deadline(), i;

	for (i = 0; mono_ns() < end; i++) {
		w->map[i % 64 * PAGE] = (char)i;
		kinds_check(msync(w->map, w->map_sz, MS_SYNC), "msync");
	}
}

/* Blocks on disk, none of them in memory. */
static int fill_cold(int fd)
{
	char *chunk = aligned_alloc(PAGE, COLD_SZ);
	size_t i;
	ssize_t n;

	if (!chunk)
		return -ENOMEM;
	for (i = 0; i < COLD_SZ; i++)
		chunk[i] = (char)i;
	n = pwrite(fd, chunk, COLD_SZ, 0);
	free(chunk);
	if (n != (ssize_t)COLD_SZ)
		return -EIO;
	if (fsync(fd))
		return -errno;
	return -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static int make_cold(struct wait *w)
{
	int r = make_disk(w);

	if (!r)
		r = fill_cold(w->fd[0]);
	return r ? r : -posix_fadvise(w->fd[0], 0, 0, POSIX_FADV_RANDOM);
}

static void wait_cold_read(struct wait *w)
{
	u64 end = kinds_deadline(), off = 0;

	for (; mono_ns() < end; off = (off + STRIDE + PAGE) % COLD_SZ) {
		kinds_check(pread(w->fd[0], page, PAGE, (off_t)off), "pread");
		posix_fadvise(w->fd[0], (off_t)off, PAGE, POSIX_FADV_DONTNEED);
	}
}

static int make_direct(struct wait *w)
{
	int r = make_cold(w);

	if (r)
		return r;
	close(w->fd[0]);
	w->fd[0] = open_named(w, O_DIRECT);
	return w->fd[0] < 0 ? -errno : 0;
}

static void wait_direct_read(struct wait *w)
{
	u64 end = kinds_deadline(), i;

	for (i = 0; mono_ns() < end; i++)
		kinds_check(pread(w->fd[0], page, PAGE, (off_t)(i * STRIDE % COLD_SZ)), "pread");
}

static void wait_direct_write(struct wait *w)
{
	u64 end = kinds_deadline(), i;

	for (i = 0; mono_ns() < end; i++)
		kinds_check(pwrite(w->fd[0], page, PAGE, (off_t)(i * STRIDE % COLD_SZ)), "pwrite");
}

static int make_mapped(struct wait *w)
{
	int r = make_cold(w);

	if (r)
		return r;
	w->map_sz = COLD_SZ;
	w->map = mmap(NULL, COLD_SZ, PROT_READ, MAP_SHARED, w->fd[0], 0);
	return w->map == MAP_FAILED || madvise(w->map, COLD_SZ, MADV_RANDOM) ? -errno : 0;
}

static void wait_fault(struct wait *w)
{
	u64 end = kinds_deadline(), off = 0;

	for (; mono_ns() < end; off = (off + STRIDE + PAGE) % COLD_SZ) {
		(void)*(volatile char *)(w->map + off);
		madvise(w->map + off, PAGE, MADV_DONTNEED);
		posix_fadvise(w->fd[0], (off_t)off, PAGE, POSIX_FADV_DONTNEED);
	}
}

const struct kind kinds_file[] = {
	{ "flock", make_flock, wait_flock, feed_byte, NULL },
	{ "flock-shared", make_flock, wait_shared, feed_byte, NULL },
	{ "flock-readers", make_readers, wait_flock, feed_both, NULL },
	{ "fcntl-lock", make_fcntl, wait_fcntl, feed_byte, NULL },
	{ "fcntl-range", make_range, wait_range_read, feed_byte, NULL },
	{ "ofd-lock", make_ofd, wait_ofd, feed_ofd, NULL },
	{ "lease", make_lease, wait_open, feed_lease, NULL },
	{ "fsync", make_disk, wait_fsync, NULL, NULL },
	{ "fdatasync", make_disk, wait_fdatasync, NULL, NULL },
	{ "sync-file-range", make_disk, wait_range, NULL, NULL },
	{ "dsync-write", make_dsync, wait_dsync, NULL, NULL },
	{ "msync", make_msync, wait_msync, NULL, NULL },
	{ "cold-read", make_cold, wait_cold_read, NULL, NULL },
	{ "direct-read", make_direct, wait_direct_read, NULL, NULL },
	{ "direct-write", make_direct, wait_direct_write, NULL, NULL },
	{ "cold-fault", make_mapped, wait_fault, NULL, NULL },
	{ .name = NULL },
};
