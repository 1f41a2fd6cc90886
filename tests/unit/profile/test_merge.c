/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "profile/builder.h"
#include "profile/windows/merge.h"
#include "unit/profile/sample.h"

#define SEC NSEC_PER_SEC

/* One thread in a window of 1 s: 400 ms on a CPU, 500 ms blocked in one stack, 100 ms for a CPU. */
struct piece {
	const char *host;
	const char *boot;
	const char *arch;
	const char *comm;
	const char *frame; /* NULL: without a name */
	u64 wall_ns; /* clocks at the begin; wall 0: 1000 s before mono */
	u64 mono_ns;
	u64 start_ns;
	u64 period_ns;
	u32 tid;
	u32 task_flags;
	u32 build; /* distinguishes files */
	bool filtered;
	u64 cgroup_id;
	const char *cgroup;
	const char *second_comm; /* a second record of the same thread, half a second later */
};

static u32 add_str(struct builder *b, const char *s)
{
	u32 id;

	assert_int_equal(builder__str(b, s ? s : "", &id), 0);
	return id;
}

static void fill_header(struct builder *b, const struct piece *pc)
{
	struct profile_header *h = builder__header(b);

	h->host = add_str(b, pc->host);
	h->boot = add_str(b, pc->boot);
	h->arch = add_str(b, pc->arch);
	h->begin_mono_ns = pc->mono_ns;
	h->begin_wall_ns = pc->wall_ns ? pc->wall_ns : 1000 * SEC + pc->mono_ns;
	h->window_ns = SEC;
	h->max_ns = ~0ULL;
	h->ncpu = 2;
	h->switches_seen = 10;
	h->prog_runs = 20;
	h->prog_ns = 3000;
	h->kernel_bytes = 4096;
	h->filtered = pc->filtered;
	h->sides = SIDE_USER | SIDE_KERNEL;
	h->period_ns = h->period_min_ns = h->period_max_ns = h->period_sum_ns = pc->period_ns;
}

static u32 add_stack(struct builder *b, const struct piece *pc)
{
	struct profile_module m = { .kind = MODULE_ELF, .dev = 1, .ino = pc->build };
	struct profile_frame f = { .addr = 0x1000, .flags = FRAME_RETURN };
	u32 frame, stack;

	m.path = add_str(b, "/opt/app");
	assert_int_equal(builder__module(b, &m, &f.module), 0);
	f.reason = pc->frame ? FRAME_NAMED : FRAME_NO_SYMBOL;
	f.name = add_str(b, pc->frame);
	assert_int_equal(builder__known_frame(b, &f, &frame), 0);
	assert_int_equal(builder__stack(b, 0, frame, &stack), 0);
	return stack;
}

static void add_task(struct builder *b, const struct piece *pc, bool second)
{
	struct profile_task t = { .tid = pc->tid,
				  .tgid = pc->tid,
				  .flags = second ? 0 : pc->task_flags,
				  .start_boottime_ns = pc->start_ns,
				  .cgroup_id = pc->cgroup_id,
				  .cgroup = add_str(b, pc->cgroup),
				  .begin_ns = second ? SEC / 2 : 0,
				  .wall_ns = SEC,
				  .on_ns = 400 * NSEC_PER_MSEC,
				  .runq_ns = 100 * NSEC_PER_MSEC,
				  .switches = 4,
				  .preemptions = 3,
				  .wakeups = 2,
				  .migrations = 1 };
	struct profile_wait w = { .sysno = 202, .state = 1, .count = 2, .samples = 2 };

	t.comm = t.group_comm = add_str(b, second ? pc->second_comm : pc->comm);
	t.blocked_ns[1] = 500 * NSEC_PER_MSEC;
	assert_int_equal(builder__task(b, &t, &w.task), 0);
	w.ustack = add_stack(b, pc);
	w.blocked_ns = t.blocked_ns[1];
	w.runq_ns = t.runq_ns;
	w.max_ns = 400 * NSEC_PER_MSEC;
	w.hist[19] = w.hist[18] = 1;
	w.var_us2 = pc->period_ns ? 7 : 0;
	assert_int_equal(builder__wait(b, &w), 0);
}

