/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/feature/features_priv.h"

#include <errno.h>
#include <string.h>

#include <bpf/btf.h>

#include "capture/feature/hooks.h"
#include "gen/kernel_types.h"

/*
 * Everything the kernel says about itself in BTF. First an excerpt is made of its 130,000 types,
 * which also has what libbpf needs to relocate our programs; the answers come from that. BTF is
 * read, not tried: it needs no privileges, so doctor can tell a user without root what the kernel
 * has.
 *
 * Hooks come from the table in hooks.c. The prototype of a tracepoint's typedef has its arguments,
 * preceded by the context pointer.
 */

enum part {
	PART_MAP_TYPES,
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
	PART_PCPU_HOT,
	PART_CNT,
};

struct part_name {
	u32 kind;
	const char *name;
};

static const struct part_name part_names[PART_CNT] = {
	[PART_MAP_TYPES] = { BTF_KIND_ENUM, "bpf_map_type" },
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
	[PART_PCPU_HOT] = { BTF_KIND_STRUCT, "pcpu_hot" },
};

static const enum part type_parts[FEATURES_TYPE_CNT] = {
	[FEATURES_RDONLY_CAST] = PART_RDONLY_CAST,
	[FEATURES_TIMESPEC64] = PART_TIMESPEC64,
	[FEATURES_PT_REGS] = PART_PT_REGS,
	[FEATURES_TASK_STRUCT] = PART_TASK,
};

struct scan {
	const struct btf *btf;
	const struct btf_type *found[PART_CNT];
	u32 ids[PART_CNT];
	struct hook_type hooks[FEATURES_HOOKS_MAX];
	u32 hook_ids[FEATURES_HOOKS_MAX];
};

static void scan__init(struct scan *s, const struct btf *btf)
{
	*s = (struct scan){ .btf = btf };
	for (u32 i = 0; i < hooks_cnt; i++)
		hook__type(&hooks[i], &s->hooks[i]);
}

static void scan__type(struct scan *s, u32 id)
{
	const struct btf_type *t = btf__type_by_id(s->btf, id);
	const char *name = btf__name_by_offset(s->btf, t->name_off);
	u32 kind = btf_kind(t), i;

	for (i = 0; name && i < PART_CNT; i++) {
		if (part_names[i].kind != kind || s->found[i] || strcmp(name, part_names[i].name))
			continue;
		s->found[i] = t;
		s->ids[i] = id;
	}
	for (i = 0; name && i < hooks_cnt; i++)
		if (s->hooks[i].kind == kind && !s->hook_ids[i] && !strcmp(name, s->hooks[i].name))
			s->hook_ids[i] = id;
}

