/* SPDX-License-Identifier: Apache-2.0 */
#include "import/gather.h"
#include "unit/import/imported.h"

static void add(struct gather *g, u32 flags, u64 count)
{
	const struct gather_wait w = { .sysno = -1, .flags = flags, .runq_ns = 5, .count = count };

	assert_int_equal(gather__wait(g, &w), 0);
}

static struct profile *finished(struct gather *g)
{
	struct profile *p = NULL;

	assert_int_equal(gather__finish(g, "test", 0, &p, NULL), 0);
	gather__done(g);
	return p;
}

/* Whichever comes first: a number of a part would be read as that of all. */
static void test_gather__a_sum_has_no_count_if_a_part_has_none(void **state)
{
	static const u64 counts[][3] = { { 7, 0, 2 }, { 0, 7, 2 }, { 1, 2, 4 } };
	static const u64 want[] = { 0, 0, 7 };
	const struct import_options opt = test_options();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		struct gather g;
		struct profile *p;

		assert_int_equal(gather__init(&g, &opt), 0);
		for (size_t j = 0; j < ARRAY_LEN(counts[i]); j++)
			add(&g, 0, counts[i][j]);
		p = finished(&g);
		assert_int_equal(p->waits_len, 2);
		assert_int_equal(p->waits[1].runq_ns, 15);
		assert_int_equal(p->waits[1].count, want[i]);
		profile__free(p);
	}
}

/* Then the part that hooks can tell is not said either, as in a merge of both. */
static void test_gather__visits_cannot_tell_preemption(void **state)
{
	const struct import_options opt = test_options();
	struct gather g;
	struct profile *p;
	u32 task;
	const struct view name = view__of_str("a");

	(void)state;
	for (u32 visited = 0; visited < 2; visited++) {
		struct gather_wait w = { .sysno = -1, .runq_ns = 5, .count = 1 };

		assert_int_equal(gather__init(&g, &opt), 0);
		assert_int_equal(gather__task(&g, &name, 1, 1, &task), 0);
		w.task = task;
		assert_int_equal(gather__wait(&g, &w), 0);
		w.flags = visited ? WAIT_VISITED | WAIT_RUNNABLE : WAIT_PREEMPTED;
		w.count = !visited;
		assert_int_equal(gather__wait(&g, &w), 0);
		p = finished(&g);
		assert_int_equal(p->hdr.unknown & UNKNOWN_PREEMPTION,
				 visited ? UNKNOWN_PREEMPTION : 0);
		assert_int_equal(p->tasks[1].preempted_ns, visited ? 0 : 10);
		assert_int_equal(p->tasks[1].runq_ns, visited ? 10 : 0);
		profile__free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gather__a_sum_has_no_count_if_a_part_has_none),
		cmocka_unit_test(test_gather__visits_cannot_tell_preemption),
	};

	return cmocka_run_group_tests_name("gather", tests, NULL, NULL);
}
