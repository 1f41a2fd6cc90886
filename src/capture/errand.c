/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/errand.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"

static void *run(void *arg)
{
	struct errand *e = arg;

	e->work(e->arg);
	if (eventfd_write(e->done_fd, 1))
		log_debug("cannot tell that an errand is done: %s", err_str(errno));
	return NULL;
}

int errand__start(struct errand *e, void (*work)(void *arg), void *arg)
{
	sigset_t all, before;
	int r;

	e->work = work;
	e->arg = arg;
	e->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (e->done_fd < 0)
		return -errno;
	/* Signals are for the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&e->thread, NULL, run, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r)
		close(e->done_fd);
	return r;
}

bool errand__is_done(const struct errand *e)
{
	struct pollfd fd = { .fd = e->done_fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

void errand__finish(struct errand *e)
{
	pthread_join(e->thread, NULL);
	close(e->done_fd);
}