/* BTF id of the hook of programs in this section. */
static u32 scan__hook(const struct scan *s, const char *section)
{
	for (u32 i = 0; i < hooks_cnt; i++)
		if (!strcmp(section, hooks[i].section))
			return s->hook_ids[i];
	return 0;
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

/* Arguments of a tracepoint, without the context pointer; 0 if the prototype is unknown. */
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

/* A feature is there when every hook that needs it is; the first that is not gives the reason. */
static void read_hook_features(struct features *f, const struct scan *s)
{
	for (u32 i = 0; i < hooks_cnt; i++) {
		enum feature_id id = hooks[i].needs;

		if (!s->hooks[i].kind || f->at[id].state == FEATURE_NO)
			continue;
		features__set(f, id, s->hook_ids[i], s->hook_ids[i] ? "%s" : "BTF has no %s",
			      s->hook_ids[i] ? "" : s->hooks[i].name);
	}
}

/* Features that are more than a hook. */
static void read_hooks(struct features *f, const struct scan *s)
{
	u32 id = scan__hook(s, "tp_btf/sched_switch");

	f->sched_switch_args = trace_args(s, id ? btf__type_by_id(s->btf, id) : NULL);
	answer(f, FEATURE_SCHED_SWITCH, f->sched_switch_args >= 3,
	       "BTF has no btf_trace_sched_switch");
	features__set(f, FEATURE_PREV_STATE, f->sched_switch_args >= 4,
		      "sched_switch has %u arguments", f->sched_switch_args);
	/* Sleepable iterators (b77fb25dcb34) came in the same series as the helper. */
	answer(f, FEATURE_ITER_TASK_SLEEPABLE,
	       scan__hook(s, "iter.s/task") && s->found[PART_COPY_FROM_TASK],
	       "BTF has no bpf_copy_from_user_task");
	answer(f, FEATURE_MM_WALK, scan__hook(s, "iter/task_vma") && part_has(s, PART_MM, "mm_mt"),
	       "mappings are kept in another way");
}

#if defined(__aarch64__)

/* It is in the thread. */
static void read_preempt_count(struct features *f, const struct scan *s)
{
	(void)s;
	f->preempt_known = false;
	answer(f, FEATURE_INTERRUPTS, true, "");
}

#else

/* Where a member begins, in bytes; it may be in anonymous ones, `depth` deep. -1: none. */
static s64 member_at(const struct scan *s, const struct btf_type *t, const char *name, u32 depth)
{
	for (u32 i = 0; t && btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *member = btf__name_by_offset(s->btf, m->name_off);
		s64 at = btf_member_bit_offset(t, i) / 8, inner;

		if (member && *member) {
			if (!strcmp(member, name))
				return at;
			continue;
		}
		inner = depth ? member_at(s, btf__type_by_id(s->btf, m->type), name, depth - 1) :
				-1;
		if (inner >= 0)
			return at + inner;
	}
	return -1;
}

/* A variable of each CPU, by itself or in a struct. */
static void read_preempt_count(struct features *f, const struct scan *s)
{
	const s64 *offs = f->btf.percpu_offs;
	s64 rq = offs[BTF_PERCPU_RUNQUEUES], at = offs[BTF_PERCPU_PREEMPT_COUNT], hot;

	if (at < 0 && offs[BTF_PERCPU_PCPU_HOT] >= 0) {
		hot = member_at(s, s->found[PART_PCPU_HOT], "preempt_count", 3);
		at = hot < 0 ? -1 : offs[BTF_PERCPU_PCPU_HOT] + hot;
	}
	f->preempt_known = rq >= 0 && at >= 0;
	f->preempt_minus_rq = at - rq;
	answer(f, FEATURE_INTERRUPTS, f->preempt_known, "BTF has no __preempt_count");
}

#endif

static void read_types(struct features *f, const struct scan *s)
{
	answer(f, FEATURE_TASK_STORAGE, has_map_type(s, "BPF_MAP_TYPE_TASK_STORAGE"),
	       "the kernel has no such map");
	answer(f, FEATURE_RINGBUF, has_map_type(s, "BPF_MAP_TYPE_RINGBUF"),
	       "the kernel has no such map");
	/* Entries with this bit have the layout that bpf/lib/orc/orc.bpf.h reads. */
	answer(f, FEATURE_ORC,
	       part_has(s, PART_ORC, "signal") && orc_has_types(s) && s->found[PART_RDONLY_CAST],
	       "no ORC tables that we know how to read");
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
	 * With CONFIG_DETECT_HUNG_TASK_BLOCKER since 6.17, which adds this function, a reader
	 * clears its name when it releases the lock.
	 */
	f->lock_readers = s->found[PART_READER_OWNED] && part_has(s, PART_TASK, "blocker");
}

void features__read_btf(struct features *f, const struct btf *btf)
{
	u32 id, cnt = btf__type_cnt(btf);
	struct scan s;

	scan__init(&s, btf);
	for (id = 1; id < cnt; id++)
		scan__type(&s, id);
	memcpy(f->hook_ids, s.hook_ids, sizeof(f->hook_ids));
	for (id = 0; id < FEATURES_TYPE_CNT; id++)
		f->type_ids[id] = s.ids[type_parts[id]];
	read_hook_features(f, &s);
	read_hooks(f, &s);
	read_types(f, &s);
	read_preempt_count(f, &s);
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
	for (u32 i = 0; i < hooks_cnt; i++)
		f->hook_ids[i] = btf_excerpt__id(&f->btf, f->hook_ids[i]);
	for (u32 i = 0; i < FEATURES_TYPE_CNT; i++)
		f->type_ids[i] = btf_excerpt__id(&f->btf, f->type_ids[i]);
	return 0;
}

int features__take_btf(struct features *f, struct view whole, struct err *err)
{
	const char *parts[PART_CNT + 1] = { NULL }, *names_of_hooks[FEATURES_HOOKS_MAX + 1];
	const char *const *const names[] = { parts, names_of_hooks, kernel_types, NULL };
	struct hook_type types[FEATURES_HOOKS_MAX];
	u32 cnt = 0;
	int r;

	for (u32 i = 0; i < PART_CNT; i++)
		parts[i] = part_names[i].name;
	for (u32 i = 0; i < hooks_cnt; i++) {
		hook__type(&hooks[i], &types[i]);
		if (types[i].kind)
			names_of_hooks[cnt++] = types[i].name;
	}
	names_of_hooks[cnt] = NULL;
	r = btf_excerpt__init(&f->btf, whole, names, err);
	return r ? r : read_excerpt(f, err);
}

u32 features__hook_id(const struct features *f, const char *section)
{
	for (u32 i = 0; i < hooks_cnt; i++)
		if (!strcmp(section, hooks[i].section))
			return f->hook_ids[i];
	return 0;
}
