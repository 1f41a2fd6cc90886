/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/cause.h"
#include "analysis/select/select.h"
#include "base/mem.h"
#include "lib/lit.h"

#define MS NSEC_PER_MSEC

static const char shop[] = "arch x86_64\n"
			   "sides user kernel\n"
			   "window 1s\n"
			   "module libpq elf /usr/lib/libpq.so.5\n"
			   "module app elf /opt/app\n"
			   "task 10/10 web group=web cgroup=77 on=100ms\n"
			   "  wait S sys=futex blocked=30ms count=3\n"
			   "    u @app 1 main\n"
			   "    u @app 2 take\n"
			   "    k futex_wait\n"
			   "  wait S sys=recvfrom blocked=10ms runq=2ms\n"
			   "    u @app 1 main\n"
			   "    u @libpq 3 PQexec\n"
			   "    k tcp_recvmsg\n"
			   "    k sk_wait_data\n"
			   "  wait R runq=4ms flags=preempted\n"
			   "    u @app 1 main\n"
			   "task 10/11 web-worker group=web cgroup=77 on=5ms\n"
			   "  wait S sys=recvfrom blocked=20ms\n"
			   "    u @app 1 main\n"
			   "    u @libpq 3 PQexec\n"
			   "    k tcp_recvmsg\n"
			   "    k sk_wait_data\n"
			   "  wait D blocked=8ms flags=lost count=0\n"
			   "task 20/20 kworker group=kworker flags=kthread on=1ms cgroup=78"
			   " cgroup_path=/kernel.slice/w:1\n"
			   "  wait D blocked=6ms flags=killable\n"
			   "    k worker_thread\n"
			   "    k rescuer\n";

static struct profile *run(const struct profile *p, const struct select_options *opt)
{
	struct profile *q = NULL;
	struct err err = { 0 };

	if (select_profile(p, opt, &q, &err) || profile__check(q, &err))
		fail_msg("%s", err.msg);
	return q;
}

static u64 listed(const struct profile *p)
{
	struct profile_budget b;

	assert_int_equal(profile__budget(p, &b), 0);
	return b.listed_blocked_ns + b.listed_runq_ns;
}

static u64 wall(const struct profile *p)
{
	struct profile_budget b;

	assert_int_equal(profile__budget(p, &b), 0);
	return b.wall_ns;
}

/* What the options let through, of what, and how many threads. */
static void assert_selects(const struct select_options *opt, u64 off_ms, u32 threads)
{
	struct profile *p = lit(shop), *q = run(p, opt);

	assert_int_equal(listed(q) / MS, off_ms);
	assert_int_equal(q->tasks_len - 1, threads);
	assert_int_equal(q->hdr.whole_off_ns, listed(p));
	assert_int_equal(q->hdr.whole_wall_ns, wall(p));
	assert_int_equal(q->hdr.whole_threads, 3);
	profile__free(p);
	profile__free(q);
}

static void assert_refused(const struct select_options *opt, int code, const char *sentence)
{
	struct profile *p = lit(shop), *q = NULL;
	struct err err = { 0 };

	assert_int_equal(select_profile(p, opt, &q, &err), code);
	assert_string_equal(err.msg, sentence);
	assert_null(q);
	profile__free(p);
}

#define TEXTS(...)                                                                                 \
	{                                                                                          \
		(const char *const[]){ __VA_ARGS__ },                                              \
			ARRAY_LEN(((const char *const[]){ __VA_ARGS__ }))                          \
	}
#define IDS(...)                                                                                   \
	{                                                                                          \
		(const u32[]){ __VA_ARGS__ }, ARRAY_LEN(((const u32[]){ __VA_ARGS__ }))            \
	}

static void test_select__a_filter_of_threads_keeps_their_totals(void **state)
{
	struct select_options opt = { .comms = TEXTS("web"), .words = "--comm web" };
	struct profile *p = lit(shop), *q = run(p, &opt);

	(void)state;
	assert_int_equal(q->tasks_len, 2);
	assert_int_equal(q->tasks[1].on_ns, 100 * MS);
	assert_int_equal(q->tasks[1].wall_ns, p->tasks[1].wall_ns);
	assert_int_equal(listed(q), 46 * MS);
	assert_int_equal(q->hdr.filtered, 0);
	assert_string_equal(profile__str(q, q->hdr.selection), "--comm web");
	profile__free(p);
	profile__free(q);
}