static struct profile *piece(const struct piece *pc)
{
	struct builder *b = builder__new();
	struct profile *p = NULL;
	struct err err = { 0 };

	assert_non_null(b);
	fill_header(b, pc);
	add_task(b, pc, false);
	if (pc->second_comm)
		add_task(b, pc, true);
	builder__loss(b, LOSS_STACK_CUT, 3, 5);
	if (builder__freeze(b, &p, &err) || profile__check(p, &err))
		fail_msg("%s", err.msg);
	builder__free(b);
	return p;
}

static struct profile *merge_two(const struct piece *a, const struct piece *b)
{
	struct profile *x = piece(a), *y = piece(b), *p = NULL;
	struct err err = { 0 };

	if (profile_merge((const struct profile *[]){ x, y }, 2, &p, &err) ||
	    profile__check(p, &err))
		fail_msg("%s", err.msg);
	profile__free(x);
	profile__free(y);
	return p;
}

static const struct piece first = { .host = "h",
				    .boot = "b",
				    .arch = "x86_64",
				    .comm = "app",
				    .frame = "work",
				    .mono_ns = 10 * SEC,
				    .start_ns = 5,
				    .tid = 7,
				    .build = 1 };

static void test_profile_merge__of_one_profile_keeps_its_sums(void **state)
{
	struct profile *in = sample_profile(0), *p = NULL;
	struct profile_budget a, b;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(profile_merge((const struct profile *[]){ in }, 1, &p, &err), 0);
	assert_int_equal(profile__check(p, &err), 0);
	assert_int_equal(profile__budget(in, &a), 0);
	assert_int_equal(profile__budget(p, &b), 0);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_int_equal(p->waits_len, in->waits_len);
	assert_int_equal(p->tasks_len, in->tasks_len);
	assert_int_equal(p->stacks_len, in->stacks_len);
	assert_int_equal(p->frames_len, in->frames_len);
	assert_memory_equal(p->losses, in->losses, sizeof(p->losses));
	assert_int_equal(p->hdr.windows, 1);
	profile__free(in);
	profile__free(p);
}

static void test_profile_merge__adds_up_a_thread_in_windows_that_follow(void **state)
{
	struct piece next = first;
	struct profile *p;
	const struct profile_wait *w;

	(void)state;
	next.mono_ns += SEC;
	p = merge_two(&next, &first); /* in the wrong order */
	assert_int_equal(p->tasks_len, 2);
	assert_int_equal(p->tasks[1].wall_ns, 2 * SEC);
	assert_int_equal(p->tasks[1].on_ns, 800 * NSEC_PER_MSEC);
	assert_int_equal(p->tasks[1].blocked_ns[1], SEC);
	assert_int_equal(p->tasks[1].switches, 8);
	assert_int_equal(p->tasks[1].preemptions, 6);
	assert_int_equal(p->tasks[1].wakeups, 4);
	assert_int_equal(p->tasks[1].migrations, 2);
	assert_int_equal(p->waits_len, 2);
	w = &p->waits[1];
	assert_int_equal(w->blocked_ns, SEC);
	assert_int_equal(w->runq_ns, 200 * NSEC_PER_MSEC);
	assert_int_equal(w->count, 4);
	assert_int_equal(w->samples, 4);
	assert_int_equal(w->hist[18], 2);
	assert_int_equal(w->max_ns, 400 * NSEC_PER_MSEC);
	assert_int_equal(p->losses[LOSS_STACK_CUT].events, 6);
	assert_int_equal(p->losses[LOSS_STACK_CUT].ns, 10);
	profile__free(p);
}

static void test_profile_merge__header_of_windows_that_follow(void **state)
{
	struct piece next = first;
	const struct profile_header *h;
	struct profile *p;

	(void)state;
	next.mono_ns += SEC + 250;
	p = merge_two(&first, &next);
	h = &p->hdr;
	assert_int_equal(h->windows, 2);
	assert_int_equal(h->window_ns, 2 * SEC);
	assert_int_equal(h->gap_ns, 250);
	assert_int_equal(h->overlap_ns, 0);
	assert_int_equal(h->begin_mono_ns, 10 * SEC);
	assert_int_equal(h->begin_wall_ns, 1010 * SEC);
	assert_int_equal(h->ncpu, 2);
	assert_int_equal(h->machine_ns, 4 * SEC);
	assert_int_equal(h->kernel_bytes, 4096);
	assert_int_equal(h->switches_seen, 20);
	assert_int_equal(h->prog_ns, 6000);
	assert_string_equal(profile__str(p, h->host), "h");
	assert_string_equal(profile__str(p, h->boot), "b");
	assert_int_equal(h->selection, 0);
	profile__free(p);
}

