/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Births, new programs, new names and deaths: the moments at which it is decided whether a thread
 * is traced, and at which user space must look at a process before it is gone.
 */
#include "lib/account.bpf.h"
#include "lib/event.bpf.h"
#include "lib/module.bpf.h"
#include "lib/program.bpf.h"
#include "lib/task.bpf.h"
#include "lib/visit/visit_life.bpf.h"

/* A child has the mappings of its parent until it changes them. */
static __always_inline void inherit_maps(u64 image, u64 parent_image)
{
	struct cs_image_maps *maps = bpf_map_lookup_elem(&image_maps, &parent_image);

	if (!maps)
		return;
	if (bpf_map_update_elem(&image_maps, &image, maps, BPF_ANY)) {
		STAT_INC(process_event_lost);
		return;
	}
	maps = bpf_map_lookup_elem(&image_maps, &image);
	if (maps)
		maps->asked = 0; /* the answer that is under way is for the parent */
}

/* The program is gone, and no other one has its number. */
static __always_inline void forget_maps(u64 image)
{
	if (!cfg.mm_walk)
		bpf_map_delete_elem(&image_maps, &image);
}

/* A child of a process that was asked for is asked for too. */
static __always_inline void follow(u32 parent_tgid, u32 tgid)
{
	u8 one = 1;

	if (bpf_map_lookup_elem(&targets, &parent_tgid) &&
	    bpf_map_update_elem(&targets, &tgid, &one, BPF_ANY))
		STAT_INC(target_lost);
}

/*
 * A thread is born, in the context of its parent. Not sched_process_fork: that one does not tell
 * of io_uring's threads, which copy_process() makes directly.
 */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_task_newtask, struct task_struct *child, u64 clone_flags)
{
	struct task_struct *parent = bpf_get_current_task_btf();
	bool leader = child->pid == child->tgid;
	u32 tgid = task_tgid(child), tid = task_tid(child);
	struct task_slot *slot;

	if (leader && cfg.follow && cfg.target == CS_TARGET_TGIDS)
		follow(task_tgid(parent), tgid);
	if (!task_matches(child, tgid, tid, child->comm))
		return 0;
	slot = task_mark(child, tgid, tid, CS_PHASE_OFF, CS_RAW_NEW);
	if (!slot)
		return 0;
	slot->rec.flags |= CS_TASK_BORN;
	if (in_window(slot->since_ns))
		STAT_INC(forks);
	if (leader && !(child->flags & PF_KTHREAD)) {
		image_send(tgid, slot->rec.image, task_image(parent));
		if (!cfg.mm_walk)
			inherit_maps(slot->rec.image, task_image(parent));
	}
	return 0;
}

/* The file of the new program: its table is made while the loader is still at work. */
static __always_inline void see_program(struct task_struct *task, u32 tgid)
{
	struct file *file = BPF_CORE_READ(task, mm, exe_file);
	struct cs_module_key key;

	if (!cfg.user_stacks || !file)
		return;
	module_key_of(file, &key);
	module_see(file, &key, tgid, 0, 0);
}

/* With --name: a process is a target as long as it runs the program, and so are its children. */
static __always_inline void choose_program(struct task_struct *task)
{
	u32 tgid = task_tgid(task);
	u8 one = 1;

	if (!program_matches(task))
		bpf_map_delete_elem(&targets, &tgid);
	else if (bpf_map_update_elem(&targets, &tgid, &one, BPF_ANY))
		STAT_INC(target_lost);
}

/* A thread that was not traced becomes a program that is asked for: from now on. */
static __always_inline int mark_at_exec(struct task_struct *task)
{
	u32 tgid = task_tgid(task), tid = task_tid(task);
	struct task_slot *slot;

	if (!task_matches(task, tgid, tid, task->comm))
		return 0;
	slot = task_mark(task, tgid, tid, CS_PHASE_ON, 0);
	if (!slot)
		return 0;
	slot->rec.flags |= CS_TASK_BORN;
	image_send(tgid, slot->rec.image, 0);
	see_program(task, tgid);
	return 0;
}

/* One record ends, another one begins, under a new image. */
static __always_inline void next_program(struct task_slot *slot, struct task_struct *task, u64 now)
{
	if (cfg.by_program && !task_stays(task, &slot->rec)) {
		forget_maps(slot->rec.image);
		slot_moves(slot, hist_of(task), 0, now);
		return;
	}
	slot->rec.raw_state = 0;
	task_send(slot, hist_of(task), now, CS_TASK_EXECED);
	totals_reset(slot, slot->window_ns);
	hist_reset(task);
	forget_maps(slot->rec.image);
	/* A thread that was not the leader has the leader's tid now. */
	read_identity(&slot->rec, task, task_tgid(task), task_tid(task));
	read_cgroup(slot, task);
	slot->rec.flags |= CS_TASK_BORN;
	slot->rec.begin_ns = now;
	slot->since_ns = now;
	slot->phase = CS_PHASE_ON;
	slot->rec.id = new_task_id();
	image_send(slot->rec.tgid, slot->rec.image, 0);
	see_program(task, slot->rec.tgid);
}