/* What was left out of them nobody could tell from the result. */
static void test_select__under_takes_the_function_of_interpreted_code(void **state)
{
	static const char text[] = "module code code [python] tgid=1\n"
				   "task 1/1 app\n"
				   "wait S blocked=3s count=1\n"
				   " u @code 0x4000000100000001 shop/app.py:main:9\n"
				   "wait S blocked=4s count=1\n"
				   " u @code 0x4000000200000001 shop/app.py:Db.main:7\n"
				   "wait S blocked=5s count=1\n u libc.so!x:main:9\n";
	static const struct {
		const char *under;
		u64 seconds;
	} cases[] = {
		{ "main", 3 }, { "Db.main", 4 }, { "*main", 7 }, { "shop/app.py:main:9", 3 }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct select_options opt = { .under = { &cases[i].under, 1 }, .words = "w" };
		struct profile *p = lit(text), *q = run(p, &opt);

		assert_true(listed(q) == cases[i].seconds * NSEC_PER_SEC);
		profile__free(p);
		profile__free(q);
	}
}

static void test_select__keeps_all_words(void **state)
{
	char words[2000];
	const struct select_options opt = { .comms = TEXTS("web"), .words = words };
	struct profile *p = lit(shop), *q, *again;

	(void)state;
	memset(words, 'w', sizeof(words) - 1);
	words[sizeof(words) - 1] = '\0';
	q = run(p, &opt);
	assert_string_equal(profile__str(q, q->hdr.selection), words);
	again = run(q, &opt);
	assert_int_equal(strlen(profile__str(again, again->hdr.selection)), 2 * 1999 + 1);
	profile__free(p);
	profile__free(q);
	profile__free(again);
}

static void test_select__a_filter_of_waits_touches_no_total(void **state)
{
	struct select_options opt = { .causes = 1ULL << CAUSE_FUTEX };
	struct profile *p = lit(shop), *q = run(p, &opt);

	(void)state;
	assert_int_equal(q->tasks_len, 4);
	assert_int_equal(wall(q), wall(p));
	assert_int_equal(listed(q), 30 * MS);
	assert_int_equal(q->waits[1].count, 3);
	assert_int_equal(q->hdr.filtered, 1);
	profile__free(p);
	profile__free(q);
}

/* Those of a thread are of all of its waits. */
static void test_select__histograms_go_with_their_thread(void **state)
{
	const u32 pid = 11;
	const struct select_options one = { .tids = { &pid, 1 }, .words = "--tid 11" };
	const struct select_options waits = { .states = 1U << 1, .words = "--state S" };
	struct profile *p = lit("hist_unit 1024\n"
				"task 10/10 web on=9us hist_on=3600ns switches=1\n"
				"  hists on=8:1\n"
				"  wait S blocked=3us\n"
				"task 10/11 worker on=9us hist_on=4500ns switches=1\n"
				"  hists on=9:1\n"
				"  wait S blocked=3us\n");
	struct profile *q = run(p, &one);

	(void)state;
	assert_int_equal(q->hdr.hist_unit_ns, 1024);
	assert_int_equal(q->bins_len, 2);
	assert_int_equal(q->bins[1].task, 1);
	assert_int_equal(q->bins[1].bucket, 9);
	assert_int_equal(q->tasks[1].hist_on_ns, 4500);
	profile__free(q);
	q = run(p, &waits);
	assert_int_equal(q->hdr.hist_unit_ns, 0);
	assert_int_equal(q->bins_len, 1);
	assert_int_equal(q->tasks[1].hist_on_ns, 0);
	profile__free(q);
	profile__free(p);
}

