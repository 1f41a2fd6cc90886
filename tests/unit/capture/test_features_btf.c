/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <bpf/btf.h>

#include "capture/feature/features_priv.h"

/*
 * Kernels made by hand: only the types that are looked for, so that each can be left out, as
 * machines that we do not have would.
 */
enum leave_out {
	OUT_NOTHING = 0,
	OUT_PREV_STATE = 1,
	OUT_EXIT_TP = 2,
	OUT_EXEC = 4,
	OUT_STORAGE = 8,
	OUT_COPY_TASK = 16,
	OUT_CFS_RQ_RQ = 32,
	OUT_SCHED_INFO = 64,
	OUT_SWITCH = 128,
	OUT_ITER = 256,
	OUT_MM_MT = 512,
	OUT_ORC_TYPES = 1024, /* entries as before 6.4 */
	OUT_CAST = 2048,
	OUT_DELAYED = 4096, /* as before 6.12 */
	OUT_MIGRATE = 8192,
	OUT_CONTENTION = 16384, /* as before 5.19 */
	OUT_READER = 32768, /* as before 6.17 */
	OUT_BLOCKER = 65536, /* without CONFIG_DETECT_HUNG_TASK_BLOCKER */
	OUT_MKDIR = 131072,
};

static void add_trace(struct btf *btf, const char *name, int args, int type)
{
	int i, proto = btf__add_func_proto(btf, 0);

	for (i = 0; i < args; i++)
		assert_int_equal(btf__add_func_param(btf, "", type), 0);
	assert_true(btf__add_typedef(btf, name, btf__add_ptr(btf, proto)) > 0);
}

static void add_hooks(struct btf *btf, u32 out, int word)
{
	if (!(out & OUT_SWITCH))
		add_trace(btf, "btf_trace_sched_switch", out & OUT_PREV_STATE ? 4 : 5, word);
	if (!(out & OUT_EXIT_TP))
		add_trace(btf, "btf_trace_sched_exit_tp", 2, word);
	if (!(out & OUT_EXEC))
		add_trace(btf, "btf_trace_sched_process_exec", 4, word);
	add_trace(btf, "btf_trace_sched_process_exit", 2, word);
	add_trace(btf, "btf_trace_sched_process_free", 2, word);
	add_trace(btf, "btf_trace_task_newtask", 3, word);
	add_trace(btf, "btf_trace_sched_waking", 2, word);
	if (!(out & OUT_MIGRATE))
		add_trace(btf, "btf_trace_sched_migrate_task", 3, word);
	if (!(out & OUT_CONTENTION))
		add_trace(btf, "btf_trace_contention_begin", 3, word);
	add_trace(btf, "btf_trace_contention_end", 3, word);
	add_trace(btf, "btf_trace_sys_exit", 3, word);
	add_trace(btf, "btf_trace_task_rename", 3, word);
	add_trace(btf, "btf_trace_cgroup_attach_task", 6, word);
	if (!(out & OUT_MKDIR))
		add_trace(btf, "btf_trace_cgroup_mkdir", 3, word);
}

static void add_functions(struct btf *btf, u32 out, int word)
{
	int proto = btf__add_func_proto(btf, word);

	if (!(out & OUT_ITER))
		btf__add_func(btf, "bpf_iter_task", BTF_FUNC_GLOBAL, proto);
	btf__add_func(btf, "bpf_iter_task_vma", BTF_FUNC_GLOBAL, proto);
	btf__add_func(btf, "bpf_iter_task_file", BTF_FUNC_GLOBAL, proto);
	if (!(out & OUT_CAST))
		btf__add_func(btf, "bpf_rdonly_cast", BTF_FUNC_GLOBAL, proto);
	if (!(out & OUT_READER))
		btf__add_func(btf, "is_rwsem_reader_owned", BTF_FUNC_STATIC, proto);
	if (!(out & OUT_COPY_TASK))
		btf__add_func(btf, "bpf_copy_from_user_task", BTF_FUNC_GLOBAL, proto);
	btf__add_enum(btf, "bpf_map_type", 4);
	btf__add_enum_value(btf, "BPF_MAP_TYPE_HASH", 1);
	btf__add_enum_value(btf, "BPF_MAP_TYPE_RINGBUF", 27);
	if (!(out & OUT_STORAGE))
		btf__add_enum_value(btf, "BPF_MAP_TYPE_TASK_STORAGE", 29);
}

