/* SPDX-License-Identifier: Apache-2.0 */
/* What changed between two profiles: sums, matching of names, units, verdicts, limits. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/diff/diff.h"
#include "analysis/diff/diff_limit.h"
#include "analysis/diff/thread_time.h"
#include "base/mem.h"
#include "lib/lit.h"
#include "profile/windows/merge.h"

struct world {
	struct profile *p[2];
	struct arena a;
	struct diff d;
};

static int compare(struct world *w, const char *before, const char *after,
		   const struct diff_options *opt)
{
	struct err err = { 0 };
	int r;

	w->p[0] = lit(before);
	w->p[1] = lit(after);
	arena__init(&w->a);
	r = diff__build((const struct profile *const *)w->p, opt, &w->a, &w->d, &err);
	return r;
}

static void done(struct world *w)
{
	arena__done(&w->a);
	profile__free(w->p[0]);
	profile__free(w->p[1]);
}

static const struct diff_frame *frame(const struct world *w, const char *name)
{
	u32 i;

	for (i = 0; i < w->d.frames_len; i++) {
		if (strcmp(w->d.frames[i].name, name) == 0)
			return &w->d.frames[i];
	}
	fail_msg("there is no frame %s", name);
	return NULL;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fabs(b) + 1e-9;
}

/* The second build has other addresses, other suffixes and a newer library. */
static const char build1[] =
	"window 10s\nmodule app elf /opt/v1/app build=1\n"
	"module ssl elf /usr/lib/libssl.so.1.1 build=2\ntask 1/1 web\n"
	"wait S sys=futex blocked=1s count=10\n u @app 1 main\n u @app 2 take.constprop.0\n"
	" u @app 2 take.constprop.0\n k futex_wait\n"
	"wait S sys=recvfrom blocked=2s count=10\n u @app 1 main\n u @ssl 9 !no_symbol\n"
	" k sk_wait_data\n";
static const char build2[] =
	"window 20s\nmodule app elf /opt/v2/app build=3\n"
	"module ssl elf /usr/lib/libssl.so.3 build=4\ntask 7/7 web\n"
	"wait S sys=futex blocked=6s count=10 max=5s\n u @app 11 main\n"
	" u @app 12 take.isra.0.cold\n k futex_wait\n"
	"wait S sys=recvfrom blocked=4s count=10\n u @app 11 main\n u @ssl 99 !no_symbol\n"
	" k sk_wait_data\n"
	"wait D sys=fsync blocked=1s\n u @app 11 main\n u @app 13 flush\n k do_fsync\n";

static void builds_are_matched_by_name(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	const struct diff_frame *f;
	struct world w;

	(void)state;
	assert_int_equal(compare(&w, build1, build2, &opt), 0);
	assert_true(near(w.d.total.rate[0], 0.3e9) && near(w.d.total.rate[1], 0.55e9));
	f = frame(&w, "main");
	assert_string_equal(f->module, "app");
	assert_int_equal(f->item.ns[0], 3000000000);
	f = frame(&w, "take");
	/* once a stack, though it is in it twice */
	assert_int_equal(f->item.ns[0], 1000000000);
	assert_int_equal(f->item.ns[1], 6000000000);
	assert_true(near(diff_item__change(&f->item), 0.2e9));
	/* 5 s of 20 s are 250 ms a second, more than changed */
	assert_true(near(diff_item__largest(&w.d, &f->item), 1.25));
	f = frame(&w, "[libssl.so]");
	assert_string_equal(f->module, "libssl.so");
	assert_true(near(f->item.rate[0], f->item.rate[1]));
	f = frame(&w, "flush");
	assert_int_equal(f->item.ns[0], 0);
	/* one function, one row: main, take, [libssl.so], flush and three of the kernel */
	assert_int_equal(w.d.frames_len, 7);
	assert_true(fabs(diff_item__change(&w.d.frames[0].item)) >=
		    fabs(diff_item__change(&w.d.frames[1].item)));
	done(&w);
}

