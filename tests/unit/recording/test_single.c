/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of one sample through a recording's form of them: the kernel's arithmetic gives rows that
 * it fits, all others stay as they are, and versions that do not know it read nothing of it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/hist.h"
#include "abi/sample.h"
#include "abi/wait.h"
#include "recorded.h"
#include "recording/single.h"

#define ROWS 200000

static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A number of any size up to `max`. */
static u64 some(u64 *random, u64 max)
{
	return 1 + (next_random(random) >> (next_random(random) % 40)) % max;
}

/* As bpf/wait.bpf.c adds it to an empty sum. */
static struct profile_wait sampled(u64 *random)
{
	u64 period = some(random, CS_PERIOD_MAX_NS), ns = some(random, 2 * period), blocked;
	u64 weight = ns >= period ? ns : period * (1 + next_random(random) % 2);
	struct profile_wait w = { .samples = 1 };
	struct cs_share share;

	blocked = next_random(random) % 4 ? next_random(random) % (ns + 1) : ns;
	if (weight == ns)
		cs_share_exact(&share, blocked, ns);
	else
		cs_share_estimate(&share, blocked, ns, weight, (u32)next_random(random));
	w.blocked_ns = share.blocked_ns;
	w.runq_ns = share.runq_ns;
	w.count = share.count;
	w.var_us2 = share.var_us2;
	w.max_ns = ns;
	w.hist[cs_hist_bucket(ns)] = (u32)share.count;
	return w;
}

static void test_single__of_fits_what_the_kernel_adds(void **state)
{
	struct profile_wait w, again;
	u64 random = 88172645463325252ULL;
	struct single s;
	u32 i;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		w = sampled(&random);
		if (w.count > UINT32_MAX)
			continue;
		memset(&again, 0, sizeof(again));
		if (!single__of(&w, &s))
			fail_msg("a wait of %llu ns for %llu is stored whole", w.max_ns,
				 w.blocked_ns + w.runq_ns);
		assert_true(single__expand(&s, &again));
		assert_memory_equal(&again, &w, sizeof(w));
	}
}

/* A change of any bit of any value makes it another row, or one that is stored whole. */
static void test_single__of_keeps_every_bit(void **state)
{
	const size_t from = offsetof(struct profile_wait, blocked_ns);
	const size_t to = offsetof(struct profile_wait, on_ns);
	struct profile_wait w, again;
	u64 random = 42;
	struct single s;
	u32 i;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		w = sampled(&random);
		((u8 *)&w)[from + next_random(&random) % (to - from)] ^=
			(u8)(1 << next_random(&random) % 8);
		memset(&again, 0, sizeof(again));
		if (!single__of(&w, &s))
			continue;
		assert_true(single__expand(&s, &again));
		assert_memory_equal(&again, &w, sizeof(w));
	}
}

static void test_single__expand_refuses_what_no_row_has(void **state)
{
	const struct single none[] = {
		{ .blocked_ns = UINT64_MAX, .runq_ns = 1 },
		{ .blocked_ns = 5, .round_up = true },
		{ .weight_ns = 10 },
		{ .blocked_ns = 10, .weight_ns = 10 },
		{ .blocked_ns = 5, .weight_ns = (1ULL << 40) + 1 },
		{ .blocked_ns = 1, .weight_ns = 1ULL << 40 },
	};
	struct profile_wait w = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(none); i++)
		assert_false(single__expand(&none[i], &w));
}

static void test_single__of_leaves_rests_and_visits(void **state)
{
	struct profile_wait w = { .samples = 1, .count = 1, .hist = { 1 } };
	struct single s;

	(void)state;
	assert_true(single__of(&w, &s));
	w.flags = WAIT_VISITED;
	assert_false(single__of(&w, &s));
	w.flags = WAIT_SUMMED;
	assert_false(single__of(&w, &s));
}

static struct profile *singles(void)
{
	struct profile *p = NULL;
	struct err err = { 0 };

	if (literal_load("tests/golden/recording/singles/profile.lit", &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static u32 entries(const struct section_in *s, u32 col)
{
	const u8 *byte = s->cols[col].p;
	u32 n = 0, i;

	for (i = 0; i < view__left(&s->cols[col]); i++)
		n += byte[i] < 0x80;
	return n;
}

/* The section as bytes: the rows of one sample have nothing in most columns. */
static void test_encode_waits__stores_singles_once(void **state)
{
	struct profile *p = singles();
	struct section_in s;
	struct vec bytes;
	struct view v;

	(void)state;
	vec__init(&bytes, 1);
	assert_int_equal(encode_waits(p, &bytes), 0);
	v = view__of(bytes.data, bytes.len);
	while (section_in__next(&s, &v, section_columns, SECTION_TAG_CNT) > 0) {
		if (s.tag == SECTION_WAITS) {
			assert_int_equal(s.rows, 8);
			assert_int_equal(entries(&s, WAITS_SINGLE), 8);
			assert_int_equal(entries(&s, WAITS_WEIGHT), 2);
			assert_int_equal(entries(&s, WAITS_VAR), 3);
			assert_int_equal(entries(&s, WAITS_HIST), 3);
		}
		if (s.tag == SECTION_REPLICATES) {
			assert_int_equal(s.rows, 8);
			assert_int_equal(entries(&s, REPLICATES_REST), 8);
			assert_int_equal(entries(&s, REPLICATES_NS), 2);
		}
	}
	vec__done(&bytes);
	profile__free(p);
}

/* A reader of minor version 7 must not go on without the columns that it does not know. */
static void test_encode_waits__is_not_for_older_readers(void **state)
{
	static const u32 tags[] = { SECTION_WAITS, SECTION_REPLICATES };
	static const u8 known[] = { WAITS_SINGLE, REPLICATES_REST };
	struct profile *p = singles();
	u8 columns[SECTION_TAG_CNT];
	struct section_in s;
	struct vec bytes;
	struct view v;
	size_t i;
	int r;

	(void)state;
	vec__init(&bytes, 1);
	assert_int_equal(encode_waits(p, &bytes), 0);
	for (i = 0; i < ARRAY_LEN(tags); i++) {
		memcpy(columns, section_columns, sizeof(columns));
		columns[tags[i]] = known[i];
		v = view__of(bytes.data, bytes.len);
		do
			r = section_in__next(&s, &v, columns, SECTION_TAG_CNT);
		while (r > 0);
		assert_int_equal(r, -EOPNOTSUPP);
	}
	vec__done(&bytes);
	profile__free(p);
}

static void test_single_weights__find_has_an_end(void **state)
{
	struct single_weights weights = { 0 };
	u32 i;

	(void)state;
	for (i = 0; i < SINGLE_WEIGHTS; i++)
		assert_int_equal(single_weights__find(&weights, 1000 + i), i);
	assert_int_equal(single_weights__find(&weights, 1), SINGLE_WEIGHTS);
	assert_int_equal(single_weights__find(&weights, 1005), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single__of_fits_what_the_kernel_adds),
		cmocka_unit_test(test_single__of_keeps_every_bit),
		cmocka_unit_test(test_single__expand_refuses_what_no_row_has),
		cmocka_unit_test(test_single__of_leaves_rests_and_visits),
		cmocka_unit_test(test_encode_waits__stores_singles_once),
		cmocka_unit_test(test_encode_waits__is_not_for_older_readers),
		cmocka_unit_test(test_single_weights__find_has_an_end),
	};

	return cmocka_run_group_tests_name("single", tests, NULL, NULL);
}
