/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A thread starts with the signal mask of its creator. Blocking signals only in the new thread
 * would leave a moment in which it can get one.
 */
#include "capture/mapping/quiet_thread.h"

#include <signal.h>

int quiet_thread_start(pthread_t *ret_thread, const pthread_attr_t *attr, quiet_thread_fn *body,
		       void *arg)
{
	sigset_t all, old;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(ret_thread, attr, body, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -r;
}