static void causes_are_in_the_order_of_change(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	struct world w;

	(void)state;
	assert_int_equal(compare(&w, build1, build2, &opt), 0);
	assert_int_equal(w.d.causes_len, 3);
	assert_int_equal(w.d.causes[0].cause, CAUSE_FUTEX);
	assert_int_equal(w.d.causes[1].cause, CAUSE_DISK_SYNC);
	assert_int_equal(w.d.causes[2].cause, CAUSE_NET_RECV);
	done(&w);
}

static void the_tree_is_whole(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	u64 self[2] = { 0 };
	struct world w;
	u32 i;

	(void)state;
	assert_int_equal(compare(&w, build1, build2, &opt), 0);
	assert_int_equal(w.d.nodes[0].end, w.d.nodes_len);
	for (i = 0; i < w.d.nodes_len; i++) {
		const struct diff_node *n = &w.d.nodes[i];

		self[0] += n->self_ns[0];
		self[1] += n->self_ns[1];
		assert_true(n->end > i && n->end <= w.d.nodes[n->parent].end);
		if (i)
			assert_int_equal(n->depth, w.d.nodes[n->parent].depth + 1);
	}
	assert_int_equal(self[0], w.d.total.ns[0]);
	assert_int_equal(self[1], w.d.total.ns[1]);
	assert_string_equal(w.d.nodes[1].name, "web");
	assert_string_equal(w.d.nodes[2].name, "main");
	done(&w);
}

static void times_are_per_thread_or_request(void **state)
{
	struct diff_options opt = { .per = DIFF_PER_THREAD };
	struct world w;

	(void)state;
	assert_int_equal(compare(&w, build1, build2, &opt), 0);
	assert_true(near(w.d.units[0], 3) && near(w.d.units[1], 11));
	assert_true(near(w.d.total.rate[0], 1e9) && near(w.d.total.rate[1], 1e9));
	done(&w);
	opt = (struct diff_options){ .per = DIFF_PER_REQUEST, .requests = { 30, 22 } };
	assert_int_equal(compare(&w, build1, build2, &opt), 0);
	assert_true(near(w.d.total.rate[0], 0.1e9) && near(w.d.total.rate[1], 0.5e9));
	done(&w);
	opt.requests[1] = 0;
	assert_int_equal(compare(&w, build1, build2, &opt), -EINVAL);
	done(&w);
}

static void without_seconds_nothing_is_known(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	struct world w;

	(void)state;
	assert_int_equal(compare(&w, build1, build2, &opt), 0);
	assert_false(w.d.tested);
	assert_int_equal(w.d.total.verdict, DIFF_UNKNOWN);
	assert_true(w.d.total.p >= 1);
	done(&w);
}

/* Of a thread that began late the seconds before it say nothing. */
static void seconds_without_a_thread_are_none(void **state)
{
	static const char whole[] = "window 10s\nintervals 10 1s\ntask 1/1 web\n"
				    "wait S sys=futex blocked=10s count=10 each=1s*10\n u main\n";
	static const char late[] = "window 10s\nintervals 10 1s\ntask 1/1 web begin=8s\n"
				   "wait S sys=futex blocked=2s count=2 each=0*8,1s*2\n u main\n";
	const struct diff_options opt = { .per = DIFF_PER_THREAD };
	struct world w;

	(void)state;
	assert_int_equal(compare(&w, whole, late, &opt), 0);
	assert_int_equal(w.d.intervals[0], 10);
	assert_int_equal(w.d.intervals[1], 2);
	assert_false(w.d.tested);
	assert_int_equal(w.d.total.verdict, DIFF_UNKNOWN);
	done(&w);
}

/* Ten seconds each: locks double, the network is as it was, one wait of the disk is a long one. */
static const char calm[] =
	"window 10s\nintervals 10 1s\ntask 1/1 web\n"
	"wait S sys=futex blocked=1s count=10 each=90ms,110ms,100ms*6,95ms,105ms\n u main\n"
	" u take\n k futex_wait\n"
	"wait S sys=recvfrom blocked=2s count=10 each=100ms,300ms,200ms*5,250ms,150ms,200ms\n"
	" u main\n u ask\n k sk_wait_data\n"
	"wait S sys=read blocked=1ms count=1 each=1ms\n u main\n u peek\n k pipe_read\n";
