/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/path/wait_graph.h"
#include "base/mem.h"
#include "lib/literal.h"
#include "lib/random_moments.h"

#define MS 1000000ULL

struct built {
	struct profile *p;
	struct lanes lanes;
	struct arena a;
	struct wait_graph g;
};

static void build(struct built *b, struct profile *p)
{
	struct err err = { 0 };

	b->p = p;
	arena__init(&b->a);
	assert_int_equal(lanes__init(&b->lanes, p), 0);
	if (wait_graph__build(&b->lanes, NULL, &b->a, &b->g, &err))
		fail_msg("%s", err.msg);
}

static void build_text(struct built *b, const char *text)
{
	struct profile *p;
	struct err err = { 0 };

	if (literal_parse(text, &p, &err) || profile__check(p, &err))
		fail_msg("%s", err.msg);
	build(b, p);
}

static void release(struct built *b)
{
	arena__done(&b->a);
	lanes__done(&b->lanes);
	profile__free(b->p);
}

/* NULL: there is none. */
static const struct graph_edge *edge(const struct built *b, const char *from, const char *to)
{
	u32 i;

	for (i = 0; i < b->g.edges_len; i++) {
		const struct graph_edge *e = &b->g.edges[i];

		if (!strcmp(b->g.nodes[e->from].name, from) && !strcmp(b->g.nodes[e->to].name, to))
			return e;
	}
	return NULL;
}

static void assert_edge(const struct built *b, const char *from, const char *to, u64 ms,
			u64 full_ms)
{
	const struct graph_edge *e = edge(b, from, to);

	if (!e)
		fail_msg("%s does not wait for %s", from, to);
	assert_int_equal(e->ns, ms * MS);
	assert_int_equal(e->full_ns, full_ms * MS);
}

/* Figure 4 of wPerf's paper: of 100 that the user waits, 20 are the parser's, 80 the network's. */
static const char *const figure_4 =
	"window 100ms\nmax_events 10\n"
	"task 1/1 user\n  wait S sys=read blocked=100ms at=100ms:100ms:0:P\n"
	"task 2/2 parser on=20ms\n  wait S sys=recvfrom blocked=80ms at=100ms:80ms:0:N\n"
	"waker P 2/2 parser\n"
	"waker N softirq\n  k net_rx_action\n";

static void test_graph__gives_time_to_the_last_wait(void **state)
{
	struct built b;

	(void)state;
	build_text(&b, figure_4);
	assert_edge(&b, "user", "parser", 20, 100);
	/* 80 of the user's wait, and as many of the parser's own */
	assert_edge(&b, "parser", "[net-rx interrupt]", 160, 80);
	assert_int_equal(b.g.edges_len, 2);
	assert_int_equal(b.g.ns, 180 * MS);
	assert_int_equal(b.g.nodes[0].kind, GRAPH_INTERRUPT);
	assert_int_equal(b.g.nodes[0].ended_ns, 160 * MS);
	assert_int_equal(b.g.knots_len, 0);
	release(&b);
}

static void test_graph__names_peers_and_what_is_not_recorded(void **state)
{
	struct built b;

	(void)state;
	build_text(&b, "window 100ms\nmax_events 10\n"
		       "task 1/1 web group=shop on=40ms\n"
		       "  wait S sys=recvfrom blocked=30ms at=30ms:30ms:0:N\n"
		       "    object socket role=client family=2 protocol=6 port=5432 name=10.0.0.5\n"
		       "  wait S sys=read blocked=10ms at=40ms:10ms:0:X\n"
		       "  wait S sys=recvfrom blocked=20ms at=60ms:20ms:0:T\n"
		       "    object socket role=client family=2 protocol=6 port=6379 name=10.0.0.6\n"
		       "waker N softirq\n  k net_rx_action\n"
		       "waker X 9/9 cron\n"
		       "waker T hardirq\n  k hrtimer_interrupt\n");
	assert_edge(&b, "web of shop", "tcp 10.0.0.5:5432", 30, 30);
	assert_edge(&b, "web of shop", "cron", 10, 10);
	/* a timeout is not the peer's */
	assert_edge(&b, "web of shop", "[timer interrupt]", 20, 20);
	assert_int_equal(b.g.nodes[edge(&b, "web of shop", "cron")->to].kind, GRAPH_UNRECORDED);
	assert_int_equal(b.g.nodes[0].kind, GRAPH_PEER);
	release(&b);
}

