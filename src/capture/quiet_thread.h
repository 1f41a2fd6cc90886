/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_QUIET_THREAD_H
#define CAPTURE_QUIET_THREAD_H

#include <pthread.h>

typedef void *quiet_thread_fn(void *arg);

/*
 * A thread in which all signals are blocked: they are for the one that polls. `attr` may be NULL.
 * Who starts it joins it. A negative errno or 0. For any thread.
 */
int quiet_thread_start(pthread_t *ret_thread, const pthread_attr_t *attr, quiet_thread_fn *body,
		       void *arg);

#endif
