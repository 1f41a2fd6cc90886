/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The course of a trace without a kernel: targets before and after the start, what a poll does and
 * how it fails, and histograms of living and exited threads. The programs, the clock and the ring
 * are ours.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#define clock_mono_ns fake_mono_ns
#define clock_wall_ns fake_wall_ns
#define clock_cpu_ns fake_cpu_ns
#define clock_sleep_until_mono_ns fake_sleep_until_mono_ns
#define window_set fake_window_set
#define programs__control fake_control
#define programs__walk fake_walk
#define programs__walk_mappings fake_walk_mappings
#define programs__mm_walk fake_mm_walk
#define programs__stats fake_stats
#define programs__targets fake_targets
#define programs__add_target fake_add_target
#define programs__remove_target fake_remove_target
#define programs__settle fake_settle
#define programs__tick fake_programs_tick
#define programs__wait_key_sz fake_wait_key_sz
#define ring_buffer__consume fake_ring_consume
#define ring_buffer__epoll_fd fake_ring_fd
#define processes__tick fake_processes_tick
#define readers__tick fake_readers_tick
#define mapped__waiting fake_waiting
#define mapped__build fake_build
#include "base/mem.h"
#include "capture/capture.c"
#include "capture/live_hists.c"

#define BEGIN_NS 1000000000ULL
/* Longer than any test may take. */
#define LONG_MS 20000

static struct cs_control control;
static struct cs_stats counted;
static struct capture *c;
static u64 now_ns;
static int ring_fd, wake_fd;
static char steps[256]; /* what was done so far, in this order */
static struct cs_task_record found[4]; /* by the mark iterator */
static u32 found_len;
static struct cs_task_hist_record living[4];
static u32 living_len;
static struct cs_task_hist_record *exits; /* a record that comes with the ring; NULL: none */
static int add_fails, ring_fails, ring_loses, settle_fails;
static u32 tables; /* waiting to be built */
static u64 due_ns;

static void step(const char *what)
{
	size_t len = strlen(steps);

	snprintf(steps + len, sizeof(steps) - len, "%s%s", len ? " " : "", what);
}

static void step_of(const char *what, u32 id)
{
	char text[32];

	snprintf(text, sizeof(text), "%s:%u", what, id);
	step(text);
}

u64 clock_mono_ns(void)
{
	return now_ns;
}

u64 clock_wall_ns(void)
{
	return 5000 + now_ns;
}

u64 clock_cpu_ns(void)
{
	return 700;
}

bool clock_sleep_until_mono_ns(u64 instant)
{
	if (now_ns < instant)
		now_ns = instant;
	return true;
}

u64 window_set(struct programs *p, enum cs_window instant, u64 at_ns)
{
	(void)p;
	(void)at_ns;
	step(instant == CS_WINDOW_BEGIN ? "begin" : "?");
	return BEGIN_NS;
}

volatile struct cs_control *programs__control(struct programs *p)
{
	(void)p;
	return &control;
}

int programs__walk(struct programs *p, enum programs_walk walk, struct vec *ret_records,
		   struct err *err)
{
	(void)p;
	(void)err;
	step(walk == PROGRAMS_MARK   ? "mark" :
	     walk == PROGRAMS_ASLEEP ? "asleep" :
	     walk == PROGRAMS_HISTS  ? "hists" :
				       "?");
	for (u32 i = 0; walk == PROGRAMS_MARK && i < found_len; i++)
		*(struct cs_task_record *)vec__push(ret_records) = found[i];
	for (u32 i = 0; walk == PROGRAMS_HISTS && i < living_len; i++)
		*(struct cs_task_hist_record *)vec__push(ret_records) = living[i];
	return 0;
}

int programs__walk_mappings(struct programs *p, u32 tid, struct err *err)
{
	(void)p;
	(void)err;
	step_of("map", tid);
	return 0;
}

bool programs__mm_walk(const struct programs *p)
{
	(void)p;
	return true;
}

int programs__stats(const struct programs *p, struct cs_stats *ret, struct err *err)
{
	(void)p;
	(void)err;
	*ret = counted;
	return 0;
}

u32 programs__targets(const struct programs *p)
{
	(void)p;
	return 3;
}

int programs__add_target(struct programs *p, u32 id, struct err *err)
{
	(void)p;
	step_of("add", id);
	return add_fails ? err__set(err, add_fails, "full") : 0;
}

