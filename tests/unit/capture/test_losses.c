/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/losses.h"

static const struct {
	const char *name;
	size_t off;
} counters[] = {
#define X(name, sentence) { #name, offsetof(struct cs_stats, name) },
	CS_STATS(X)
#undef X
};

/* What is counted and nothing went wrong. */
static bool is_no_loss(const char *name)
{
	static const char *const good[] = {
		"switches",	"waits",	"chosen",	"self_runs",
		"self_ns",	"kstack_known", "ustack_known", "map_walks",
		"tasks_marked", "forks",	"execs",	"exits",
		"unreported",	"samples",	"lock_stale",	"task_record_outside",
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_losses_add_knows_every_counter),
		cmocka_unit_test(test_losses_add_unmarked_threads_without_those_left_out),
	};

	return cmocka_run_group_tests_name("losses", tests, NULL, NULL);
}