static void test_profile_merge__tells_time_that_is_in_twice(void **state)
{
	struct piece next = first;
	struct profile *p;

	(void)state;
	next.mono_ns += SEC / 4;
	p = merge_two(&first, &next);
	assert_int_equal(p->hdr.window_ns, SEC + SEC / 4);
	assert_int_equal(p->hdr.overlap_ns, SEC - SEC / 4);
	assert_int_equal(p->hdr.gap_ns, 0);
	assert_int_equal(p->tasks[1].wall_ns, 2 * SEC);
	profile__free(p);
}

static void test_profile_merge__places_windows_by_the_monotonic_clock(void **state)
{
	struct piece next = first;
	struct profile *p;

	(void)state;
	next.mono_ns += SEC;
	next.wall_ns = 5 * SEC; /* somebody set it back */
	p = merge_two(&first, &next);
	assert_int_equal(p->hdr.window_ns, 2 * SEC);
	assert_int_equal(p->hdr.gap_ns + p->hdr.overlap_ns, 0);
	assert_int_equal(p->tasks_len, 2);
	profile__free(p);
}

static void test_profile_merge__keeps_machines_apart(void **state)
{
	struct piece other = first;
	struct profile *p;

	(void)state;
	other.boot = "c";
	other.host = "i";
	p = merge_two(&first, &other);
	assert_int_equal(p->tasks_len, 3);
	assert_int_equal(p->hdr.window_ns, SEC);
	assert_int_equal(p->hdr.overlap_ns, 0);
	assert_int_equal(p->hdr.ncpu, 4);
	assert_int_equal(p->hdr.machine_ns, 4 * SEC);
	assert_int_equal(p->hdr.kernel_bytes, 8192);
	assert_string_equal(profile__str(p, p->hdr.host), "h, i");
	/* the stack is one */
	assert_int_equal(p->stacks_len, 2);
	profile__free(p);
}

static void test_profile_merge__takes_the_host_where_no_boot_is_known(void **state)
{
	struct piece a = first, b = first;
	struct profile *p;

	(void)state;
	a.boot = b.boot = NULL;
	b.mono_ns += SEC;
	p = merge_two(&a, &b);
	assert_int_equal(p->tasks_len, 2);
	profile__free(p);
	b.host = "i";
	p = merge_two(&a, &b);
	assert_int_equal(p->tasks_len, 3);
	profile__free(p);
}

static void test_profile_merge__a_tid_that_is_used_again_is_another_thread(void **state)
{
	struct piece next = first;
	struct profile *p;

	(void)state;
	next.mono_ns += SEC;
	next.start_ns = 6;
	p = merge_two(&first, &next);
	assert_int_equal(p->tasks_len, 3);
	profile__free(p);
}

static void test_profile_merge__an_exec_begins_another_record(void **state)
{
	struct piece a = first, b = first;
	struct profile *p;

	(void)state;
	a.task_flags = TASK_EXECED;
	a.second_comm = "new";
	b.comm = "new";
	b.mono_ns += SEC;
	p = merge_two(&a, &b);
	assert_int_equal(p->tasks_len, 3);
	assert_int_equal(p->tasks[1].wall_ns, SEC);
	assert_int_equal(p->tasks[2].wall_ns, 2 * SEC);
	assert_string_equal(profile__str(p, p->tasks[2].comm), "new");
	assert_int_equal(p->tasks[2].begin_ns, SEC / 2);
	profile__free(p);
}

static void test_profile_merge__detects_an_exec_between_windows_by_the_name(void **state)
{
	struct piece next = first;
	struct profile *p;

	(void)state;
	next.mono_ns += 2 * SEC;
	next.comm = "other";
	p = merge_two(&first, &next);
	assert_int_equal(p->tasks_len, 3);
	assert_int_equal(p->tasks[2].begin_ns, 2 * SEC);
	profile__free(p);
}

