/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_ERRAND_H
#define CAPTURE_ERRAND_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Work done by a second thread while the calling thread continues. The second thread gets no
 * signals. The caller is responsible for shared data; it is best to share none.
 */
struct errand {
	pthread_t thread;
	int done_fd; /* an eventfd: readable when the work is done */
	void (*work)(void *arg);
	void *arg;
};

/* On a negative errno nothing has begun: the caller does the work itself. */
int errand__start(struct errand *e, void (*work)(void *arg), void *arg);
/* The work is done, so finishing does not wait. */
bool errand__is_done(const struct errand *e);
/* Waits for the work, and releases what errand__start() allocated. */
void errand__finish(struct errand *e);

#endif
