/* SPDX-License-Identifier: Apache-2.0 */
/* The table of hooks: each row is complete, each program has one, and options choose the right. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "capture/feature/hooks.h"
#include "capture/program/hook_choice.h"
#include "gen/coldspot.skel.h"

static const struct hook *find_hook(const char *program)
{
	const struct hook *found = NULL;

	for (u32 i = 0; i < hooks_cnt; i++) {
		if (strcmp(hooks[i].program, program))
			continue;
		assert_null(found); /* two rows of one program */
		found = &hooks[i];
	}
	return found;
}

static void test_hooks__every_program_has_a_row(void **state)
{
	struct coldspot *skel = coldspot__open();
	struct bpf_program *prog;
	u32 cnt = 0;

	(void)state;
	assert_non_null(skel);
	bpf_object__for_each_program(prog, skel->obj) {
		const struct hook *h = find_hook(bpf_program__name(prog));

		if (!h)
			fail_msg("%s has no row in hooks.c", bpf_program__name(prog));
		assert_string_equal(h->section, bpf_program__section_name(prog));
		cnt++;
	}
	assert_int_equal(cnt, hooks_cnt);
	coldspot__destroy(skel);
}

static void test_hooks__every_row_says_what_its_absence_costs(void **state)
{
	(void)state;
	for (u32 i = 0; i < hooks_cnt; i++) {
		const struct hook *h = &hooks[i];
		struct hook_type type;

		hook__type(h, &type);
		if (!type.kind && hook__attach(h) == HOOK_BY_US)
			continue; /* it needs no hook: a program that we call */
		if (!h->needs)
			fail_msg("%s names no feature", h->program);
		assert_non_null(feature_infos[h->needs].name);
		assert_int_not_equal(feature_infos[h->needs].cost[0], 0);
		if (!feature_infos[h->needs].since && !feature_infos[h->needs].remedy)
			fail_msg("%s: neither a remedy nor a version", h->program);
	}
}

/* A program that is always loaded cannot be missing: doctor must say that nothing is recorded. */
static void test_hooks__always_loaded_hooks_are_required(void **state)
{
	(void)state;
	for (u32 i = 0; i < hooks_cnt; i++)
		if (hooks[i].use == HOOK_ALWAYS && hooks[i].needs)
			assert_true(feature_infos[hooks[i].needs].required);
}

static void test_hooks__every_use_has_a_row(void **state)
{
	(void)state;
	for (u32 use = 0; use < HOOK_USE_CNT; use++) {
		u32 rows = 0;

		for (u32 i = 0; i < hooks_cnt; i++)
			rows += hooks[i].use == use;
		if (!rows)
			fail_msg("use %u has no program", use);
	}
}

static void test_hook__type_is_that_of_btf(void **state)
{
	static const struct hook sleepable = { .section = "iter.s/task" };
	static const struct hook kprobe = { .section = "kprobe" };
	struct hook_type type;

	(void)state;
	hook__type(find_hook("on_sched_waking"), &type);
	assert_string_equal(type.name, "btf_trace_sched_waking");
	hook__type(&sleepable, &type);
	assert_string_equal(type.name, "bpf_iter_task");
	hook__type(&kprobe, &type);
	assert_int_equal(type.kind, 0);
}

static void all_features(struct features *f)
{
	memset(f, 0, sizeof(*f));
	for (u32 i = 0; i < FEATURE_CNT; i++)
		f->at[i].state = FEATURE_YES;
	f->sched_switch_args = 4;
}

static bool loads(const struct capture_options *opt, const struct features *f, u32 split,
		  const char *program)
{
	struct hook_choice c;
	struct err err = { 0 };
	const struct hook *h = find_hook(program);

	assert_non_null(h);
	assert_int_equal(hook_choice__init(&c, opt, f, split, &err), 0);
	return hook_choice__loads(&c, h);
}

static void test_hook_choice__takes_one_switch(void **state)
{
	static const char *const switches[] = { "on_sched_switch", "on_sched_switch_early",
						"on_sched_switch_3args" };
	static const struct {
		u32 args, resume, wanted;
	} cases[] = {
		{ 4, CAPTURE_RESUME_AUTO, 0 },	     { 4, CAPTURE_RESUME_KPROBE, 0 },
		{ 4, CAPTURE_RESUME_SWITCH_OUT, 1 }, { 3, CAPTURE_RESUME_KPROBE, 2 },
		{ 3, CAPTURE_RESUME_SWITCH_OUT, 2 },
	};
	struct features f;

	(void)state;
	all_features(&f);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct capture_options opt = { .resume = cases[i].resume };

		f.sched_switch_args = cases[i].args;
		for (u32 k = 0; k < ARRAY_LEN(switches); k++)
			assert_int_equal(loads(&opt, &f, CS_SPLIT_WAKING, switches[k]),
					 k == cases[i].wanted);
	}
}

