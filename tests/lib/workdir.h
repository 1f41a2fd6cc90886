/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_WORKDIR_H
#define TESTS_LIB_WORKDIR_H

#include "base/types.h"

/* A directory of a test's own, and commands to fill it with: compilers, objcopy, xz. */
struct workdir {
	char *path;
	char name_buf[4][256]; /* of workdir__path() */
	u32 name_next;
};

/* Makes the directory; a test that cannot have one ends. */
void workdir__init(struct workdir *w);
/* Removes it with all that is in it. */
void workdir__done(struct workdir *w);
/* The full path of a file in it. Lives until the fourth call from now. */
const char *workdir__path(struct workdir *w, const char *name);
void workdir__write(struct workdir *w, const char *name, const void *data, size_t sz);
/* The whole file; the caller frees with mem_free(). */
char *workdir__read(struct workdir *w, const char *name, size_t *ret_sz);
/* Opens for reading. */
int workdir__open(struct workdir *w, const char *name);
/* Runs a shell command in the directory; $CC is the compiler. False when it fails. */
bool workdir__run(struct workdir *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The address that nm prints for a symbol of a file in it; 0 when there is none. */
u64 workdir__addr_of(struct workdir *w, const char *file, const char *symbol);
/*
 * Every word is a command that is there. If not, says so on stderr; the caller then skips.
 */
bool workdir_have(const char *words);

#endif
