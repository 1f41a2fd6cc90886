/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LIVE_TARGET_POST_H
#define CLI_LIVE_TARGET_POST_H

#include <pthread.h>

#include "base/err.h"
#include "cli/live/live_targets.h"

/*
 * Where threads leave changes of targets for the one that records: a session belongs to one thread.
 */
struct target_post {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum { POST_EMPTY = 0, POST_WAITS, POST_DONE } state;
	bool add;
	const char *whom; /* of the thread that waits */
	bool closed;
	int wake_fd; /* an eventfd that wakes the thread that records; 0: it looks by itself */
	struct err err; /* how it went; code 0: well */
};

void target_post__init(struct target_post *post);
void target_post__done(struct target_post *post);
/*
 * Waits until the change is made. An error of live_targets__add(), -ETIMEDOUT if nobody comes, or
 * -ESRCH after target_post__close().
 */
int target_post__change(void *post, bool add, const char *whom, struct err *err);
/* For the thread that records: makes the change that waits, if one does. */
void target_post__serve(struct target_post *post, struct live_targets *t);
/* From now on there is nothing to change. */
void target_post__close(struct target_post *post);

#endif