static void test_select__by_thread(void **state)
{
	(void)state;
	assert_selects(&(struct select_options){ .comms = TEXTS("web*") }, 74, 2);
	assert_selects(&(struct select_options){ .comms = TEXTS("k*", "web") }, 52, 2);
	assert_selects(&(struct select_options){ .comms = TEXTS("work"), .regex = true }, 34, 2);
	assert_selects(&(struct select_options){ .tids = IDS(11, 20) }, 34, 2);
	assert_selects(&(struct select_options){ .pids = IDS(10) }, 74, 2);
	assert_selects(&(struct select_options){ .cgroups = TEXTS("77") }, 74, 2);
	assert_selects(&(struct select_options){ .cgroups = TEXTS("78") }, 6, 1);
	/* numbers of this machine are for threads whose path is not known */
	assert_selects(&(struct select_options){ .cgroups = TEXTS("/x"),
						 .cgroup_ids = (const u64[]){ 77, 78 },
						 .cgroup_ids_len = 2 },
		       74, 2);
	assert_selects(&(struct select_options){ .cgroups = TEXTS("/kernel.slice/w:1") }, 6, 1);
	assert_selects(&(struct select_options){ .cgroups = TEXTS("w:?") }, 6, 1);
	assert_selects(&(struct select_options){ .cgroups = TEXTS("/kernel.*", "77") }, 80, 3);
	assert_selects(&(struct select_options){ .cgroups = TEXTS("slice/w"), .regex = true }, 6,
		       1);
	assert_selects(&(struct select_options){ .user_threads = true }, 74, 2);
	assert_selects(&(struct select_options){ .kernel_threads = true }, 6, 1);
}

#define CONTAINER_ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD_ID "1f2e3d4c-5b6a-7988-97a6-b5c4d3e2f101"

#define OTHER_ID "ffff456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_POD_ID "ff2e3d4c-5b6a-7988-97a6-b5c4d3e2f101"

/* The thread that is selected; 0: none. */
static u32 selected_tid(const struct select_options *opt)
{
	static const char threads[] =
		"task 1/1 a cgroup=7 on=1s cgroup_path=/kubepods/besteffort/pod" POD_ID
		"/" CONTAINER_ID "\n"
		"task 2/2 b cgroup=8 on=1s cgroup_path=/system.slice/nginx.service\n"
		"task 3/3 c on=1s\n"
		"task 4/4 d cgroup=9 on=1s cgroup_path=/kubepods/besteffort/pod" OTHER_POD_ID
		"/" OTHER_ID " container=shop/web-1/nginx\n";
	struct select_options named = *opt;
	struct profile *p = lit(threads), *q = NULL;
	u32 tid = 0;
	int r;

	named.words = "x";
	r = select_profile(p, &named, &q, NULL);
	assert_true(r == 0 || r == -ENOENT);
	if (!r) {
		assert_int_equal(q->tasks_len, 2);
		tid = q->tasks[1].tid;
	}
	profile__free(q);
	profile__free(p);
	return tid;
}

static void test_select__by_what_a_path_says(void **state)
{
	(void)state;
	assert_int_equal(selected_tid(&(struct select_options){ .units = TEXTS("nginx") }), 2);
	assert_int_equal(selected_tid(&(struct select_options){ .units = TEXTS("ngi*.service") }),
			 2);
	assert_int_equal(selected_tid(&(struct select_options){ .units = TEXTS("ngi") }), 0);
	assert_int_equal(selected_tid(&(struct select_options){ .containers = TEXTS("0123") }), 1);
	assert_int_equal(selected_tid(&(struct select_options){ .containers = TEXTS("012") }), 0);
	assert_int_equal(selected_tid(&(struct select_options){ .containers = TEXTS("0*f") }), 1);
	assert_int_equal(selected_tid(&(struct select_options){ .pods = TEXTS(POD_ID) }), 1);
	assert_int_equal(selected_tid(&(struct select_options){ .pods = TEXTS("2*") }), 0);
}

static void test_select__by_what_a_runtime_says(void **state)
{
	static const char *const containers[] = { "nginx", "ngi*", "shop/*/nginx", "ffff" };
	static const char *const pods[] = { "web-1", "shop/web-*", "shop/*", OTHER_POD_ID };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(selected_tid(&(struct select_options){
					 .containers = TEXTS(containers[i]) }),
				 4);
		assert_int_equal(selected_tid(&(struct select_options){ .pods = TEXTS(pods[i]) }),
				 4);
	}
	assert_int_equal(selected_tid(&(struct select_options){ .containers = TEXTS("web-1") }), 0);
	assert_int_equal(selected_tid(&(struct select_options){ .pods = TEXTS("shop") }), 0);
}

