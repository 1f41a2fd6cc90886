/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Preloaded into a program: its FAIL_NTH-th allocation from the heap returns NULL, ours as well as
 * those of every library. When it did, FAIL_FILE exists. Only the program that was started is hit,
 * not the commands that it starts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t sz);
extern void *__libc_calloc(size_t n, size_t sz);
extern void *__libc_realloc(void *p, size_t sz);

static atomic_long until; /* 0: never */

__attribute__((constructor)) static void begin(void)
{
	const char *nth = getenv("FAIL_NTH");

	unsetenv("LD_PRELOAD");
	if (nth)
		atomic_store(&until, strtol(nth, NULL, 10));
}

static int fails(void)
{
	const char *path;
	int fd;

	if (atomic_load(&until) <= 0 || atomic_fetch_sub(&until, 1) != 1)
		return 0;
	path = getenv("FAIL_FILE");
	fd = path ? open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
	if (fd >= 0)
		close(fd);
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t sz)
{
	return fails() ? NULL : __libc_malloc(sz);
}

void *calloc(size_t n, size_t sz)
{
	return fails() ? NULL : __libc_calloc(n, sz);
}

void *realloc(void *p, size_t sz)
{
	return fails() ? NULL : __libc_realloc(p, sz);
}