/* task_struct with its fields inside a struct without a name, as randomized layouts have them. */
static void add_structs(struct btf *btf, u32 out, int word)
{
	int entity, inner, info = 0;

	btf__add_struct(btf, "rq", 8);
	btf__add_field(btf, "clock", word, 0, 0);
	btf__add_struct(btf, "cfs_rq", 8);
	btf__add_field(btf, out & OUT_CFS_RQ_RQ ? "queue" : "rq", word, 0, 0);
	entity = btf__add_struct(btf, "sched_entity", 16);
	btf__add_field(btf, "cfs_rq", word, 0, 0);
	if (!(out & OUT_DELAYED))
		btf__add_field(btf, "sched_delayed", word, 64, 0);
	if (!(out & OUT_SCHED_INFO)) {
		info = btf__add_struct(btf, "sched_info", 24);
		btf__add_field(btf, "run_delay", word, 0, 0);
		btf__add_field(btf, "last_arrival", word, 64, 0);
		btf__add_field(btf, "last_queued", word, 128, 0);
	}
	inner = btf__add_struct(btf, NULL, 40);
	btf__add_field(btf, "se", entity, 0, 0);
	if (info)
		btf__add_field(btf, "sched_info", info, 128, 0);
	btf__add_struct(btf, "task_struct", 48);
	btf__add_field(btf, NULL, inner, 0, 0);
	if (!(out & OUT_BLOCKER))
		btf__add_field(btf, "blocker", word, 320, 0);
	btf__add_struct(btf, "orc_entry", 8);
	btf__add_field(btf, "type", word, 40, out & OUT_ORC_TYPES ? 2 : 3);
	btf__add_field(btf, "signal", word, 43, 1);
	btf__add_struct(btf, "mm_struct", 8);
	btf__add_field(btf, out & OUT_MM_MT ? "mm_rb" : "mm_mt", word, 0, 0);
}

static void probe(u32 out, struct features *f)
{
	struct btf *btf = btf__new_empty();
	int word;

	assert_non_null(btf);
	word = btf__add_int(btf, "u64", 8, 0);
	add_hooks(btf, out, word);
	add_functions(btf, out, word);
	add_structs(btf, out, word);
	memset(f, 0, sizeof(*f));
	features__read_btf(f, btf);
	btf__free(btf);
}

static void test_features__read_btf_finds_everything(void **state)
{
	static const enum feature_id all[] = {
		FEATURE_TASK_STORAGE, FEATURE_RINGBUF,	     FEATURE_SCHED_SWITCH,
		FEATURE_PREV_STATE,   FEATURE_PROCESS_HOOKS, FEATURE_SCHED_EXIT_TP,
		FEATURE_SCHED_WAKING, FEATURE_ITER_TASK,     FEATURE_ITER_TASK_SLEEPABLE,
		FEATURE_RQ_CLOCK,     FEATURE_SCHED_INFO,    FEATURE_MM_WALK,
		FEATURE_ORC,	      FEATURE_SCHED_MIGRATE, FEATURE_CONTENTION,
	};
	struct features f;
	size_t i;

	(void)state;
	probe(OUT_NOTHING, &f);
	for (i = 0; i < ARRAY_LEN(all); i++)
		assert_int_equal(f.at[all[i]].state, FEATURE_YES);
	assert_int_equal(f.sched_switch_args, 4);
}

static void test_features__read_btf_misses_only_absent_types(void **state)
{
	static const struct {
		u32 out;
		enum feature_id id;
	} cases[] = {
		{ OUT_PREV_STATE, FEATURE_PREV_STATE },
		{ OUT_EXIT_TP, FEATURE_SCHED_EXIT_TP },
		{ OUT_EXEC, FEATURE_PROCESS_HOOKS },
		{ OUT_STORAGE, FEATURE_TASK_STORAGE },
		{ OUT_COPY_TASK, FEATURE_ITER_TASK_SLEEPABLE },
		{ OUT_CFS_RQ_RQ, FEATURE_RQ_CLOCK },
		{ OUT_SCHED_INFO, FEATURE_SCHED_INFO },
		{ OUT_MM_MT, FEATURE_MM_WALK },
		{ OUT_ORC_TYPES, FEATURE_ORC },
		{ OUT_CAST, FEATURE_ORC },
		{ OUT_MIGRATE, FEATURE_SCHED_MIGRATE },
		{ OUT_CONTENTION, FEATURE_CONTENTION },
		{ OUT_MKDIR, FEATURE_CGROUP_MKDIR },
	};
	struct features f;
	u32 id, missing;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		probe(cases[i].out, &f);
		missing = 0;
		for (id = 0; id < FEATURE_CNT; id++)
			missing += f.at[id].state == FEATURE_NO;
		assert_int_equal(f.at[cases[i].id].state, FEATURE_NO);
		assert_int_not_equal(f.at[cases[i].id].detail[0], '\0');
		assert_int_equal(missing, 1);
	}
}

