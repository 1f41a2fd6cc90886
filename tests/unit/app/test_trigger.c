/* SPDX-License-Identifier: Apache-2.0 */
/* What a trigger may say, and in which windows it fires. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "app/flight/trigger.h"
#include "base/mem.h"
#include "lib/lit.h"

#define MS NSEC_PER_MSEC
#define HEAD                                                                                       \
	"arch x86_64\nncpu 2\nsides user kernel\nwindow 1s\nbegin_wall 1790000000s\n"              \
	"max_events 100\n"

static void test_trigger_spec__parse(void **state)
{
	struct trigger_spec spec;
	struct err err;

	(void)state;
	assert_int_equal(trigger_spec__parse(&spec, "wait>200ms", &err), 0);
	assert_int_equal(spec.kind, TRIGGER_WAIT);
	assert_true(spec.ns == 200 * MS && !spec.causes && !spec.comm);
	assert_int_equal(trigger_spec__parse(&spec,
					     " wait>2s  cause=disk-sync comm=pg*  cause=pipe ",
					     &err),
			 0);
	assert_true(spec.causes ==
		    (CAUSE_SET(cause_find("disk-sync")) | CAUSE_SET(cause_find("pipe"))));
	assert_int_equal(spec.comm_len, 3);
	assert_memory_equal(spec.comm, "pg*", 3);
	assert_int_equal(trigger_spec__parse(&spec, "cpu-idle-and-blocked>1.5s", &err), 0);
	assert_int_equal(spec.kind, TRIGGER_BLOCKED);
	assert_true(spec.ns == 1500 * MS);
	assert_int_equal(trigger_spec__parse(&spec, "request>1s class=:80 comm=web", &err), 0);
	assert_int_equal(spec.kind, TRIGGER_REQUEST);
	assert_memory_equal(spec.class, ":80", 3);
	assert_int_equal(spec.class_len, 3);
	assert_int_equal(trigger_spec__parse(&spec, "end", &err), 0);
	assert_int_equal(spec.kind, TRIGGER_END);
}

static void test_trigger_spec__parse_refuses(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} bad[] = {
		{ "", "is not 'wait" },
		{ "  ", "is not 'wait" },
		{ "requests>1s", "is not 'wait" },
		{ "request>1s class=a class=b", "more than one 'class='" },
		{ "wait>1s class=a", "neither" },
		{ "wai>200ms", "is not 'wait" },
		{ "wait", "needs a length" },
		{ "wait>", "''" },
		{ "wait>200", "200" },
		{ "wait>1s cause=disksync", "did you mean 'disk-sync'" },
		{ "wait>1s tid=5", "neither" },
		{ "wait>1s comm=", "'comm=' needs a name" },
		{ "request>1s class= comm=a", "'class=' needs a name" },
		{ "wait>1s class=", "neither" },
		{ "wait>1s cause= comm=a", "'cause=' needs a cause" },
		{ "wait>1s comm=a comm=b", "more than one" },
		{ "end comm=a", "only 'wait' and 'request' have terms" },
	};
	struct trigger_spec spec;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = { 0 };

		assert_int_equal(trigger_spec__parse(&spec, bad[i].text, &err), -EINVAL);
		if (!strstr(err.msg, bad[i].why))
			fail_msg("%s: %s", bad[i].text, err.msg);
	}
}

/* The text of what fired in a window; "" if nothing did. */
static const char *look(struct triggers *t, const char *text, u64 idle_ns)
{
	static char why[FIRING_TEXT_SZ];
	struct profile *p = lit(text);
	struct causes causes;
	struct vec firings;

	vec__init(&firings, sizeof(struct firing));
	assert_int_equal(causes__init(&causes, p, NULL, NULL), 0);
	assert_int_equal(triggers__look(t,
					&(struct trigger_look){ .windows = &p,
								.len = 1,
								.causes = &causes,
								.idle_ns = idle_ns },
					&firings),
			 0);
	assert_true(firings.len <= 1);
	why[0] = '\0';
	if (firings.len)
		memcpy(why, ((struct firing *)vec__at(&firings, 0))->why, sizeof(why));
	vec__done(&firings);
	causes__done(&causes);
	profile__free(p);
	return why;
}

