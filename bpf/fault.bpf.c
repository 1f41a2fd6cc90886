/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * The file whose page a thread waits for in a page fault. No event tells of faults: the kernel
 * keeps what it handles in a struct vm_fault on the stack of the thread, and there it is still when
 * the thread comes back. It is found by what it must look like, and believed only if its mapping is
 * one of this mm that holds the address, at the very page of the file that it says.
 */
#include "lib/kernel_stack.bpf.h"
#include "lib/object.bpf.h"
#include "lib/stack.bpf.h"

/*
 * The frames from user registers to __handle_mm_fault() take 500 to 1,500 bytes, those of a system
 * call that touched the memory included.
 */
#define STACK_SZ WALK_CHUNK
#define STACK_WORDS (STACK_SZ / 8)
#define LINE_WORDS 4
/* Not so: a swap entry, which is memory without a file. The same on x86 and arm64, all. */
#define PTE_PRESENT 1
#define IS_FAULT 1
/* More than handle_mm_fault() has; behind it is what only other faults come by. */
#define HANDLE_FAULT_SZ 4096

/* The struct file; IS_FAULT: of memory without one; 0: this is no struct vm_fault of `mm`. */
__noinline u64 fault_file(u64 at, u64 mm)
{
	struct vm_fault *vmf = (struct vm_fault *)at;
	struct vm_area_struct *vma = BPF_CORE_READ(vmf, vma);
	u64 start = BPF_CORE_READ(vma, vm_start), address = BPF_CORE_READ(vmf, address), pte;
	u64 page = (address - start) >> cfg.page_bits;

	if (!mm || (u64)BPF_CORE_READ(vma, vm_mm) != mm || address < start ||
	    address >= BPF_CORE_READ(vma, vm_end) ||
	    BPF_CORE_READ(vma, vm_pgoff) + page != BPF_CORE_READ(vmf, pgoff))
		return 0;
	pte = BPF_CORE_READ(vmf, orig_pte.pte);
	if (pte && !(pte & PTE_PRESENT))
		return IS_FAULT;
	return (u64)BPF_CORE_READ(vma, vm_file) | IS_FAULT;
}

struct stack_scan {
	const u64 *words;
	u64 from; /* where they are on the stack */
	u64 end; /* the stack reaches down to here */
	u64 mm;
	u64 file; /* what fault_file() found */
};

/*
 * One line of the stack, root side first. A struct vm_fault has `real_address` behind `address`,
 * which is the same without the place in the page. For bpf_loop(), 5.17: the verifier reads it
 * once.
 */
static long scan_line(u32 i, struct stack_scan *scan)
{
	const u32 address_at = bpf_core_field_offset(struct vm_fault, address);
	const u64 place = (1ULL << cfg.page_bits) - 1;
	u32 line = STACK_WORDS - (i + 1) * LINE_WORDS, k;

	for (k = LINE_WORDS; k--;) {
		u64 page = scan->words[(line + k) & (STACK_WORDS - 1)];
		u64 at = scan->from + (line + k) * 8;

		if (!page || page != (scan->words[(line + k + 1) & (STACK_WORDS - 1)] & ~place))
			continue;
		if (at >= scan->end)
			scan->file = fault_file(at - address_at, scan->mm);
		if (scan->file)
			return 1;
	}
	return scan->from + line * 8 < scan->end;
}

struct frame_search {
	const struct cs_stack *st;
	bool found;
};

static long is_fault_frame(u32 i, struct frame_search *search)
{
	if (i >= CS_STACK_DEFAULT || i >= search->st->len)
		return 1;
	search->found = search->st->pc[i] - control.handle_fault < HANDLE_FAULT_SZ;
	return search->found;
}

/*
 * Does handle_mm_fault() wait for something to return? Of memory that no function has written to
 * yet, what is left of an earlier fault may be on the stack of any call.
 */
static __always_inline bool is_handling(const struct object_sight *s, struct scratch *scr)
{
	const struct cs_stack *kept = stack_find(s->kstack);
	struct frame_search search = { .st = &scr->walk.stack };

	if (!kept || !control.handle_fault)
		return !s->in_call;
	if (bpf_probe_read_kernel(&scr->walk.stack, sizeof(*kept), kept))
		return false;
	bpf_loop(CS_STACK_DEFAULT, is_fault_frame, &search, 0);
	return search.found;
}

__noinline int fault_see(struct object_sight *s)
{
	struct stack_scan scan = {};
	struct task_struct *task;
	struct scratch *scr;

	if (!s)
		return 0;
	scr = sight_scratch(s->walker);
	if (!scr || !bpf_core_field_exists(struct vm_fault, real_address))
		return 0;
	task = (struct task_struct *)s->task;
	scan.mm = (u64)BPF_CORE_READ(task, mm);
	/* What lies nearer to the leaf may be of an earlier fault. */
	scan.end = s->is_early ? 0 : kernel_stack_reach(task);
	scan.from = s->regs - STACK_SZ;
	scan.words = (const u64 *)scr->walk.chunk;
	if (bpf_probe_read_kernel(scr->walk.chunk, STACK_SZ, (void *)scan.from))
		return 0;
	bpf_loop(STACK_WORDS / LINE_WORDS, scan_line, &scan, 0);
	if (!scan.file || !is_handling(s, scr))
		return 0;
	s->file = scan.file & ~(u64)IS_FAULT;
	return 1;
}