/* A thread that is not there yet is waited for all the same. */
static void test_graph__waits_for_threads_before_their_birth(void **state)
{
	struct built b;

	(void)state;
	build_text(&b, "window 100ms\nmax_events 10\n"
		       "task 1/1 a on=20ms\n  wait S blocked=80ms at=80ms:80ms:0:B\n"
		       "task 2/2 b on=50ms begin=50ms flags=born\n"
		       "waker B 2/2 b\n");
	assert_edge(&b, "a", "b", 80, 80);
	assert_int_equal(b.g.edges_len, 1);
	release(&b);
}

/* The kernel has many of some threads, each with a name of its own. */
static void test_graph__puts_kernel_workers_together(void **state)
{
	struct built b;

	(void)state;
	build_text(&b, "window 100ms\nmax_events 10\n"
		       "task 1/1 kworker/0:1 on=90ms flags=kthread\n"
		       "  wait S blocked=10ms at=30ms:10ms:0:T\n"
		       "task 2/2 kworker/u8:2 on=80ms flags=kthread\n"
		       "  wait S blocked=20ms at=30ms:20ms:0:T\n"
		       "waker T softirq\n");
	assert_edge(&b, "kworker", "[softirq]", 30, 30);
	release(&b);
}

/* Two that wake each other, one that only waits for them, and one that waits for a timer. */
static const char *const knot = "window 100ms\nmax_events 10\n"
				"task 1/1 a on=50ms\n  wait S blocked=50ms at=50ms:50ms:0:B\n"
				"task 2/2 b on=50ms\n  wait S blocked=50ms at=100ms:50ms:0:A\n"
				"task 3/3 c on=10ms\n  wait S blocked=90ms at=100ms:90ms:0:A\n"
				"task 4/4 d on=10ms\n  wait S blocked=90ms at=100ms:90ms:0:T\n"
				"waker A 1/1 a\nwaker B 2/2 b\nwaker T softirq\n";

static void test_graph__finds_a_knot(void **state)
{
	struct built b;

	(void)state;
	build_text(&b, knot);
	assert_int_equal(b.g.knots_len, 1);
	assert_int_equal(b.g.knots[0].len, 2);
	assert_string_equal(b.g.nodes[b.g.knots[0].nodes[0]].name, "a");
	assert_string_equal(b.g.nodes[b.g.knots[0].nodes[1]].name, "b");
	/* of c's wait, 40 ended at b, on the edge from a, and 50 at a */
	assert_int_equal(b.g.knots[0].ns, 140 * MS);
	assert_int_equal(b.g.knots[0].in_ns, 50 * MS);
	assert_int_equal(b.g.nodes[edge(&b, "c", "a")->from].knot, 0);
	release(&b);
}

static void test_graph__has_no_knot_with_a_way_out(void **state)
{
	struct built b;

	(void)state;
	build_text(&b, "window 100ms\nmax_events 10\n"
		       "task 1/1 a on=50ms\n  wait S blocked=50ms at=50ms:50ms:0:B\n"
		       "task 2/2 b on=40ms\n  wait S blocked=50ms at=100ms:50ms:0:A\n"
		       "  wait D sys=fsync blocked=10ms at=50ms:10ms:0:T\n"
		       "waker A 1/1 a\nwaker B 2/2 b\nwaker T hardirq\n");
	assert_int_equal(b.g.knots_len, 0);
	release(&b);
}

