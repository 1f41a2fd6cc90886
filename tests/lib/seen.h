/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_SEEN_H
#define TESTS_LIB_SEEN_H

#include "analysis/cause/cause.h"

/*
 * Waits as they were observed, each with its expected result. Chains are leaf first, separated by
 * '<'; '@' marks a function of the C library, '#' one of the file `module`; one with ".py:" is
 * interpreted; all others are in the file `program`. '^' is a '<' in a name.
 */
struct seen {
	const char *what;
	const char *syscall;
	char state;
	u32 flags;
	const char *chain; /* kernel */
	enum cause cause;
	const char *user; /* NULL: none */
	enum wait_class class; /* CLASS_NONE: work */
	const char *module;
	const char *thread; /* its name; NULL: "a" */
	bool kthread;
	enum futex_kind futex; /* its object; NONE: unknown */
	const char *lock; /* the kernel lock that it waited for; NULL: unknown */
	const char *program; /* NULL: the file of those frames is unknown */
	const char *interpreter; /* of interpreted frames; NULL: "[python]" */
	bool task; /* of a goroutine or of asyncio: '[' begins the word of its run time */
};

struct seen_table {
	const struct seen *waits;
	size_t len;
};

extern const struct seen_table seen_kernel, seen_libraries, seen_runtimes, seen_servers, seen_tasks;

/* A profile of that one wait, number 1; free with profile__free(). Fails the test on errors. */
struct profile *seen_profile(const struct seen *s);
/* The same with every frame outside the C library in the file `path`. */
struct profile *seen_profile_in(const struct seen *s, const char *path);

#endif
