/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread that waits for a disk for two files in turn: for one that is mapped when it touches
 * memory, itself and in a system call, and for another one that it reads. Each wait leaves on the
 * kernel's stack what the next one must not be taken for.
 */
#include "objects.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FILE_SZ (32UL << 20)
#define PAGE 4096UL
/* Farther apart than any read-ahead. */
#define STRIDE (FILE_SZ / 64)
#define PAUSE_NS 1000000

static struct {
	char mapped[128];
	char read[128];
	char *map;
	char *page;
	int mapped_fd;
	int read_fd;
	int out_fd;
} disk;

/* How often each was waited for, by the kernel's count of switches away from the CPU. */
static struct {
	int fault;
	int fault_in_call;
	int read;
} waited;

static int open_file(const char *name, int flags, char path[128])
{
	int fd;

	snprintf(path, 128, "%s/%s", objects_dir, name);
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR | flags, 0600);
	if (fd < 0)
		wl_die("open");
	return fd;
}

static void fill_cold(int fd)
{
	char *bytes = aligned_alloc(PAGE, FILE_SZ);

	if (!bytes)
		wl_die("aligned_alloc");
	memset(bytes, 7, FILE_SZ);
	if (pwrite(fd, bytes, FILE_SZ, 0) != (ssize_t)FILE_SZ || fsync(fd) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		wl_die("pwrite");
	free(bytes);
}

static void make_files(void)
{
	char out[128];

	disk.mapped_fd = open_file("mapped", 0, disk.mapped);
	disk.read_fd = open_file("read", O_DIRECT | O_NOATIME, disk.read);
	disk.out_fd = open_file("out", 0, out);
	fill_cold(disk.mapped_fd);
	fill_cold(disk.read_fd);
	disk.map = mmap(NULL, FILE_SZ, PROT_READ, MAP_SHARED, disk.mapped_fd, 0);
	disk.page = aligned_alloc(PAGE, PAGE);
	if (disk.map == MAP_FAILED || !disk.page || madvise(disk.map, FILE_SZ, MADV_RANDOM))
		wl_die("mmap");
}

static long switches(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		wl_die("getrusage");
	return usage.ru_nvcsw;
}

static void touch(unsigned long off)
{
	volatile char *byte = disk.map + off;
	long before = switches();

	(void)*byte;
	waited.fault += switches() != before;
}

static void touch_in_call(unsigned long off)
{
	long before = switches();

	if (pwrite(disk.out_fd, disk.map + off, 64, 0) != 64)
		wl_die("pwrite");
	waited.fault_in_call += switches() != before;
}

static void read_other(unsigned long off)
{
	long before = switches();

	if (pread(disk.read_fd, disk.page, PAGE, (off_t)off) != (ssize_t)PAGE)
		wl_die("pread");
	waited.read += switches() != before;
}

/* The pauses are for a machine that is busy: who has slept is not put off its CPU on its way. */
static void *disk_main(void *arg)
{
	unsigned long off;

	(void)arg;
	prctl(PR_SET_NAME, "disk");
	for (off = 0; off + STRIDE <= FILE_SZ; off += STRIDE) {
		wl_pause(PAUSE_NS);
		touch_in_call(off);
		wl_pause(PAUSE_NS);
		read_other(off);
		wl_pause(PAUSE_NS);
		touch(off + STRIDE / 2);
	}
	wl_emit("{\"event\":\"disk\",\"tid\":%d,\"mapped\":\"file %s%s\",\"read\":\"file %s%s\","
		"\"faults\":%d,\"faults_in_call\":%d,\"reads\":%d}",
		wl_gettid(), disk.mapped, objects_device(disk.mapped_fd), disk.read,
		objects_device(disk.read_fd), waited.fault, waited.fault_in_call, waited.read);
	return NULL;
}

void disk_make(void)
{
	struct statfs st;

	if (statfs(objects_dir, &st))
		wl_die("statfs");
	if (st.f_type != TMPFS_MAGIC && st.f_type != RAMFS_MAGIC)
		make_files(); /* else nothing waits */
}

void disk_run(void)
{
	pthread_t thread;

	if (!disk.map) {
		wl_emit("{\"event\":\"skip\",\"kind\":\"disk\",\"why\":\"%s is in memory\"}",
			objects_dir);
		return;
	}
	if (pthread_create(&thread, NULL, disk_main, NULL))
		wl_die("pthread_create");
	pthread_join(thread, NULL);
}
