/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles without their threads: the sums stay, and windows of them add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/lit.h"
#include "profile/windows/fold.h"
#include "profile/windows/merge.h"

/* Names of system calls belong to a layer that profiles do not know: here they are numbers. */
s32 syscall_number(const char *name);
s32 syscall_number(const char *name)
{
	(void)name;
	return -1;
}

static const char text[] =
	"host db1\nkernel 6.18.44\narch x86_64\nncpu 8\nwindow 10s\nboot 5f1c\n"
	"begin_wall 1790000000000000000\nbegin_mono 123456789\nintervals 4 2s\n"
	"loss stack_cut 3 20ms\nmodule libc elf /usr/lib/libc.so.6 build=ab12cd\n"
	"task 4/4 main group=java on=1s start=7 switches=9 cgroup=77 cgroup_path=/db.slice/main\n"
	"wait S sys=202 blocked=8s runq=1ms count=3 max=5s each=2s*3,1s as=lock\n"
	" u main\n u @libc 0xcf545 +0x65 pthread_cond_wait\n k futex_do_wait\n"
	"task 4/5 pool-1-thread-3 group=java on=2s start=8 cgroup=77 cgroup_path=/db.slice/main\n"
	"wait S sys=202 blocked=5s runq=2ms count=2 max=4s owner=4\n"
	" u main\n u @libc 0xcf545 +0x65 pthread_cond_wait\n k futex_do_wait\n"
	"task 4/6 pool-1-thread-14 group=java on=3s start=9 cgroup=77 cgroup_path=/db.slice/main\n"
	"wait S sys=202 blocked=3s runq=3ms count=1 max=3s owner=5\n"
	" u main\n u @libc 0xcf545 +0x65 pthread_cond_wait\n k futex_do_wait\n"
	"wait S sys=0 blocked=1s count=7\n"
	" object socket role=client family=2 type=1 protocol=6 port=5432 name=10.0.0.5 peer=db-7\n"
	" u main\n u @libc 0x100 read\n"
	"task 9/9 kworker/0:1 on=1ms start=1 flags=kthread\nwait I blocked=2s count=1\n k worker\n"
	"task 10/10 kworker/3:2H on=1ms start=1 flags=kthread\n"
	"wait I blocked=2s count=1\n k worker\n";

static struct profile *fold(const struct profile *p)
{
	struct profile *folded = NULL;
	struct err err = { 0 };

	if (profile_fold(p, &folded, &err) || profile__check(folded, &err))
		fail_msg("%s", err.msg);
	return folded;
}

/* Everything except how many threads there were. */
static void assert_same_sums(const struct profile *a, const struct profile *b)
{
	struct profile_budget x, y;

	assert_int_equal(profile__budget(a, &x), 0);
	assert_int_equal(profile__budget(b, &y), 0);
	x.threads = y.threads = x.processes = y.processes = 0;
	assert_memory_equal(&x, &y, sizeof(x));
	assert_memory_equal(a->losses, b->losses, sizeof(a->losses));
}

static const struct profile_task *find(const struct profile *p, const char *comm)
{
	for (u32 i = 1; i < p->tasks_len; i++) {
		if (!strcmp(profile__str(p, p->tasks[i].comm), comm))
			return &p->tasks[i];
	}
	fail_msg("there is no thread '%s'", comm);
	return NULL;
}

static void test_profile_fold_joins_threads_by_name(void **state)
{
	struct profile *p = lit(text), *f = fold(p);
	const struct profile_task *pool = find(f, "pool-1-thread-*");

	(void)state;
	assert_same_sums(p, f);
	assert_int_equal(f->tasks_len, 4);
	assert_int_equal(pool->on_ns, 5000000000);
	assert_int_equal(pool->tid, 0);
	assert_string_equal(profile__str(f, pool->group_comm), "java");
	assert_string_equal(profile__str(f, pool->cgroup), "/db.slice/main");
	assert_int_equal(find(f, "kworker/*")->blocked_ns[8], 4000000000);
	/* the waits of the pool in one place are one */
	assert_int_equal(f->waits_len, 5);
	assert_int_equal(f->hdr.unknown, UNKNOWN_FOLDED);
	assert_int_equal(f->intervals_len, 0);
	profile__free(p);
	profile__free(f);
}