int programs__remove_target(struct programs *p, u32 id, struct err *err)
{
	(void)p;
	(void)err;
	step_of("remove", id);
	return 0;
}

int programs__settle(struct programs *p, bool wait, struct err *err)
{
	(void)p;
	assert_false(wait);
	return settle_fails ? err__set(err, settle_fails, "refused") : 0;
}

void programs__tick(struct programs *p, u64 now_mono_ns)
{
	(void)p;
	assert_true(now_mono_ns == now_ns);
	step("tick");
}

size_t programs__wait_key_sz(const struct programs *p)
{
	(void)p;
	return CS_WAIT_KEY_SZ;
}

int ring_buffer__consume(struct ring_buffer *rb)
{
	(void)rb;
	step("ring");
	if (ring_loses)
		c->ring_error = ring_loses;
	if (exits)
		assert_int_equal(capture_take_hist_record(c, &c->now, exits), 0);
	exits = NULL;
	return ring_fails;
}

int ring_buffer__epoll_fd(const struct ring_buffer *rb)
{
	(void)rb;
	return ring_fd;
}

u64 processes__tick(struct processes *ps, u64 now_mono_ns)
{
	(void)ps;
	(void)now_mono_ns;
	return due_ns;
}

int readers__tick(struct readers *rs, u64 now_mono_ns, u64 *due_mono_ns, struct notices *notices)
{
	(void)rs;
	(void)now_mono_ns;
	(void)due_mono_ns;
	(void)notices;
	return 0;
}

size_t mapped__waiting(const struct mapped *m)
{
	(void)m;
	return tables;
}

/* New files must wait for their turn meanwhile. */
int mapped__build(struct mapped *m)
{
	assert_true(c->polling);
	m->pause.fn(m->pause.arg);
	step("build");
	tables--;
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	c = mem_array(1, sizeof(*c));
	if (!c || capture_window__init(&c->now, 0, 0))
		return -1;
	c->sides = SIDE_USER;
	c->now.replicates.next_ns = ~0ULL;
	cgroup_paths__init(&c->cgroups);
	control = (struct cs_control){ .tasks = 1 };
	memset(&counted, 0, sizeof(counted));
	now_ns = BEGIN_NS;
	due_ns = ~0ULL;
	steps[0] = '\0';
	found_len = living_len = tables = 0;
	add_fails = ring_fails = ring_loses = settle_fails = 0;
	exits = NULL;
	ring_fd = eventfd(0, EFD_CLOEXEC);
	wake_fd = eventfd(1, EFD_CLOEXEC); /* readable */
	return ring_fd < 0 || wake_fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(ring_fd);
	close(wake_fd);
	capture_window__done(&c->now);
	cgroup_paths__done(&c->cgroups);
	mem_free(c);
	return 0;
}

static void find(u32 tid, u32 tgid, u32 flags)
{
	found[found_len++] = (struct cs_task_record){ .tid = tid, .tgid = tgid, .flags = flags };
}

/* An added target's threads are taken in at once; its process is looked at once. */
static void test_add_target__takes_in_its_threads(void **state)
{
	struct err err;

	(void)state;
	find(11, 10, 0);
	find(12, 10, 0);
	find(2, 2, CS_TASK_KTHREAD);
	find(20, 20, 0);
	assert_int_equal(capture__add_target(c, 10, &err), 0);
	assert_string_equal(steps, "add:10 mark map:11 ring map:20 ring asleep");
}

static void test_expect_target__takes_in_nobody(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(capture__expect_target(c, 10, &err), 0);
	assert_string_equal(steps, "add:10");
}

/* Its threads look at themselves when the iterator has been there. */
static void test_remove_target__marks_its_threads(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(capture__remove_target(c, 10, &err), 0);
	assert_string_equal(steps, "remove:10 mark asleep");
}

static void test_add_target__fails_before_it_takes_in_anybody(void **state)
{
	struct err err;

	(void)state;
	add_fails = -E2BIG;
	assert_int_equal(capture__add_target(c, 10, &err), -E2BIG);
	assert_string_equal(err.msg, "full");
	assert_string_equal(steps, "add:10");
}

static void test_targets__are_none_without_threads(void **state)
{
	(void)state;
	assert_int_equal(capture__targets(c), 3);
	control.tasks = 0;
	assert_int_equal(capture__threads(c), 0);
	assert_int_equal(capture__targets(c), 0);
}