static void begin(struct triggers *t, struct trigger_spec *spec, const char *text)
{
	struct err err;

	assert_int_equal(trigger_spec__parse(spec, text, &err), 0);
	assert_int_equal(triggers__init(t, spec, 1), 0);
}

static const char *const reads_on[] = {
	HEAD "task 7/7 web on=850ms\n  wait S sys=read blocked=150ms flags=open at=1s:150ms:0\n"
	     "    k pipe_read\n",
	HEAD "task 7/7 web on=0\n  wait S sys=read blocked=1s flags=open,pre at=1s:1s:0\n"
	     "    k pipe_read\n",
	HEAD "task 7/7 web on=900ms\n  wait S sys=read blocked=100ms flags=pre at=100ms:100ms:0\n"
	     "    k pipe_read\n",
};

/* Windows are shorter than the wait. It is seen while it lasts, and once. */
static void test_a_wait_is_added_up_over_windows(void **state)
{
	struct trigger_spec spec;
	struct triggers t;

	(void)state;
	begin(&t, &spec, "wait>200ms");
	assert_string_equal(look(&t, reads_on[0], 0), "");
	assert_string_equal(look(&t, reads_on[1], 0),
			    "wait>200ms at 2026-09-21T14:13:21.000Z: web (7) has waited 1.15 s in "
			    "pipe");
	assert_string_equal(look(&t, reads_on[2], 0), "");
	triggers__done(&t);
	begin(&t, &spec, "wait>1.2s");
	assert_string_equal(look(&t, reads_on[0], 0), "");
	assert_string_equal(look(&t, reads_on[1], 0), "");
	assert_string_equal(look(&t, reads_on[2], 0),
			    "wait>1.2s at 2026-09-21T14:13:20.100Z: web (7) waited 1.25 s in pipe");
	triggers__done(&t);
	begin(&t, &spec, "wait>1.25s");
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(look(&t, reads_on[i], 0), "");
	triggers__done(&t);
}

static void test_terms_choose_waits(void **state)
{
	static const struct {
		const char *text;
		bool fires;
	} cases[] = {
		{ "wait>100ms cause=pipe", true },
		{ "wait>100ms cause=disk-sync", false },
		{ "wait>100ms comm=we*", true },
		{ "wait>100ms comm=we", false },
		{ "wait>100ms cause=disk cause=pipe", true },
		{ "wait>100ms cause=pipe comm=db", false },
	};
	struct trigger_spec spec;
	struct triggers t;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(&t, &spec, cases[i].text);
		assert_int_equal(*look(&t, reads_on[0], 0) != '\0', cases[i].fires);
		triggers__done(&t);
	}
}

/* A wait for work is nobody's delay, unless its cause is asked for. */
static void test_waits_for_work_do_not_count(void **state)
{
	static const char idle[] = HEAD "module libc elf /usr/lib/libc.so.6\n"
					"module nginx elf /usr/sbin/nginx\n"
					"task 7/7 nginx on=0\n"
					"  wait S sys=epoll_wait blocked=1s flags=open at=1s:1s:0\n"
					"    u @nginx 0x4000 ngx_process_events_and_timers\n"
					"    u @libc 0x1083e6 epoll_wait\n    k do_epoll_wait\n";
	struct trigger_spec spec;
	struct triggers t;

	(void)state;
	begin(&t, &spec, "wait>200ms");
	assert_string_equal(look(&t, idle, 0), "");
	triggers__done(&t);
	begin(&t, &spec, "wait>200ms cause=poll");
	assert_string_not_equal(look(&t, idle, 0), "");
	triggers__done(&t);
	begin(&t, &spec, "cpu-idle-and-blocked>200ms");
	assert_string_equal(look(&t, idle, 2000 * MS), "");
	triggers__done(&t);
}