/* The last wait of a recording leads nowhere. */
static void test_graph__has_a_knot_in_spite_of_open_waits(void **state)
{
	struct built b;

	(void)state;
	build_text(&b, "window 150ms\nmax_events 10\n"
		       "task 1/1 a on=50ms\n  wait S blocked=50ms at=50ms:50ms:0:B\n"
		       "  wait S sys=read blocked=50ms flags=open at=150ms:50ms:0\n"
		       "task 2/2 b on=100ms\n  wait S blocked=50ms at=100ms:50ms:0:A\n"
		       "waker A 1/1 a\nwaker B 2/2 b\n");
	assert_int_equal(b.g.knots_len, 1);
	assert_int_equal(b.g.nodes[edge(&b, "a", "[not over]")->to].kind, GRAPH_OPEN);
	assert_int_equal(b.g.ns, 150 * MS);
	release(&b);
}

/* 0.1 % of the time leads out: that does not matter. */
static void test_graph__leaves_out_short_edges(void **state)
{
	struct built b;

	(void)state;
	build_text(&b, "window 1s\nmax_events 10\n"
		       "task 1/1 a on=500ms\n  wait S blocked=500ms at=500ms:500ms:0:B\n"
		       "task 2/2 b on=499ms\n  wait S blocked=500ms at=1s:500ms:0:A\n"
		       "  wait D sys=fsync blocked=1ms at=500ms:1ms:0:T\n"
		       "waker A 1/1 a\nwaker B 2/2 b\nwaker T hardirq\n");
	assert_int_equal(b.g.knots_len, 1);
	assert_int_equal(b.g.knots[0].threshold_ns, 5 * MS);
	release(&b);
}

/* Threads of one name that wait for each other; kernel threads do not count. */
static void test_graph__finds_a_knot_of_one_group(void **state)
{
	static const char *const text =
		"window 100ms\nmax_events 10\n"
		"task 1/1 w on=50ms%s\n  wait S blocked=50ms at=50ms:50ms:0:B\n"
		"task 1/2 w on=50ms%s\n  wait S blocked=50ms at=100ms:50ms:0:A\n"
		"waker A 1/1 w\nwaker B 1/2 w\n";
	char buf[400];
	struct built b;

	(void)state;
	snprintf(buf, sizeof(buf), text, "", "");
	build_text(&b, buf);
	assert_int_equal(b.g.knots_len, 1);
	assert_int_equal(b.g.knots[0].len, 1);
	assert_int_equal(b.g.nodes[0].threads, 2);
	release(&b);
	snprintf(buf, sizeof(buf), text, " flags=kthread", " flags=kthread");
	build_text(&b, buf);
	assert_int_equal(b.g.knots_len, 0);
	release(&b);
}

/* Ten groups in a circle, of which two wait longer for each other. */
static void test_graph__raises_the_limit_until_a_knot_is_readable(void **state)
{
	char text[4096];
	struct built b;
	int len, i;

	(void)state;
	len = snprintf(text, sizeof(text), "window 1s\nmax_events 100\n");
	for (i = 0; i < 10; i++) {
		len += snprintf(
			text + len, sizeof(text) - (size_t)len,
			"task %d/%d t%d on=%dms\n  wait S blocked=10ms at=%dms:10ms:0:W%d\n", i + 1,
			i + 1, i, i < 2 ? 890 : 990, 10 * i + 10, (i + 1) % 10);
		if (i < 2)
			len += snprintf(text + len, sizeof(text) - (size_t)len,
					"  wait D sys=fsync blocked=100ms at=%dms:100ms:0:W%d\n",
					400 + 200 * i, 1 - i);
	}
	for (i = 0; i < 10; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "waker W%d %d/%d t%d\n", i,
				i + 1, i + 1, i);
	build_text(&b, text);
	assert_int_equal(b.g.knots_len, 1);
	assert_int_equal(b.g.knots[0].len, 2);
	assert_true(b.g.knots[0].threshold_ns > 10 * MS);
	release(&b);
}

static u64 blocked_ns(const struct profile *p)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < p->moments_len; i++)
		ns += p->moments[i].blocked_ns;
	return ns;
}

