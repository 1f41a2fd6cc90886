/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKLOAD_LIFE_H
#define WORKLOAD_LIFE_H

#include "wl.h"

/*
 * One way for threads and processes to live and die. It runs after the harness said "go" where it
 * says so itself; what it knows goes out as events.
 */
struct life_mode {
	const char *name;
	void (*run)(char **args); /* up to LIFE_ARGS of them, "" where none was given */
};

#define LIFE_ARGS 3

/* Tables end with a line without a name. */
extern const struct life_mode life_threads[];
extern const struct life_mode life_procs[];
extern const struct life_mode life_odd[], life_files[];

/* A whole number of `arg`, or `otherwise` when it is "". */
u64 life_number(const char *arg, u64 otherwise);
/* "ready", then until "go". */
void life_await_go(void);
/* "done", then until "quit". */
void life_await_quit(void);

#endif