static const char busy[] =
	"window 10s\nintervals 10 1s\ntask 1/1 web\n"
	"wait S sys=futex blocked=2s count=10 each=190ms,210ms,200ms*6,195ms,205ms\n u main\n"
	" u take\n k futex_wait\n"
	"wait S sys=recvfrom blocked=2.1s count=10 each=300ms,100ms,210ms*5,250ms,150ms,250ms\n"
	" u main\n u ask\n k sk_wait_data\n"
	"wait D sys=fsync blocked=900ms each=0,0,0,900ms\n u main\n u flush\n k do_fsync\n";

static void verdicts(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	struct world w;

	(void)state;
	assert_int_equal(compare(&w, calm, busy, &opt), 0);
	assert_true(w.d.tested);
	assert_int_equal(w.d.intervals[0], 10);
	assert_int_equal(frame(&w, "take")->item.verdict, DIFF_MORE);
	assert_true(frame(&w, "take")->item.p < 0.01);
	assert_int_equal(frame(&w, "ask")->item.verdict, DIFF_NOISE);
	assert_int_equal(frame(&w, "flush")->item.verdict, DIFF_NOISE);
	assert_true(near(diff_item__largest(&w.d, &frame(&w, "flush")->item), 1));
	assert_int_equal(frame(&w, "peek")->item.verdict, DIFF_SMALL);
	assert_int_equal(w.d.causes[0].cause, CAUSE_FUTEX);
	assert_int_equal(w.d.causes[0].item.verdict, DIFF_MORE);
	done(&w);
	assert_int_equal(compare(&w, busy, calm, &opt), 0);
	assert_int_equal(frame(&w, "take")->item.verdict, DIFF_LESS);
	done(&w);
}

/* Twice as many requests in the same time: the same seconds are half as much for each. */
static void verdicts_are_of_the_unit(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_REQUEST, .requests = { 1000, 2000 } };
	struct world w;

	(void)state;
	assert_int_equal(compare(&w, calm, busy, &opt), 0);
	assert_int_equal(frame(&w, "take")->item.verdict, DIFF_NOISE);
	assert_int_equal(frame(&w, "ask")->item.verdict, DIFF_LESS);
	done(&w);
}

/* A change that is significant but too small to matter. */
static void small_effects_do_not_matter(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	struct world w;

	(void)state;
	assert_int_equal(compare(&w,
				 "window 10s\nintervals 10 1s\ntask 1/1 a\n"
				 "wait S sys=futex blocked=5s each=500ms*10\n u main\n k k1\n",
				 "window 10s\nintervals 10 1s\ntask 1/1 a\n"
				 "wait S sys=futex blocked=5.05s each=505ms*10\n u main\n k k1\n",
				 &opt),
			 0);
	assert_true(w.d.total.p < 0.05);
	assert_int_equal(w.d.total.verdict, DIFF_NOISE);
	done(&w);
}

static void the_same_twice_is_no_difference(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_THREAD };
	struct world w;
	u32 i;

	(void)state;
	assert_int_equal(compare(&w, busy, busy, &opt), 0);
	for (i = 0; i < w.d.frames_len; i++)
		assert_int_equal(w.d.frames[i].item.verdict, DIFF_NOISE);
	assert_true(!(diff_item__change(&w.d.total) > 0) && !(diff_item__change(&w.d.total) < 0));
	done(&w);
}

/* Every allocation fails once; what was taken is given back (under a sanitizer). */
static void without_memory(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	const struct profile *p[2];
	struct err err;
	struct diff d;
	struct arena a;
	u64 n;
	int r = -ENOMEM;

	(void)state;
	p[0] = lit(calm);
	p[1] = lit(busy);
	for (n = 1; r; n++) {
		arena__init(&a);
		mem_fail_nth(n);
		r = diff__build(p, &opt, &a, &d, &err);
		mem_fail_nth(0);
		assert_true(!r || r == -ENOMEM);
		arena__done(&a);
	}
	assert_true(n > 20);
	profile__free((struct profile *)(uintptr_t)p[0]);
	profile__free((struct profile *)(uintptr_t)p[1]);
}

