/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for memory and for locks of the kernel. Such a lock is held for as long as one likes by a
 * thread that comes into the kernel with a page which is missing: it takes the lock, finds that it
 * needs the page, and waits with the lock for who fills it (userfaultfd).
 */
#include "kinds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEVERAL_MB (64UL << 20)

/* fd[3] is the userfaultfd of w->map. */
int kinds_uffd_register(struct wait *w)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (unsigned long)w->map, w->map_sz },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	w->fd[3] = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (w->fd[3] < 0 || ioctl(w->fd[3], UFFDIO_API, &api) ||
	    ioctl(w->fd[3], UFFDIO_REGISTER, &reg))
		return -errno;
	return 0;
}

int kinds_uffd_make(struct wait *w)
{
	w->map_sz = (size_t)sysconf(_SC_PAGESIZE);
	w->map = mmap(NULL, w->map_sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return w->map == MAP_FAILED ? -errno : kinds_uffd_register(w);
}

/* All that is missing is there from now on, and who waits for it goes on. */
void kinds_uffd_feed(struct wait *w)
{
	struct uffdio_range range = { (unsigned long)w->map, w->map_sz };

	kinds_check(ioctl(w->fd[3], UFFDIO_UNREGISTER, &range), "UFFDIO_UNREGISTER");
}

static void wait_page(struct wait *w)
{
	*(volatile char *)w->map = 1;
}

/* Starts one who takes the lock and waits for the page. */
static int hold_lock(struct wait *w, void (*fn)(struct wait *w))
{
	int r = kinds_uffd_make(w);

	if (r)
		return r;
	kinds_help(w, fn);
	kinds_asleep(getpid(), w->owner);
	return 0;
}

static void write_page_to_pipe(struct wait *w)
{
	kinds_check(write(w->fd[1], w->map, 8), "write");
}

static int make_pipe_lock(struct wait *w)
{
	return pipe2(w->fd, O_CLOEXEC) ? -errno : hold_lock(w, write_page_to_pipe);
}

static void write_page_to_file(struct wait *w)
{
	kinds_check(pwrite(w->fd[1], w->map, 8, 0), "pwrite");
}

static int make_file_lock(struct wait *w)
{
	kinds_name(w, "");
	w->fd[0] = open(w->path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	w->fd[1] = open(w->path, O_RDWR | O_CLOEXEC);
	return w->fd[0] < 0 || w->fd[1] < 0 ? -errno : hold_lock(w, write_page_to_file);
}

static void wait_write(struct wait *w)
{
	kinds_check(pwrite(w->fd[0], "x", 1, 0), "pwrite");
}

static void list_into_page(struct wait *w)
{
	kinds_check(syscall(SYS_getdents64, w->fd[1], w->map, w->map_sz), "getdents64");
}

static int make_dir_lock(struct wait *w)
{
	kinds_name(w, "");
	if (mkdir(w->path, 0700) && errno != EEXIST)
		return -errno;
	w->fd[1] = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return w->fd[1] < 0 ? -errno : hold_lock(w, list_into_page);
}

static void wait_mkdir(struct wait *w)
{
	char path[sizeof(w->path) + 16];

	snprintf(path, sizeof(path), "%s/%d", w->path, getpid());
	kinds_check(mkdir(path, 0700), "mkdir");
}

static void wait_rename(struct wait *w)
{
	char from[sizeof(w->path) + 16], to[sizeof(w->path) + 16];

	snprintf(from, sizeof(from), "%s/none", w->path);
	snprintf(to, sizeof(to), "%s/none.too", w->path);
	/* there is no such file, which is found out with the lock */
	(void)!rename(from, to);
}

/*
 * The allocator has one arena, whose free memory ends in pages that are missing: who takes a large
 * piece writes there, with the lock of the arena.
 */
static int make_arena(struct wait *w)
{
	size_t sz = (size_t)sysconf(_SC_PAGESIZE);
	char *end;

	w->busy = 1;
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TOP_PAD, 8 << 20);
	w->map = malloc(1 << 20);
	end = sbrk(0);
	if (!w->map || end - w->map < 8 << 20)
		return -ENOMEM;
	w->map = (char *)(((unsigned long)w->map + (2 << 20)) & ~(sz - 1));
	w->map_sz = (size_t)(end - w->map) & ~(sz - 1);
	return kinds_uffd_register(w);
}

static void allocate(size_t sz)
{
	/* or the compiler sees that nobody needs it */
	void *volatile p = malloc(sz);

	free(p);
}

static void allocate_much(struct wait *w)
{
	(void)w;
	allocate(4 << 20);
}

/* Threads cannot be made any more while it is held: so the owner comes after the waiter. */
static void wait_malloc(struct wait *w)
{
	kinds_help(w, allocate_much);
	kinds_asleep(getpid(), w->owner);
	w->owner = 0; /* the allocator does not write down who it is */
	__atomic_store_n(&w->busy, 0, __ATOMIC_RELEASE);
	allocate(8000);
}

/* Separate pages, not huge ones: many are needed. */
static char *map_much(int flags)
{
	char *map = mmap(NULL, SEVERAL_MB, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (map == MAP_FAILED)
		wl_die("mmap");
	return map;
}

/* Long enough, and it was in somebody's way; with one CPU that may take a while. */
static int go_on(u64 end)
{
	struct rusage ru;
	u64 now = mono_ns();

	getrusage(RUSAGE_THREAD, &ru);
	return now < end || (ru.ru_nvcsw < 4 && now < end + 20 * KINDS_LOOP_NS);
}

/* Filling memory holds the lock of the mappings for long. */
static void fill_memory(struct wait *w)
{
	while (!__atomic_load_n(&w->done, __ATOMIC_ACQUIRE))
		munmap(map_much(MAP_POPULATE), SEVERAL_MB);
}

static int make_fill(struct wait *w)
{
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	kinds_help(w, fill_memory);
	return 0;
}

static void wait_mmap(struct wait *w)
{
	u64 end = kinds_deadline();
	char *map;

	while (go_on(end)) {
		map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(map, 4096);
	}
	__atomic_store_n(&w->done, 1, __ATOMIC_RELEASE);
}

/* So does changing what may be done with much of it. */
static void protect_memory(struct wait *w)
{
	int i;

	for (i = 0; !__atomic_load_n(&w->done, __ATOMIC_ACQUIRE); i++)
		mprotect(w->map, SEVERAL_MB, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE);
}

static int make_protect(struct wait *w)
{
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	w->map = map_much(MAP_POPULATE);
	kinds_help(w, protect_memory);
	return 0;
}

static void wait_touch(struct wait *w)
{
	size_t sz = (size_t)sysconf(_SC_PAGESIZE), off = 0;
	u64 end = kinds_deadline();

	for (; go_on(end); off = (off + sz) % SEVERAL_MB) {
		madvise(w->map + off, sz, MADV_DONTNEED);
		(void)*(volatile char *)(w->map + off);
	}
	__atomic_store_n(&w->done, 1, __ATOMIC_RELEASE);
}

/* What only asks about memory. */
static void wait_mincore(struct wait *w)
{
	u64 end = kinds_deadline();
	unsigned char resident;
	char *here = (char *)((unsigned long)&resident & ~4095UL);

	while (go_on(end))
		mincore((void *)here, 1, &resident);
	__atomic_store_n(&w->done, 1, __ATOMIC_RELEASE);
}

const struct kind kinds_memory[] = {
	{ "userfaultfd", kinds_uffd_make, wait_page, kinds_uffd_feed, NULL },
	{ "pipe-lock", make_pipe_lock, kinds_read, kinds_uffd_feed, NULL },
	{ "file-inode", make_file_lock, wait_write, kinds_uffd_feed, NULL },
	{ "directory-make", make_dir_lock, wait_mkdir, kinds_uffd_feed, NULL },
	{ "directory-move", make_dir_lock, wait_rename, kinds_uffd_feed, NULL },
	{ "malloc", make_arena, wait_malloc, kinds_uffd_feed, NULL },
	{ "mmap", make_fill, wait_mmap, NULL, NULL },
	{ "mmap-mincore", make_protect, wait_mincore, NULL, NULL },
	{ "mmap-fault", make_protect, wait_touch, NULL, NULL },
	{ .name = NULL },
};