/* Two threads that are both blocked from 0.4 s to 0.7 s, and from 0.9 s on. */
static const char both_blocked[] = HEAD
	"task 7/7 a on=300ms\n"
	"  wait S sys=read blocked=700ms count=2 max=600ms at=700ms:600ms:0,1s:100ms:0\n"
	"    k pipe_read\n"
	"task 7/8 b on=500ms\n"
	"  wait S sys=read blocked=500ms count=2 max=400ms at=800ms:400ms:0,1s:100ms:0\n"
	"    k pipe_read\n";

static void test_all_are_blocked_while_cpus_are_idle(void **state)
{
	struct trigger_spec spec;
	struct triggers t;

	(void)state;
	begin(&t, &spec, "cpu-idle-and-blocked>250ms");
	assert_string_equal(look(&t, both_blocked, 400 * MS), "");
	assert_string_equal(look(&t, both_blocked, 1500 * MS),
			    "cpu-idle-and-blocked>250ms at 2026-09-21T14:13:20.700Z: all 2 threads "
			    "blocked for 300 ms, while 1.5 of 2 CPUs were idle");
	/* the 100 ms at its end go on */
	assert_true(t.blocked_ns == 100 * MS);
	assert_string_equal(look(&t,
				 HEAD "task 7/7 a on=0\n  wait S sys=read blocked=1s flags=open "
				      "at=1s:1s:0\n    k pipe_read\n"
				      "task 7/8 b on=800ms\n  wait S sys=read blocked=200ms "
				      "at=200ms:200ms:0\n    k pipe_read\n",
				 1500 * MS),
			    "cpu-idle-and-blocked>250ms at 2026-09-21T14:13:20.200Z: all 2 threads "
			    "blocked for 300 ms, while 1.5 of 2 CPUs were idle");
	assert_true(t.blocked_ns == 0);
	triggers__done(&t);
	begin(&t, &spec, "cpu-idle-and-blocked>300ms");
	assert_string_equal(look(&t, both_blocked, 1500 * MS), "");
	triggers__done(&t);
}

#define WINDOWS_MAX 4

/* Windows of a second with a thread that is blocked in a pipe for `blocked` ms from their begin. */
struct scene {
	struct profile *windows[WINDOWS_MAX];
	size_t len;
};

static struct profile *pipe_window(u32 blocked_ms)
{
	char text[512];

	snprintf(text, sizeof(text),
		 HEAD "task 7/7 web on=%ums\n  wait S sys=read blocked=%ums at=%ums:%ums:0\n"
		      "    k pipe_read\n",
		 1000 - blocked_ms, blocked_ms, blocked_ms, blocked_ms);
	return lit(text);
}

static void put_marks(struct profile *p, const struct profile_mark *marks, u32 len)
{
	p->marks = mem_array(len + 1, sizeof(*marks));
	p->marks_len = len;
	for (u32 i = 0; i < len; i++) {
		p->marks[i] = marks[i];
		p->marks[i].at_ns *= MS;
		p->marks[i].task = marks[i].task ? marks[i].task : 1;
		p->marks[i].class = p->tasks[1].comm;
	}
}

/* What fired in the next window; "" if nothing did. */
static const char *see_window(struct triggers *t, struct scene *s, struct profile *p,
			      const struct profile_mark *marks, u32 len)
{
	static char why[FIRING_TEXT_SZ];
	struct causes causes;
	struct vec firings;
	struct trigger_look at = { .windows = s->windows, .causes = &causes };

	put_marks(p, marks, len);
	s->windows[s->len++] = p;
	at.len = s->len;
	vec__init(&firings, sizeof(struct firing));
	assert_int_equal(causes__init(&causes, s->windows[s->len - 1], NULL, NULL), 0);
	assert_int_equal(triggers__look(t, &at, &firings), 0);
	why[0] = '\0';
	if (firings.len)
		memcpy(why, ((struct firing *)vec__at(&firings, 0))->why, sizeof(why));
	vec__done(&firings);
	causes__done(&causes);
	return why;
}

static const char *see(struct triggers *t, struct scene *s, u32 blocked_ms,
		       const struct profile_mark *marks, u32 len)
{
	return see_window(t, s, pipe_window(blocked_ms), marks, len);
}

