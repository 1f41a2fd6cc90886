/* SPDX-License-Identifier: Apache-2.0 */
/* Sums that are read on the way become parts by interval, and parts add up to sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/self_memory.h"
#include "capture/cost/replicates.h"

#define SEC 1000000000ULL
#define BEGIN (50 * SEC)
#define FAR (1ULL << 40)

struct world {
	struct replicates rs;
	struct builder *b;
	u32 task;
};

static const struct cs_wait_key key_a = { .kstack = 1, .task = 1 };
static const struct cs_wait_key key_b = { .kstack = 2, .task = 1 };

static struct cs_wait_sum sum_of(u64 ns)
{
	return (struct cs_wait_sum){ .blocked_ns = ns - ns / 4, .runq_ns = ns / 4 };
}

static void see(struct world *w, const struct cs_wait_key *key, u64 ns)
{
	struct cs_wait_sum sum = sum_of(ns);

	assert_int_equal(replicates__row(&w->rs, key, &sum), 0);
}

static void begin(struct world *w)
{
	struct profile_task t = { .tid = 1, .tgid = 1 };

	w->b = builder__new();
	t.blocked_ns[1] = t.wall_ns = 1000 * SEC;
	assert_int_equal(builder__task(w->b, &t, &w->task), 0);
	replicates__init(&w->rs, SEC);
	assert_true(w->rs.next_ns == ~0ULL);
	replicates__begin(&w->rs, BEGIN, sizeof(struct cs_wait_key));
	assert_true(w->rs.next_ns == BEGIN + SEC);
}

static void give(struct world *w, const struct cs_wait_key *key, u64 ns)
{
	struct profile_wait wait = { .task = w->task, .sysno = (s32)key->kstack, .state = 1 };
	struct cs_wait_sum sum = sum_of(ns);

	wait.blocked_ns = wait.max_ns = ns;
	wait.count = wait.samples = wait.hist[9] = 1;
	assert_int_equal(builder__wait(w->b, &wait), 0);
	assert_int_equal(replicates__give(&w->rs, key, &sum, w->b), 0);
}

static struct profile *end(struct world *w)
{
	struct profile *p;
	struct err err = { 0 };

	if (builder__freeze(w->b, &p, &err) || profile__check(p, &err))
		fail_msg("%s", err.msg);
	builder__free(w->b);
	replicates__done(&w->rs);
	return p;
}

static u64 part(const struct profile *p, u32 wait, u32 interval)
{
	u32 i;

	for (i = 0; i < p->replicates_len; i++) {
		if (p->replicates[i].wait == wait && p->replicates[i].interval == interval)
			return p->replicates[i].ns;
	}
	return 0;
}

static void parts_add_up(void **state)
{
	struct profile *p;
	struct world w;

	(void)state;
	begin(&w);
	replicates__next(&w.rs, BEGIN + SEC);
	see(&w, &key_a, 100);
	replicates__read(&w.rs, 10);
	replicates__next(&w.rs, BEGIN + 2 * SEC);
	see(&w, &key_b, 7);
	see(&w, &key_a, 150);
	replicates__read(&w.rs, 10);
	assert_int_equal(replicates__end(&w.rs, BEGIN + 3 * SEC, w.b), 0);
	give(&w, &key_a, 170);
	give(&w, &key_b, 7);
	p = end(&w);
	assert_int_equal(p->intervals_len, 3);
	assert_int_equal(p->intervals[1].begin_ns, SEC);
	assert_int_equal(part(p, 1, 0), 100);
	assert_int_equal(part(p, 1, 1), 50);
	assert_int_equal(part(p, 1, 2), 20);
	assert_int_equal(part(p, 2, 1), 7);
	assert_int_equal(p->replicates_len, 4);
	profile__free(p);
}

/* One that lasted all the time is seen in the end, as one lump. */
static void long_waits_reach_back(void **state)
{
	struct profile *p;
	struct world w;
	u32 i;

	(void)state;
	begin(&w);
	for (i = 1; i < 4; i++) {
		replicates__next(&w.rs, BEGIN + i * SEC);
		replicates__read(&w.rs, 10);
	}
	assert_int_equal(replicates__end(&w.rs, BEGIN + 4 * SEC, w.b), 0);
	give(&w, &key_a, 3 * SEC + 5);
	p = end(&w);
	assert_int_equal(p->intervals_len, 4);
	assert_int_equal(part(p, 1, 0), 5);
	assert_int_equal(part(p, 1, 1), SEC);
	assert_int_equal(part(p, 1, 3), SEC);
	profile__free(p);
}

static void a_short_last_one_is_part_of_the_one_before(void **state)
{
	struct profile *p;
	struct world w;

	(void)state;
	begin(&w);
	replicates__next(&w.rs, BEGIN + SEC);
	see(&w, &key_a, 100);
	replicates__read(&w.rs, 10);
	assert_int_equal(replicates__end(&w.rs, BEGIN + SEC + SEC / 3, w.b), 0);
	give(&w, &key_a, 120);
	p = end(&w);
	assert_int_equal(p->intervals_len, 1);
	assert_int_equal(p->intervals[0].length_ns, SEC + SEC / 3);
	assert_int_equal(part(p, 1, 0), 120);
	profile__free(p);
}

