/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/path/request_table.h"
#include "base/mem.h"
#include "lib/literal.h"

#define MS 1000000ULL

/* Its class is a string that a profile has anyway. */
static struct profile *parse(const char *text, const struct profile_mark *marks, u32 len)
{
	struct profile *p;
	struct err err = { 0 };
	u32 i;

	if (literal_parse(text, &p, &err))
		fail_msg("%s", err.msg);
	p->marks = mem_array(len, sizeof(*marks));
	p->marks_len = len;
	for (i = 0; i < len; i++) {
		p->marks[i] = marks[i];
		p->marks[i].class = p->tasks[1].comm;
	}
	if (profile__check(p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static const char *const a_thread =
	"window 1s\nmax_events 10\n"
	"task 1/1 a on=500ms\n"
	"  wait S blocked=300ms runq=200ms count=2 at=400ms:200ms:100ms,800ms:100ms:100ms\n";

#define BEGIN(at)                                                                                  \
	{                                                                                          \
		(at) * MS, 1, 0, MARK_BEGIN, 0, 0, 0                                               \
	}
#define ANEW(at)                                                                                   \
	{                                                                                          \
		(at) * MS, 1, 0, MARK_BEGIN_ANEW, 0, 0, 0                                          \
	}
#define END(at)                                                                                    \
	{                                                                                          \
		(at) * MS, 1, 0, MARK_END, 0, 0, 0                                                 \
	}

/* After an error there is no end, and what follows is not inside of it. */
static void test_requests__that_begin_anew(void **state)
{
	static const struct profile_mark marks[] = { ANEW(100), ANEW(200), END(300), ANEW(400) };
	struct profile *p = parse(a_thread, marks, ARRAY_LEN(marks));
	struct requests rs;
	const struct profile_request *req;
	const struct request_rest *rest;

	(void)state;
	assert_int_equal(requests__init(&rs, p), 0);
	assert_int_equal(rs.list.len, 1);
	req = vec__at(&rs.list, 0);
	assert_true(req->begin_ns == 200 * MS && req->end_ns == 300 * MS);
	rest = vec__at(&rs.rests, 0);
	assert_true(rest->open == 2 && rest->nested == 0 && rest->before == 0);
	requests__done(&rs);
	profile__free(p);
}

static void test_requests__of_a_recursion_are_the_outermost(void **state)
{
	static const struct profile_mark marks[] = { END(50),  BEGIN(100), BEGIN(150),
						     END(200), END(300),   BEGIN(900) };
	struct profile *p = parse(a_thread, marks, ARRAY_LEN(marks));
	struct requests rs;
	const struct profile_request *req;
	const struct request_rest *rest;

	(void)state;
	assert_int_equal(requests__init(&rs, p), 0);
	assert_int_equal(rs.list.len, 1);
	req = vec__at(&rs.list, 0);
	assert_int_equal(req->begin_ns, 100 * MS);
	assert_int_equal(req->end_ns, 300 * MS);
	assert_int_equal(rs.rests.len, 1);
	rest = vec__at(&rs.rests, 0);
	assert_int_equal(rest->before, 1);
	assert_int_equal(rest->nested, 1);
	assert_int_equal(rest->open, 1);
	requests__done(&rs);
	profile__free(p);
}

#define ON(at, kind, thread, connection)                                                           \
	{                                                                                          \
		(at) * MS, thread, 0, kind, connection, 0, 0                                       \
	}
#define READ(at, connection) ON(at, MARK_BEGIN, 1, connection)
#define WRITE(at, connection) ON(at, MARK_END, 1, connection)

static void assert_request(const struct requests *rs, size_t i, u64 begin_ms, u64 end_ms)
{
	const struct profile_request *req = vec__at(&rs->list, i);

	assert_true(i < rs->list.len);
	assert_int_equal(req->begin_ns, begin_ms * MS);
	assert_int_equal(req->end_ns, end_ms * MS);
	assert_int_equal(req->task, 1);
}

/* Two of a connection with several reads and writes; an answer from before, and one too few. */
static void test_requests__of_a_connection_end_with_the_last_write(void **state)
{
	static const struct profile_mark marks[] = { WRITE(5, 8),  READ(10, 7),	 READ(20, 7),
						     WRITE(30, 7), WRITE(40, 7), READ(50, 7),
						     WRITE(60, 7), READ(70, 8),	 WRITE(80, 7),
						     READ(90, 7) };
	struct profile *p = parse(a_thread, marks, ARRAY_LEN(marks));
	const struct request_rest *rest;
	struct requests rs;

	(void)state;
	assert_int_equal(requests__init(&rs, p), 0);
	assert_int_equal(rs.list.len, 2);
	assert_request(&rs, 0, 10, 40);
	assert_request(&rs, 1, 50, 80);
	rest = vec__at(&rs.rests, 0);
	assert_int_equal(rest->before, 1);
	assert_int_equal(rest->open, 2);
	assert_int_equal(rest->nested, 0);
	assert_int_equal(rest->handed, 0);
	assert_int_equal(rest->overlapping, 0);
	requests__done(&rs);
	profile__free(p);
}

/* Three of a thread overlap, and one does not, nor one that was handed on. */
static void test_requests__of_connections_may_overlap(void **state)
{
	static const struct profile_mark marks[] = {
		READ(10, 7),  READ(20, 8),  WRITE(25, 8), READ(30, 9),	WRITE(35, 9),
		WRITE(40, 7), READ(45, 11), READ(50, 8),  WRITE(55, 8), ON(60, MARK_END, 2, 11),
	};
	struct profile *p = parse("window 1s\nmax_events 10\ntask 1/1 a on=500ms\n"
				  "task 1/2 b on=500ms\n",
				  marks, ARRAY_LEN(marks));
	const struct request_rest *rest;
	struct requests rs;

	(void)state;
	assert_int_equal(requests__init(&rs, p), 0);
	assert_int_equal(rs.list.len, 5);
	assert_request(&rs, 0, 20, 25);
	assert_request(&rs, 1, 30, 35);
	assert_request(&rs, 2, 10, 40);
	assert_request(&rs, 3, 50, 55);
	assert_request(&rs, 4, 45, 60);
	rest = vec__at(&rs.rests, 0);
	assert_int_equal(rest->handed, 1);
	assert_int_equal(rest->overlapping, 3);
	assert_int_equal(rest->open, 0);
	requests__done(&rs);
	profile__free(p);
}

static void assert_trace(const struct requests *rs, size_t i, u32 trace)
{
	const struct profile_request *req = vec__at(&rs->list, i);

	assert_int_equal(req->trace, trace);
}

/* A header decides, and else the last write that has a trace; the next request has none. */
static void test_requests__of_a_connection_have_the_trace_of_the_writer(void **state)
{
	static const struct profile_mark marks[] = {
		READ(10, 7), WRITE(20, 7), WRITE(21, 7), WRITE(22, 7), READ(30, 7),
		READ(35, 7), WRITE(40, 7), READ(50, 7),	 WRITE(60, 7),
	};
	struct profile *p = parse(a_thread, marks, ARRAY_LEN(marks));
	u32 one = p->tasks[1].comm, two = one == 1 ? 2 : 1, three = one == 3 ? 4 : 3;
	struct requests rs;

	(void)state;
	p->marks[1].trace = two;
	p->marks[2].trace = three;
	p->marks[4].trace = one;
	p->marks[6].trace = two;
	assert_int_equal(requests__init(&rs, p), 0);
	assert_int_equal(rs.list.len, 3);
	assert_trace(&rs, 0, three);
	assert_trace(&rs, 1, one);
	assert_trace(&rs, 2, 0);
	requests__done(&rs);
	profile__free(p);
}

/* The outermost end decides, and else the outermost begin. */
static void test_requests__of_a_probe_have_the_trace_of_its_thread(void **state)
{
	static const struct profile_mark marks[] = {
		BEGIN(10), END(20), BEGIN(30), BEGIN(31), END(32), END(40),
		BEGIN(50), END(60), ANEW(70),  ANEW(80),  END(90),
	};
	struct profile *p = parse(a_thread, marks, ARRAY_LEN(marks));
	u32 one = p->tasks[1].comm, two = one == 1 ? 2 : 1;
	struct requests rs;

	(void)state;
	p->marks[0].trace = one;
	p->marks[1].trace = two;
	p->marks[2].trace = one;
	p->marks[3].trace = p->marks[4].trace = two;
	p->marks[8].trace = two;
	assert_int_equal(requests__init(&rs, p), 0);
	assert_int_equal(rs.list.len, 4);
	assert_trace(&rs, 0, two);
	assert_trace(&rs, 1, one);
	assert_trace(&rs, 2, 0);
	assert_trace(&rs, 3, 0);
	requests__done(&rs);
	profile__free(p);
}

/* The begin says of which class a request is; writes do not know. */
static void test_requests__of_a_connection_may_be_of_several_classes(void **state)
{
	static const struct profile_mark marks[] = { READ(10, 7), WRITE(20, 7), READ(30, 7),
						     WRITE(40, 7) };
	struct profile *p = parse(a_thread, marks, ARRAY_LEN(marks));
	const struct profile_request *req;
	struct requests rs;
	u32 own = p->tasks[1].comm, other = own == 1 ? 2 : 1;

	(void)state;
	p->marks[0].class = other;
	p->marks[0].trace = other;
	assert_int_equal(requests__init(&rs, p), 0);
	assert_int_equal(rs.list.len, 2);
	assert_request(&rs, 0, 10, 20);
	req = vec__at(&rs.list, 0);
	assert_true(req->class == other && req->trace == other);
	req = vec__at(&rs.list, 1);
	assert_true(req->class == own && req->trace == 0);
	assert_int_equal(rs.rests.len, 2);
	requests__done(&rs);
	profile__free(p);
}

static void assert_parts(const struct profile *p, u64 begin_ms, u64 end_ms, u64 on_ms, u64 runq_ms,
			 u64 blocked_ms)
{
	const struct profile_request req = {
		.begin_ns = begin_ms * MS, .end_ns = end_ms * MS, .task = 1, .class = 1
	};
	u64 sums[REQUEST_UNKNOWN + 1] = { 0 }, reached_ns = req.begin_ns;
	struct lanes lanes;
	struct vec pieces;
	size_t i;

	vec__init(&pieces, sizeof(struct request_piece));
	assert_int_equal(lanes__init(&lanes, p), 0);
	assert_int_equal(request_pieces(&lanes, &req, &pieces), 0);
	for (i = 0; i < pieces.len; i++) {
		const struct request_piece *piece = vec__at(&pieces, i);

		assert_int_equal(piece->begin_ns, reached_ns);
		assert_int_not_equal(piece->ns, 0);
		reached_ns += piece->ns;
		sums[piece->part] += piece->ns;
	}
	assert_int_equal(reached_ns, req.end_ns);
	assert_int_equal(sums[REQUEST_ON_CPU], on_ms * MS);
	assert_int_equal(sums[REQUEST_RUNQ], runq_ms * MS);
	assert_int_equal(sums[REQUEST_BLOCKED], blocked_ms * MS);
	vec__done(&pieces);
	lanes__done(&lanes);
}

/* Blocked 100 to 300 and 600 to 700, waiting for a CPU 300 to 400 and 700 to 800. */
static void test_requests__are_cut_where_the_thread_changes(void **state)
{
	static const struct profile_mark marks[] = { BEGIN(0), END(1) };
	struct profile *p = parse(a_thread, marks, ARRAY_LEN(marks));

	(void)state;
	assert_parts(p, 0, 1000, 500, 200, 300);
	assert_parts(p, 150, 250, 0, 0, 100);
	assert_parts(p, 250, 350, 0, 50, 50);
	assert_parts(p, 350, 620, 200, 50, 20);
	assert_parts(p, 500, 500, 0, 0, 0);
	profile__free(p);
}

/* Where an instant is missing, what is between two is not known, and is no time on a CPU. */
static void test_requests__say_what_is_not_known(void **state)
{
	static const struct profile_mark marks[] = { BEGIN(0), END(1) };
	struct profile *p =
		parse("window 1s\nmax_events 10\nloss events_lost 1 300ms\ntask 1/1 a on=500ms\n"
		      "  wait S blocked=500ms count=2 at=400ms:200ms:0\n",
		      marks, ARRAY_LEN(marks));

	(void)state;
	assert_parts(p, 0, 1000, 0, 0, 200);
	profile__free(p);
}

#define REQUESTS 200

/* 1 ms to 200 ms: quantiles by nearest rank, and parts that add up to the wall time. */
static void test_requests__have_quantiles_and_parts(void **state)
{
	struct profile_mark marks[2 * REQUESTS];
	struct request_table table;
	struct lanes lanes;
	struct arena a;
	struct err err = { 0 };
	const struct request_class *c;
	struct profile *p;
	u64 at = 0, rows_ns = 0, blocked_ns = 0;
	double difference = 0;
	u32 i;

	(void)state;
	for (i = 0; i < REQUESTS; i++) {
		marks[2 * i] = (struct profile_mark)BEGIN(at);
		at += 1 + (i * 37) % REQUESTS;
		marks[2 * i + 1] = (struct profile_mark)END(at);
	}
	p = parse("window 20100ms\nmax_events 10\ntask 1/1 a on=20s\n"
		  "  wait S blocked=100ms count=1 at=400ms:100ms:0\n",
		  marks, ARRAY_LEN(marks));
	arena__init(&a);
	assert_int_equal(lanes__init(&lanes, p), 0);
	assert_int_equal(request_table__build(&lanes, NULL, NULL, &a, &table, &err), 0);
	assert_int_equal(table.len, 1);
	c = &table.classes[0];
	assert_int_equal(c->len, REQUESTS);
	assert_int_equal(request_class__quantile_ns(c, 500), 100 * MS);
	assert_int_equal(request_class__quantile_ns(c, 900), 180 * MS);
	assert_int_equal(request_class__quantile_ns(c, 990), 198 * MS);
	assert_int_equal(request_class__quantile_ns(c, 1000), 200 * MS);
	assert_int_equal(c->wall_ns, 20100 * MS);
	for (i = 0; i < CAUSE_CNT; i++)
		blocked_ns += c->cause_ns[i];
	assert_int_equal(blocked_ns + c->idle_ns, 100 * MS);
	assert_int_equal(c->runq_ns + c->unknown_ns, 0);
	assert_int_equal(c->on_ns, 20000 * MS);
	assert_int_equal(c->slow_len, 2);
	assert_int_equal(c->middle_len, 40);
	for (i = 0; i < c->rows_len; i++) {
		rows_ns += c->rows[i].ns;
		difference += c->rows[i].slow_ns - c->rows[i].middle_ns;
	}
	assert_int_equal(rows_ns, c->wall_ns);
	/* 199.5 ms beside 81 ms to 120 ms */
	assert_int_equal((u64)(difference + 0.5), 99 * MS);
	lanes__done(&lanes);
	arena__done(&a);
	profile__free(p);
}

/*
 * A front thread (1) reads at 100 and 150, and wakes the worker (2) at 200 for another connection
 * and at 400; the worker waits for a CPU until 420, and sleeps 500 to 600. Another one (3) is woken
 * by nobody that is known.
 */
static const char *const a_front =
	"window 1s\nmax_events 10\n"
	"task 1/1 front on=1s\n"
	"task 1/2 worker on=600ms\n"
	"  wait S blocked=280ms runq=20ms count=2 at=200ms:200ms:0:F,420ms:80ms:20ms:F\n"
	"  wait S blocked=100ms count=1 at=600ms:100ms:0:T\n"
	"task 1/3 other on=900ms\n"
	"  wait S blocked=100ms count=1 at=700ms:100ms:0:T\n"
	"waker F 1/1 front\nwaker T softirq\n";

/* `other` has written to another connection at 300. */
static void assert_handed(u32 writer, u32 other, u64 end_ms,
			  const u64 parts_ms[REQUEST_UNSPLIT + 1])
{
	const struct profile_mark marks[] = { READ(100, 7), READ(150, 8),
					      ON(300, MARK_END, other, 8),
					      ON(end_ms, MARK_END, writer, 7) };
	struct profile *p = parse(a_front, marks, ARRAY_LEN(marks));
	u64 sums[REQUEST_UNSPLIT + 1] = { 0 }, reached_ns = 100 * MS;
	struct requests rs;
	struct lanes lanes;
	struct vec pieces;

	vec__init(&pieces, sizeof(struct request_piece));
	assert_int_equal(lanes__init(&lanes, p), 0);
	assert_int_equal(requests__init(&rs, p), 0);
	assert_int_equal(rs.list.len, 2);
	assert_request(&rs, 1, 100, end_ms);
	assert_int_equal(request_pieces(&lanes, vec__at(&rs.list, 1), &pieces), 0);
	for (size_t i = 0; i < pieces.len; i++) {
		const struct request_piece *piece = vec__at(&pieces, i);

		assert_int_equal(piece->begin_ns, reached_ns);
		reached_ns += piece->ns;
		sums[piece->part] += piece->ns;
	}
	assert_int_equal(reached_ns, end_ms * MS);
	for (u32 i = 0; i <= REQUEST_UNSPLIT; i++)
		assert_int_equal(sums[i], parts_ms[i] * MS);
	vec__done(&pieces);
	requests__done(&rs);
	lanes__done(&lanes);
	profile__free(p);
}

/* The reader's until the wakeup at 400, and not before the worker was done with another one. */
static void test_requests__handed_on_by_a_wakeup(void **state)
{
	(void)state;
	assert_handed(2, 2, 650, (u64[]){ 300 + 80 + 50, 20, 100, 0, 0 });
}

/* Nothing says who had it: only what the writer did since its last wait is known. */
static void test_requests__handed_on_without_a_wakeup(void **state)
{
	(void)state;
	assert_handed(3, 2, 750, (u64[]){ 50, 0, 0, 0, 600 });
}

/* Out of a queue: since it was done with the other one, with its sleep. */
static void test_requests__handed_on_to_a_busy_thread(void **state)
{
	(void)state;
	assert_handed(3, 3, 750, (u64[]){ 350, 0, 100, 0, 200 });
}

static struct profile *parse_traces(struct profile_mark *marks, u32 pairs)
{
	struct profile *p;

	for (u32 i = 0; i < pairs; i++) {
		marks[2 * i] = (struct profile_mark)BEGIN(10 * i);
		marks[2 * i + 1] = (struct profile_mark)END(10 * i + 1 + i % 7);
	}
	p = parse("window 1s\nmax_events 10\ntask 1/1 a on=1s\ntask 1/2 00ab11 on=0\n"
		  "task 1/3 00ab22 on=0\n",
		  marks, 2 * pairs);
	for (u32 i = 0; i < 2 * pairs; i++) {
		p->marks[i].connection = 1 + i / 2;
		p->marks[i].trace = p->tasks[i / 2 + 1 < pairs ? 2 : 3].comm;
	}
	return p;
}

/* All of them, one after the other. Digits of several traces choose none. */
static void test_requests__of_a_trace(void **state)
{
	enum { PAIRS = 25 };
	struct profile_mark marks[2 * PAIRS];
	struct profile *p = parse_traces(marks, PAIRS);
	struct request_table table;
	struct lanes lanes;
	struct arena a;
	struct err err = { 0 };
	const struct request_class *c = NULL;

	(void)state;
	p->marks[2 * 4 + 1].task = 2; /* another thread answers */
	arena__init(&a);
	assert_int_equal(lanes__init(&lanes, p), 0);
	assert_int_equal(request_table__build(&lanes, NULL, "00AB1", &a, &table, &err), 0);
	assert_int_equal(table.len, 1);
	c = &table.classes[0];
	assert_int_equal(c->rest.handed, 1);
	assert_int_equal(c->shown_len, PAIRS - 1);
	for (u32 i = 1; i < c->shown_len; i++)
		assert_true(c->shown[i - 1].begin_ns < c->shown[i].begin_ns);
	assert_int_equal(request_table__build(&lanes, NULL, "00ab", &a, &table, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'00ab': 00ab11, 00ab22; give more digits"));
	assert_int_equal(request_table__build(&lanes, NULL, "00ab3", &a, &table, &err), -ENOENT);
	lanes__done(&lanes);
	arena__done(&a);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests__that_begin_anew),
		cmocka_unit_test(test_requests__of_a_recursion_are_the_outermost),
		cmocka_unit_test(test_requests__of_a_connection_end_with_the_last_write),
		cmocka_unit_test(test_requests__of_a_connection_have_the_trace_of_the_writer),
		cmocka_unit_test(test_requests__of_a_probe_have_the_trace_of_its_thread),
		cmocka_unit_test(test_requests__of_a_connection_may_be_of_several_classes),
		cmocka_unit_test(test_requests__of_connections_may_overlap),
		cmocka_unit_test(test_requests__are_cut_where_the_thread_changes),
		cmocka_unit_test(test_requests__say_what_is_not_known),
		cmocka_unit_test(test_requests__have_quantiles_and_parts),
		cmocka_unit_test(test_requests__handed_on_by_a_wakeup),
		cmocka_unit_test(test_requests__handed_on_without_a_wakeup),
		cmocka_unit_test(test_requests__handed_on_to_a_busy_thread),
		cmocka_unit_test(test_requests__of_a_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
