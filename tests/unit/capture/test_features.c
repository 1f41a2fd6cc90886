/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "capture/feature/features_priv.h"

/* A machine where all is well; tests take single things away. */
static void good_machine(struct features *f)
{
	u32 id;

	memset(f, 0, sizeof(*f));
	snprintf(f->release, sizeof(f->release), "6.1.0");
	for (id = 0; id < FEATURE_CNT; id++)
		f->at[id].state = FEATURE_YES;
}

static void assert_verdict(const struct features *f, int code, const char *part)
{
	struct err err = { 0 };

	assert_int_equal(features__verdict(f, &err), code);
	if (!code)
		return;
	assert_int_equal(err.code, code);
	if (!strstr(err.msg, part))
		print_error("'%s' is not in '%s'\n", part, err.msg);
	assert_non_null(strstr(err.msg, part));
}

static void test_features__verdict_is_yes_when_nothing_needed_is_missing(void **state)
{
	struct features f;
	u32 id;

	(void)state;
	good_machine(&f);
	assert_verdict(&f, 0, "");
	for (id = 0; id < FEATURE_CNT; id++) {
		if (!feature_infos[id].required)
			f.at[id].state = FEATURE_NO;
	}
	assert_verdict(&f, 0, "");
}

static void test_features__verdict_names_each_missing_thing(void **state)
{
	static const enum feature_id lacking[] = { FEATURE_TASK_STORAGE, FEATURE_RINGBUF,
						   FEATURE_SCHED_SWITCH, FEATURE_PROCESS_HOOKS,
						   FEATURE_ITER_TASK };
	struct features f;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(lacking); i++) {
		good_machine(&f);
		f.at[lacking[i]].state = FEATURE_NO;
		assert_verdict(&f, -EOPNOTSUPP, feature_infos[lacking[i]].name);
	}
}

static void test_features__verdict_tells_rights_from_kernel(void **state)
{
	struct features f;

	(void)state;
	good_machine(&f);
	f.at[FEATURE_CAP_PERFMON].state = FEATURE_NO;
	assert_verdict(&f, -EPERM, "needs CAP_BPF and CAP_PERFMON");
	f.at[FEATURE_INIT_USERNS].state = FEATURE_NO;
	assert_verdict(&f, -EPERM, "user namespace");
	good_machine(&f);
	f.at[FEATURE_BTF].state = FEATURE_NO;
	assert_verdict(&f, -EOPNOTSUPP, "no BTF");
	f.at[FEATURE_CAP_BPF].state = FEATURE_NO; /* what can be mended at once comes first */
	assert_verdict(&f, -EPERM, "CAP_BPF");
}

static void test_features__verdict_believes_the_trial(void **state)
{
	struct features f;

	(void)state;
	good_machine(&f);
	f.at[FEATURE_BPF_SYSCALL].state = FEATURE_NO;
	f.trial_error = -EPERM;
	assert_verdict(&f, -EPERM, "seccomp");
	f.trial_error = -EINVAL;
	assert_verdict(&f, -EOPNOTSUPP, "refused a trial BPF program");
	good_machine(&f);
	f.at[FEATURE_READ_KERNEL].state = FEATURE_NO;
	snprintf(f.lockdown, sizeof(f.lockdown), "confidentiality");
	assert_verdict(&f, -EPERM, "lockdown is confidentiality");
}

static void test_features__verdict_does_not_take_unknown_for_missing(void **state)
{
	struct features f;

	(void)state;
	memset(&f, 0, sizeof(f));
	assert_verdict(&f, 0, "");
}

static void test_feature_infos_are_complete(void **state)
{
	u32 id;

	(void)state;
	for (id = 0; id < FEATURE_CNT; id++) {
		const struct feature_info *info = &feature_infos[id];

		assert_non_null(info->name);
		assert_non_null(info->cost);
		assert_int_not_equal(info->cost[strlen(info->cost) - 1], '.');
		assert_true(!info->required || info->remedy);
		assert_true(info->spared_by < FEATURE_CNT);
	}
}

static void test_features__probe_finds_this_machine(void **state)
{
	struct features f;
	struct utsname name;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(features__probe(&f, 0, &err), 0);
	assert_int_equal(uname(&name), 0);
	assert_string_equal(f.release, name.release);
	assert_int_not_equal(f.major, 0);
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		assert_int_equal(f.at[FEATURE_BTF].state, FEATURE_NO);
		assert_int_equal(f.at[FEATURE_SCHED_SWITCH].state, FEATURE_UNKNOWN);
		features__done(&f);
		return;
	}
	assert_true(features__has(&f, FEATURE_BTF));
	assert_true(features__has(&f, FEATURE_SCHED_SWITCH));
	assert_true(f.sched_switch_args == 3 || f.sched_switch_args == 4);
	assert_int_equal(features__has(&f, FEATURE_PREV_STATE), f.sched_switch_args == 4);
	features__done(&f);
}

static void test_features__probe_leaves_btf_out_when_told(void **state)
{
	struct features f;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(features__probe(&f, FEATURES_SKIP_BTF, &err), 0);
	assert_int_equal(f.at[FEATURE_BTF].state, FEATURE_UNKNOWN);
	assert_string_equal(f.at[FEATURE_RQ_CLOCK].detail, "not known without BTF");
	assert_int_equal(f.trial_error, 0);
	features__done(&f);
}

static void test_features__probe_reports_failed_allocation(void **state)
{
	struct features f;
	struct err err = { 0 };

	(void)state;
	mem_fail_nth(1);
	assert_int_equal(features__probe(&f, FEATURES_SKIP_BTF, &err), -ENOMEM);
	assert_true(mem_fail_fired());
	mem_fail_nth(0);
}

