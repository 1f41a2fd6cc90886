/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Signals are for the thread that records, except the two of terminals: ncurses handles them where
 * they arrive, which must be the thread that paints.
 */
#include "cli/live/top_screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* How often another size of the terminal is looked for. */
#define TURN_MS 100
#define OUTPUT_CHUNK 65536
#define OUTPUT_CHUNKS 16

static void put_terminal_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTSTP);
	sigaddset(set, SIGWINCH);
}

int top_screen__open(struct top_screen *ts, const struct viewer_options *view,
		     const struct terminal_options *terminal, struct child *child, struct err *err)
{
	memset(ts, 0, sizeof(*ts));
	ts->opened = true;
	pthread_mutex_init(&ts->lock, NULL);
	vec__init(&ts->arrived, sizeof(struct profile *));
	ts->child = child;
	ts->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ts->left_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (ts->wake_fd < 0 || ts->left_fd < 0)
		return err__set(err, -EMFILE, "no descriptors left: raise the limit (ulimit -n)");
	return tui__init(&ts->tui, view, terminal, err);
}

static void drop_arrived(struct top_screen *ts)
{
	for (size_t i = 0; i < ts->arrived.len; i++)
		profile__free(*(struct profile **)vec__at(&ts->arrived, i));
	vec__reset(&ts->arrived);
}

void top_screen__done(struct top_screen *ts)
{
	if (!ts->opened)
		return;
	tui__done(&ts->tui);
	drop_arrived(ts);
	vec__done(&ts->arrived);
	pthread_mutex_destroy(&ts->lock);
	if (ts->wake_fd > 0)
		close(ts->wake_fd);
	if (ts->left_fd > 0)
		close(ts->left_fd);
}

/* The oldest that waits; NULL: none does. *ret_skipped: some before it were freed. */
static struct profile *take_window(struct top_screen *ts, bool *ret_skipped)
{
	struct profile *p = NULL, **first;

	pthread_mutex_lock(&ts->lock);
	if (ts->arrived.len) {
		first = ts->arrived.data;
		p = *first;
		memmove(first, first + 1, (ts->arrived.len - 1) * sizeof(*first));
		ts->arrived.len--;
		*ret_skipped = ts->skipped;
		ts->skipped = false;
	}
	pthread_mutex_unlock(&ts->lock);
	return p;
}

/* One, so that keys come between them. */
static int show_window(struct top_screen *ts, struct err *err)
{
	bool skipped = false;
	struct profile *p = take_window(ts, &skipped);

	if (!p)
		return 0;
	if (skipped)
		tui__skip(&ts->tui);
	return tui__add(&ts->tui, p, err);
}

/* At most so much at a time, because keys wait meanwhile. */
static int take_output(struct top_screen *ts, struct err *err)
{
	char buf[OUTPUT_CHUNK];
	size_t n, i;
	int r = 0;

	for (i = 0; i < OUTPUT_CHUNKS && !r; i++) {
		n = child__read(ts->child, buf, sizeof(buf));
		if (!n)
			break;
		r = tui__output(&ts->tui, buf, n, err);
	}
	return r;
}

/* When all windows are shown. */
static int show_end(struct top_screen *ts, struct err *err)
{
	bool over;

	if (ts->why[0])
		return 0;
	pthread_mutex_lock(&ts->lock);
	over = ts->over && !ts->arrived.len;
	if (over)
		snprintf(ts->why, sizeof(ts->why), "Over: %s.", ts->fate);
	pthread_mutex_unlock(&ts->lock);
	return over ? tui__end(&ts->tui, ts->why, err) : 0;
}

static bool has_news(struct top_screen *ts)
{
	bool has;

	pthread_mutex_lock(&ts->lock);
	has = ts->arrived.len || ts->stop;
	pthread_mutex_unlock(&ts->lock);
	return has;
}

static bool has_to_stop(struct top_screen *ts)
{
	bool stop;

	pthread_mutex_lock(&ts->lock);
	stop = ts->stop;
	pthread_mutex_unlock(&ts->lock);
	return stop;
}

static void await_news(struct top_screen *ts)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = ts->wake_fd, .events = POLLIN },
	};
	eventfd_t n;

	if (has_news(ts))
		return;
	poll(fds, ARRAY_LEN(fds), TURN_MS);
	(void)eventfd_read(ts->wake_fd, &n);
}

static void leave(struct top_screen *ts)
{
	pthread_mutex_lock(&ts->lock);
	ts->left = true;
	pthread_mutex_unlock(&ts->lock);
	(void)eventfd_write(ts->left_fd, 1);
}

static void run(void *arg)
{
	struct top_screen *ts = arg;
	sigset_t ours;
	int r = 0;

	put_terminal_signals(&ours);
	pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
	while (!r && !has_to_stop(ts) && !tui__is_over(&ts->tui)) {
		await_news(ts);
		r = take_output(ts, &ts->failed);
		if (!r)
			r = tui__turn(&ts->tui, &ts->failed);
		if (!r)
			r = show_window(ts, &ts->failed);
		if (!r)
			r = show_end(ts, &ts->failed);
	}
	leave(ts);
}

int top_screen__start(struct top_screen *ts, struct err *err)
{
	sigset_t theirs;

	put_terminal_signals(&theirs);
	pthread_sigmask(SIG_BLOCK, &theirs, NULL);
	if (errand__start(&ts->thread, run, ts))
		return err__set(err, -EAGAIN, "cannot start a thread");
	ts->started = true;
	return 0;
}

static void wake(struct top_screen *ts)
{
	(void)eventfd_write(ts->wake_fd, 1);
}

int top_screen__add(struct top_screen *ts, struct profile *p, struct err *err)
{
	struct profile **slot;

	pthread_mutex_lock(&ts->lock);
	if (ts->arrived.len == TOP_SCREEN_WINDOWS) {
		drop_arrived(ts);
		ts->skipped = true;
	}
	slot = vec__push(&ts->arrived);
	if (slot)
		*slot = p;
	pthread_mutex_unlock(&ts->lock);
	if (!slot) {
		profile__free(p);
		return err__nomem(err);
	}
	wake(ts);
	return 0;
}

void top_screen__say_over(struct top_screen *ts, const char *fate)
{
	pthread_mutex_lock(&ts->lock);
	ts->over = true;
	snprintf(ts->fate, sizeof(ts->fate), "%s", fate);
	pthread_mutex_unlock(&ts->lock);
	wake(ts);
}

bool top_screen__has_left(struct top_screen *ts)
{
	bool left;

	pthread_mutex_lock(&ts->lock);
	left = ts->left;
	pthread_mutex_unlock(&ts->lock);
	return left;
}

int top_screen__stop(struct top_screen *ts, struct err *err)
{
	if (!ts->started)
		return 0;
	pthread_mutex_lock(&ts->lock);
	ts->stop = true;
	pthread_mutex_unlock(&ts->lock);
	wake(ts);
	errand__finish(&ts->thread);
	ts->started = false;
	if (ts->failed.code && err)
		*err = ts->failed;
	return ts->failed.code;
}
