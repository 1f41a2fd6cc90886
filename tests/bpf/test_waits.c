/* SPDX-License-Identifier: Apache-2.0 */

/* Which waits are chosen, and what becomes of them in the table of sums. */
#include "functions_load.h"
#include "stats_total.h"

static void test_add__sums_count_max_and_histogram(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	struct cs_wait_sum sum;

	memset(&call->key, 0, sizeof(call->key));
	call->key.task = 5;
	call->blocked_ns = 5000;
	call->runq_ns = 1000;
	call->weight_ns = 6000;
	run(skel->progs.add_wait);
	call->blocked_ns = 2000;
	call->runq_ns = 0;
	call->weight_ns = 2000;
	run(skel->progs.add_wait);
	call->blocked_ns = 0;
	call->weight_ns = 0;
	run(skel->progs.add_wait);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(skel->maps.waits), &call->key, &sum), 0);
	assert_int_equal(sum.count, 3);
	assert_int_equal(sum.blocked_ns, 7000);
	assert_int_equal(sum.runq_ns, 1000);
	assert_int_equal(sum.max_ns, 6000);
	assert_int_equal(sum.samples, 3);
	assert_int_equal(sum.var_us2, 0);
	assert_int_equal(sum.hist[cs_hist_bucket(6000)], 1);
	assert_int_equal(sum.hist[cs_hist_bucket(2000)], 1);
	assert_int_equal(sum.hist[0], 1);
}

/* A wait of 300 us that stands for 1 ms: three or four of them, 10/3 on average. */
static void test_add__weights_time_count_and_histogram(void **state)
{
	const u32 rounds = 3000;
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	struct cs_wait_sum sum;

	memset(&call->key, 0, sizeof(call->key));
	call->key.task = 6;
	call->blocked_ns = 200000;
	call->runq_ns = 100000;
	call->weight_ns = 1000000;
	for (u32 i = 0; i < rounds; i++)
		run(skel->progs.add_wait);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(skel->maps.waits), &call->key, &sum), 0);
	assert_int_equal(sum.blocked_ns + sum.runq_ns, rounds * 1000000ULL);
	assert_int_equal(sum.blocked_ns, rounds * 666666ULL);
	assert_int_equal(sum.samples, rounds);
	assert_int_equal(sum.max_ns, 300000);
	assert_int_equal(sum.hist[cs_hist_bucket(300000)], sum.count);
	/* six standard deviations of the rounding: 3000 * 2/9, rooted, is 26 */
	assert_in_range(sum.count, 10 * rounds / 3 - 155, 10 * rounds / 3 + 155);
	assert_int_equal(sum.var_us2, rounds * (1000 * 1000 - 1000 * 300));
}

static u64 stat_sum(struct functions *skel, size_t off)
{
	return stats_total(skel->maps.stats, off);
}

static void test_add__full_table_counts_events_and_ns(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	u64 lost = 0;

	memset(&call->key, 0, sizeof(call->key));
	call->blocked_ns = 300;
	call->runq_ns = 20;
	call->weight_ns = 320;
	for (u32 i = 1; i <= 10 * SMALL; i++) {
		call->key.task = i;
		run(skel->progs.add_wait);
		lost += (u64)call->result;
	}
	assert_true(lost >= 9 * SMALL);
	assert_int_equal(stat_sum(skel, offsetof(struct cs_stats, wait_lost)), lost);
	assert_int_equal(stat_sum(skel, offsetof(struct cs_stats, wait_lost_ns)), lost * 320);
}

static s64 chosen(struct functions *skel, u64 len_ns, u32 raw_state)
{
	skel->bss->call.len_ns = len_ns;
	skel->bss->call.ns = 1;
	skel->bss->call.raw_state = raw_state;
	run(skel->progs.choose);
	return skel->bss->call.result;
}