/* They are older than what a flight recorder keeps. */
static void forget_windows(struct scene *s)
{
	for (size_t i = 0; i < s->len; i++)
		profile__free(s->windows[i]);
	s->len = 0;
}

static void end_scene(struct triggers *t, struct scene *s)
{
	forget_windows(s);
	triggers__done(t);
}

/* A call is seen while it lasts, and once; its parts are those of all windows. */
static void test_a_call_that_lasts_too_long_fires(void **state)
{
	static const struct profile_mark in = { 900, 0, 0, MARK_BEGIN, 0, 0, 0 },
					 out = { 500, 0, 0, MARK_END, 0, 0, 0 };
	struct trigger_spec spec;
	struct triggers t;
	struct scene s = { 0 };

	(void)state;
	begin(&t, &spec, "request>1s");
	assert_string_equal(see(&t, &s, 1, &in, 1), "");
	assert_string_equal(see(&t, &s, 800, NULL, 0),
			    "request>1s at 2026-09-21T14:13:21.000Z: web in web (7) has taken "
			    "1.10 s, 800 ms of it blocked in pipe");
	assert_string_equal(see(&t, &s, 1, &out, 1), "");
	end_scene(&t, &s);
	s.len = 0;
	begin(&t, &spec, "request>1.5s cause=pipe class=we? comm=w*");
	see(&t, &s, 1, &in, 1);
	assert_string_equal(see(&t, &s, 990, NULL, 0), "");
	assert_string_equal(see(&t, &s, 200, &out, 1),
			    "request>1.5s cause=pipe class=we? comm=w* at "
			    "2026-09-21T14:13:20.500Z: web in web (7) took 1.60 s, 1.19 s of it "
			    "blocked in pipe");
	end_scene(&t, &s);
}

/* One that failed has no end, and its thread may be idle: a request fires at its end. */
static void test_a_request_of_a_static_probe_fires_at_its_end(void **state)
{
	static const struct profile_mark in = { 900, 0, 0, MARK_BEGIN_ANEW, 0, 0, 0 },
					 again[] = { { 100, 0, 0, MARK_BEGIN_ANEW, 0, 0, 0 },
						     { 300, 0, 0, MARK_END, 0, 0, 0 } },
					 out = { 500, 0, 0, MARK_END, 0, 0, 0 };
	struct trigger_spec spec;
	struct triggers t;
	struct scene s = { 0 };

	(void)state;
	begin(&t, &spec, "request>1s");
	assert_string_equal(see(&t, &s, 1, &in, 1), "");
	assert_string_equal(see(&t, &s, 800, NULL, 0), "");
	assert_string_equal(see(&t, &s, 1, again, 2), "");
	end_scene(&t, &s);
	s.len = 0;
	begin(&t, &spec, "request>1s");
	see(&t, &s, 1, &in, 1);
	assert_string_equal(see(&t, &s, 800, NULL, 0), "");
	assert_string_equal(see(&t, &s, 1, &out, 1),
			    "request>1s at 2026-09-21T14:13:20.500Z: web in web (7) took 1.60 s, "
			    "801 ms of it blocked in pipe");
	end_scene(&t, &s);
}

/* Only what the windows have of it is known. */
static void test_of_a_long_request_the_last_seconds_count(void **state)
{
	static const struct profile_mark in = { 900, 0, 0, MARK_BEGIN, 0, 0, 0 },
					 out = { 800, 0, 0, MARK_END, 0, 0, 0 };
	struct trigger_spec spec;
	struct triggers t;
	struct scene s = { 0 };

	(void)state;
	begin(&t, &spec, "request>2s cause=pipe");
	see(&t, &s, 1, &in, 1);
	see(&t, &s, 1, NULL, 0);
	forget_windows(&s);
	assert_string_equal(see(&t, &s, 790, &out, 1), "");
	end_scene(&t, &s);
	s.len = 0;
	begin(&t, &spec, "request>1.5s cause=pipe");
	see(&t, &s, 1, &in, 1);
	see(&t, &s, 1, NULL, 0);
	forget_windows(&s);
	assert_string_equal(see(&t, &s, 790, &out, 1),
			    "request>1.5s cause=pipe at 2026-09-21T14:13:20.800Z: web in web (7) "
			    "took 1.90 s, 790 ms of the last 800 ms blocked in pipe");
	end_scene(&t, &s);
}