static void test_select__by_state_and_cause(void **state)
{
	(void)state;
	assert_selects(&(struct select_options){ .states = 1 << 1 }, 62, 3);
	/* a lost wait has no state that is known */
	assert_selects(&(struct select_options){ .states = 1 << 2 }, 6, 3);
	assert_selects(&(struct select_options){ .states = SELECT_KILLABLE }, 6, 3);
	assert_selects(&(struct select_options){ .causes = 1ULL << CAUSE_LOST }, 8, 3);
	assert_selects(&(struct select_options){ .causes = 1ULL << CAUSE_PREEMPTED |
							   1ULL << CAUSE_NET_RECV },
		       36, 3);
}

static void test_select__what_the_caller_chose(void **state)
{
	static const bool tasks[] = { false, true, false, true };
	static const bool waits[] = { false, true, true, false, true, false, true };

	(void)state;
	assert_selects(&(struct select_options){ .only_tasks = tasks, .words = "x" }, 52, 2);
	assert_selects(&(struct select_options){ .only_waits = waits, .words = "x" }, 68, 3);
	/* of the waits, those of the threads */
	assert_selects(&(struct select_options){ .only_tasks = tasks,
						 .only_waits = waits,
						 .words = "x" },
		       48, 2);
}

static void test_select__by_frame(void **state)
{
	(void)state;
	assert_selects(&(struct select_options){ .under = TEXTS("PQexec") }, 32, 3);
	assert_selects(&(struct select_options){ .under = TEXTS("main") }, 66, 3);
	assert_selects(&(struct select_options){ .under = TEXTS("main", "tcp_*") }, 32, 3);
	assert_selects(&(struct select_options){ .under = TEXTS("^(take|rescuer)$"),
						 .regex = true },
		       36, 3);
	/* what is not known to be under it stays: the lost wait and the kernel thread */
	assert_selects(&(struct select_options){ .not_under = TEXTS("main") }, 14, 3);
	assert_selects(&(struct select_options){ .not_under = TEXTS("take", "PQ*") }, 18, 3);
	assert_selects(&(struct select_options){ .modules = TEXTS("libpq.so.5") }, 32, 3);
	assert_selects(&(struct select_options){ .modules = TEXTS("/opt/*") }, 66, 3);
	assert_selects(&(struct select_options){ .modules = TEXTS("/opt/*"),
						 .not_under = TEXTS("PQexec") },
		       34, 3);
}

static void test_select__a_frame_without_a_name_is_found_by_its_label(void **state)
{
	struct profile *p = lit("module app elf /opt/app\n"
				"task 1/1 a\n"
				" wait S blocked=1ms\n  u @app 0x10 !no_symbol\n"
				" wait S blocked=2ms\n  u @app 0x20 named\n");
	struct profile *q = run(p, &(struct select_options){ .under = TEXTS("[app+0x10]") });

	(void)state;
	assert_int_equal(listed(q), MS);
	assert_int_equal(q->frames_len, 2);
	assert_int_equal(q->frames[1].reason, FRAME_NO_SYMBOL);
	profile__free(p);
	profile__free(q);
}

static void test_select__bounds_are_of_the_sum_of_a_stack(void **state)
{
	(void)state;
	/* 12 ms and 20 ms of two threads in one stack are 32 ms */
	assert_selects(&(struct select_options){ .min = { .ns = 31 * MS } }, 32, 3);
	assert_selects(&(struct select_options){ .min = { .ns = 30 * MS } }, 62, 3);
	assert_selects(&(struct select_options){ .max = { .ns = 8 * MS } }, 18, 3);
	assert_selects(&(struct select_options){ .min = { .ns = 6 * MS }, .max = { .ns = 8 * MS } },
		       14, 3);
	assert_selects(&(struct select_options){ .min = { .ppm = 390000 } }, 32, 3);
	/* a part of what the other filters let through */
	assert_selects(&(struct select_options){ .min = { .ppm = 500000 },
						 .under = TEXTS("main"),
						 .not_under = TEXTS("PQexec") },
		       30, 3);
}

