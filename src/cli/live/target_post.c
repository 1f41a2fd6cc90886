/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live/target_post.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/cond.h"

#define WAIT_NS (10 * NSEC_PER_SEC)

void target_post__init(struct target_post *post)
{
	memset(post, 0, sizeof(*post));
	pthread_mutex_init(&post->lock, NULL);
	cond_init(&post->changed);
}

void target_post__done(struct target_post *post)
{
	pthread_cond_destroy(&post->changed);
	pthread_mutex_destroy(&post->lock);
}

static bool is_free(const struct target_post *post)
{
	return post->state == POST_EMPTY;
}

static bool is_over(const struct target_post *post)
{
	return post->state == POST_DONE;
}

/* Under the lock. False: the time is over, or it is closed. */
static bool await(struct target_post *post, bool (*is)(const struct target_post *), u64 until_ns)
{
	bool in_time = true;

	while (!is(post) && !post->closed && in_time)
		in_time = cond_wait_until(&post->changed, &post->lock, until_ns);
	return is(post);
}

static int no_answer(const struct target_post *post, struct err *err)
{
	if (post->closed)
		return err__set(err, -ESRCH, "the recording is over");
	return err__set(err, -ETIMEDOUT, "the recording is busy; try again");
}

int target_post__change(void *arg, bool add, const char *whom, struct err *err)
{
	struct target_post *post = arg;
	u64 until_ns = clock_mono_ns() + WAIT_NS;
	int r = 0;

	pthread_mutex_lock(&post->lock);
	if (!await(post, is_free, until_ns)) {
		r = no_answer(post, err);
		pthread_mutex_unlock(&post->lock);
		return r;
	}
	post->state = POST_WAITS;
	post->add = add;
	post->whom = whom;
	if (post->wake_fd)
		(void)eventfd_write(post->wake_fd, 1);
	if (!await(post, is_over, until_ns)) {
		r = no_answer(post, err);
	} else if (post->err.code) {
		r = post->err.code;
		if (err)
			*err = post->err;
	}
	post->state = POST_EMPTY;
	pthread_cond_broadcast(&post->changed);
	pthread_mutex_unlock(&post->lock);
	return r;
}

void target_post__serve(struct target_post *post, struct live_targets *t)
{
	struct err err = { 0 };

	pthread_mutex_lock(&post->lock);
	if (post->state == POST_WAITS) {
		if (post->add)
			live_targets__add(t, post->whom, &err);
		else
			live_targets__remove(t, post->whom, &err);
		post->err = err;
		post->state = POST_DONE;
		pthread_cond_broadcast(&post->changed);
	}
	pthread_mutex_unlock(&post->lock);
}

void target_post__close(struct target_post *post)
{
	pthread_mutex_lock(&post->lock);
	post->closed = true;
	pthread_cond_broadcast(&post->changed);
	pthread_mutex_unlock(&post->lock);
}