static void a_window_without_a_reading_is_one_interval(void **state)
{
	struct profile *p;
	struct world w;

	(void)state;
	begin(&w);
	assert_int_equal(replicates__end(&w.rs, BEGIN + SEC / 2, w.b), 0);
	give(&w, &key_a, 120);
	p = end(&w);
	assert_int_equal(p->intervals_len, 1);
	assert_int_equal(part(p, 1, 0), 120);
	profile__free(p);
}

/* However long it takes, and whatever a reading costs. */
static void intervals_become_longer(void **state)
{
	struct profile *p;
	struct world w;
	u64 now_ns = BEGIN, ns = 0;
	u32 i;

	(void)state;
	begin(&w);
	for (i = 0; i < 3000; i++) {
		now_ns = w.rs.next_ns;
		replicates__next(&w.rs, now_ns);
		see(&w, &key_a, ns += 1000);
		/* 12 ms are too much for two seconds, not for four */
		replicates__read(&w.rs, i < 100 ? 1000000 : 12000000);
	}
	assert_true(w.rs.every_ns >= 4 * SEC);
	assert_int_equal(replicates__end(&w.rs, now_ns + SEC, w.b), 0);
	give(&w, &key_a, ns);
	p = end(&w);
	assert_true(p->intervals_len <= PROFILE_INTERVALS_MAX && p->intervals_len > 60);
	for (ns = 0, i = 0; i < p->replicates_len; i++)
		ns += p->replicates[i].ns;
	assert_int_equal(ns, 3000000);
	profile__free(p);
}

static void not_wanted_is_nothing(void **state)
{
	struct profile *p;
	struct world w;

	(void)state;
	begin(&w);
	replicates__done(&w.rs);
	replicates__init(&w.rs, 0);
	replicates__begin(&w.rs, BEGIN, sizeof(struct cs_wait_key));
	assert_true(w.rs.next_ns == ~0ULL);
	assert_int_equal(replicates__end(&w.rs, BEGIN + SEC, w.b), 0);
	give(&w, &key_a, 5);
	p = end(&w);
	assert_int_equal(p->intervals_len, 0);
	assert_int_equal(p->replicates_len, 0);
	profile__free(p);
}

/* A table without objects has shorter keys, one behind the other. */
static void short_keys_are_told_apart(void **state)
{
	struct cs_wait_sum sum = sum_of(100);
	struct cs_wait_key keys[2];
	struct profile *p;
	struct world w;

	(void)state;
	begin(&w);
	replicates__begin(&w.rs, BEGIN, CS_WAIT_KEY_SZ);
	replicates__next(&w.rs, BEGIN + SEC);
	memset(keys, 0xff, sizeof(keys));
	memcpy(keys, &key_a, CS_WAIT_KEY_SZ);
	assert_int_equal(replicates__row(&w.rs, keys, &sum), 0);
	replicates__read(&w.rs, 10);
	replicates__next(&w.rs, BEGIN + 2 * SEC);
	/* what is behind it now is another key */
	memset((char *)keys + CS_WAIT_KEY_SZ, 0x11, CS_WAIT_KEY_SZ);
	sum = sum_of(150);
	assert_int_equal(replicates__row(&w.rs, keys, &sum), 0);
	replicates__read(&w.rs, 10);
	assert_int_equal(replicates__end(&w.rs, BEGIN + 3 * SEC, w.b), 0);
	give(&w, &key_a, 170);
	p = end(&w);
	assert_int_equal(part(p, 1, 0), 100);
	assert_int_equal(part(p, 1, 1), 50);
	assert_int_equal(part(p, 1, 2), 20);
	profile__free(p);
}

static void samples_of_a_cpu_are_no_rows(void **state)
{
	const struct cs_wait_sum sum = { .samples = 7 };
	const struct cs_wait_key hot = { .kstack = 3, .task = 1, .flags = CS_WAIT_ON_CPU };
	struct world w;

	(void)state;
	begin(&w);
	replicates__next(&w.rs, BEGIN + SEC);
	assert_int_equal(replicates__row(&w.rs, &hot, &sum), 0);
	assert_int_equal(intern__len(&w.rs.rows), 1);
	builder__free(w.b);
	replicates__done(&w.rs);
}

static void memory_that_is_short_gives_up(void **state)
{
	u32 i;
	struct profile *p;
	struct world w;

	(void)state;
	/* 64 Ki of them are 1 MiB, and the next one would take two */
	if (self_memory_limit(FAR) || self_memory_limit(FAR - self_memory_room() + (3 << 20)))
		skip(); /* as under a sanitizer */
	begin(&w);
	assert_int_equal(replicates__end(&w.rs, BEGIN + SEC, w.b), 0);
	for (i = 0; i < 100000; i++)
		give(&w, &key_a, SEC / 200);
	p = end(&w);
	assert_int_equal(p->waits[1].blocked_ns, 100000 * (SEC / 200));
	assert_int_equal(p->intervals_len, 0);
	assert_int_equal(p->replicates_len, 0);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(long_waits_reach_back),
		cmocka_unit_test(a_short_last_one_is_part_of_the_one_before),
		cmocka_unit_test(a_window_without_a_reading_is_one_interval),
		cmocka_unit_test(intervals_become_longer),
		cmocka_unit_test(not_wanted_is_nothing),
		cmocka_unit_test(short_keys_are_told_apart),
		cmocka_unit_test(samples_of_a_cpu_are_no_rows),
		cmocka_unit_test(memory_that_is_short_gives_up), /* the last: it cannot be undone */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
