/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_NAME_HINTS_H
#define IMPORT_NAME_HINTS_H

#include "base/view.h"

/* What the name of a function says of a stack whose source says less. */
enum name_hint {
	HINT_ENTRY = 1, /* the kernel is entered here: from here to the leaf */
	HINT_FORK = 2, /* at the root: of a kernel thread */
	HINT_SCHED = 4, /* the scheduler: of the kernel, even without an entry */
	HINT_PREEMPT = 8, /* the thread lost its CPU, and waits for one */
	HINT_DISK = 16, /* sleeps in state D */
	HINT_WORKER = 32, /* a kernel worker without work */
	HINT_TRACER = 64, /* of the program that recorded the stack */
	HINT_UNKNOWN = 128, /* no name: "[unknown]" */
};

u32 name_hints(const struct view *name);
/*
 * The name of the system call whose kernel function this is, "futex" of "__x64_sys_futex"; false:
 * it is not one.
 */
bool name_hints_syscall(const struct view *name, char *buf, size_t sz);
/* The architecture that such a name tells: "x86_64", "aarch64"; NULL: it tells none. */
const char *name_hints_arch(const struct view *name);
/* Takes " _[k]" and its like off the end of a name: 'k', 'i', 'j', 'w', 'p'; 0: there is none. */
char name_hints_suffix(struct view *name);

bool view_starts(const struct view *v, const char *prefix);
bool view_ends(const struct view *v, const char *suffix);

#endif