/* Redistribution moves time, and loses none. */
static void test_graph__of_random_timelines_has_all_blocked_time(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 1000; seed++) {
		u64 ns = 0, full_ns = 0, waited_ns = 0, ended_ns = 0;
		struct built b;
		u32 i;

		build(&b, random_moments(seed, 1 + (u32)(seed % 8)));
		for (i = 0; i < b.g.edges_len; i++) {
			ns += b.g.edges[i].ns;
			full_ns += b.g.edges[i].full_ns;
			assert_true(b.g.edges[i].runq_ns <= b.g.edges[i].ns);
		}
		for (i = 0; i < b.g.nodes_len; i++) {
			waited_ns += b.g.nodes[i].waited_ns;
			ended_ns += b.g.nodes[i].ended_ns;
		}
		assert_int_equal(ns, blocked_ns(b.p));
		assert_int_equal(full_ns, ns);
		assert_int_equal(waited_ns, ns);
		assert_int_equal(ended_ns, ns);
		assert_int_equal(b.g.ns, ns);
		release(&b);
	}
}

/* Nobody knows what the writer did while the worker waited for it: all of that is its own. */
static const char *const without_moments =
	"window 1s\n"
	"task 1/1 writer\n  wait D sys=fsync blocked=300ms count=3 flags=iowait as=disk\n"
	"    woken D interrupt=300ms count=3\n"
	"task 2/2 worker\n  wait S sys=futex blocked=600ms runq=50ms count=5\n"
	"    woken W blocked=300ms:disk running=200ms woken=50ms count=4\n"
	"waker D hardirq\n  k blk_mq_complete_request\n"
	"waker W 1/1 writer\n";

static void test_graph__without_moments_gives_waits_to_who_ended_them(void **state)
{
	struct built b;

	(void)state;
	build_text(&b, without_moments);
	assert_true(b.g.is_direct);
	assert_edge(&b, "worker", "writer", 500, 500);
	assert_edge(&b, "writer", "[block interrupt]", 300, 300);
	assert_edge(&b, "worker", "[waker unknown]", 100, 100);
	assert_int_equal(b.g.edges_len, 3);
	assert_int_equal(b.g.ns, 900 * MS);
	release(&b);
	build_text(&b, figure_4);
	assert_false(b.g.is_direct);
	release(&b);
}

static void test_graph__survives_every_failed_allocation(void **state)
{
	struct built b;
	u64 nth;
	int r;

	(void)state;
	build_text(&b, knot);
	for (nth = 1;; nth++) {
		struct wait_graph g;
		struct arena a;
		bool fired;

		arena__init(&a);
		mem_fail_nth(nth);
		r = wait_graph__build(&b.lanes, NULL, &a, &g, NULL);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		arena__done(&a);
		assert_int_equal(r, fired ? -ENOMEM : 0);
		if (!fired)
			break;
	}
	assert_true(nth > 20);
	release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph__gives_time_to_the_last_wait),
		cmocka_unit_test(test_graph__names_peers_and_what_is_not_recorded),
		cmocka_unit_test(test_graph__waits_for_threads_before_their_birth),
		cmocka_unit_test(test_graph__puts_kernel_workers_together),
		cmocka_unit_test(test_graph__finds_a_knot),
		cmocka_unit_test(test_graph__has_no_knot_with_a_way_out),
		cmocka_unit_test(test_graph__has_a_knot_in_spite_of_open_waits),
		cmocka_unit_test(test_graph__leaves_out_short_edges),
		cmocka_unit_test(test_graph__finds_a_knot_of_one_group),
		cmocka_unit_test(test_graph__raises_the_limit_until_a_knot_is_readable),
		cmocka_unit_test(test_graph__of_random_timelines_has_all_blocked_time),
		cmocka_unit_test(test_graph__without_moments_gives_waits_to_who_ended_them),
		cmocka_unit_test(test_graph__survives_every_failed_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
