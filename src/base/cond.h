/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_COND_H
#define BASE_COND_H

#include <pthread.h>

#include "base/types.h"

/* Condition variables whose timeouts are instants of CLOCK_MONOTONIC, as clock_mono_ns() reads. */

/* End it with pthread_cond_destroy(). */
void cond_init(pthread_cond_t *cond);

/*
 * Waits for a signal, with `lock` held by the caller. False: the time is over. Wakeups without a
 * reason happen, so call it in a loop that looks at what is waited for.
 */
bool cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, u64 until_mono_ns);

#endif
