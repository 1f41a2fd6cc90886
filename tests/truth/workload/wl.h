/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKLOAD_WL_H
#define WORKLOAD_WL_H

#include <pthread.h>
#include <semaphore.h>

#include "truth.h"

/*
 * A workload: named threads that block in known ways, and a conversation with the harness. One JSON
 * object a line goes out ("ready", "done", ...), the words "go" and "quit" come in. Threads stand
 * at the gate `go` before they work and at the gate `quit` after it, so that a recording which
 * begins after "ready" and ends before "quit" holds all their work.
 * Failures print a line to stderr and end the process with status 1.
 */

/* What the threads of one kind of wait share. */
struct wl_pair {
	int fd[2];
	int fd_feed; /* the other end, where the kind needs a third descriptor */
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	sem_t sem;
	int word;
	void *map;
	u64 map_sz;
	int rounds;
	u64 pause_ns;
	int partner_tid;
};

struct wl_thread {
	const char *kind;
	const char *name; /* comm */
	void (*run)(struct wl_thread *t);
	struct wl_pair *pair;
	int early; /* 1: works before the gate `go`, that is before the recording */
	int tid;
	struct truth truth;
	u64 go_ns; /* CLOCK_MONOTONIC when it came through the gate */
	u64 park_ns; /* and when it went to stand at the other */
	pthread_t handle;
};

#define WL_GATE_GO 0
#define WL_GATE_QUIT 1

void wl_die(const char *what);
/* What a call gave, or the end where it failed. */
int wl_checked(int r, const char *what);
unsigned long wl_inode_of(int fd);
/* Blocks the calling thread in a futex until the gate opens. */
void wl_gate(int gate);
void wl_open(int gate);
/* One line to the harness: stdout, or the file of wl_emit_to(), each line in one write. */
void wl_emit(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void wl_emit_to(const char *path);
/* Reads lines until `word`; at end of file the process ends: the harness is gone. */
void wl_expect(const char *word);

void wl_thread__start(struct wl_thread *t);
/* On return it stands at its gate, or in its wait when it is early. */
void wl_thread__ready(struct wl_thread *t);
void wl_thread__join(struct wl_thread *t);
/* Longest text of wl_truth(). */
#define WL_TRUTH_SZ 256
/* "count":..., the numbers of a truth as members of a JSON object, in buf. */
const char *wl_truth(const struct truth *w, char buf[WL_TRUTH_SZ]);
/* {"event":"thread", ...} with its truth. */
void wl_thread__emit(const struct wl_thread *t);
/* Sleeps in wl_pause's own frame, so that it is not taken for a wait that is measured. */
void wl_pause(u64 ns);
int wl_gettid(void);
/* Ties a thread (0: this one) to one CPU. -errno or 0. */
int wl_pin(int tid, int cpu);
/* Waits until the thread of this process is in that state ('D'); 0, or -1 after five seconds. */
int wl_in_state(int tid, char state);
/* Likewise, until it is asleep: 'S'. */
int wl_asleep(int tid);

#endif
