/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most sources print kernel and user functions in one list, and no state. Where the kernel was
 * entered is known by name, on x86 and arm64; and that a stack is of a preempted thread is what the
 * rules for causes go by, too.
 */
#include "import/name_hints.h"

#include <string.h>

struct hint_row {
	const char *name; /* a prefix if it ends with '*' */
	u32 hints;
};

static const struct hint_row rows[] = {
	{ "entry_SYSCALL*", HINT_ENTRY },
	{ "entry_SYSENTER*", HINT_ENTRY },
	{ "entry_INT80*", HINT_ENTRY },
	{ "do_syscall_64", HINT_ENTRY },
	{ "x64_sys_call", HINT_ENTRY },
	{ "do_int80_*", HINT_ENTRY },
	{ "do_fast_syscall_32", HINT_ENTRY },
	{ "asm_sysvec_*", HINT_ENTRY },
	{ "asm_exc_*", HINT_ENTRY },
	{ "asm_common_interrupt", HINT_ENTRY },
	{ "ret_from_intr", HINT_ENTRY },
	{ "apic_timer_interrupt", HINT_ENTRY },
	{ "retint_user", HINT_ENTRY },
	{ "page_fault", HINT_ENTRY },
	{ "system_call_fastpath", HINT_ENTRY },
	{ "swapgs_restore_regs_and_return_to_usermode", HINT_ENTRY },
	{ "syscall_return_slowpath", HINT_ENTRY },
	{ "ret_fast_syscall", HINT_ENTRY },
	{ "ret_to_user", HINT_ENTRY },
	{ "work_pending", HINT_ENTRY },
	{ "el0_*", HINT_ENTRY },
	{ "el0t_*", HINT_ENTRY },
	{ "invoke_syscall*", HINT_ENTRY },
	{ "__x64_sys_*", HINT_ENTRY },
	{ "__ia32_sys_*", HINT_ENTRY },
	{ "__ia32_compat_sys_*", HINT_ENTRY },
	{ "__arm64_sys_*", HINT_ENTRY },
	{ "__arm64_compat_sys_*", HINT_ENTRY },
	{ "__se_sys_*", HINT_ENTRY },
	{ "__do_sys_*", HINT_ENTRY },
	{ "SyS_*", HINT_ENTRY },
	{ "sys_*", HINT_ENTRY },
	{ "ret_from_fork*", HINT_ENTRY | HINT_FORK },
	{ "kernel_thread_helper", HINT_FORK },
	{ "schedule", HINT_SCHED },
	{ "__schedule", HINT_SCHED },
	{ "schedule_*", HINT_SCHED },
	{ "finish_task_switch*", HINT_SCHED },
	{ "io_schedule*", HINT_SCHED | HINT_DISK },
	{ "folio_wait_bit*", HINT_DISK },
	{ "wait_on_page_bit*", HINT_DISK },
	{ "bit_wait_io*", HINT_DISK },
	{ "preempt_schedule*", HINT_SCHED | HINT_PREEMPT },
	{ "__cond_resched*", HINT_SCHED | HINT_PREEMPT },
	{ "_cond_resched", HINT_SCHED | HINT_PREEMPT },
	{ "exit_to_user_mode_*", HINT_PREEMPT },
	{ "irqentry_exit*", HINT_PREEMPT },
	{ "prepare_exit_to_usermode", HINT_PREEMPT },
	{ "exit_to_usermode_loop", HINT_PREEMPT },
	{ "worker_thread", HINT_WORKER },
	{ "rescuer_thread", HINT_WORKER },
	{ "rcu_gp_kthread", HINT_WORKER },
	{ "bpf_prog_*", HINT_TRACER },
	{ "bpf_trace_run*", HINT_TRACER },
	{ "bpf_trampoline_*", HINT_TRACER },
	{ "__bpf_trace_*", HINT_TRACER },
	{ "__traceiter_*", HINT_TRACER },
	{ "__bpf_prog_*", HINT_TRACER },
	{ "perf_trace_sched_*", HINT_TRACER },
	{ "__perf_event_*", HINT_TRACER },
	{ "perf_swevent_*", HINT_TRACER },
	{ "perf_tp_event", HINT_TRACER },
	{ "trace_call_bpf", HINT_TRACER },
	{ "[unknown]", HINT_UNKNOWN },
};

/* Before the name of a system call, and what architecture it tells. */
static const struct {
	const char *prefix;
	const char *arch;
} calls[] = {
	{ "__x64_sys_", "x86_64" }, { "__arm64_sys_", "aarch64" },
	{ "__se_sys_", NULL },	    { "__do_sys_", NULL },
	{ "SyS_", NULL },	    { "sys_", NULL },
};

/* Functions whose names are not that of the call. */
static const struct {
	const char *function;
	const char *call;
} renamed[] = {
	{ "newfstat", "fstat" }, { "newfstatat", "newfstatat" }, { "newstat", "stat" },
	{ "newlstat", "lstat" }, { "newuname", "uname" },	 { "sendfile64", "sendfile" },
	{ "umount", "umount2" },
};

bool view_starts(const struct view *v, const char *prefix)
{
	size_t len = strlen(prefix);

	return view__left(v) >= len && memcmp(v->p, prefix, len) == 0;
}

bool view_ends(const struct view *v, const char *suffix)
{
	size_t len = strlen(suffix);

	return view__left(v) >= len && memcmp(v->end - len, suffix, len) == 0;
}

static bool is_row(const struct hint_row *row, const struct view *name)
{
	size_t len = strlen(row->name);

	if (row->name[len - 1] != '*')
		return view__eq(name, row->name);
	return view__left(name) >= len - 1 && memcmp(name->p, row->name, len - 1) == 0;
}

u32 name_hints(const struct view *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(rows); i++) {
		if (is_row(&rows[i], name))
			return rows[i].hints;
	}
	return 0;
}

bool name_hints_syscall(const struct view *name, char *buf, size_t sz)
{
	struct view rest;
	size_t i;

	for (i = 0; i < ARRAY_LEN(calls); i++) {
		if (view_starts(name, calls[i].prefix))
			break;
	}
	if (i == ARRAY_LEN(calls))
		return false;
	rest = view__sub(name, strlen(calls[i].prefix), view__left(name) - strlen(calls[i].prefix));
	for (i = 0; i < ARRAY_LEN(renamed); i++) {
		if (view__eq(&rest, renamed[i].function))
			rest = view__of_str(renamed[i].call);
	}
	return view__left(&rest) && view__copy(&rest, buf, sz);
}

const char *name_hints_arch(const struct view *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(calls); i++) {
		if (calls[i].arch && view_starts(name, calls[i].prefix))
			return calls[i].arch;
	}
	return NULL;
}

char name_hints_suffix(struct view *name)
{
	size_t len = view__left(name);
	char letter;

	if (len < 5 || memcmp(name->end - 4, "_[", 2) != 0 || name->end[-1] != ']')
		return 0;
	letter = (char)name->end[-2];
	if (!strchr("kijwp", letter))
		return 0;
	name->end -= 4;
	return letter;
}