static void test_profile_fold_keeps_of_objects_what_causes_need(void **state)
{
	struct profile *p = lit(text), *f = fold(p);
	const struct profile_object *o = &f->objects[1];

	(void)state;
	assert_int_equal(f->objects_len, 2);
	assert_int_equal(o->port, 5432);
	assert_int_equal(o->role, SOCKET_CLIENT);
	assert_int_equal(o->name, 0);
	assert_int_equal(o->peer, 0);
	profile__free(p);
	profile__free(f);
}

static void test_profile_fold_merges_like_threads(void **state)
{
	static const char again[] =
		"host db1\nkernel 6.18.44\narch x86_64\nncpu 8\nwindow 10s\nboot 5f1c\n"
		"begin_wall 1790000010000000000\nbegin_mono 10123456789\n"
		"module libc elf /usr/lib/libc.so.6 build=ab12cd\n"
		"task 7/8 pool-1-thread-99 group=java on=4s start=90 cgroup=77"
		" cgroup_path=/db.slice/main\n"
		"wait S sys=202 blocked=6s count=1 max=6s\n"
		" u main\n u @libc 0xcf545 +0x65 pthread_cond_wait\n k futex_do_wait\n";
	struct profile *p[2] = { lit(text), lit(again) }, *f[2] = { fold(p[0]), fold(p[1]) };
	struct profile *whole = NULL, *sum = NULL;
	struct err err = { 0 };

	(void)state;
	if (profile_merge((const struct profile *const *)p, 2, &whole, &err) ||
	    profile_merge((const struct profile *const *)f, 2, &sum, &err) ||
	    profile__check(sum, &err))
		fail_msg("%s", err.msg);
	assert_same_sums(whole, sum);
	assert_int_equal(sum->tasks_len, 4);
	assert_int_equal(sum->waits_len, 5);
	assert_int_equal(find(sum, "pool-1-thread-*")->on_ns, 9000000000);
	assert_int_equal(sum->hdr.windows, 2);
	for (u32 i = 0; i < 2; i++) {
		profile__free(p[i]);
		profile__free(f[i]);
	}
	profile__free(whole);
	profile__free(sum);
}

static const char short_text[] =
	"host db1\nkernel 6.18.44\narch x86_64\nncpu 8\nwindow 10s\nboot 5f1c\n"
	"begin_wall 1790000000000000000\nbegin_mono 123456789\nintervals 4 2s\n"
	"module libc elf /usr/lib/libc.so.6 build=ab12cd\n"
	"task 4/4 make on=1s start=7 switches=9\n"
	"wait S sys=61 blocked=8s count=3 max=5s each=2s*3,1s\n u main\n"
	/* born here, and there still */
	"task 5/5 ld on=1s start=8 switches=1 flags=born\n"
	/* there before */
	"task 6/6 cc1 on=1s start=9 switches=1 flags=exited\n"
	/* an exec inside */
	"task 7/7 sh on=10ms start=10 switches=1 flags=born,execed\n"
	"task 7/7 cc1 on=1s start=10 switches=2 flags=born,exited\n"
	"wait D sys=0 blocked=1s count=2 max=700ms each=1s\n u main\n u @libc 0x100 read\n"
	"task 8/8 cc1 on=2s start=11 switches=3 flags=born,exited\n"
	"wait D sys=0 blocked=2s count=5 max=900ms each=1s,1s\n u main\n u @libc 0x100 read\n"
	"task 8/9 cc1-7 group=cc1 on=1ms start=12 switches=1 flags=born,exited\n";

static struct profile *fold_ended(const struct profile *p)
{
	struct profile *folded = NULL;
	struct err err = { 0 };

	if (profile_fold_ended(p, &folded, &err) || profile__check(folded, &err))
		fail_msg("%s", err.msg);
	return folded;
}

static const struct profile_task *find_sum(const struct profile *p, const char *comm)
{
	for (u32 i = 1; i < p->tasks_len; i++) {
		if (p->tasks[i].parts && !strcmp(profile__str(p, p->tasks[i].comm), comm))
			return &p->tasks[i];
	}
	fail_msg("there is no sum of '%s'", comm);
	return NULL;
}