/* A thread starts a program. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_sched_process_exec, struct task_struct *task)
{
	struct task_slot *slot = task_slot(task);
	u64 now = clock_now();

	if (in_window(now))
		STAT_INC(execs);
	if (cfg.by_program)
		choose_program(task);
	if (!slot)
		return mark_at_exec(task);
	if (slot->phase == CS_PHASE_CLOSED || now >= control.last_ns)
		return 0;
	if (!cfg.visits) {
		close_slice(slot, task, now);
		next_program(slot, task, now);
		return 0;
	}
	now = visit_last(slot, task);
	if (now) {
		next_program(slot, task, now);
		visit_unlock_of(task);
	}
	return 0;
}

/*
 * A thread gets a name; the task still has the old one, and that is what its record keeps: at an
 * exec this comes before on_sched_process_exec(), whose first record is of the time before. Where
 * a record ends in another way, the last name is read then. With --comm, the new one may match.
 */
SEC("tp_btf/task_rename")
int BPF_PROG(on_task_rename, struct task_struct *task, const char *name)
{
	char comm[CS_COMM_LEN] = {};
	struct task_slot *slot = task_slot(task);
	u32 tgid, tid;

	if (slot) {
		__builtin_memcpy(slot->rec.comm, task->comm, sizeof(slot->rec.comm));
		return 0;
	}
	if (!cfg.by_comm)
		return 0;
	if (bpf_probe_read_kernel_str(comm, sizeof(comm), name) < 0)
		return 0;
	tgid = task_tgid(task);
	tid = task_tid(task);
	if (!task_matches(task, tgid, tid, comm))
		return 0;
	if (task_mark(task, tgid, tid,
		      task == bpf_get_current_task_btf() ? CS_PHASE_ON : CS_PHASE_UNSEEN, 0))
		image_send(tgid, task_image(task), 0);
	return 0;
}

/*
 * A cgroup that somebody may be in from now on, and soon not any more. Those of version 1 are in
 * trees of their own, each with its own ids.
 */
static __always_inline void cgroup_send(struct cgroup *cg, const char *path, u32 kind)
{
	struct cs_cgroup_event *ev;
	long len;

	if (BPF_CORE_READ(cg, root, hierarchy_id))
		return;
	ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);
	if (!ev) {
		STAT_INC(process_event_lost);
		return;
	}
	len = bpf_probe_read_kernel_str(ev->path, sizeof(ev->path), path);
	ev->kind = kind;
	ev->path_len = len > 0 && len < (long)sizeof(ev->path) ? len : 0;
	ev->cgroup_id = BPF_CORE_READ(cg, kn, id);
	bpf_ringbuf_submit(ev, BPF_RB_FORCE_WAKEUP);
}

SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(on_cgroup_mkdir, struct cgroup *made, const char *path)
{
	cgroup_send(made, path, CS_EVENT_CGROUP);
	return 0;
}

/*
 * Tasks have moved. Of a process with several threads only the leader comes by here: the mark
 * iterator looks at all others, and takes in who came to --cgroup.
 */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_cgroup_attach_task, struct cgroup *to, const char *path, struct task_struct *task)
{
	struct task_slot *slot = task_slot(task);

	if (slot)
		slot->moved = 1;
	cgroup_send(to, path,
		    cfg.by_cgroup || BPF_CORE_READ(task, signal, nr_threads) > 1 ? CS_EVENT_RESCAN :
										   CS_EVENT_CGROUP);
	return 0;
}

/* A thread goes. If it was a target, its number may come back for somebody else. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_sched_process_exit, struct task_struct *task)
{
	/* Other threads of the process may go on. */
	bool last = !BPF_CORE_READ(task, signal, live.counter);
	struct task_slot *slot = task_slot(task);
	u32 id;

	/* The last names it has, while its leader is sure to be there. */
	if (slot)
		read_names(&slot->rec, task);
	if (cfg.visits && slot)
		visit_exit(slot, task);
	if (slot && last)
		forget_maps(slot->rec.image);
	if (cfg.target == CS_TARGET_ALL)
		return 0;
	if (cfg.target != CS_TARGET_TIDS && !last)
		return 0;
	id = cfg.target == CS_TARGET_TIDS ? task_tid(task) : task_tgid(task);
	bpf_map_delete_elem(&targets, &id);
	return 0;
}

/* Nobody has its task any more: its state goes with it. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(on_sched_process_free, struct task_struct *task)
{
	if (task_slot(task))
		__sync_fetch_and_sub((u32 *)&control.tasks, 1);
	return 0;
}
