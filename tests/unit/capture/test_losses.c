/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/losses.h"
#include "capture/runtime/cpython.h"
#include "capture/runtime/jvms.h"
#include "capture/runtime/openjdk.h"
#include "capture/runtime/python_codes.h"

static const struct {
	const char *name;
	size_t off;
} counters[] = {
#define X(name, sentence) { #name, offsetof(struct cs_stats, name) },
	CS_STATS(X)
#undef X
};

/* What is counted and nothing went wrong, or is counted by the rows it made: row_losses.h. */
static bool is_no_loss(const char *name)
{
	static const char *const good[] = {
		"switches",	 "waits",	 "chosen",	   "self_runs",
		"self_ns",	 "kstack_known", "ustack_known",   "map_walks",
		"tasks_marked",	 "forks",	 "execs",	   "exits",
		"unreported",	 "samples",	 "lock_stale",	   "task_record_outside",
		"resume_missed", "visits",	 "visits_changed", "visit_unread",
		"visit_clash",
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		if (!strcmp(name, good[i]))
			return true;
	return false;
}

/* Everything in the losses of a profile, with 1 in the counter at `off`. */
static u64 losses_of(size_t off)
{
	struct builder *b = builder__new();
	struct cs_stats stats = { 0 };
	struct profile *p = NULL;
	u64 sum = 0;

	assert_non_null(b);
	*(u64 *)((char *)&stats + off) = 1;
	losses_add(b, &stats, 0);
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	for (u32 i = 0; i < LOSS_CNT; i++)
		sum += p->losses[i].events + p->losses[i].ns;
	profile__free(p);
	builder__free(b);
	return sum;
}

static void test_losses_add_knows_every_counter(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(counters); i++) {
		u64 expected = !is_no_loss(counters[i].name);

		if (losses_of(counters[i].off) != expected)
			fail_msg("%s is %s loss", counters[i].name, expected ? "no" : "a");
	}
}

static int no_map(const void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return 0;
}

/* The same threads are not counted twice. */
static void test_losses_add_unmarked_threads_without_those_left_out(void **state)
{
	struct builder *b = builder__new();
	struct cs_stats stats = { .task_storage_failed = 3, .unmarked = 5 };
	struct profile *p = NULL;

	(void)state;
	assert_non_null(b);
	losses_add(b, &stats, 0);
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	assert_int_equal(p->losses[LOSS_TASK_STORAGE].events, 3);
	assert_int_equal(p->losses[LOSS_UNMARKED].events, 2);
	profile__free(p);
	builder__free(b);
}

/* Each function is missed under the name of its language, once. */
static void test_losses_of_java_and_python_are_kept_apart(void **state)
{
	struct builder *b = builder__new();
	struct cs_stats stats = { .code_lost = 10, .method_lost = 20 };
	struct readers_lost lost;
	struct profile *p = NULL;
	struct readers readers;
	u32 tables_gen = 0;

	(void)state;
	assert_non_null(b);
	assert_int_equal(readers__init(&readers, no_map, NULL, &tables_gen), 0);
	for (size_t i = 0; i < RUNTIMES_CNT; i++) {
		if (runtimes[i] == &runtime_cpython)
			((struct python_codes *)readers.at[i].state)->full = 3;
		if (runtimes[i] == &runtime_openjdk)
			((struct jvms *)readers.at[i].state)->full = 4;
	}
	losses_add(b, &stats, 0);
	for (u32 times = 0; times < 2; times++) {
		readers__count_lost(&readers, &lost);
		losses_add_functions(b, &lost);
	}
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	assert_int_equal(p->losses[LOSS_CODE_LOST].events, 13);
	assert_int_equal(p->losses[LOSS_JAVA_LOST].events, 24);
	readers__done(&readers);
	profile__free(p);
	builder__free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_losses_add_knows_every_counter),
		cmocka_unit_test(test_losses_add_unmarked_threads_without_those_left_out),
		cmocka_unit_test(test_losses_of_java_and_python_are_kept_apart),
	};

	return cmocka_run_group_tests_name("losses", tests, NULL, NULL);
}
