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
	unsigned *word; /* a futex */
	char path[108];
	char label[256]; /* what it waits for, as coldspot should call it; made by `make` */
	char early[64]; /* what is known before the wait is over, if that is another text */
};

extern struct object objects[];
extern const char *objects_dir;

/*
 * Locks that are held and waited for before the recording begins and when it ends; prints the same
 * lines as owners_run().
 */
void owners_early(void);
/* Waits for locks; prints {"event":"owner","kind":,"tid":,"owner":,"count":} lines. */
void owners_run(void);
/* Waits at several services; prints {"event":"again","tid":,"label":} lines. */
void again_run(void);

/* " on vda1", or "" for a file that is on no block device. */
const char *objects_device(int fd);

void objects_make_child(struct object *o);
void objects_make_any_child(struct object *o);
void objects_make_brood(struct object *o);
void objects_wait_child(struct object *o);
void objects_wait_child_id(struct object *o);
void objects_wait_child_fd(struct object *o);
void objects_wait_any_child(struct object *o);
void objects_wait_brood(struct object *o);
void objects_feed_nothing(struct object *o);

/* Waits for a disk; prints {"event":"disk",...}, or a skip where objects_dir is in memory. */
void disk_make(void);
void disk_run(void);

/*
 * And for those of the kernel: {"event":"kernel-owner",...,"label":,"ns":}, how long by the clock
 * of the waiter it had to do with each owner. {"event":"bystander",...} is one who waits for the
 * lock once.
 */
void kernel_owners_run(void);

#endif