static void test_features__read_btf_knows_the_shape_of_sched_switch(void **state)
{
	struct features f;

	(void)state;
	probe(OUT_PREV_STATE, &f);
	assert_int_equal(f.sched_switch_args, 3);
	assert_int_equal(f.at[FEATURE_SCHED_SWITCH].state, FEATURE_YES);
	probe(OUT_SWITCH, &f);
	assert_int_equal(f.sched_switch_args, 0);
	assert_int_equal(f.at[FEATURE_SCHED_SWITCH].state, FEATURE_NO);
}

static void test_features__read_btf_knows_kernels_that_delay_dequeue(void **state)
{
	struct features f;

	(void)state;
	probe(OUT_NOTHING, &f);
	assert_true(f.delays_dequeue);
	probe(OUT_DELAYED, &f);
	assert_false(f.delays_dequeue);
}

static void test_features__read_btf_knows_kernels_whose_rwsems_forget_readers(void **state)
{
	struct features f;

	(void)state;
	probe(OUT_NOTHING, &f);
	assert_true(f.lock_readers);
	probe(OUT_READER, &f);
	assert_false(f.lock_readers);
	probe(OUT_BLOCKER, &f);
	assert_false(f.lock_readers);
}

static void test_features__read_btf_needs_the_iterator_for_its_sleepable_form(void **state)
{
	struct features f;

	(void)state;
	probe(OUT_ITER, &f);
	assert_int_equal(f.at[FEATURE_ITER_TASK].state, FEATURE_NO);
	assert_int_equal(f.at[FEATURE_ITER_TASK_SLEEPABLE].state, FEATURE_NO);
}

static void test_features__read_btf_takes_an_empty_kernel(void **state)
{
	struct btf *btf = btf__new_empty();
	struct features f;

	(void)state;
	memset(&f, 0, sizeof(f));
	features__read_btf(&f, btf);
	assert_int_equal(f.at[FEATURE_SCHED_SWITCH].state, FEATURE_NO);
	assert_int_equal(f.at[FEATURE_RQ_CLOCK].state, FEATURE_NO);
	btf__free(btf);
}

static void test_features__hook_id_is_that_of_the_section(void **state)
{
	struct features f;
	u32 id;

	(void)state;
	probe(OUT_EXIT_TP, &f);
	id = features__hook_id(&f, "tp_btf/sched_switch");
	assert_int_not_equal(id, 0);
	assert_int_not_equal(features__hook_id(&f, "tp_btf/sched_waking"), id);
	assert_int_not_equal(features__hook_id(&f, "tp_btf/sched_waking"), 0);
	assert_int_not_equal(features__hook_id(&f, "iter/task"), 0);
	assert_int_equal(features__hook_id(&f, "iter.s/task"), features__hook_id(&f, "iter/task"));
	assert_int_equal(features__hook_id(&f, "tp_btf/sched_exit_tp"), 0);
	assert_int_equal(features__hook_id(&f, "tp_btf/no_such_hook"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_features__read_btf_finds_everything),
		cmocka_unit_test(test_features__read_btf_misses_only_absent_types),
		cmocka_unit_test(test_features__read_btf_knows_the_shape_of_sched_switch),
		cmocka_unit_test(test_features__read_btf_knows_kernels_that_delay_dequeue),
		cmocka_unit_test(test_features__read_btf_knows_kernels_whose_rwsems_forget_readers),
		cmocka_unit_test(test_features__read_btf_needs_the_iterator_for_its_sleepable_form),
		cmocka_unit_test(test_features__read_btf_takes_an_empty_kernel),
		cmocka_unit_test(test_features__hook_id_is_that_of_the_section),
	};

	return cmocka_run_group_tests_name("features_btf", tests, NULL, NULL);
}
