/* SPDX-License-Identifier: Apache-2.0 */
/* Moments on their way from the ring to a builder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "abi/waker.h"
#include "capture/moments.h"

#define BEGIN 1000000

static const struct cs_wait_key key = { .task = 1, .sysno = -1, .state = 1 };
static const struct cs_wait_key open_key = {
	.task = 1, .sysno = -1, .state = 1, .flags = CS_WAIT_OPEN
};

struct world {
	struct moments ms;
	struct moment_drain d;
	struct builder *b;
	u32 task;
};

static void world__init(struct world *w, u64 most)
{
	struct profile_task t = { .tid = 1, .tgid = 1, .wall_ns = 900 };

	t.blocked_ns[1] = 700;
	t.on_ns = 200;
	moments__init(&w->ms, most);
	moment_drain__init(&w->d);
	w->b = builder__new();
	assert_int_equal(builder__task(w->b, &t, &w->task), 0);
}

static void list(struct world *w, const struct cs_wait_key *k, u64 blocked_ns, u64 count)
{
	struct profile_wait wait = { .task = w->task, .sysno = -1, .state = 1 };

	wait.flags = k->flags & CS_WAIT_OPEN ? WAIT_OPEN : 0;
	wait.blocked_ns = blocked_ns;
	wait.max_ns = blocked_ns;
	wait.count = wait.samples = wait.hist[0] = (u32)count;
	assert_int_equal(builder__wait(w->b, &wait), 0);
	assert_int_equal(moment_drain__see(&w->d, k, &wait, builder__last_wait(w->b)), 0);
}

static struct cs_moment moment(const struct cs_wait_key *k, u64 end_ns, u64 blocked_ns)
{
	return (struct cs_moment){ .end_ns = end_ns,
				   .wait = cs_wait_hash(k),
				   .blocked_ns = blocked_ns };
}

static void take(struct world *w, const struct cs_wait_key *k, u64 end_ns, u64 blocked_ns)
{
	const struct cs_moment m = moment(k, end_ns, blocked_ns);

	moments__take(&w->ms, &m);
}

static struct profile *end(struct world *w)
{
	struct profile *p;
	struct err err = { 0 };

	assert_int_equal(moment_drain__give(&w->d, &w->ms, BEGIN, 900, NULL, w->b), 0);
	if (builder__freeze(w->b, &p, &err))
		fail_msg("%s", err.msg);
	builder__free(w->b);
	moments__done(&w->ms);
	moment_drain__done(&w->d);
	return p;
}

/* The programs send nothing of a wait that is open at the end: its row says when that was. */
static void test_moments__are_of_listed_waits_and_open_ones(void **state)
{
	struct world w;
	struct profile *p;

	(void)state;
	world__init(&w, 10);
	take(&w, &key, BEGIN + 500, 300);
	take(&w, &key, BEGIN + 100, 100);
	list(&w, &key, 400, 2);
	list(&w, &open_key, 300, 1);
	p = end(&w);
	assert_int_equal(p->hdr.max_moments, 10);
	assert_int_equal(p->moments_len, 3);
	assert_int_equal(p->moments[0].end_ns, 100);
	assert_int_equal(p->moments[1].end_ns, 500);
	assert_int_equal(p->moments[2].end_ns, 900);
	assert_int_equal(p->moments[2].blocked_ns, 300);
	assert_int_equal(p->losses[LOSS_MOMENTS].events, 0);
	profile__free(p);
}

static void test_moments__beyond_the_limit_are_lost(void **state)
{
	struct world w;
	struct profile *p;

	(void)state;
	world__init(&w, 1);
	take(&w, &key, BEGIN + 100, 100);
	take(&w, &key, BEGIN + 500, 300);
	list(&w, &key, 400, 2);
	p = end(&w);
	assert_int_equal(p->moments_len, 1);
	assert_int_equal(p->losses[LOSS_MOMENTS].events, 1);
	assert_int_equal(p->losses[LOSS_MOMENTS].ns, 300);
	profile__free(p);
}

/* The wait itself was lost, and is counted as that. */
static void test_moments__without_a_listed_wait_are_left_out(void **state)
{
	const struct cs_wait_key other = { .task = 2, .sysno = -1, .state = 1 };
	struct world w;
	struct profile *p;

	(void)state;
	world__init(&w, 10);
	take(&w, &other, BEGIN + 100, 100);
	list(&w, &key, 700, 1);
	p = end(&w);
	assert_int_equal(p->moments_len, 0);
	assert_int_equal(p->losses[LOSS_MOMENTS].events, 0);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments__are_of_listed_waits_and_open_ones),
		cmocka_unit_test(test_moments__beyond_the_limit_are_lost),
		cmocka_unit_test(test_moments__without_a_listed_wait_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
