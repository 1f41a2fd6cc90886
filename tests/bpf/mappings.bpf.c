/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* A door to the search of mappings for tests: in the mappings of the test itself. */
/* Calls of kernel functions are put in by capture, which does not load this. */
#define bpf_untrusted_task(task, btf_id) (task)

#include "lib/stack_walk.bpf.h"

struct mapcall {
	u64 addr;
	u64 image;
	u64 now_ns;
	u32 nested; /* as if it interrupted another walk */
	/* results */
	u32 module;
	u32 state;
	u32 marked; /* set once mappings are gone */
};

struct mapcall mapcall = {};

SEC("syscall")
int find_map(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 zero = 0;
	struct scratch *scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct walk_owner owner = { .image = mapcall.image, .tgid = task->tgid };
	struct user_walk *w;

	if (!scr)
		return 1;
	w = &scr->walk;
	if (!stack_walk_aim(w, task, regs, &owner))
		return 2;
	stack_walk_begin(w, task, regs, false);
	w->now_ns = mapcall.now_ns;
	w->nested = mapcall.nested;
	walk_find_map(w, mapcall.addr);
	mapcall.module = w->map.module;
	mapcall.state = w->map.state;
	mapcall.marked = vmas_are_marked();
	return 0;
}