static void limits_are_read(void **state)
{
	static const char *const bad[] = {
		"",
		":",
		"total",
		"total:",
		"total:5%",
		"total:+%",
		"total:+5",
		"total:+5%%",
		"total:+5.%",
		"total:+ 5%",
		"total:+1e3%",
		"totals:+5%",
		"cause::+5%",
		"cause:+5%",
		"cause:locks:+5%",
		"frame::+5%",
		"frame:+5%",
		"thread:a:+5%",
		"total:+9999999999999999999999%",
	};
	struct diff_limit l;
	struct err err = { 0 };
	char long_name[DIFF_LIMIT_NAME_SZ + 64];
	size_t i;

	(void)state;
	assert_int_equal(diff_limit_parse("total:+5%", &l, &err), 0);
	assert_true(l.kind == DIFF_LIMIT_TOTAL && near(l.part, 0.05));
	assert_int_equal(diff_limit_parse("cause:futex:+250%", &l, &err), 0);
	assert_true(l.kind == DIFF_LIMIT_CAUSE && l.cause == CAUSE_FUTEX && near(l.part, 2.5));
	assert_int_equal(diff_limit_parse("frame:std::mutex::lock:-12.5%", &l, &err), 0);
	assert_string_equal(l.name, "std::mutex::lock");
	assert_true(l.kind == DIFF_LIMIT_FRAME && near(l.part, -0.125));
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		err.msg[0] = '\0';
		assert_int_equal(diff_limit_parse(bad[i], &l, &err), -EINVAL);
		assert_true(err.msg[0]);
	}
	memset(long_name, 'x', sizeof(long_name));
	memcpy(long_name, "frame:", 6);
	memcpy(long_name + sizeof(long_name) - 6, ":+10%", 6);
	assert_int_equal(diff_limit_parse(long_name, &l, &err), -EINVAL);
}

static const char *over(const struct world *w, const char *text, u32 *ret_matched)
{
	const struct diff_item *it = NULL;
	struct diff_limit l;
	const char *name;
	struct err err = { 0 };

	if (diff_limit_parse(text, &l, &err) ||
	    diff_limit__find(&l, &w->d, &it, &name, ret_matched, &err))
		fail_msg("%s", err.msg);
	return it ? name : NULL;
}

static void limits_are_held(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	struct world w;
	u32 matched;

	(void)state;
	assert_int_equal(compare(&w, calm, busy, &opt), 0);
	assert_string_equal(over(&w, "cause:futex:+10%", &matched), "futex");
	assert_string_equal(over(&w, "cause:futex:+99.9%", &matched), "futex");
	assert_null(over(&w, "cause:futex:+101%", &matched));
	assert_null(over(&w, "cause:futex:-10%", &matched));
	/* noise is not a change, however large */
	assert_null(over(&w, "cause:disk-sync:+1%", &matched));
	assert_null(over(&w, "frame:ask:+1%", &matched));
	assert_int_equal(matched, 1);
	assert_string_equal(over(&w, "frame:ta*:+10%", &matched), "take");
	assert_null(over(&w, "frame:nowhere:+10%", &matched));
	assert_int_equal(matched, 0);
	done(&w);
	assert_int_equal(compare(&w, busy, calm, &opt), 0);
	assert_string_equal(over(&w, "cause:futex:-40%", &matched), "futex");
	assert_null(over(&w, "cause:futex:-60%", &matched));
	done(&w);
	/* where nothing is known of chance, the size alone decides */
	assert_int_equal(compare(&w, build1, build2, &opt), 0);
	assert_string_equal(over(&w, "total:+80%", &matched), "total");
	assert_null(over(&w, "total:+84%", &matched));
	assert_string_equal(over(&w, "cause:disk-sync:+1000%", &matched), "disk-sync");
	done(&w);
}