static void test_profile_merge__a_thread_that_was_moved_has_two_cgroups(void **state)
{
	struct piece a = first, b = first;
	struct profile *p;

	(void)state;
	a.cgroup_id = b.cgroup_id = 77;
	b.mono_ns += SEC;
	b.cgroup = "/found/later";
	p = merge_two(&a, &b);
	assert_int_equal(p->tasks_len, 2);
	assert_int_equal(p->tasks[1].cgroup_id, 77);
	assert_string_equal(profile__str(p, p->tasks[1].cgroup), "/found/later");
	profile__free(p);
	b.cgroup_id = 78;
	a.cgroup = "/before";
	p = merge_two(&a, &b);
	assert_int_equal(p->tasks_len, 3);
	assert_string_equal(profile__str(p, p->tasks[1].cgroup), "/before");
	assert_string_equal(profile__str(p, p->tasks[2].cgroup), "/found/later");
	profile__free(p);
}

/* One number on two machines. */
static void test_profile_merge__a_cgroup_is_one_of_its_machine(void **state)
{
	struct piece a = first, b = first;
	struct profile *p;

	(void)state;
	b.boot = "c";
	a.cgroup_id = b.cgroup_id = 77;
	a.cgroup = "/here";
	b.cgroup = "/there";
	p = merge_two(&a, &b);
	assert_int_equal(p->tasks_len, 3);
	assert_string_not_equal(profile__str(p, p->tasks[1].cgroup),
				profile__str(p, p->tasks[2].cgroup));
	profile__free(p);
}

static void test_profile_merge__keeps_records_of_one_window_apart(void **state)
{
	struct piece a = first, b = first;
	struct profile *p;

	(void)state;
	a.second_comm = "app"; /* nothing says why there are two */
	b.mono_ns += SEC;
	p = merge_two(&a, &b);
	assert_int_equal(p->tasks_len, 3);
	assert_int_equal(p->tasks[2].wall_ns, 2 * SEC);
	profile__free(p);
}

static void test_profile_merge__keeps_two_names_of_one_address_apart(void **state)
{
	struct piece next = first;
	struct profile *p;

	(void)state;
	next.mono_ns += SEC;
	next.frame = "other";
	p = merge_two(&first, &next);
	assert_int_equal(p->frames_len, 3);
	assert_int_equal(p->waits_len, 3);
	assert_string_equal(profile__str(p, p->frames[1].name), "work");
	assert_string_equal(profile__str(p, p->frames[2].name), "other");
	assert_int_equal(p->frames[2].reason, FRAME_NAMED);
	profile__free(p);
	next.frame = NULL;
	p = merge_two(&first, &next);
	assert_int_equal(p->frames_len, 3);
	assert_int_equal(p->frames[2].reason, FRAME_NO_SYMBOL);
	profile__free(p);
}

static void test_profile_merge__a_file_of_another_inode_is_another_module(void **state)
{
	struct piece next = first;
	struct profile *p;

	(void)state;
	next.mono_ns += SEC;
	next.build = 2;
	p = merge_two(&first, &next);
	assert_int_equal(p->modules_len, 3);
	assert_int_equal(p->waits_len, 3);
	profile__free(p);
}

static void test_profile_merge__of_exact_and_sampled_is_sampled(void **state)
{
	struct piece next = first, third = first;
	const struct profile_header *h;
	struct profile *p;

	(void)state;
	next.mono_ns += SEC;
	next.period_ns = 4000;
	p = merge_two(&first, &next);
	h = &p->hdr;
	assert_int_equal(h->period_min_ns, 0);
	assert_int_equal(h->period_ns, 2000);
	assert_int_equal(h->period_max_ns, 4000);
	assert_int_equal(h->period_sum_ns, 4000);
	assert_int_equal(h->period_changes, 1);
	assert_int_equal(p->waits[1].var_us2, 7);
	profile__free(p);
	third.mono_ns += 2 * SEC;
	third.period_ns = 4000;
	p = merge_two(&next, &third);
	assert_int_equal(p->hdr.period_changes, 0);
	assert_int_equal(p->hdr.period_min_ns, 4000);
	assert_int_equal(p->hdr.period_sum_ns, 8000);
	assert_int_equal(p->waits[1].var_us2, 14);
	profile__free(p);
}