static void test_select__keeps_only_what_is_used(void **state)
{
	struct profile *p = lit(shop);
	struct profile *q = run(p, &(struct select_options){ .under = TEXTS("rescuer") });

	(void)state;
	assert_int_equal(q->modules_len, 1);
	assert_int_equal(q->frames_len, 3);
	assert_int_equal(q->stacks_len, 3);
	profile__free(p);
	profile__free(q);
}

static void test_select__of_a_selection_knows_the_whole(void **state)
{
	struct profile *p = lit(shop), *q, *z;

	(void)state;
	q = run(p, &(struct select_options){ .pids = IDS(10), .words = "--pid 10" });
	z = run(q, &(struct select_options){ .under = TEXTS("take"), .words = "--under take" });
	assert_int_equal(listed(z), 30 * MS);
	assert_int_equal(z->hdr.whole_off_ns, 80 * MS);
	assert_int_equal(z->hdr.whole_threads, 3);
	assert_string_equal(profile__str(z, z->hdr.selection), "--pid 10 --under take");
	profile__free(p);
	profile__free(q);
	profile__free(z);
}

static void test_select__of_a_sampled_profile_is_sound(void **state)
{
	struct profile *p =
		lit("period 10ms\n"
		    "task 1/1 a on=1s\n"
		    " wait S blocked=80ms count=90 samples=8 var=700\n  u main\n  u f\n"
		    " wait S blocked=40ms count=9 samples=4 var=500\n  u main\n  u g\n");
	struct profile *q = run(p, &(struct select_options){ .under = TEXTS("f") });

	(void)state;
	assert_int_equal(listed(q), 80 * MS);
	assert_int_equal(q->waits_len, 2);
	assert_int_equal(q->waits[1].var_us2, 700);
	assert_int_equal(q->hdr.period_ns, 10 * MS);
	profile__free(p);
	profile__free(q);
}

static void test_select__counts_its_own_losses(void **state)
{
	struct profile *p = lit("module app elf /opt/app\n"
				"loss waits_full 5 7ms\n"
				"task 1/1 a\n"
				" wait S blocked=1ms count=2\n  u @app 0x10 !no_symbol\n"
				" wait S blocked=2ms\n  utrunc no_cfi @app\n  u @app 0x20 named\n");
	struct profile *q;

	(void)state;
	profile__count_unnamed(p);
	q = run(p, &(struct select_options){ .under = TEXTS("named") });
	assert_int_equal(q->losses[LOSS_UNNAMED].events, 0);
	assert_int_equal(q->losses[LOSS_STACK_TRUNCATED].events, 1);
	assert_int_equal(q->losses[LOSS_WAITS_FULL].ns, 7 * MS);
	profile__free(q);
	q = run(p, &(struct select_options){ .not_under = TEXTS("named") });
	assert_int_equal(q->losses[LOSS_UNNAMED].events, 2);
	assert_int_equal(q->losses[LOSS_STACK_TRUNCATED].events, 0);
	profile__free(q);
	profile__free(p);
}

static void test_select__says_which_filter_left_nothing(void **state)
{
	(void)state;
	assert_refused(&(struct select_options){ .comms = TEXTS("mysqld"), .pids = IDS(10) },
		       -ENOENT, "nothing selected: --comm matches none of 3 threads");
	assert_refused(&(struct select_options){ .pids = IDS(20), .user_threads = true }, -ENOENT,
		       "nothing selected: --user-threads matches none of 1 thread");
	assert_refused(&(struct select_options){ .under = TEXTS("recvmsg") }, -ENOENT,
		       "nothing selected: --under matches none of 6 sums of waits; there is a "
		       "frame 'tcp_recvmsg'");
	assert_refused(&(struct select_options){ .under = TEXTS("nowhere") }, -ENOENT,
		       "nothing selected: --under matches none of 6 sums of waits");
	assert_refused(&(struct select_options){ .min = { .ns = 1000 * MS } }, -ENOENT,
		       "nothing selected: --min or --max matches none of 6 sums of waits");
}

