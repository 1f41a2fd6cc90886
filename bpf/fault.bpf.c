/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * The file whose page a thread waits for in a page fault. No event reports faults: the kernel
 * describes the current one in a struct vm_fault on the thread's stack, which is still there when
 * the thread resumes. It is recognised by its contents, and accepted only if its mapping belongs to
 * this mm, contains the address, and maps it to the page of the file that the struct states.
 */
#include "lib/kernel_stack.bpf.h"
#include "lib/object/object.bpf.h"
#include "lib/stack.bpf.h"

/*
 * The frames from the user registers to __handle_mm_fault() take 500 to 1,500 bytes, including
 * those of a system call that touched the memory.
 */
#define STACK_SZ WALK_CHUNK
#define STACK_WORDS (STACK_SZ / 8)
#define LINE_WORDS 4
/* Not present: a swap entry, which is memory without a file. The same on x86 and arm64. */
#define PTE_PRESENT 1
#define IS_FAULT 1
/* Larger than handle_mm_fault(); what follows it is reached only by other faults. */
#define HANDLE_FAULT_SZ 4096

/* The struct file; IS_FAULT: memory without a file; 0: not a struct vm_fault of `mm`. */
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
	u64 end; /* the stack extends down to here */
	u64 mm;
	u64 file; /* what fault_file() found */
};

/*
 * One line of the stack, root side first. In a struct vm_fault, `real_address` follows `address`,
 * which is the same without the offset in the page. For bpf_loop(), 5.17: the verifier reads it
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
 * Whether handle_mm_fault() is waiting for a call to return. In memory that no function has
 * overwritten yet, leftovers of an earlier fault may be on the stack of any call.
 */
static __always_inline bool is_handling(const struct object_probe *s, struct scratch *scr)
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

__noinline int fault_see(struct object_probe *s)
{
	struct stack_scan scan = {};
	struct task_struct *task;
	struct scratch *scr;

	if (!s)
		return 0;
	scr = probe_scratch(s->walker);
	if (!scr || !bpf_core_field_exists(struct vm_fault, real_address))
		return 0;
	task = (struct task_struct *)s->task;
	scan.mm = (u64)BPF_CORE_READ(task, mm);
	/* Anything nearer to the leaf may belong to an earlier fault. */
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
