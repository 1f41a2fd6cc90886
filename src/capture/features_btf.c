/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/features_priv.h"

#include <errno.h>
#include <string.h>

#include <bpf/btf.h>

#include "gen/kernel_types.h"

/*
 * Everything the kernel says of itself in BTF. First an excerpt is made of its 130,000 types, which
 * also has what libbpf needs to relocate our programs; the answers come from that. BTF is read, not
 * tried: it needs no rights, so doctor can tell a user without root what the kernel has.
 *
 * A tracepoint "x" is there when the typedef btf_trace_x is; that is the name by which a tp_btf
 * program is attached, and its prototype has the arguments, with the context pointer before them.
 */

enum part {
	PART_TRACE_SWITCH,
	PART_TRACE_EXIT_TP,
	PART_TRACE_WAKING,
	PART_TRACE_MIGRATE,
	PART_TRACE_CONTENTION_BEGIN,
	PART_TRACE_CONTENTION_END,
	PART_TRACE_NEWTASK,
	PART_TRACE_EXEC,
	PART_TRACE_EXIT,
	PART_TRACE_FREE,
	PART_TRACE_RENAME,
	PART_TRACE_CGROUP,
	PART_MAP_TYPES,
	PART_ITER_TASK,
	PART_ITER_TASK_VMA,
	PART_ITER_TASK_FILE,
	PART_COPY_FROM_TASK,
	PART_TASK,
	PART_SCHED_ENTITY,
	PART_CFS_RQ,
	PART_RQ,
	PART_SCHED_INFO,
	PART_MM,
	PART_ORC,
	PART_RDONLY_CAST,
	PART_TIMESPEC64,
	PART_PT_REGS,
	PART_READER_OWNED,
	PART_CNT,
};

struct part_name {
	u32 kind;
	const char *name;
};

static const struct part_name part_names[PART_CNT] = {
	[PART_TRACE_SWITCH] = { BTF_KIND_TYPEDEF, "btf_trace_sched_switch" },
	[PART_TRACE_EXIT_TP] = { BTF_KIND_TYPEDEF, "btf_trace_sched_exit_tp" },
	[PART_TRACE_WAKING] = { BTF_KIND_TYPEDEF, "btf_trace_sched_waking" },
	[PART_TRACE_MIGRATE] = { BTF_KIND_TYPEDEF, "btf_trace_sched_migrate_task" },
	[PART_TRACE_CONTENTION_BEGIN] = { BTF_KIND_TYPEDEF, "btf_trace_contention_begin" },
	[PART_TRACE_CONTENTION_END] = { BTF_KIND_TYPEDEF, "btf_trace_contention_end" },
	[PART_TRACE_NEWTASK] = { BTF_KIND_TYPEDEF, "btf_trace_task_newtask" },
	[PART_TRACE_EXEC] = { BTF_KIND_TYPEDEF, "btf_trace_sched_process_exec" },
	[PART_TRACE_EXIT] = { BTF_KIND_TYPEDEF, "btf_trace_sched_process_exit" },
	[PART_TRACE_FREE] = { BTF_KIND_TYPEDEF, "btf_trace_sched_process_free" },
	[PART_TRACE_RENAME] = { BTF_KIND_TYPEDEF, "btf_trace_task_rename" },
	[PART_TRACE_CGROUP] = { BTF_KIND_TYPEDEF, "btf_trace_cgroup_attach_task" },
	[PART_MAP_TYPES] = { BTF_KIND_ENUM, "bpf_map_type" },
	[PART_ITER_TASK] = { BTF_KIND_FUNC, "bpf_iter_task" },
	[PART_ITER_TASK_VMA] = { BTF_KIND_FUNC, "bpf_iter_task_vma" },
	[PART_ITER_TASK_FILE] = { BTF_KIND_FUNC, "bpf_iter_task_file" },
	[PART_COPY_FROM_TASK] = { BTF_KIND_FUNC, "bpf_copy_from_user_task" },
	[PART_TASK] = { BTF_KIND_STRUCT, "task_struct" },
	[PART_SCHED_ENTITY] = { BTF_KIND_STRUCT, "sched_entity" },
	[PART_CFS_RQ] = { BTF_KIND_STRUCT, "cfs_rq" },
	[PART_RQ] = { BTF_KIND_STRUCT, "rq" },
	[PART_SCHED_INFO] = { BTF_KIND_STRUCT, "sched_info" },
	[PART_MM] = { BTF_KIND_STRUCT, "mm_struct" },
	[PART_ORC] = { BTF_KIND_STRUCT, "orc_entry" },
	[PART_RDONLY_CAST] = { BTF_KIND_FUNC, "bpf_rdonly_cast" },
	[PART_TIMESPEC64] = { BTF_KIND_STRUCT, "timespec64" },
	[PART_PT_REGS] = { BTF_KIND_STRUCT, "pt_regs" },
	[PART_READER_OWNED] = { BTF_KIND_FUNC, "is_rwsem_reader_owned" },
};