/* The function of interpreted code stands for its file and line, too. */
static void limits_take_a_function_of_python(void **state)
{
	static const char before[] =
		"window 10s\nmodule p code [python] tgid=1\ntask 1/1 web\n"
		"wait S sys=futex blocked=1s count=10\n u @p 0x1 app.py:fetch:12\n k futex_wait\n";
	static const char after[] =
		"window 10s\nmodule p code [python] tgid=1\ntask 1/1 web\n"
		"wait S sys=futex blocked=2s count=10\n u @p 0x1 app.py:fetch:12\n k futex_wait\n";
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	struct world w;
	u32 matched;

	(void)state;
	assert_int_equal(compare(&w, before, after, &opt), 0);
	assert_string_equal(over(&w, "frame:app.py:fetch:12:+10%", &matched), "app.py:fetch:12");
	assert_string_equal(over(&w, "frame:fetch:+10%", &matched), "app.py:fetch:12");
	assert_null(over(&w, "frame:fet:+10%", &matched));
	assert_int_equal(matched, 0);
	done(&w);
}

static struct profile *at(const char *literal, u64 begin_s)
{
	struct profile *p = lit(literal);

	p->hdr.begin_mono_ns = begin_s * NSEC_PER_SEC;
	return p;
}

static struct profile *merged(struct profile *first, struct profile *second)
{
	const struct profile *const parts[2] = { first, second };
	struct profile *both = NULL;
	struct err err = { 0 };

	if (profile_merge(parts, 2, &both, &err) || profile__check(both, &err))
		fail_msg("%s", err.msg);
	profile__free(first);
	profile__free(second);
	return both;
}

/*
 * Two windows with a quarter of an hour between them. The first thread is in both; the second one
 * began in the later window, where there is half as much waiting for each.
 */
static void seconds_of_threads_know_no_gaps(void **state)
{
	static const char later[] =
		"window 10s\nintervals 10 1s\ntask 1/1 web\n"
		"wait S sys=futex blocked=10s count=10 each=1s*10\n u main\n k futex_wait\n"
		"task 1/2 web unaccounted=10s flags=born\n";
	static const char first[] =
		"window 10s\nintervals 10 1s\ntask 1/1 web\n"
		"wait S sys=futex blocked=10s count=10 each=1s*10\n u main\n k futex_wait\n";
	struct profile *p = merged(at(first, 1), at(later, 911));
	double ns[20];
	u32 i;

	(void)state;
	assert_int_equal(p->hdr.gap_ns, 900 * NSEC_PER_SEC);
	assert_int_equal(p->intervals_len, 20);
	assert_int_equal(thread_time_of_intervals(p, ns), 0);
	for (i = 0; i < 20; i++)
		assert_true(near(ns[i], i < 10 ? 1e9 : 2e9));
	profile__free(p);
}

/* The same work in less time on a CPU: the loop waits longer for more of it, the lock as long. */
static const char slow[] =
	"arch x86_64\nwindow 10s\nintervals 10 1s\ntask 1/1 web on=5s\n"
	"wait S sys=futex blocked=1s count=10 each=90ms,110ms,100ms*6,95ms,105ms\n u main\n"
	" u pthread_mutex_lock\n k futex_wait\n"
	"wait S sys=epoll_wait blocked=3.8s runq=200ms count=50 max=500ms each=400ms*10\n"
	" u main\n u event_loop\n k ep_poll\n";
static const char fast[] =
	"arch x86_64\nwindow 10s\nintervals 10 1s\ntask 1/1 web on=1s\n"
	"wait S sys=futex blocked=1s count=10 each=110ms,90ms,100ms*6,105ms,95ms\n u main\n"
	" u pthread_mutex_lock\n k futex_wait\n"
	"wait S sys=epoll_wait blocked=7.8s runq=200ms count=50 max=900ms each=800ms*10\n"
	" u main\n u event_loop\n k ep_poll\n";

static void all_windows_are_tested_per_thread(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_THREAD };
	struct world w = { 0 };
	struct err err;

	(void)state;
	w.p[0] = merged(at(slow, 1), at(slow, 911));
	w.p[1] = merged(at(fast, 1), at(fast, 911));
	arena__init(&w.a);
	assert_int_equal(diff__build((const struct profile *const *)w.p, &opt, &w.a, &w.d, &err),
			 0);
	assert_true(w.d.tested);
	assert_int_equal(w.d.intervals[0], 20);
	assert_int_equal(w.d.intervals[1], 20);
	done(&w);
}