static void test_choose__bounds_and_states(void **state)
{
	struct functions *skel;

	(void)state;
	/* waits in D or K of 10 to 20 ns, none that are runnable */
	assert_int_equal(load(&skel, 10, 20, 0x102, false, false), 0);
	assert_int_equal(chosen(skel, 9, 2), 0);
	assert_int_equal(chosen(skel, 10, 2), 1);
	assert_int_equal(chosen(skel, 20, 2), 1);
	assert_int_equal(chosen(skel, 21, 2), 0);
	assert_int_equal(chosen(skel, 15, 1), 0);
	assert_int_equal(chosen(skel, 15, 0x2001), 0);
	assert_int_equal(chosen(skel, 15, 0x402), 1);
	assert_int_equal(chosen(skel, 15, 0x104), 1);
	assert_int_equal(chosen(skel, 15, 0), 0);
	functions__destroy(skel);
	/* exactly the runnable ones */
	assert_int_equal(load(&skel, 0, ~0ULL, 0, false, true), 0);
	assert_int_equal(chosen(skel, 0, 0), 1);
	assert_int_equal(chosen(skel, 0, 1), 0);
	functions__destroy(skel);
}

/* What a period of 100 us makes of waits of `ns`: the sum of their weights. */
static u64 weights(struct functions *skel, u64 ns, u32 rounds, u32 *ret_chosen)
{
	struct call *call = &skel->bss->call;
	u64 sum = 0;

	call->len_ns = call->ns = ns;
	call->raw_state = 1;
	*ret_chosen = 0;
	for (u32 i = 0; i < rounds; i++) {
		run(skel->progs.choose);
		sum += (u64)call->result;
		*ret_chosen += call->result != 0;
	}
	return sum;
}

static void test_choose__samples_in_proportion_to_time(void **state)
{
	struct functions *skel;
	u32 chosen_cnt;
	u64 sum;

	(void)state;
	assert_int_equal(load(&skel, 0, ~0ULL, 0, true, true), 0);
	assert_int_equal(weights(skel, 7000, 100, &chosen_cnt), 700000);
	assert_int_equal(chosen_cnt, 100);
	skel->bss->call.period_ns = 100000;
	/* never more than a period away from the truth */
	sum = weights(skel, 7000, 1000, &chosen_cnt);
	assert_in_range(sum, 6900000, 7100000);
	assert_int_equal(sum % 100000, 0);
	assert_in_range(chosen_cnt, 60, 71);
	/* nor where most waits reach into the next period */
	assert_in_range(weights(skel, 70000, 1000, &chosen_cnt), 69800000, 70200000);
	/* those as long as the period count as they are */
	assert_int_equal(weights(skel, 100000, 10, &chosen_cnt), 1000000);
	assert_int_equal(weights(skel, 100001, 10, &chosen_cnt), 1000010);
	assert_int_equal(chosen_cnt, 10);
	functions__destroy(skel);
}

/* A thread whose habit is as long as the period: each of its waits has its share all the same. */
static void test_choose__does_not_resonate(void **state)
{
	struct functions *skel;
	u64 sums[2] = { 0 };
	u32 chosen_cnt, i;

	(void)state;
	assert_int_equal(load(&skel, 0, ~0ULL, 0, true, true), 0);
	skel->bss->call.period_ns = 100000;
	for (i = 0; i < 8000; i++) {
		sums[0] += weights(skel, 30000, 1, &chosen_cnt);
		sums[1] += weights(skel, 70000, 1, &chosen_cnt);
	}
	/* 240,000,000, and six standard errors of 4,100,000 */
	assert_in_range(sums[0], 215000000, 265000000);
	assert_in_range(sums[0] + sums[1], 799900000, 800100000);
	functions__destroy(skel);
}

/* Each new period has its point elsewhere: the first wait is chosen as often as it is long. */
static void test_choose__begins_at_random(void **state)
{
	struct functions *skel;
	u32 first = 0, chosen_cnt;

	(void)state;
	assert_int_equal(load(&skel, 0, ~0ULL, 0, true, true), 0);
	for (u64 i = 0; i < 2000; i++) {
		skel->bss->call.period_ns = 100000000 + i; /* another one: begin again */
		weights(skel, 25000000, 1, &chosen_cnt);
		first += chosen_cnt;
	}
	assert_in_range(first, 500 - 120, 500 + 120);
	functions__destroy(skel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_add__weights_time_count_and_histogram, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_add__sums_count_max_and_histogram, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_add__full_table_counts_events_and_ns, setup,
						teardown),
		cmocka_unit_test(test_choose__bounds_and_states),
		cmocka_unit_test(test_choose__samples_in_proportion_to_time),
		cmocka_unit_test(test_choose__does_not_resonate),
		cmocka_unit_test(test_choose__begins_at_random),
	};

	if (geteuid()) {
		printf("1..0 # SKIP needs root: BPF programs are loaded\n");
		return 0;
	}
	return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
