/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cond.h"

#include <time.h>

#include "base/clock.h"

void cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

bool cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, u64 until_mono_ns)
{
	const struct timespec until = { (time_t)(until_mono_ns / NSEC_PER_SEC),
					(long)(until_mono_ns % NSEC_PER_SEC) };

	return !pthread_cond_timedwait(cond, lock, &until);
}