static const struct diff_cause *cause(const struct world *w, enum cause cause)
{
	u32 i;

	for (i = 0; i < w->d.causes_len; i++) {
		if (w->d.causes[i].cause == cause)
			return &w->d.causes[i];
	}
	fail_msg("there is no cause %s", cause_name(cause));
	return NULL;
}

static void waits_for_work_are_no_change_for_the_worse(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	const struct diff_item *poll;
	struct world w;

	(void)state;
	assert_int_equal(compare(&w, slow, fast, &opt), 0);
	/* the lock, and waiting for a CPU when there was work */
	assert_int_equal(w.d.total.ns[0], 1200000000);
	assert_int_equal(w.d.total.ns[1], 1200000000);
	assert_int_equal(w.d.total.verdict, DIFF_NOISE);
	assert_int_equal(w.d.total.count[1], 10);
	assert_null(over(&w, "total:+5%", NULL));
	assert_int_equal(w.d.idle.ns[0], 3800000000);
	assert_int_equal(w.d.idle.ns[1], 7800000000);
	assert_int_equal(w.d.idle.max_ns[1], 900000000);
	assert_int_equal(w.d.idle.verdict, DIFF_MORE);
	poll = &cause(&w, CAUSE_POLL)->item;
	assert_int_equal(poll->ns[1], 200000000);
	/* 50 times on the run queue are no single wait of 200 ms */
	assert_int_equal(poll->count[1], 0);
	assert_int_equal(poll->max_ns[1], 0);
	assert_false(diff_item__largest(&w.d, poll) > 0);
	assert_int_equal(frame(&w, "main")->item.ns[1], 1200000000);
	assert_int_equal(frame(&w, "event_loop")->item.ns[1], 200000000);
	done(&w);
}

static void waits_for_work_count_where_they_are_asked_for(void **state)
{
	const struct diff_options opt = { .per = DIFF_PER_WALL, .idle = true };
	struct world w;

	(void)state;
	assert_int_equal(compare(&w, slow, fast, &opt), 0);
	assert_int_equal(w.d.total.ns[1], 9000000000);
	assert_int_equal(w.d.total.verdict, DIFF_MORE);
	assert_int_equal(w.d.idle.ns[0] + w.d.idle.ns[1], 0);
	assert_int_equal(frame(&w, "event_loop")->item.count[1], 50);
	done(&w);
}

/* What is idle and nothing else is on no path. */
static void the_tree_has_no_waits_for_work(void **state)
{
	static const char idle[] = "arch x86_64\nwindow 10s\ntask 1/1 web\n"
				   "wait S sys=epoll_wait blocked=3s\n u main\n u event_loop\n"
				   "wait S sys=read blocked=1s\n u main\n u ask\n";
	const struct diff_options opt = { .per = DIFF_PER_WALL };
	struct world w;
	u32 i;

	(void)state;
	assert_int_equal(compare(&w, idle, idle, &opt), 0);
	for (i = 0; i < w.d.nodes_len; i++)
		assert_string_not_equal(w.d.nodes[i].name, "event_loop");
	assert_int_equal(w.d.nodes[0].item.ns[0], 1000000000);
	assert_int_equal(w.d.causes_len, 1);
	done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds_are_matched_by_name),
		cmocka_unit_test(causes_are_in_the_order_of_change),
		cmocka_unit_test(the_tree_is_whole),
		cmocka_unit_test(times_are_per_thread_or_request),
		cmocka_unit_test(without_seconds_nothing_is_known),
		cmocka_unit_test(seconds_without_a_thread_are_none),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(verdicts_are_of_the_unit),
		cmocka_unit_test(small_effects_do_not_matter),
		cmocka_unit_test(the_same_twice_is_no_difference),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(limits_are_read),
		cmocka_unit_test(limits_are_held),
		cmocka_unit_test(limits_take_a_function_of_python),
		cmocka_unit_test(seconds_of_threads_know_no_gaps),
		cmocka_unit_test(all_windows_are_tested_per_thread),
		cmocka_unit_test(waits_for_work_are_no_change_for_the_worse),
		cmocka_unit_test(waits_for_work_count_where_they_are_asked_for),
		cmocka_unit_test(the_tree_has_no_waits_for_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