static void test_profile_fold_ended_joins_threads_that_lived_inside(void **state)
{
	struct profile *p = lit(short_text), *f = fold_ended(p);
	const struct profile_task *cc1 = find_sum(f, "cc1");
	struct profile_budget before, after;

	(void)state;
	assert_same_sums(p, f);
	/* make, ld and the cc1 that was there; sums of cc1, its threads, and sh */
	assert_int_equal(f->tasks_len - 1, 6);
	assert_int_equal(find(f, "make")->tid, 4);
	assert_int_equal(find(f, "ld")->tid, 5);
	assert_int_equal(find(f, "cc1")->tid, 6);
	assert_int_equal(cc1->on_ns, 3000000000);
	assert_int_equal(cc1->parts, 2);
	assert_int_equal(cc1->threads, 2);
	assert_int_equal(cc1->processes, 2);
	assert_int_equal(find_sum(f, "sh")->parts, 1);
	assert_int_equal(find_sum(f, "sh")->threads, 0);
	assert_int_equal(find_sum(f, "cc1-*")->threads, 1);
	assert_int_equal(find_sum(f, "cc1-*")->processes, 0);
	/* it says how many there were */
	assert_int_equal(profile__budget(p, &before), 0);
	assert_int_equal(profile__budget(f, &after), 0);
	assert_int_equal(after.threads, before.threads);
	assert_int_equal(after.processes, before.processes);
	profile__free(p);
	profile__free(f);
}

static void test_profile_fold_ended_keeps_owners(void **state)
{
	struct profile *p = lit("host db1\nkernel 6.18.44\narch x86_64\nncpu 8\nwindow 10s\n"
				"begin_mono 123456789\n"
				"task 5/5 cc1 on=1s start=8 flags=born,exited\n"
				"task 4/4 make on=1s start=7\n"
				"wait S sys=202 blocked=8s count=3 max=5s owner=5\n u main\n"
				"task 6/6 cc1 on=1s start=9 flags=born,exited\n");
	struct profile *f = fold_ended(p);

	(void)state;
	assert_same_sums(p, f);
	assert_int_equal(find(f, "cc1")->tid, 5);
	assert_int_equal(find_sum(f, "cc1")->parts, 1);
	assert_int_equal(f->waits[1].owner, 1);
	profile__free(p);
	profile__free(f);
}

static void test_profile_fold_ended_keeps_intervals(void **state)
{
	struct profile *p = lit(short_text), *f = fold_ended(p);
	const struct profile_wait *w = &f->waits[2];

	(void)state;
	assert_int_equal(f->waits_len - 1, 2);
	assert_int_equal(w->count, 7);
	assert_int_equal(w->max_ns, 900000000);
	assert_int_equal(f->intervals_len, p->intervals_len);
	assert_int_equal(f->replicates_len, p->replicates_len - 1); /* two of one wait */
	assert_int_equal(f->hdr.unknown, 0);
	profile__free(p);
	profile__free(f);
}

/* Threads of two windows are other threads, though their sums have one name. */
static void test_profile_fold_ended_counts_threads_of_all_windows(void **state)
{
	static const char again[] =
		"host db1\nkernel 6.18.44\narch x86_64\nncpu 8\nwindow 10s\nboot 5f1c\n"
		"begin_wall 1790000010000000000\nbegin_mono 10123456789\n"
		"task 20/20 cc1 on=4s start=90 flags=born,exited\n";
	struct profile *p[2] = { lit(short_text), lit(again) };
	struct profile *f[2] = { fold_ended(p[0]), fold_ended(p[1]) }, *sum = NULL, *all;
	struct profile_budget budget;
	struct err err = { 0 };

	(void)state;
	if (profile_merge((const struct profile *const *)f, 2, &sum, &err) ||
	    profile__check(sum, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(find_sum(sum, "cc1")->on_ns, 7000000000);
	assert_int_equal(find_sum(sum, "cc1")->threads, 3);
	assert_int_equal(profile__budget(sum, &budget), 0);
	assert_int_equal(budget.threads, 7);
	assert_int_equal(budget.processes, 6);
	/* and hours are made of such windows */
	all = fold(sum);
	assert_int_equal(find(all, "cc1")->on_ns, 8000000000);
	profile__free(all);
	for (u32 i = 0; i < 2; i++) {
		profile__free(p[i]);
		profile__free(f[i]);
	}
	profile__free(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile_fold_joins_threads_by_name),
		cmocka_unit_test(test_profile_fold_keeps_of_objects_what_causes_need),
		cmocka_unit_test(test_profile_fold_merges_like_threads),
		cmocka_unit_test(test_profile_fold_ended_joins_threads_that_lived_inside),
		cmocka_unit_test(test_profile_fold_ended_keeps_owners),
		cmocka_unit_test(test_profile_fold_ended_keeps_intervals),
		cmocka_unit_test(test_profile_fold_ended_counts_threads_of_all_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
