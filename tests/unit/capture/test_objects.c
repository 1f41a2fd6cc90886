/* SPDX-License-Identifier: Apache-2.0 */
/* Threads by the numbers that they have for themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/object/objects.h"
#include "capture/program/constants.h"

#define NS_A 4026532001U
#define NS_B 4026532002U

struct world {
	struct builder *b;
	struct peers peers;
	struct objects o;
};

static void begin(struct world *w)
{
	w->b = builder__new();
	assert_int_equal(peers__init(&w->peers), 0);
	objects__init(&w->o, w->b, &w->peers);
}

static void end(struct world *w)
{
	objects__done(&w->o);
	peers__done(&w->peers);
	builder__free(w->b);
}

static void add(struct objects *o, u32 task, u32 tid, u32 own_tid, u32 pidns)
{
	const struct cs_task_record rec = {
		.tid = tid, .tgid = tid, .own_tid = own_tid, .own_pidns = pidns
	};

	assert_int_equal(objects__add_thread(o, &rec, task), 0);
}

static void assert_owner(const struct objects *o, u32 owner, u32 waiter, u32 task, u32 tid)
{
	u32 got_task = 77, got_tid = 77;

	objects__owner(o, owner, waiter, &got_task, &got_tid);
	assert_int_equal(got_task, task);
	assert_int_equal(got_tid, tid);
}

/* Two containers with a process 5 and a process 6 each. */
static void test_objects__owner_is_of_the_waiters_namespace(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add(&w.o, 1, 1005, 5, NS_A);
	add(&w.o, 2, 1006, 6, NS_A);
	add(&w.o, 3, 2005, 5, NS_B);
	add(&w.o, 4, 2006, 6, NS_B);
	assert_owner(&w.o, 5 | CS_OWNER_SHARED, 2, 1, 1005);
	assert_owner(&w.o, 5 | CS_OWNER_SHARED, 4, 3, 2005);
	assert_owner(&w.o, 5, 4, 0, 0); /* not shared: a thread of the process */
	assert_owner(&w.o, 6, 4, 4, 2006);
	assert_owner(&w.o, 0, 4, 0, 0);
	end(&w);
}

/* Of who is not recorded the number is known only where it is ours. */
static void test_objects__owner_out_of_the_recording(void **state)
{
	struct world w;
	struct stat st;

	(void)state;
	assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
	begin(&w);
	add(&w.o, 1, 1005, 5, NS_A);
	add(&w.o, 2, 1, 1, (u32)st.st_ino);
	assert_owner(&w.o, (u32)getpid() | CS_OWNER_SHARED, 2, 0, (u32)getpid());
	assert_owner(&w.o, (u32)getpid() | CS_OWNER_SHARED, 1, 0, 0);
	end(&w);
}

/* The number is ours, whoever waits; and what the kernel says is not doubted. */
static void test_objects__owner_of_a_kernel_lock_is_any_thread_by_our_number(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add(&w.o, 1, 1005, 5, NS_A);
	add(&w.o, 2, 2005, 5, NS_B);
	assert_owner(&w.o, 2005 | CS_OWNER_SURE, 1, 2, 2005);
	assert_owner(&w.o, 1005 | CS_OWNER_SURE, 1, 1, 1005);
	assert_owner(&w.o, 3999999 | CS_OWNER_SURE, 1, 0, 3999999);
	assert_owner(&w.o, 5 | CS_OWNER_SURE, 1, 0, 5);
	end(&w);
}

/* The number is the kernel's; others than those in the recording have one only where it is ours. */
static void test_objects__owner_of_a_file_lock_is_a_process_by_the_kernels_number(void **state)
{
	const struct cs_task_record main_thread = { .tid = 12, .tgid = 12, .host_tgid = 5012 };
	const struct cs_task_record other = { .tid = 13, .tgid = 12, .host_tgid = 5012 };
	struct world w;

	(void)state;
	begin(&w);
	assert_int_equal(objects__add_thread(&w.o, &main_thread, 1), 0);
	assert_int_equal(objects__add_thread(&w.o, &other, 2), 0);
	assert_owner(&w.o, 5012 | CS_OWNER_FILE_LOCK, 2, 1, 12);
	assert_owner(&w.o, 5012 | CS_OWNER_FILE_LOCK | CS_OWNER_SEVERAL, 2, 1, 12);
	assert_owner(&w.o, CS_OWNER_FILE_LOCK, 2, 0, 0);
	w.o.own_pidns = INITIAL_PIDNS_INUM;
	assert_owner(&w.o, 4711 | CS_OWNER_FILE_LOCK, 2, 0, 4711);
	w.o.own_pidns = NS_A;
	assert_owner(&w.o, 4711 | CS_OWNER_FILE_LOCK, 2, 0, 0);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects__owner_is_of_the_waiters_namespace),
		cmocka_unit_test(test_objects__owner_out_of_the_recording),
		cmocka_unit_test(test_objects__owner_of_a_kernel_lock_is_any_thread_by_our_number),
		cmocka_unit_test(
			test_objects__owner_of_a_file_lock_is_a_process_by_the_kernels_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
