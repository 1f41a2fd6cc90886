/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Kernel addresses that the programs need. Looking up five names takes 0.1 ms, reading
 * /proc/kallsyms 70 ms.
 */
#include "lib/maps.bpf.h"
#include "lib/kernel_stack.bpf.h"

static const char orc_ips[] = "__start_orc_unwind_ip";
static const char orc_ips_end[] = "__stop_orc_unwind_ip";
static const char orc_entries[] = "__start_orc_unwind";
static const char text[] = "_stext";
static const char text_end[] = "_etext";
static const char handle_fault[] = "handle_mm_fault";

static const char irq_entry[] = "__irqentry_text_start";
static const char irq_entry_end[] = "__irqentry_text_end";
static const char softirqs[] = "handle_softirqs";
static const char softirqs_old[] = "__do_softirq";
static const char backlog[] = "process_backlog";
static const char bh_enable[] = "__local_bh_enable_ip";

static const char try_to_wake_up[] = "try_to_wake_up";

#define LOOK_UP(name, ret) bpf_kallsyms_lookup_name(name, sizeof(name), 0, ret)

/* All or nothing: a stack that is cut at the wrong place would blame the thread that was hit. */
static __always_inline void find_wake_code(void)
{
	u64 entry = 0, end = 0, softirq = 0, packets = 0, enable = 0, wake = 0;

	if (!LOOK_UP(try_to_wake_up, &wake))
		control.wake_code.wake = wake;
	if (LOOK_UP(irq_entry, &entry) || LOOK_UP(irq_entry_end, &end) ||
	    LOOK_UP(backlog, &packets) || LOOK_UP(bh_enable, &enable))
		return;
	if (LOOK_UP(softirqs, &softirq) && LOOK_UP(softirqs_old, &softirq))
		return;
	control.wake_code.entry_end = end;
	control.wake_code.softirq = softirq;
	control.wake_code.backlog = packets;
	control.wake_code.bh_enable = enable;
	control.wake_code.entry = entry;
}

/* Run once by user space, before anything is attached; 5.16+. Finds nothing without CAP_SYSLOG. */
SEC("syscall")
int find_symbols(void *ctx)
{
	struct task_struct *task;
	u64 ips = 0, ips_end = 0, entries = 0, begin = 0, end = 0, fault = 0;

	if (cfg.objects && !LOOK_UP(handle_fault, &fault))
		control.handle_fault = fault;
	if (cfg.wakers)
		find_wake_code();
	if (!cfg.orc)
		return 0;
	if (LOOK_UP(orc_ips, &ips) || LOOK_UP(orc_ips_end, &ips_end) ||
	    LOOK_UP(orc_entries, &entries) || LOOK_UP(text, &begin) || LOOK_UP(text_end, &end))
		return 1;
	if (ips_end <= ips)
		return 2;
	control.orc.ips = ips;
	control.orc.entries = entries;
	control.orc.text = begin;
	control.orc.text_end = end;
	/* This thread is on its own kernel stack. */
	task = bpf_get_current_task_btf();
	control.orc.regs_sz = kernel_stack_top(task) - (u64)bpf_task_pt_regs(task);
	control.orc.len = (ips_end - ips) / sizeof(u32);
	return 0;
}
