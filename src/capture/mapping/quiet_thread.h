/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_QUIET_THREAD_H
#define CAPTURE_MAPPING_QUIET_THREAD_H

#include <pthread.h>

typedef void *quiet_thread_fn(void *arg);

/*
 * Starts a thread with all signals blocked: they are for the one that polls. `attr` may be NULL.
 * The caller joins the thread. Negative errno or 0. Thread-safe.
 */
int quiet_thread_start(pthread_t *ret_thread, const pthread_attr_t *attr, quiet_thread_fn *body,
		       void *arg);

#endif