static void test_waits_for_a_cpu_have_causes(void **state)
{
	static const struct profile_mark marks[] = { { 100, 0, 0, MARK_BEGIN, 0, 0, 0 },
						     { 600, 0, 0, MARK_END, 0, 0, 0 } };
	struct trigger_spec spec;
	struct triggers t;
	struct scene s = { 0 };
	struct profile *p;

	(void)state;
	begin(&t, &spec, "request>400ms cause=preempted");
	p = lit(HEAD "task 7/7 web on=500ms\n  wait R runq=500ms at=500ms:0:500ms\n");
	assert_string_equal(see_window(&t, &s, p, marks, 2),
			    "request>400ms cause=preempted at 2026-09-21T14:13:20.600Z: web in web "
			    "(7) took 500 ms, 400 ms of it waiting for a CPU");
	end_scene(&t, &s);
}

static void test_terms_choose_requests(void **state)
{
	static const struct profile_mark marks[] = { { 100, 0, 0, MARK_BEGIN, 0, 0, 0 },
						     { 600, 0, 0, MARK_END, 0, 0, 0 } };
	static const struct {
		const char *text;
		bool fires;
	} cases[] = {
		{ "request>400ms", true },
		{ "request>500ms", false },
		{ "request>400ms class=web", true },
		{ "request>400ms class=we", false },
		{ "request>400ms comm=db", false },
		{ "request>400ms cause=pipe", true }, /* 300 ms of it */
		{ "request>400ms cause=disk-sync", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct trigger_spec spec;
		struct triggers t;
		struct scene s = { 0 };

		begin(&t, &spec, cases[i].text);
		assert_int_equal(*see(&t, &s, 400, marks, 2) != '\0', cases[i].fires);
		end_scene(&t, &s);
	}
}

/* Nobody knows whether it will be answered, so its writes say how long it took. */
static void test_a_request_of_a_connection_fires_at_a_write(void **state)
{
	static const struct profile_mark in = { 900, 0, 0, MARK_BEGIN, 5, 0, 0 },
					 out[] = { { 500, 0, 0, MARK_END, 5, 0, 0 },
						   { 600, 0, 0, MARK_END, 5, 0, 0 } };
	struct trigger_spec spec;
	struct triggers t;
	struct scene s = { 0 };

	(void)state;
	begin(&t, &spec, "request>1s");
	assert_string_equal(see(&t, &s, 1, &in, 1), "");
	assert_string_equal(see(&t, &s, 800, NULL, 0), "");
	assert_string_equal(see(&t, &s, 1, out, 2),
			    "request>1s at 2026-09-21T14:13:20.500Z: web in web (7) took 1.60 s, "
			    "801 ms of it blocked in pipe");
	assert_string_equal(see(&t, &s, 1, &in, 1), "");
	end_scene(&t, &s);
}

/* What the thread that read did meanwhile is nothing of the request. */
static void test_a_request_that_another_thread_answers_has_its_causes(void **state)
{
	static const struct profile_mark marks[] = { { 100, 0, 0, MARK_BEGIN, 5, 0, 0 },
						     { 600, 2, 0, MARK_END, 5, 0, 0 } };
	static const char text[] = HEAD
		"task 7/7 web on=600ms\n  wait S sys=read blocked=400ms at=500ms:400ms:0\n"
		"    k pipe_read\ntask 7/8 worker on=1s\n";
	struct trigger_spec spec;
	struct triggers t;
	struct scene s = { 0 };

	(void)state;
	begin(&t, &spec, "request>400ms");
	assert_string_equal(
		see_window(&t, &s, lit(text), marks, 2),
		"request>400ms at 2026-09-21T14:13:20.600Z: web in web (7) took 500 ms, "
		"500 ms of it on a CPU; another thread answered it");
	end_scene(&t, &s);
	s.len = 0;
	begin(&t, &spec, "request>400ms cause=pipe");
	assert_string_equal(see_window(&t, &s, lit(text), marks, 2), "");
	end_scene(&t, &s);
}

/* The reader wakes the worker in one window, which waits for the disk until the next one. */
static const char handed_over[] = HEAD
	"begin_mono 5s\nwakers 1\n"
	"task 7/7 web on=1s\n"
	"task 7/8 worker on=50ms\n"
	"  wait S sys=futex blocked=700ms at=700ms:700ms:0:R\n    k futex_wait\n"
	"  wait D sys=fsync blocked=250ms flags=open at=1s:250ms:0\n    k blk_mq_wait\n"
	"waker R 7/7 web\n";
static const char handed_back[] = HEAD
	"begin_mono 6s\nwakers 1\n"
	"task 7/7 web on=1s\n"
	"task 7/8 worker on=600ms\n"
	"  wait D sys=fsync blocked=400ms flags=pre at=400ms:400ms:0\n    k blk_mq_wait\n";

static void test_a_request_is_followed_over_windows_to_who_answered(void **state)
{
	static const struct profile_mark in = { 600, 1, 0, MARK_BEGIN, 5, 0, 0 },
					 out = { 500, 2, 0, MARK_END, 5, 0, 0 };
	static const struct {
		const char *text;
		bool fires;
	} cases[] = {
		{ "request>800ms cause=disk-sync", true }, /* 650 of 900 ms */
		{ "request>800ms cause=futex", false }, /* before it was woken */
		{ "request>800ms cause=disk-sync comm=worker", false }, /* who read is meant */
	};
	struct trigger_spec spec;
	struct triggers t;
	struct scene s;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		s = (struct scene){ 0 };
		begin(&t, &spec, cases[i].text);
		assert_string_equal(see_window(&t, &s, lit(handed_over), &in, 1), "");
		assert_int_equal(*see_window(&t, &s, lit(handed_back), &out, 1) != '\0',
				 cases[i].fires);
		end_scene(&t, &s);
	}
	s = (struct scene){ 0 };
	begin(&t, &spec, "request>800ms cause=disk-sync");
	see_window(&t, &s, lit(handed_over), &in, 1);
	assert_string_equal(see_window(&t, &s, lit(handed_back), &out, 1),
			    "request>800ms cause=disk-sync at 2026-09-21T14:13:20.500Z: web in web "
			    "(7) took 900 ms, 650 ms of it blocked in disk-sync; another thread "
			    "answered it");
	end_scene(&t, &s);
	/* its begin is older than what is kept */
	s = (struct scene){ 0 };
	begin(&t, &spec, "request>800ms cause=disk-sync");
	see_window(&t, &s, lit(handed_over), &in, 1);
	forget_windows(&s);
	assert_string_equal(see_window(&t, &s, lit(handed_back), &out, 1), "");
	end_scene(&t, &s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trigger_spec__parse),
		cmocka_unit_test(test_trigger_spec__parse_refuses),
		cmocka_unit_test(test_a_wait_is_added_up_over_windows),
		cmocka_unit_test(test_terms_choose_waits),
		cmocka_unit_test(test_waits_for_work_do_not_count),
		cmocka_unit_test(test_all_are_blocked_while_cpus_are_idle),
		cmocka_unit_test(test_a_call_that_lasts_too_long_fires),
		cmocka_unit_test(test_a_request_of_a_static_probe_fires_at_its_end),
		cmocka_unit_test(test_of_a_long_request_the_last_seconds_count),
		cmocka_unit_test(test_waits_for_a_cpu_have_causes),
		cmocka_unit_test(test_terms_choose_requests),
		cmocka_unit_test(test_a_request_of_a_connection_fires_at_a_write),
		cmocka_unit_test(test_a_request_that_another_thread_answers_has_its_causes),
		cmocka_unit_test(test_a_request_is_followed_over_windows_to_who_answered),
	};

	return cmocka_run_group_tests_name("trigger", tests, NULL, NULL);
}
