/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_SEEN_H
#define TESTS_LIB_SEEN_H

#include "analysis/cause.h"

/*
 * Waits as they were seen, each with what it is. Chains are leaf first, separated by '<'; '@' marks
 * a function of the C library, '#' one of the file `module`, one with
 * ".py:" is interpreted; '^' is a '<' in a name.
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
	enum futex_kind futex; /* what it waited for; NONE: not known */
	const char *lock; /* the kernel's lock that it waited for; NULL: not known */
};

struct seen_table {
	const struct seen *waits;
	size_t len;
};

extern const struct seen_table seen_kernel, seen_libraries, seen_runtimes, seen_servers;

/* A profile of that one wait, number 1; free with profile__free(). A test that fails if not. */
struct profile *seen_profile(const struct seen *s);

#endif