/* What the programs did before the first window is not its cost. */
static void test_start__counts_from_there(void **state)
{
	(void)state;
	now_ns = BEGIN_NS - 5000;
	counted = (struct cs_stats){ .self_runs = 7, .self_ns = 900, .switches = 4 };
	period_log__begin(&c->now.periods, 0, 50000);
	capture__start(c);
	assert_string_equal(steps, "begin");
	assert_int_equal(control.period_ns, 50000);
	assert_int_equal(c->now.begin_ns, BEGIN_NS);
	assert_int_equal(c->now.begin_wall_ns, 5000 + BEGIN_NS);
	assert_int_equal(c->stats.self_runs, 7);
	assert_int_equal(c->stats.self_ns, 900);
	assert_int_equal(c->stats.switches, 0);
	assert_int_equal(c->cpu_ns, 700);
}

static int poll_once(struct err *err)
{
	return capture__poll(c, wake_fd, LONG_MS, err);
}

static void test_poll__returns_when_it_is_woken(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(poll_once(&err), 0);
	assert_string_equal(steps, "ring tick");
	assert_false(c->polling);
}

/* What is due sooner than the caller's timeout: here at once, and nobody wakes it. */
static void test_poll__returns_when_something_is_due(void **state)
{
	struct timespec begin, end;
	struct err err;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	due_ns = now_ns;
	assert_int_equal(capture__poll(c, -1, LONG_MS, &err), 0);
	c->governed = true;
	c->governor.next_ns = now_ns + 1;
	due_ns = ~0ULL;
	assert_int_equal(capture__poll(c, -1, LONG_MS, &err), 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_true((end.tv_sec - begin.tv_sec) * 1000 < LONG_MS);
}

static void test_poll__builds_tables_when_all_events_are_taken(void **state)
{
	struct err err;

	(void)state;
	tables = 2;
	assert_int_equal(poll_once(&err), 0);
	assert_string_equal(steps, "ring tick ring build ring build");
	assert_null(c->mapped.pause.fn);
	assert_false(c->polling);
}

static void test_poll__marks_again_once_when_an_event_asks_for_it(void **state)
{
	struct err err;

	(void)state;
	c->rescan = true;
	assert_int_equal(poll_once(&err), 0);
	assert_int_equal(poll_once(&err), 0);
	assert_string_equal(steps, "ring tick mark asleep ring tick");
}

static void check_poll_fails(int want, const char *msg)
{
	struct err err = { 0 };

	assert_int_equal(poll_once(&err), want);
	if (msg)
		assert_string_equal(err.msg, msg);
}

static void test_poll__says_what_failed(void **state)
{
	(void)state;
	ring_fails = -EINTR;
	check_poll_fails(-EINTR, NULL);
	ring_fails = -EIO;
	check_poll_fails(-EIO, "the ring buffer failed: Input/output error");
	ring_fails = 0;
	settle_fails = -EPERM;
	check_poll_fails(-EPERM, "refused");
	/* the first one stays: the trace has a gap */
	ring_loses = -ENOMEM;
	check_poll_fails(-ENOMEM, "cannot read an event of the trace: Cannot allocate memory");
	ring_loses = 0;
	check_poll_fails(-ENOMEM, NULL);
}

static struct cs_task_hist_record thread(u32 id, u32 slices)
{
	struct cs_task_hist_record rec = {
		.task = { .id = id, .tid = 100 + id, .begin_ns = BEGIN_NS },
		.hist = { .on_ns = 1000ULL * slices },
	};

	rec.hist.counts[0][1] = slices;
	return rec;
}

struct told {
	char text[128]; /* "TID:SLICES", a gone one with "-" */
	int fail;
};

static int tell(void *arg, const struct capture_hist *h)
{
	struct told *t = arg;
	size_t len = strlen(t->text);

	assert_int_equal(h->bins_len, 1);
	assert_int_equal(h->sums.hist_on_ns, 1000 * h->bins[0].count);
	snprintf(t->text + len, sizeof(t->text) - len, " %u:%llu%s", h->tid,
		 (unsigned long long)h->bins[0].count, h->gone ? "-" : "");
	return t->fail;
}

/* The second one exits between the walk and the ring: its own record is the last word. */
static void test_hists__of_exited_threads_are_passed_once(void **state)
{
	struct cs_task_hist_record last = thread(2, 9);
	struct told told = { 0 };
	struct err err;

	(void)state;
	c->hist_unit_ns = 1024;
	living[0] = thread(1, 5);
	living[1] = thread(2, 8);
	living_len = 2;
	exits = &last;
	assert_int_equal(capture__hists(c, tell, &told, &err), 0);
	assert_string_equal(told.text, " 102:9- 101:5");
	living_len = 1;
	assert_int_equal(capture__hists(c, tell, &told, &err), 0);
	assert_string_equal(told.text, " 102:9- 101:5 101:5");
}

static void test_hists__stop_at_an_error(void **state)
{
	struct told told = { .fail = -EPIPE };
	struct err err;

	(void)state;
	living[0] = thread(1, 5);
	living[1] = thread(2, 8);
	living_len = 2;
	assert_int_equal(capture__hists(c, tell, &told, &err), -EPIPE);
	assert_string_equal(told.text, " 101:5");
	ring_loses = -ENOMEM;
	assert_int_equal(capture__hists(c, tell, &told, &err), -ENOMEM);
	assert_string_equal(told.text, " 101:5");
}

static void test_hists_lost__are_of_both_sides(void **state)
{
	(void)state;
	counted = (struct cs_stats){ .hist_lost = 1,
				     .task_storage_failed = 10,
				     .task_record_lost = 100 };
	c->now.records_lost = 1000;
	assert_int_equal(capture__hists_lost(c), 1111);
}

static void has(struct features *f, enum feature_id id)
{
	f->at[id].state = FEATURE_YES;
}

static u32 split_of(enum capture_split asked, const struct features *f)
{
	const struct capture_options opt = { .split = asked };
	struct err err;
	u32 split = ~0U;

	return choose_split(&opt, f, &split, &err) ? ~0U : split;
}

static void test_choose_split__takes_sched_info_where_it_is_true(void **state)
{
	struct features f = { 0 };

	(void)state;
	assert_int_equal(split_of(CAPTURE_SPLIT_AUTO, &f), ~0U);
	has(&f, FEATURE_SCHED_WAKING);
	assert_int_equal(split_of(CAPTURE_SPLIT_AUTO, &f), CS_SPLIT_WAKING);
	assert_int_equal(split_of(CAPTURE_SPLIT_SCHED_INFO, &f), ~0U);
	has(&f, FEATURE_RQ_CLOCK);
	has(&f, FEATURE_SCHED_INFO);
	assert_int_equal(split_of(CAPTURE_SPLIT_AUTO, &f), CS_SPLIT_SCHED_INFO);
	assert_int_equal(split_of(CAPTURE_SPLIT_WAKING, &f), CS_SPLIT_WAKING);
	/* wrong for sleepers that are moved, unless the moves are seen */
	f.delays_dequeue = true;
	assert_int_equal(split_of(CAPTURE_SPLIT_AUTO, &f), CS_SPLIT_WAKING);
	has(&f, FEATURE_SCHED_MIGRATE);
	assert_int_equal(split_of(CAPTURE_SPLIT_AUTO, &f), CS_SPLIT_SCHED_INFO);
	f.at[FEATURE_STABLE_CLOCK].state = FEATURE_NO;
	assert_int_equal(split_of(CAPTURE_SPLIT_AUTO, &f), CS_SPLIT_WAKING);
	assert_int_equal(split_of(CAPTURE_SPLIT_SCHED_INFO, &f), ~0U);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_add_target__takes_in_its_threads),
		T(test_expect_target__takes_in_nobody),
		T(test_remove_target__marks_its_threads),
		T(test_add_target__fails_before_it_takes_in_anybody),
		T(test_targets__are_none_without_threads),
		T(test_start__counts_from_there),
		T(test_poll__returns_when_it_is_woken),
		T(test_poll__returns_when_something_is_due),
		T(test_poll__builds_tables_when_all_events_are_taken),
		T(test_poll__marks_again_once_when_an_event_asks_for_it),
		T(test_poll__says_what_failed),
		T(test_hists__of_exited_threads_are_passed_once),
		T(test_hists__stop_at_an_error),
		T(test_hists_lost__are_of_both_sides),
		T(test_choose_split__takes_sched_info_where_it_is_true),
	};

	return cmocka_run_group_tests_name("capture/capture", tests, NULL, NULL);
}