/* Where programs of these sections are attached; what is no hook has no section. */
static const struct {
	const char *section;
	enum part part;
} hooks[FEATURES_HOOK_CNT] = {
	[FEATURES_HOOK_SWITCH] = { "tp_btf/sched_switch", PART_TRACE_SWITCH },
	[FEATURES_HOOK_EXIT_TP] = { "tp_btf/sched_exit_tp", PART_TRACE_EXIT_TP },
	[FEATURES_HOOK_WAKING] = { "tp_btf/sched_waking", PART_TRACE_WAKING },
	[FEATURES_HOOK_MIGRATE] = { "tp_btf/sched_migrate_task", PART_TRACE_MIGRATE },
	[FEATURES_HOOK_CONTENTION_BEGIN] = { "tp_btf/contention_begin",
					     PART_TRACE_CONTENTION_BEGIN },
	[FEATURES_HOOK_CONTENTION_END] = { "tp_btf/contention_end", PART_TRACE_CONTENTION_END },
	[FEATURES_HOOK_NEWTASK] = { "tp_btf/task_newtask", PART_TRACE_NEWTASK },
	[FEATURES_HOOK_EXEC] = { "tp_btf/sched_process_exec", PART_TRACE_EXEC },
	[FEATURES_HOOK_EXIT] = { "tp_btf/sched_process_exit", PART_TRACE_EXIT },
	[FEATURES_HOOK_FREE] = { "tp_btf/sched_process_free", PART_TRACE_FREE },
	[FEATURES_HOOK_RENAME] = { "tp_btf/task_rename", PART_TRACE_RENAME },
	[FEATURES_HOOK_CGROUP_ATTACH] = { "tp_btf/cgroup_attach_task", PART_TRACE_CGROUP },
	[FEATURES_HOOK_ITER_TASK] = { "iter/task", PART_ITER_TASK },
	[FEATURES_HOOK_ITER_TASK_VMA] = { "iter/task_vma", PART_ITER_TASK_VMA },
	[FEATURES_HOOK_ITER_TASK_FILE] = { "iter/task_file", PART_ITER_TASK_FILE },
	[FEATURES_RDONLY_CAST] = { "", PART_RDONLY_CAST },
	[FEATURES_TIMESPEC64] = { "", PART_TIMESPEC64 },
	[FEATURES_PT_REGS] = { "", PART_PT_REGS },
	[FEATURES_TASK_STRUCT] = { "", PART_TASK },
};

struct scan {
	const struct btf *btf;
	const struct btf_type *found[PART_CNT];
	u32 ids[PART_CNT];
};

static void scan__type(struct scan *s, u32 id)
{
	const struct btf_type *t = btf__type_by_id(s->btf, id);
	u32 kind = btf_kind(t), i;
	const char *name = NULL;

	for (i = 0; i < PART_CNT; i++) {
		if (part_names[i].kind != kind || s->found[i])
			continue;
		if (!name)
			name = btf__name_by_offset(s->btf, t->name_off);
		if (name && !strcmp(name, part_names[i].name)) {
			s->found[i] = t;
			s->ids[i] = id;
		}
	}
}