static void test_features_text_lockdown_reads_the_chosen_word(void **state)
{
	char buf[24];

	(void)state;
	assert_true(features_text_lockdown(view__of_str("none [integrity] confidentiality\n"), buf,
					   sizeof(buf)));
	assert_string_equal(buf, "integrity");
	assert_true(features_text_lockdown(view__of_str("[none] integrity confidentiality\n"), buf,
					   sizeof(buf)));
	assert_string_equal(buf, "none");
	assert_false(features_text_lockdown(view__of_str("none integrity"), buf, sizeof(buf)));
	assert_false(features_text_lockdown(view__of_str("[]"), buf, sizeof(buf)));
	assert_false(features_text_lockdown(view__of_str("["), buf, sizeof(buf)));
	assert_false(features_text_lockdown(view__of_str(""), buf, sizeof(buf)));
}

static void test_features_text_resume_symbol_takes_only_the_function(void **state)
{
	static const char *const good[] = { "ffffffff813a2380 t finish_task_switch.isra.0",
					    "ffffffff813a2380 t finish_task_switch.isra.12",
					    "0000000000000000 T finish_task_switch" };
	static const char *const bad[] = { "ffffffff813a2370 t __pfx_finish_task_switch.isra.0",
					   "ffffffff813a2370 t finish_task_switch.isra.0.cold",
					   "ffffffff813a2370 t finish_task_switch.cold",
					   "ffffffff813a2370 t finish_task_switch.isra.",
					   "ffffffff813a2370 t finish_task_switch_mm",
					   "ffffffff813a2370 t finish_task",
					   "ffffffff813a2370 t",
					   "finish_task_switch",
					   "" };
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(good); i++) {
		assert_true(features_text_resume_symbol(view__of_str(good[i]), buf, sizeof(buf)));
		assert_string_equal(buf, good[i] + 19);
	}
	for (i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(features_text_resume_symbol(view__of_str(bad[i]), buf, sizeof(buf)));
	assert_false(features_text_resume_symbol(view__of_str(good[0]), buf, 10));
}

static void test_features_text_has_address_sees_through_zeros(void **state)
{
	(void)state;
	assert_true(features_text_has_address(view__of_str("0000000000000000 A a\n"
							   "0000000000001000 A b\n")));
	assert_false(features_text_has_address(view__of_str("0000000000000000 A a\n"
							    "0000000000000000 T b\n")));
	assert_false(features_text_has_address(view__of_str("")));
	assert_false(features_text_has_address(view__of_str("what is this\n")));
}

static void test_features_text_cpu_flags_wants_whole_words(void **state)
{
	static const char *const words[] = { "constant_tsc", "nonstop_tsc", NULL };
	bool found;

	(void)state;
	assert_true(features_text_cpu_flags(
		view__of_str("model\t: 1\nflags\t\t: fpu nonstop_tsc constant_tsc\n"), words,
		&found));
	assert_true(found);
	assert_false(
		features_text_cpu_flags(view__of_str("flags : fpu nonstop_tsc_s3 constant_tsc\n"),
					words, &found));
	assert_true(found);
	assert_false(features_text_cpu_flags(view__of_str("Features : fp asimd\n"), words, &found));
	assert_false(found);
}

static void test_features_text_release_reads_partial_releases(void **state)
{
	static const struct {
		const char *text;
		u32 version[3];
	} cases[] = {
		{ "6.18.44-fc-v657", { 6, 18, 44 } },
		{ "5.15.0-100-generic", { 5, 15, 0 } },
		{ "6.12-rc1", { 6, 12, 0 } },
		{ "6.1.0.5", { 6, 1, 0 } },
		{ "", { 0, 0, 0 } },
		{ "linux", { 0, 0, 0 } },
	};
	u32 version[3];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		features_text_release(cases[i].text, version);
		assert_memory_equal(version, cases[i].version, sizeof(version));
	}
}

static void test_features__find_resume_symbol_agrees_with_kallsyms(void **state)
{
	struct features f;

	(void)state;
	memset(&f, 0, sizeof(f));
	features__find_resume_symbol(&f);
	/* "" is right for a kernel that inlined it; a name must be the whole one */
	if (f.resume_symbol[0])
		assert_int_equal(strncmp(f.resume_symbol, "finish_task_switch", 18), 0);
	assert_null(strstr(f.resume_symbol, "cold"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_features__verdict_is_yes_when_nothing_needed_is_missing),
		cmocka_unit_test(test_features__verdict_names_each_missing_thing),
		cmocka_unit_test(test_features__verdict_tells_rights_from_kernel),
		cmocka_unit_test(test_features__verdict_believes_the_trial),
		cmocka_unit_test(test_features__verdict_does_not_take_unknown_for_missing),
		cmocka_unit_test(test_feature_infos_are_complete),
		cmocka_unit_test(test_features__probe_finds_this_machine),
		cmocka_unit_test(test_features__probe_leaves_btf_out_when_told),
		cmocka_unit_test(test_features__probe_reports_failed_allocation),
		cmocka_unit_test(test_features_text_lockdown_reads_the_chosen_word),
		cmocka_unit_test(test_features_text_resume_symbol_takes_only_the_function),
		cmocka_unit_test(test_features_text_has_address_sees_through_zeros),
		cmocka_unit_test(test_features_text_cpu_flags_wants_whole_words),
		cmocka_unit_test(test_features_text_release_reads_partial_releases),
		cmocka_unit_test(test_features__find_resume_symbol_agrees_with_kallsyms),
	};

	return cmocka_run_group_tests_name("features", tests, NULL, NULL);
}
