/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/name/waker_label.h"
#include "lib/lit.h"

static void test_waker_label__names_threads_and_interrupts(void **state)
{
	static const struct {
		const char *waker, *label, *comm;
	} cases[] = {
		{ "7/4133 worker end=running", "worker-4133", "worker" },
		{ "9/9 kworker/0:1 end=unrecorded flags=kthread", "kworker", "kworker/0:1" },
		{ "9/9 ksoftirqd/3 end=unrecorded flags=kthread", "ksoftirqd", "ksoftirqd/3" },
		{ "7/9 iou-wrk-7 end=unrecorded", "iou-wrk", "iou-wrk-7" },
		{ "9/9 jbd2/sda1-8 end=unrecorded flags=kthread", "jbd2/sda1-8", "jbd2/sda1-8" },
		{ "7/9 kworkers end=running", "kworkers-9", "kworkers" },
		{ "hardirq\n k hrtimer_interrupt\n k __hrtimer_run_queues\n k hrtimer_wakeup",
		  "[timer interrupt]", NULL },
		{ "softirq\n k run_timer_softirq\n k call_timer_fn\n k process_timeout",
		  "[timer interrupt]", NULL },
		/* the packet that a timer sent to this host woke */
		{ "softirq\n k run_timer_softirq\n k net_rx_action\n k sock_def_readable",
		  "[net-rx interrupt]", NULL },
		{ "hardirq\n k virtblk_done\n k blk_mq_end_request\n k wake_up",
		  "[block interrupt]", NULL },
		{ "softirq\n k rcu_core", "[softirq]", NULL },
		{ "hardirq", "[interrupt]", NULL },
		{ "nmi\n k blk_done", "[nmi]", NULL },
		{ "other", "[waker unknown]", NULL },
	};
	char text[512], buf[WAKER_LABEL_SZ];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		const char *comm = cases[i].comm ? cases[i].comm : cases[i].label;
		struct profile *p;

		snprintf(text, sizeof(text), "task 7/4133 worker\nwaker W %s\n", cases[i].waker);
		p = lit(text);
		assert_string_equal(waker_label(p, 1, buf, sizeof(buf)), cases[i].label);
		assert_string_equal(waker_label_comm(p, 1, buf, sizeof(buf)), comm);
		profile__free(p);
	}
}

static void test_waker_label__of_threads_with_one_name_is_shared(void **state)
{
	struct profile *p = lit("task 7/4133 worker\n"
				"waker W 7/4133 worker\n"
				"waker V 7/8 worker\n"
				"waker K 9/9 kworker/0:1 end=unrecorded flags=kthread\n"
				"waker D hardirq\nk hrtimer_wakeup\n");
	char buf[WAKER_LABEL_SZ];

	(void)state;
	assert_string_equal(waker_label_shared(p, 0, buf, sizeof(buf)), "");
	assert_string_equal(waker_label_shared(p, 1, buf, sizeof(buf)), "worker");
	assert_string_equal(waker_label_shared(p, 2, buf, sizeof(buf)), "worker");
	assert_string_equal(waker_label_shared(p, 3, buf, sizeof(buf)), "kworker");
	assert_string_equal(waker_label_shared(p, 4, buf, sizeof(buf)), "[timer interrupt]");
	profile__free(p);
}

static void assert_no_waker(const char *wait, const char *expected)
{
	char text[128];
	struct profile *p;

	snprintf(text, sizeof(text), "task 1/10 a\n  wait %s\n", wait);
	p = lit(text);
	assert_string_equal(no_waker_label(&p->waits[1]), expected);
	profile__free(p);
}

static void test_label__without_a_waker_says_why(void **state)
{
	(void)state;
	assert_no_waker("R runq=1s flags=preempted", "[preempted]");
	assert_no_waker("R runq=1s flags=new", "[new thread]");
	assert_no_waker("R runq=1s", "[preempted]");
	assert_no_waker("S blocked=1s flags=open", "[open at the end]");
	assert_no_waker("S blocked=1s", "[unknown]");
	assert_no_waker("S blocked=1s count=0 flags=lost", "[unknown]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waker_label__names_threads_and_interrupts),
		cmocka_unit_test(test_waker_label__of_threads_with_one_name_is_shared),
		cmocka_unit_test(test_label__without_a_waker_says_why),
	};

	return cmocka_run_group_tests_name("waker_label", tests, NULL, NULL);
}