/* Also of unions and structs without a name, which hold members of their parent. */
static bool has_member(const struct scan *s, const struct btf_type *t, const char *name, u32 depth)
{
	u32 i;

	for (i = 0; t && btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *member = btf__name_by_offset(s->btf, m->name_off);

		if (member && *member ? !strcmp(member, name) :
					depth && has_member(s, btf__type_by_id(s->btf, m->type),
							    name, depth - 1))
			return true;
	}
	return false;
}

static bool part_has(const struct scan *s, enum part part, const char *member)
{
	return s->found[part] && has_member(s, s->found[part], member, 2);
}

/* Before 6.4 a type had two bits, and other numbers. */
static bool orc_has_types(const struct scan *s)
{
	const struct btf_type *t = s->found[PART_ORC];
	u32 i;

	for (i = 0; i < btf_vlen(t); i++) {
		const char *name = btf__name_by_offset(s->btf, btf_members(t)[i].name_off);

		if (name && !strcmp(name, "type"))
			return btf_member_bitfield_size(t, i) == 3;
	}
	return false;
}

static bool has_map_type(const struct scan *s, const char *name)
{
	const struct btf_type *t = s->found[PART_MAP_TYPES];
	u32 i;

	for (i = 0; t && i < btf_vlen(t); i++) {
		const char *value = btf__name_by_offset(s->btf, btf_enum(t)[i].name_off);

		if (value && !strcmp(value, name))
			return true;
	}
	return false;
}

/* Arguments of a tracepoint, without the context pointer; 0 when the prototype is not as known. */
static u32 trace_args(const struct scan *s, const struct btf_type *def)
{
	const struct btf_type *t = def ? btf__type_by_id(s->btf, def->type) : NULL;

	if (t && btf_is_ptr(t))
		t = btf__type_by_id(s->btf, t->type);
	return t && btf_is_func_proto(t) && btf_vlen(t) ? btf_vlen(t) - 1 : 0;
}

static void answer(struct features *f, enum feature_id id, bool present, const char *missing)
{
	features__set(f, id, present, "%s", present ? "" : missing);
}

static void read_hooks(struct features *f, const struct scan *s)
{
	f->sched_switch_args = trace_args(s, s->found[PART_TRACE_SWITCH]);
	answer(f, FEATURE_SCHED_SWITCH, f->sched_switch_args >= 3,
	       "BTF has no btf_trace_sched_switch");
	features__set(f, FEATURE_PREV_STATE, f->sched_switch_args >= 4,
		      "sched_switch has %u arguments", f->sched_switch_args);
	answer(f, FEATURE_SCHED_EXIT_TP, s->found[PART_TRACE_EXIT_TP], "not in this kernel");
	answer(f, FEATURE_SCHED_WAKING, s->found[PART_TRACE_WAKING], "not in this kernel");
	answer(f, FEATURE_SCHED_MIGRATE, s->found[PART_TRACE_MIGRATE], "not in this kernel");
	answer(f, FEATURE_CONTENTION,
	       s->found[PART_TRACE_CONTENTION_BEGIN] && s->found[PART_TRACE_CONTENTION_END],
	       "not in this kernel");
	answer(f, FEATURE_PROCESS_HOOKS,
	       s->found[PART_TRACE_NEWTASK] && s->found[PART_TRACE_EXEC] &&
		       s->found[PART_TRACE_EXIT] && s->found[PART_TRACE_FREE],
	       "BTF lacks task_newtask, or sched_process_exec, _exit or _free");
	answer(f, FEATURE_ITER_TASK, s->found[PART_ITER_TASK], "BTF has no bpf_iter_task");
	/* Sleepable iterators (b77fb25dcb34) came in the same series as the helper. */
	answer(f, FEATURE_ITER_TASK_SLEEPABLE,
	       s->found[PART_ITER_TASK] && s->found[PART_COPY_FROM_TASK],
	       "BTF has no bpf_copy_from_user_task");
}