static void test_hook_choice__loads_what_options_need(void **state)
{
	struct capture_options opt = { 0 };
	struct features f;

	(void)state;
	all_features(&f);
	f.at[FEATURE_ORC].state = FEATURE_NO;
	assert_true(loads(&opt, &f, CS_SPLIT_WAKING, "on_task_newtask"));
	assert_true(loads(&opt, &f, CS_SPLIT_WAKING, "on_sched_waking"));
	assert_false(loads(&opt, &f, CS_SPLIT_SCHED_INFO, "on_sched_waking"));
	assert_false(loads(&opt, &f, CS_SPLIT_SCHED_INFO, "on_sched_migrate"));
	f.delays_dequeue = true;
	assert_true(loads(&opt, &f, CS_SPLIT_SCHED_INFO, "on_sched_migrate"));
	assert_false(loads(&opt, &f, CS_SPLIT_WAKING, "on_sched_migrate"));
	assert_false(loads(&opt, &f, CS_SPLIT_WAKING, "on_contention_begin"));
	assert_false(loads(&opt, &f, CS_SPLIT_WAKING, "find_symbols"));
	assert_false(loads(&opt, &f, CS_SPLIT_WAKING, "on_cpu_sample"));
	assert_false(loads(&opt, &f, CS_SPLIT_WAKING, "on_task_vma"));
	opt.objects = opt.user_stacks = true;
	opt.on_cpu_hz = 99;
	assert_true(loads(&opt, &f, CS_SPLIT_WAKING, "on_contention_begin"));
	assert_true(loads(&opt, &f, CS_SPLIT_WAKING, "on_task_file"));
	assert_true(loads(&opt, &f, CS_SPLIT_WAKING, "find_symbols"));
	assert_true(loads(&opt, &f, CS_SPLIT_WAKING, "on_cpu_sample"));
	assert_true(loads(&opt, &f, CS_SPLIT_WAKING, "on_task_vma"));
	opt.proc_maps = true;
	assert_false(loads(&opt, &f, CS_SPLIT_WAKING, "on_task_vma"));
	assert_false(loads(&opt, &f, CS_SPLIT_WAKING, "find_symbols"));
}

/* An optional hook is left out on kernels that lack it; without a required one, nothing starts. */
static void test_hook_choice__does_without_or_refuses(void **state)
{
	struct capture_options opt = { .cgroup_paths = true, .objects = true };
	struct hook_choice c;
	struct err err = { 0 };
	struct features f;

	(void)state;
	all_features(&f);
	assert_true(loads(&opt, &f, CS_SPLIT_WAKING, "on_cgroup_attach_task"));
	assert_true(loads(&opt, &f, CS_SPLIT_WAKING, "on_task_rename"));
	f.at[FEATURE_CGROUP_MOVE] =
		(struct feature){ .state = FEATURE_NO, .detail = "BTF has no such type" };
	f.at[FEATURE_TASK_RENAME].state = FEATURE_NO;
	f.at[FEATURE_CONTENTION].state = FEATURE_NO;
	strcpy(f.release, "6.1.0");
	assert_false(loads(&opt, &f, CS_SPLIT_WAKING, "on_cgroup_attach_task"));
	assert_false(loads(&opt, &f, CS_SPLIT_WAKING, "on_task_rename"));
	assert_false(loads(&opt, &f, CS_SPLIT_WAKING, "on_contention_begin"));
	opt.cgroup = "a";
	assert_int_equal(hook_choice__init(&c, &opt, &f, CS_SPLIT_WAKING, &err), -EOPNOTSUPP);
	assert_string_equal(err.msg,
			    "Linux 6.1.0 lacks cgroup_attach_task (BTF has no such type): cgroups "
			    "that threads move into may have no path, and --cgroup cannot be used");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hooks__every_program_has_a_row),
		cmocka_unit_test(test_hooks__every_row_says_what_its_absence_costs),
		cmocka_unit_test(test_hooks__always_loaded_hooks_are_required),
		cmocka_unit_test(test_hooks__every_use_has_a_row),
		cmocka_unit_test(test_hook__type_is_that_of_btf),
		cmocka_unit_test(test_hook_choice__takes_one_switch),
		cmocka_unit_test(test_hook_choice__loads_what_options_need),
		cmocka_unit_test(test_hook_choice__does_without_or_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
