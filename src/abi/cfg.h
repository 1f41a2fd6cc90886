/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_CFG_H
#define ABI_CFG_H

#include <linux/types.h>

#include "abi/glob.h"

/*
 * In the object, a call of the kernel function bpf_rdonly_cast() is that of a helper with this
 * number. Who loads the program puts in what the kernel has: libbpf would read all of the kernel's
 * BTF for it, 20 ms, and where it is not, that of all modules, which takes CAP_SYS_ADMIN.
 */
#define CS_CALL_RDONLY_CAST 0x7fff0001
/* The same of a pointer: where the kernel has no such function, the pointer as it is. */
#define CS_CALL_UNTRUSTED 0x7fff0002

/* Where the instant comes from at which a wait turns from blocked into waiting for a CPU. */
enum cs_split {
	CS_SPLIT_SCHED_INFO = 0, /* the scheduler's notes, in the run queue's clock */
	CS_SPLIT_WAKING = 1, /* tp_btf/sched_waking */
};

/* Where the stacks of a wait are taken. */
enum cs_resume {
	CS_RESUME_EXIT_TP = 0, /* tp_btf/sched_exit_tp */
	CS_RESUME_KPROBE = 1, /* kprobe on finish_task_switch */
	CS_RESUME_SWITCH_OUT =
		2, /* at sched_switch of the outgoing thread, before the length is known */
};

enum cs_target {
	CS_TARGET_ALL = 0,
	CS_TARGET_TGIDS = 1, /* map `targets` holds them */
	CS_TARGET_TIDS = 2,
};

/* Constants of a trace; the program reads them as const volatile, so that dead code is dropped. */
struct cs_cfg {
	__u32 split; /* enum cs_split */
	__u32 resume; /* enum cs_resume */
	__u32 target; /* enum cs_target */
	__u32 follow; /* children of traced processes are traced */
	__u32 user_threads; /* 0: leave them out */
	__u32 kernel_threads;
	__u32 user_stacks;
	__u32 kernel_stacks;
	__u32 by_comm; /* comm must match */
	__u32 by_cgroup; /* cgroup_id or an ancestor must match */
	__u32 state_mask; /* raw bits a listed wait must have one of; see state_any and state_r */
	__u32 state_any; /* 1: every state is listed */
	__u32 state_r; /* 1: waits in state 0 are listed */
	__u32 pidns_inum; /* PID namespace of the profiler; 0: the initial one */
	__u32 kstack_len; /* deepest kernel stack the kernel gives: kernel.perf_event_max_stack */
	__u32 ustack_len; /* deepest user stack kept */
	__u32 page_bits; /* of the machine's page: 12 for 4 KiB */
	__u32 unwind_tables; /* 0: user stacks by frame pointer only */
	__u32 mm_walk; /* mappings are found in mm_struct; 0: user space tells them */
	__u32 orc; /* kernel stacks are told apart by our own walk of the ORC tables */
	__u32 timespec64_id; /* BTF ids, for bpf_rdonly_cast() */
	__u32 pt_regs_id;
	__u32 task_struct_id;
	__u32 memo; /* user stacks are not walked again where nothing they stand on has changed */
	__u32 cache_shift; /* caches of each CPU have 1/2^this of their entries */
	__u32 max_tasks; /* traced threads at a time */
	__u32 hist_unit_ns; /* of the histograms of threads, see abi/hist.h; 0: none are kept */
	__u32 objects; /* what a thread waits for is read, and who holds it */
	__u32 lock_readers; /* the owner of a rw_semaphore that readers hold is one of them, or 0 */
	__u64 cgroup_id;
	__u64 min_ns; /* listed waits are at least this long */
	__u64 max_ns; /* and at most this */
	char comm[CS_COMM_LEN]; /* glob */
};

/* The kernel's ORC tables, arch/x86/kernel/unwind_orc.c; all 0: not to be had. */
struct cs_orc {
	__u64 ips; /* address of __start_orc_unwind_ip: s32, each relative to itself, ascending */
	__u64 entries; /* __start_orc_unwind */
	__u64 text; /* [_stext, _etext): what the tables are of */
	__u64 text_end;
	__u32 len;
	__u32 regs_sz; /* from the user registers to the top of a kernel stack; FRED pads them */
};

/* The checks of our short ways found a difference: they are not taken any more. */
enum cs_slow {
	CS_SLOW_KERNEL = 1,
	CS_SLOW_USER = 2,
};

/* The first argument of the program that sets the window. */
enum cs_window {
	CS_WINDOW_KEEP,
	CS_WINDOW_BEGIN,
	CS_WINDOW_END,
};

/* What user space writes while the programs run. */
struct cs_control {
	__u64 begin_ns; /* window, CLOCK_MONOTONIC; ~0 until it is known */
	__u64 end_ns;
	__u64 rq_minus_ktime_ns; /* two's complement: rq clock = ktime + this */
	__u64 followed_ns; /* when that distance was last eased */
	__u64 files_until_ns; /* CLOCK_MONOTONIC: a walk over open files ends then */
	__u64 period_ns; /* of sampling, CS_PERIOD_MAX_NS at most; 0: every wait is chosen */
	__u32 wanted_tid; /* whose mappings user space asks for */
	__u32 own_host_tgid; /* the profiler, never traced; set by the mark iterator */
	__u32 next_task_id;
	__u32 last_task_id; /* written at the end: later ones are of nobody in the window */
	__u32 tasks; /* traced threads that have not gone, zombies included */
	__u32 tasks_most; /* the most of them at a time */
	__u32 next_module_id;
	__u32 next_object_id;
	__u32 tables_gen; /* grows when a table is there, or gone: what was read of it is stale */
	__u32 modules_full; /* set by the programs: there is no room for one more, nor will be */
	__u32 slow; /* enum cs_slow; set by the programs */
	__u32 objects_full; /* likewise, of objects */
	__u32 zero; /* what the verifier does not know; see bpf/wait.bpf.c */
	__u64 handle_fault; /* address of the kernel's handle_mm_fault(); 0: not to be had */
	struct cs_orc orc;
};

#endif