static void test_select__refuses_bad_texts(void **state)
{
	const char *many[SELECT_FRAMES_MAX + 1];
	struct select_options opt = { .under = { many, SELECT_FRAMES_MAX } };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(many); i++)
		many[i] = "m*";
	assert_selects(&opt, 66, 3);
	opt.under.len++;
	assert_refused(&opt, -EINVAL, "more than 64 texts to find frames by");
	assert_refused(&(struct select_options){ .comms = TEXTS("a("), .regex = true }, -EINVAL,
		       "'a(' is not a regular expression: Unmatched ( or \\(");
}

static void test_select__waits_without_a_thread_are_of_no_thread(void **state)
{
	struct profile *p = lit(shop), *q;
	u64 before = listed(p);

	(void)state;
	p->waits[6].task = 0;
	p->hdr.filtered = 1;
	q = run(p, &(struct select_options){ .not_under = TEXTS("nothing") });
	assert_int_equal(listed(q), before);
	profile__free(q);
	q = run(p, &(struct select_options){ .comms = TEXTS("*") });
	assert_int_equal(listed(q), before - 6 * MS);
	profile__free(q);
	profile__free(p);
}

static void test_select_options__any_knows_every_filter(void **state)
{
	(void)state;
	assert_false(select_options__any(&(struct select_options){ .words = "x", .regex = true }));
	assert_true(select_options__any(&(struct select_options){ .tids = IDS(1) }));
	assert_true(select_options__any(&(struct select_options){ .modules = TEXTS("a") }));
	assert_true(select_options__any(&(struct select_options){ .max = { .ppm = 1 } }));
}

static void test_select__survives_every_failed_allocation(void **state)
{
	const struct select_options opt = { .comms = TEXTS("web*"),
					    .under = TEXTS("main"),
					    .min = { .ns = 1 } };
	struct profile *p = lit(shop), *q;
	u64 nth;
	int r;

	(void)state;
	for (nth = 1;; nth++) {
		struct err err = { 0 };

		q = NULL;
		mem_fail_nth(nth);
		r = select_profile(p, &opt, &q, &err);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		assert_null(q);
		assert_string_not_equal(err.msg, "");
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 20);
	profile__free(p);
	profile__free(q);
}

static const char both[] = "arch x86_64\nwindow 1s\non_cpu_hz 99\non_cpu_samples 100\n"
			   "task 1/1 web on=100ms\n"
			   "  wait S sys=futex blocked=30ms count=3\n    u main\n    u take\n"
			   "  hot on=70ms samples=70\n    u main\n    u work\n"
			   "  hot on=30ms samples=30\n    u main\n    u take\n"
			   "task 2/2 db on=5us\n";

static void assert_selects_hot(const struct select_options *opt, u64 off_ms, u64 on_us)
{
	struct profile *p = lit(both), *q = run(p, opt);
	struct profile_budget b;

	assert_int_equal(profile__budget(q, &b), 0);
	assert_int_equal(b.listed_on_ns / 1000, on_us);
	assert_int_equal(listed(q) / MS, off_ms);
	assert_int_equal(q->hdr.whole_on_ns, 100005000);
	profile__free(p);
	profile__free(q);
}

static void test_select_takes_time_on_a_cpu_along(void **state)
{
	static const char *const take[] = { "take" }, *const web[] = { "web" };

	(void)state;
	assert_selects_hot(&(struct select_options){ .comms = { web, 1 } }, 30, 100000);
	assert_selects_hot(&(struct select_options){ .under = { take, 1 } }, 30, 30000);
	assert_selects_hot(&(struct select_options){ .not_under = { take, 1 } }, 0, 70005);
	assert_selects_hot(&(struct select_options){ .causes = 1ULL << CAUSE_ON_CPU }, 0, 100005);
	assert_selects_hot(&(struct select_options){ .causes = 1ULL << CAUSE_FUTEX }, 30, 0);
	assert_selects_hot(&(struct select_options){ .classes = 1 << CLASS_ON_CPU }, 0, 100005);
	assert_selects_hot(&(struct select_options){ .classes = 1 << CLASS_WORK }, 30, 0);
	/* R or S: what runs is in no state */
	assert_selects_hot(&(struct select_options){ .states = 3 }, 30, 0);
	assert_selects_hot(&(struct select_options){ .min = { .ns = 50 * MS } }, 0, 70000);
	/* 20% of the waits, and of the time on a CPU */
	assert_selects_hot(&(struct select_options){ .min = { .ppm = 200000 } }, 30, 100000);
}

