/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/cond.h"

#define HOUR_NS (3600 * NSEC_PER_SEC)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static bool done;

static void *change(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	done = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* An hour of CLOCK_MONOTONIC from now is long ago for CLOCK_REALTIME. */
static void test_cond_wait_until__is_of_the_monotonic_clock(void **state)
{
	pthread_t thread;

	(void)state;
	cond_init(&changed);
	pthread_mutex_lock(&lock);
	assert_false(cond_wait_until(&changed, &lock, clock_mono_ns()));
	assert_int_equal(pthread_create(&thread, NULL, change, NULL), 0);
	while (!done)
		assert_true(cond_wait_until(&changed, &lock, clock_mono_ns() + HOUR_NS));
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	pthread_cond_destroy(&changed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cond_wait_until__is_of_the_monotonic_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
