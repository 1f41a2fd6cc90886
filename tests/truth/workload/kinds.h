/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKLOAD_KINDS_H
#define WORKLOAD_KINDS_H

#include <stddef.h>

#include "wl.h"

/* How long a wait lasts at least; the harness takes what is much shorter for something else. */
#define KINDS_HOLD_NS 60000000ULL
/* How long a kind goes on that is made of many short waits. */
#define KINDS_LOOP_NS 150000000ULL

/* The one wait that a process makes. What is set in it is printed for the harness. */
struct wait {
	const struct kind *kind;
	int fd[4]; /* the first is what is waited for */
	int pid; /* a child */
	int tid; /* whose wait it is; the waiter's, unless make() says another */
	int owner; /* the thread that has what is waited for */
	int busy; /* wait() has to do something else first, and clears it then */
	int done; /* the helper may end */
	unsigned port;
	char path[160];
	char *map;
	size_t map_sz;
	pthread_t helper;
};

/*
 * A kind of wait; each has a process of its own. make() gets all ready; wait() blocks in a thread
 * that has the name of the kind; feed() ends that, when the thread has slept long enough. Without
 * feed() the wait ends by itself, or there are many short ones for KINDS_LOOP_NS.
 */
struct kind {
	const char *name; /* at most 15 bytes */
	int (*make)(struct wait *w); /* may be NULL; 0, or -errno: not available here */
	void (*wait)(struct wait *w);
	void (*feed)(struct wait *w); /* may be NULL */
	const void *data;
};

/* Tables end with a line without a name. */
extern const struct kind kinds_time[], kinds_lock[], kinds_pipe[], kinds_net[], kinds_poll[],
	kinds_ipc[], kinds_process[], kinds_file[], kinds_memory[], kinds_stop[], kinds_cpu[],
	kinds_file_system[];

/* A directory of the harness. */
extern const char *kinds_dir;

/* r, which is not negative; or the end of the process. */
long kinds_check(long r, const char *what);
/* Comes back when the thread has slept for KINDS_HOLD_NS and sleeps still. */
void kinds_asleep(int pid, int tid);
/* Runs fn(w) in w->helper, whose tid becomes w->owner, and comes back when that is set. */
void kinds_help(struct wait *w, void (*fn)(struct wait *w));
/* w->path: a name in kinds_dir that only this kind has. */
void kinds_name(struct wait *w, const char *suffix);
/* Waits that a signal ends, without a restart: for make(), and a feed(). */
int kinds_make_signal(struct wait *w);
void kinds_feed_signal(struct wait *w);
/* One byte or eight. */
void kinds_read(struct wait *w);
void kinds_write(struct wait *w);
/* Writes to fd until there is no room. */
void kinds_fill(int fd, size_t chunk);
/* A child that ends when the other end of fd[1] is written to or closed. 0 or -errno. */
int kinds_make_child(struct wait *w);
/* A memory page that is missing until kinds_uffd_feed(). 0 or -errno: not available. */
int kinds_uffd_make(struct wait *w);
int kinds_uffd_register(struct wait *w);
void kinds_uffd_feed(struct wait *w);
u64 kinds_deadline(void);

#endif
