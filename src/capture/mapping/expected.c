/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Building the table of a large program takes tens of milliseconds, which would be the first of its
 * life if not done in advance. Its libraries are seen when it runs; those that nearly every program
 * uses are ours too.
 */
#include "capture/mapping/expected.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"
#define SHEBANG_MAX 256

/* Regular and executable. */
static int open_program(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || access(path, X_OK))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd;
}

static int find_program(const char *name)
{
	const char *dirs = getenv("PATH"), *end;
	char path[PATH_MAX];
	int fd = -1;

	if (strchr(name, '/'))
		return open_program(name);
	if (!dirs)
		dirs = DEFAULT_PATH;
	for (; fd < 0 && *dirs; dirs = *end ? end + 1 : end) {
		end = strchrnul(dirs, ':');
		if (snprintf(path, sizeof(path), "%.*s/%s", (int)(end - dirs), dirs, name) <
		    (int)sizeof(path))
			fd = open_program(path);
	}
	return fd;
}

static void *map_program(int fd, size_t *ret_sz)
{
	struct stat st;
	void *mem;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0)
		return NULL;
	mem = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	*ret_sz = (size_t)st.st_size;
	return mem == MAP_FAILED ? NULL : mem;
}

/* "#! /bin/sh -e": the interpreter of a script; -1 if it is not one. */
static int open_interpreter(int fd)
{
	char line[SHEBANG_MAX + 1], *path, *save;
	ssize_t n = pread(fd, line, SHEBANG_MAX, 0);

	if (n < 3 || strncmp(line, "#!", 2))
		return -1;
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	path = strtok_r(line + 2, " \t", &save);
	if (!path)
		return -1;
	/* "#!/usr/bin/env python3" is about to run python3. */
	if (!strcmp(path, "/usr/bin/env")) {
		path = strtok_r(NULL, " \t", &save);
		return path && *path != '-' ? find_program(path) : -1;
	}
	return open_program(path);
}

void expected__map(struct expected *e, const char *name)
{
	int fd = find_program(name), other;

	*e = (struct expected){ 0 };
	if (fd < 0)
		return;
	e->program = map_program(fd, &e->program_sz);
	other = open_interpreter(fd);
	if (other >= 0) {
		e->interpreter = map_program(other, &e->interpreter_sz);
		close(other);
	}
	close(fd);
}

void expected__unmap(struct expected *e)
{
	if (e->program)
		munmap(e->program, e->program_sz);
	if (e->interpreter)
		munmap(e->interpreter, e->interpreter_sz);
	*e = (struct expected){ 0 };
}