static void read_types(struct features *f, const struct scan *s)
{
	answer(f, FEATURE_TASK_STORAGE, has_map_type(s, "BPF_MAP_TYPE_TASK_STORAGE"),
	       "the kernel has no such map");
	answer(f, FEATURE_RINGBUF, has_map_type(s, "BPF_MAP_TYPE_RINGBUF"),
	       "the kernel has no such map");
	/* The entries that have this bit are laid out as bpf/lib/orc.bpf.h reads them. */
	answer(f, FEATURE_ORC,
	       part_has(s, PART_ORC, "signal") && orc_has_types(s) && s->found[PART_RDONLY_CAST],
	       "no ORC tables that we know how to read");
	answer(f, FEATURE_MM_WALK, part_has(s, PART_MM, "mm_mt") && s->found[PART_ITER_TASK_VMA],
	       "mappings are kept in another way");
	answer(f, FEATURE_RQ_CLOCK,
	       part_has(s, PART_TASK, "se") && part_has(s, PART_SCHED_ENTITY, "cfs_rq") &&
		       part_has(s, PART_CFS_RQ, "rq") && part_has(s, PART_RQ, "clock"),
	       "no way from a task to its run queue");
	answer(f, FEATURE_SCHED_INFO,
	       part_has(s, PART_TASK, "sched_info") && part_has(s, PART_SCHED_INFO, "run_delay") &&
		       part_has(s, PART_SCHED_INFO, "last_queued") &&
		       part_has(s, PART_SCHED_INFO, "last_arrival"),
	       "the kernel keeps no such account");
	f->delays_dequeue = part_has(s, PART_SCHED_ENTITY, "sched_delayed");
	/*
	 * With CONFIG_DETECT_HUNG_TASK_BLOCKER since 6.17, which has this function for it, a reader
	 * that leaves takes its name from the lock.
	 */
	f->lock_readers = s->found[PART_READER_OWNED] && part_has(s, PART_TASK, "blocker");
}

void features__read_btf(struct features *f, const struct btf *btf)
{
	struct scan s = { .btf = btf };
	u32 id, cnt = btf__type_cnt(btf);

	for (id = 1; id < cnt; id++)
		scan__type(&s, id);
	for (id = 0; id < FEATURES_HOOK_CNT; id++)
		f->hook_ids[id] = s.ids[hooks[id].part];
	read_hooks(f, &s);
	read_types(f, &s);
}

static int read_excerpt(struct features *f, struct err *err)
{
	struct vec bytes;
	struct btf *btf = NULL;
	int r;

	vec__init(&bytes, 1);
	r = btf_excerpt__write(&f->btf, &bytes);
	if (!r) {
		btf = btf__new(bytes.data, (u32)bytes.len);
		r = btf ? 0 : -errno;
	}
	vec__done(&bytes);
	if (r)
		return err__set(err, r, "libbpf: %s", err_str(r));
	features__read_btf(f, btf);
	btf__free(btf);
	for (u32 i = 0; i < FEATURES_HOOK_CNT; i++)
		f->hook_ids[i] = btf_excerpt__id(&f->btf, f->hook_ids[i]);
	return 0;
}

int features__take_btf(struct features *f, struct view whole, struct err *err)
{
	const char *parts[PART_CNT + 1] = { NULL };
	const char *const *const names[] = { parts, kernel_types, NULL };
	int r;

	for (u32 i = 0; i < PART_CNT; i++)
		parts[i] = part_names[i].name;
	r = btf_excerpt__init(&f->btf, whole, names, err);
	return r ? r : read_excerpt(f, err);
}

u32 features__hook_id(const struct features *f, const char *section)
{
	/* Those that may sleep are the same hook. */
	if (!strcmp(section, "iter.s/task"))
		section = "iter/task";
	for (u32 i = 0; i < FEATURES_HOOK_CNT; i++)
		if (!strcmp(section, hooks[i].section))
			return f->hook_ids[i];
	return 0;
}
