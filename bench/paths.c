/* SPDX-License-Identifier: Apache-2.0 */

/*
 * usage: paths STACKS
 *
 * One thread that sleeps a moment below each of STACKS different call paths, again and again, until
 * its standard input ends. The bits of a path's number choose between two functions at every level,
 * so all paths have the same depth. For each byte it reads it says "round", between two rounds.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define DEPTH 14

typedef int (*step_fn)(unsigned int path, int level);

static int left(unsigned int path, int level);
static int right(unsigned int path, int level);

static const step_fn steps[2] = { left, right };

/* A walk by frame pointers may lose the caller of a system call: it is not part of the path. */
static int __attribute__((noinline)) rest(void)
{
	static const struct timespec moment = { .tv_nsec = 1000 };

	return nanosleep(&moment, NULL) + 1;
}

/* Both add to what comes back, so that no call is the last thing they do, and none is a jump. */
static int go_on(unsigned int path, int level)
{
	if (level == DEPTH)
		return rest();
	return steps[(path >> level) & 1](path, level + 1);
}

static int __attribute__((noinline)) left(unsigned int path, int level)
{
	return go_on(path, level) + 1;
}

static int __attribute__((noinline)) right(unsigned int path, int level)
{
	return go_on(path, level) + 2;
}

/* Answers when asked; false at the end of the input. */
static bool answer(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	char byte;

	if (poll(&fd, 1, 0) <= 0)
		return true;
	if (read(STDIN_FILENO, &byte, 1) <= 0)
		return false;
	return puts("round") >= 0 && !fflush(stdout);
}

int main(int argc, char **argv)
{
	unsigned long cnt = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (!cnt || cnt > 1UL << DEPTH) {
		fprintf(stderr, "usage: paths STACKS, at most %lu\n", 1UL << DEPTH);
		return 2;
	}
	while (answer())
		for (unsigned int path = 0; path < cnt; path++)
			steps[path & 1](path, 1);
	return 0;
}
