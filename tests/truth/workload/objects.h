/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKLOAD_OBJECTS_H
#define WORKLOAD_OBJECTS_H

/*
 * objects DIR: threads that wait for something that has a name, one after the other, and threads
 * that wait for what others hold, who note whom they found holding it. Prints what it expects.
 */
#include "wl.h"

/* One thread that waits once; `feed` ends its wait. Both get the same. */
struct object {
	const char *name; /* of the thread */
	void (*make)(struct object *o);
	void (*wait)(struct object *o);
	void (*feed)(struct object *o);
	int fd[4];
	int pid;
	char path[108];
	char label[256]; /* what it waits for, as coldspot should call it; made by `make` */
};

extern struct object objects[];
extern const char *objects_dir;

/* Waits for locks; prints {"event":"owner","kind":,"tid":,"holder":,"count":} lines. */
void owners_run(void);

/*
 * And for those of the kernel: {"event":"kernel-owner",...,"label":,"ns":}, how long by the clock
 * of the waiter it had to do with each holder. {"event":"bystander",...} is one who waits for the
 * lock once.
 */
void kernel_owners_run(void);

#endif
