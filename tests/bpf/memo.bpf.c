/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* A door to the memory of user stacks for tests: walks of a stack that the test has made. */
/* Calls of kernel functions are put in by capture, which does not load this. */
#define bpf_untrusted_task(task, btf_id) (task)

#include "lib/memo.bpf.h"
#include "lib/stack_walk.bpf.h"

struct memocall {
	u64 ip;
	u64 sp;
	u64 fp;
	u64 bx;
	u64 image;
	u64 now_ns;
	u64 tls; /* where the Python of the thread is found */
	u64 frames; /* stands for its frames in the stack */
	u32 python; /* the module of an interpreter loop that the walk is to have met; 0: none */
	u32 most; /* frames, as if Python frames filled the rest; 0: as many as there are */
	/* results */
	u64 recalled; /* 0: it was not remembered */
	u64 walked;
	u32 len;
	u32 trail_len;
	u32 marked; /* set once mappings are gone */
};

struct memocall memocall = {};

/* What is remembered of a stack, and what a walk of it finds, which is then remembered. */
SEC("syscall")
int recall_and_walk(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 zero = 0;
	struct scratch *scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct walk_owner owner = { .image = memocall.image, .tgid = task->tgid };
	struct user_walk *w;

	if (!scr)
		return 1;
	w = &scr->walk;
	if (!stack_walk_aim(w, task, regs, &owner))
		return 2;
	w->ip = w->regs_ip = memocall.ip;
	w->sp = w->trail_sp = memocall.sp;
	w->fp = w->regs_fp = memocall.fp;
	w->bx = w->regs_bx = memocall.bx;
	w->now_ns = memocall.now_ns;
	w->tls = memocall.tls;
	memocall.recalled = memo_recall(w);
	stack_walk_begin(w, task, regs, false);
	if (memocall.most)
		w->limit = memocall.most;
	walk_all(w);
	memocall.walked = stack_hash(&w->stack) ^ memocall.frames;
	if (memocall.python) {
		w->py.met = 1;
		w->py.module = memocall.python;
	}
	memocall.len = w->stack.len;
	memocall.trail_len = w->trail_len;
	memocall.marked = vmas_are_marked();
	memo_keep(w, memocall.walked);
	return 0;
}