static void test_profile_merge__is_filtered_if_one_profile_is(void **state)
{
	struct piece next = first;
	struct profile *p;

	(void)state;
	next.mono_ns += SEC;
	next.filtered = true;
	p = merge_two(&first, &next);
	assert_int_equal(p->hdr.filtered, 1);
	profile__free(p);
}

static void test_profile_merge__may_be_merged_again(void **state)
{
	struct piece next = first, last = first;
	struct profile *p, *q, *z;
	struct err err = { 0 };

	(void)state;
	next.mono_ns += 2 * SEC;
	last.mono_ns += 4 * SEC;
	p = merge_two(&first, &next);
	z = piece(&last);
	assert_int_equal(profile_merge((const struct profile *[]){ p, z }, 2, &q, &err), 0);
	assert_int_equal(profile__check(q, &err), 0);
	assert_int_equal(q->hdr.windows, 3);
	assert_int_equal(q->hdr.window_ns, 3 * SEC);
	assert_int_equal(q->hdr.gap_ns, 2 * SEC);
	assert_int_equal(q->hdr.machine_ns, 6 * SEC);
	assert_int_equal(q->tasks[1].wall_ns, 3 * SEC);
	profile__free(p);
	profile__free(q);
	profile__free(z);
}

static void test_profile_merge__refuses_what_cannot_be_one(void **state)
{
	struct piece other = first;
	struct profile *x = piece(&first), *y, *p = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(profile_merge(NULL, 0, &p, &err), -EINVAL);
	other.arch = "aarch64";
	y = piece(&other);
	assert_int_equal(profile_merge((const struct profile *[]){ x, y }, 2, &p, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "recordings of x86_64 and aarch64 cannot be merged: their system "
			    "calls have other numbers");
	assert_null(p);
	profile__free(y);
	y = piece(&first);
	y->hdr.visit_hz = 19;
	y->hdr.visit_sources = VISITS_OF_BPF;
	x->hdr.wakers = 1;
	assert_int_equal(profile_merge((const struct profile *[]){ x, y }, 2, &p, &err), -EINVAL);
	assert_string_equal(err.msg, "a recording with wakers and one by visits cannot be merged: "
				     "report them apart, or compare them with diff");
	assert_null(p);
	profile__free(y);
	profile__free(x);
}

/* The same second as seen by visits: neither counted, nor divided by who was preempted. */
static struct profile *visited_piece(const struct piece *pc)
{
	struct profile *p = piece(pc);
	struct err err = { 0 };

	p->hdr.switches_seen = p->hdr.prog_runs = p->hdr.prog_ns = 0;
	p->hdr.visit_hz = 19;
	p->hdr.visit_sources = VISITS_OF_BPF;
	p->hdr.visited_ns = SEC;
	p->hdr.visits = 19;
	p->hdr.period_ns = p->hdr.period_min_ns = p->hdr.period_max_ns = 53 * NSEC_PER_MSEC;
	p->hdr.period_sum_ns = 2 * SEC;
	p->waits[1].count = 0;
	p->waits[1].samples = 9;
	p->waits[1].var_us2 = 5000;
	memset(p->waits[1].hist, 0, sizeof(p->waits[1].hist));
	if (profile__check(p, &err))
		fail_msg("%s", err.msg);
	return p;
}

/* Of hooks, then of visits: what only hooks know is left out, and the times add up. */
static void test_profile_merge__of_hooks_and_visits_knows_what_both_know(void **state)
{
	struct piece next = first;
	struct profile *x = piece(&first), *y, *p = NULL;
	struct err err = { 0 };

	(void)state;
	next.mono_ns += SEC;
	y = visited_piece(&next);
	x->tasks[1].preempted_ns = 60 * NSEC_PER_MSEC;
	x->tasks[1].runq_ns = 40 * NSEC_PER_MSEC;
	if (profile_merge((const struct profile *[]){ x, y }, 2, &p, &err) ||
	    profile__check(p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(p->tasks_len, 2);
	assert_int_equal(p->tasks[1].wall_ns, 2 * SEC);
	assert_int_equal(p->tasks[1].preempted_ns, 0);
	assert_int_equal(p->tasks[1].runq_ns, 200 * NSEC_PER_MSEC);
	assert_int_equal(p->waits_len, 2);
	assert_int_equal(p->waits[1].count, 0);
	assert_int_equal(p->waits[1].hist[18] + p->waits[1].hist[19], 0);
	assert_int_equal(p->waits[1].samples, 11);
	assert_int_equal(p->waits[1].var_us2, 5000);
	assert_int_equal(p->waits[1].blocked_ns, SEC);
	assert_int_equal(p->hdr.visit_hz, 19);
	assert_int_equal(p->hdr.visited_ns, SEC);
	assert_int_equal(p->hdr.window_ns, 2 * SEC);
	assert_int_equal(p->hdr.switches_seen, 10);
	assert_int_equal(p->hdr.prog_ns, 3000);
	profile__free(p);
	profile__free(y);
	profile__free(x);
}

static void test_profile_merge__refuses_sums_that_leave_their_type(void **state)
{
	struct piece next = first;
	struct profile *x = piece(&first), *y, *p = NULL;
	struct err err = { 0 };

	(void)state;
	next.mono_ns += SEC;
	y = piece(&next);
	x->waits[1].hist[18] = y->waits[1].hist[18] = 0x80000000;
	assert_int_equal(profile_merge((const struct profile *[]){ x, y }, 2, &p, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "more than a number can hold"));
	x->tasks[1].wall_ns = ~0ULL;
	assert_int_equal(profile_merge((const struct profile *[]){ x, y }, 2, &p, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "times of a thread"));
	profile__free(y);
	profile__free(x);
}

static void test_profile_merge__survives_every_failed_allocation(void **state)
{
	struct piece next = first;
	struct profile *x = piece(&first), *y, *p;
	u64 nth;
	int r;

	(void)state;
	next.mono_ns += SEC;
	next.comm = "other";
	y = piece(&next);
	for (nth = 1;; nth++) {
		struct err err = { 0 };

		p = NULL;
		mem_fail_nth(nth);
		r = profile_merge((const struct profile *[]){ x, y }, 2, &p, &err);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		assert_null(p);
		assert_string_not_equal(err.msg, "");
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 20);
	profile__free(p);
	profile__free(x);
	profile__free(y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile_merge__of_one_profile_keeps_its_sums),
		cmocka_unit_test(test_profile_merge__adds_up_a_thread_in_windows_that_follow),
		cmocka_unit_test(test_profile_merge__header_of_windows_that_follow),
		cmocka_unit_test(test_profile_merge__tells_time_that_is_in_twice),
		cmocka_unit_test(test_profile_merge__places_windows_by_the_monotonic_clock),
		cmocka_unit_test(test_profile_merge__keeps_machines_apart),
		cmocka_unit_test(test_profile_merge__takes_the_host_where_no_boot_is_known),
		cmocka_unit_test(test_profile_merge__a_tid_that_is_used_again_is_another_thread),
		cmocka_unit_test(test_profile_merge__an_exec_begins_another_record),
		cmocka_unit_test(test_profile_merge__detects_an_exec_between_windows_by_the_name),
		cmocka_unit_test(test_profile_merge__a_thread_that_was_moved_has_two_cgroups),
		cmocka_unit_test(test_profile_merge__a_cgroup_is_one_of_its_machine),
		cmocka_unit_test(test_profile_merge__keeps_records_of_one_window_apart),
		cmocka_unit_test(test_profile_merge__keeps_two_names_of_one_address_apart),
		cmocka_unit_test(test_profile_merge__a_file_of_another_inode_is_another_module),
		cmocka_unit_test(test_profile_merge__of_exact_and_sampled_is_sampled),
		cmocka_unit_test(test_profile_merge__is_filtered_if_one_profile_is),
		cmocka_unit_test(test_profile_merge__may_be_merged_again),
		cmocka_unit_test(test_profile_merge__refuses_what_cannot_be_one),
		cmocka_unit_test(test_profile_merge__of_hooks_and_visits_knows_what_both_know),
		cmocka_unit_test(test_profile_merge__refuses_sums_that_leave_their_type),
		cmocka_unit_test(test_profile_merge__survives_every_failed_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
