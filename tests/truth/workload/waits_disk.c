/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for a disk, on files of our own in waits_dir. A file that was just written is clean and
 * cold after fsync() and POSIX_FADV_DONTNEED; mincore() says whether a page really left the cache.
 */
#include "waits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "rawcall.h"

#define FILE_SZ (16UL << 20)
#define PAGE 4096UL
/* Farther apart than any read-ahead. */
#define STRIDE (FILE_SZ / 32)

static noinline void block_fsync(struct wl_thread *t)
{
	truth__begin(&t->truth);
	rawcall1(SYS_fsync, t->pair->fd[0]);
	truth__end(&t->truth);
}

static noinline void run_fsync(struct wl_thread *t)
{
	static const char page[PAGE];
	int i;

	for (i = 0; i < t->pair->rounds; i++) {
		rawcall4(SYS_pwrite64, t->pair->fd[0], page, sizeof(page), (unsigned long)i * PAGE);
		block_fsync(t);
		wl_pause(t->pair->pause_ns);
	}
}

static noinline void block_odirect(struct wl_thread *t, unsigned long off)
{
	truth__begin(&t->truth);
	rawcall4(SYS_pread64, t->pair->fd[0], t->pair->map, PAGE, off);
	truth__end(&t->truth);
}

static noinline void run_odirect(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++) {
		block_odirect(t, (unsigned long)i * PAGE * 3 % FILE_SZ);
		wl_pause(t->pair->pause_ns);
	}
}

/* The load is the wait: no system call. */
static noinline void block_fault(struct wl_thread *t, const volatile char *byte)
{
	truth__begin(&t->truth);
	(void)*byte;
	truth__end(&t->truth);
}

static noinline void run_fault(struct wl_thread *t)
{
	char *map = t->pair->map;
	unsigned char resident;
	u64 off;

	for (off = 0; off < t->pair->map_sz; off += STRIDE) {
		if (!mincore(map + off, PAGE, &resident) && !(resident & 1))
			block_fault(t, map + off);
		wl_pause(t->pair->pause_ns);
	}
}

/* A disk file, not one in memory: there nothing waits. */
static int on_disk(void)
{
	struct statfs st;

	if (statfs(waits_dir, &st))
		return -errno;
	return st.f_type == TMPFS_MAGIC || st.f_type == RAMFS_MAGIC ? -ENODEV : 0;
}

static int open_file(int extra_flags, int *ret_fd)
{
	char path[PATH_MAX], again[64];
	int r = on_disk();
	int fd;

	if (r)
		return r;
	snprintf(path, sizeof(path), "%s/waits.XXXXXX", waits_dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (extra_flags) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
		*ret_fd = open(again, O_RDWR | O_CLOEXEC | extra_flags);
		r = *ret_fd < 0 ? -errno : 0;
	} else {
		*ret_fd = dup(fd);
	}
	unlink(path);
	close(fd);
	return r;
}

/* Blocks on disk, none of them in memory. */
static int fill_cold(int fd)
{
	char *chunk = aligned_alloc(PAGE, FILE_SZ);
	ssize_t n;

	if (!chunk)
		return -ENOMEM;
	for (n = 0; n < (ssize_t)FILE_SZ; n++)
		chunk[n] = (char)n;
	n = pwrite(fd, chunk, FILE_SZ, 0);
	free(chunk);
	if (n != (ssize_t)FILE_SZ)
		return -EIO;
	if (fsync(fd))
		return -errno;
	return -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static int setup_fsync(struct wl_pair *p)
{
	return open_file(0, &p->fd[0]);
}

static int setup_odirect(struct wl_pair *p)
{
	/* An access time is written to the journal, which may be waited for. */
	int r = open_file(O_DIRECT | O_NOATIME, &p->fd[0]);

	if (r)
		return r;
	p->map = aligned_alloc(PAGE, PAGE);
	return p->map ? fill_cold(p->fd[0]) : -ENOMEM;
}

static int setup_fault(struct wl_pair *p)
{
	int r = open_file(0, &p->fd[0]);

	if (!r)
		r = fill_cold(p->fd[0]);
	if (r)
		return r;
	p->map_sz = FILE_SZ;
	p->map = mmap(NULL, FILE_SZ, PROT_READ, MAP_SHARED, p->fd[0], 0);
	if (p->map == MAP_FAILED || madvise(p->map, FILE_SZ, MADV_RANDOM))
		return -errno;
	return 0;
}

const struct waits_kind waits_disk[] = {
	{ "fsync", 20, 2000000, setup_fsync, 0, { { "fsync", run_fsync } } },
	{ "odirect", 40, 1000000, setup_odirect, 0, { { "odirect", run_odirect } } },
	{ "fault", 32, 1000000, setup_fault, 0, { { "fault", run_fault } } },
	{ 0 },
};