/* The wakes of the waits that stay, with the chain of their wakers, and only those. */
static void test_select_profile__keeps_wakes_of_waits_that_stay(void **state)
{
	struct profile *p = lit("arch x86_64\nwindow 1s\n"
				"task 1/1 a\n"
				" wait S sys=futex blocked=3ms count=2\n  u f\n"
				"  woken B running=1ms count=1\n  woken X unknown=2ms count=1\n"
				" wait D sys=read blocked=5ms as=disk\n  woken D interrupt=5ms\n"
				"task 2/2 b\n wait S blocked=1ms\n  woken D interrupt=1ms\n"
				"waker D hardirq\nwaker B 2/2 b next=D\n u g\nwaker X 9/9 x\n");
	const char *const comms[] = { "a" };
	const struct select_options threads = { .comms = { comms, 1 } },
				    states = { .states = 1U << 2 };
	struct profile *q;

	(void)state;
	q = run(p, &threads);
	assert_int_equal(q->hdr.wakers, 1);
	assert_int_equal(q->wakes_len - 1, 6);
	assert_int_equal(q->wakers_len - 1, 3);
	assert_int_equal(q->wakes[1].ns, 1 * MS);
	/* thread 2 is not in the selection */
	assert_int_equal(q->wakers[q->wakes[1].waker].task, 0);
	assert_int_equal(q->wakers[q->wakes[1].waker].tid, 2);
	assert_int_equal(q->wakers[q->wakers[q->wakes[1].waker].next].context, WAKER_HARDIRQ);
	assert_true(q->wakers[q->wakes[1].waker].ustack);
	profile__free(q);
	q = run(p, &states);
	assert_int_equal(q->wakes_len - 1, 2);
	assert_int_equal(q->wakers_len - 1, 1);
	assert_int_equal(q->wakes[1].ns, 5 * MS);
	profile__free(q);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_select__a_filter_of_threads_keeps_their_totals),
		cmocka_unit_test(test_select__under_takes_the_function_of_interpreted_code),
		cmocka_unit_test(test_select__keeps_all_words),
		cmocka_unit_test(test_select__a_filter_of_waits_touches_no_total),
		cmocka_unit_test(test_select__histograms_go_with_their_thread),
		cmocka_unit_test(test_select__by_thread),
		cmocka_unit_test(test_select__by_what_a_path_says),
		cmocka_unit_test(test_select__by_what_a_runtime_says),
		cmocka_unit_test(test_select__by_state_and_cause),
		cmocka_unit_test(test_select__what_the_caller_chose),
		cmocka_unit_test(test_select__by_frame),
		cmocka_unit_test(test_select__a_frame_without_a_name_is_found_by_its_label),
		cmocka_unit_test(test_select__bounds_are_of_the_sum_of_a_stack),
		cmocka_unit_test(test_select__keeps_only_what_is_used),
		cmocka_unit_test(test_select__of_a_selection_knows_the_whole),
		cmocka_unit_test(test_select__of_a_sampled_profile_is_sound),
		cmocka_unit_test(test_select__counts_its_own_losses),
		cmocka_unit_test(test_select__says_which_filter_left_nothing),
		cmocka_unit_test(test_select__refuses_bad_texts),
		cmocka_unit_test(test_select__waits_without_a_thread_are_of_no_thread),
		cmocka_unit_test(test_select_options__any_knows_every_filter),
		cmocka_unit_test(test_select__survives_every_failed_allocation),
		cmocka_unit_test(test_select_takes_time_on_a_cpu_along),
		cmocka_unit_test(test_select_profile__keeps_wakes_of_waits_that_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
