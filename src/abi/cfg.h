/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_CFG_H
#define ABI_CFG_H

#include <linux/types.h>

#include "abi/glob.h"
#include "abi/program_glob.h"

/*
 * In the object, a call to the kernel function bpf_rdonly_cast() is a call to a helper with this
 * number. The loader replaces it with the kernel's. With a normal declaration, libbpf would read
 * all of the kernel's BTF, 20 ms, and if the function is missing that of all modules, which needs
 * CAP_SYS_ADMIN.
 */
#define CS_CALL_RDONLY_CAST 0x7fff0001
/* The same for a pointer: if the kernel has no such function, the pointer is unchanged. */
#define CS_CALL_UNTRUSTED 0x7fff0002

/* What determines when a wait turns from blocked into waiting for a CPU. */
enum cs_split {
	CS_SPLIT_SCHED_INFO = 0, /* sched_info, in the run queue's clock */
	CS_SPLIT_WAKING = 1, /* tp_btf/sched_waking */
};

/* Where the stacks of a wait are recorded. */
enum cs_resume {
	CS_RESUME_EXIT_TP = 0, /* tp_btf/sched_exit_tp */
	CS_RESUME_KPROBE = 1, /* kprobe on finish_task_switch */
	CS_RESUME_SWITCH_OUT =
		2, /* at sched_switch of the outgoing thread, before the length is known */
};

enum cs_target {
	CS_TARGET_ALL = 0,
	CS_TARGET_TGIDS = 1, /* they are in map `targets` */
	CS_TARGET_TIDS = 2,
};

/* Constants of a trace; const volatile in the programs, so that dead code is eliminated. */
struct cs_cfg {
	__u32 split; /* enum cs_split */
	__u32 resume; /* enum cs_resume */
	__u32 target; /* enum cs_target */
	__u32 follow; /* children of traced processes are traced */
	__u32 user_threads; /* 0: exclude them */
	__u32 kernel_threads;
	__u32 user_stacks;
	__u32 kernel_stacks;
	__u32 by_comm; /* comm must match */
	__u32 by_cgroup; /* the cgroup or an ancestor must be in `cgroups`, see filter.bpf.c */
	__u32 by_program; /* targets are chosen by program_glob when they start a program */
	__u32 state_mask; /* raw state bits; a listed wait has one; see state_any and state_r */
	__u32 state_any; /* 1: every state is listed */
	__u32 state_r; /* 1: waits in state 0 are listed */
	__u32 pidns_inum; /* PID namespace of the profiler; 0: the initial one */
	__u32 kstack_len; /* deepest kernel stack the kernel gives: kernel.perf_event_max_stack */
	__u32 ustack_len; /* deepest user stack kept */
	__u32 page_bits; /* of the machine's page size: 12 for 4 KiB */
	__u32 unwind_tables; /* 0: user stacks by frame pointer only */
	__u32 postpone; /* walks that met a file without a table are repeated later */
	__u32 mm_walk; /* mappings are looked up in mm_struct; 0: user space provides them */
	__u32 orc; /* kernel stacks are identified by our own walk of the ORC tables */
	__u32 timespec64_id; /* BTF ids, for bpf_rdonly_cast() */
	__u32 pt_regs_id;
	__u32 task_struct_id;
	__u32 memo; /* user stacks are not walked again if nothing they depend on has changed */
	__u32 cache_shift; /* caches of each CPU have 1/2^this of their entries */
	__u32 memo_shift; /* likewise, those of user stacks */
	__u32 max_tasks; /* traced threads at a time */
	__u32 hist_unit_ns; /* of the histograms of threads, see abi/hist.h; 0: none are kept */
	__u32 objects; /* record what a thread waits for, and its owner */
	__u32 lock_readers; /* the owner word of a reader-held rw_semaphore is a reader, or 0 */
	__u32 wakers; /* record who ended each wait; see bpf/lib/wake/wakeup.bpf.h */
	__u32 moments; /* send when each wait happened */
	__u32 heads; /* send what requests of HTTP begin with, see struct cs_head */
	__u32 visits; /* threads are visited, and no hook of the scheduler is attached */
	__u32 preempt_known; /* the next field is */
	__s64 preempt_minus_rq; /* x86-64: a CPU's preempt count minus its run queue */
	__u64 min_ns; /* listed waits are at least this long */
	__u64 max_ns; /* and at most this */
	__u64 gap_from_ns; /* CLOCK_MONOTONIC: end of what was recorded before; 0: nothing was */
	char comm[CS_COMM_LEN]; /* glob */
};

/* The kernel's ORC tables, arch/x86/kernel/unwind_orc.c; all 0: not available. */
struct cs_orc {
	__u64 ips; /* address of __start_orc_unwind_ip: s32, each relative to itself, ascending */
	__u64 entries; /* __start_orc_unwind */
	__u64 text; /* [_stext, _etext): the code that the tables cover */
	__u64 text_end;
	__u32 len;
	__u32 regs_sz; /* from the user registers to the top of a kernel stack; FRED pads them */
};

/* Code of the kernel that is on the stacks of wakeups, of those by interrupts; 0: not available. */
struct cs_wake_code {
	__u64 wake; /* try_to_wake_up(), which calls the hook; by threads, too */
	__u64 entry; /* [__irqentry_text_start, _end): where an interrupt begins */
	__u64 entry_end;
	__u64 softirq; /* handle_softirqs(), or before 6.10 __do_softirq() */
	__u64 backlog; /* process_backlog(): packets that a thread of this host sent */
	__u64 bh_enable; /* __local_bh_enable_ip(): a thread serves soft interrupts itself */
};

/* The first argument of the program that sets the window. */
enum cs_window {
	CS_WINDOW_KEEP,
	CS_WINDOW_BEGIN, /* the first one */
	CS_WINDOW_CUT, /* one ends, and the next one begins */
	CS_WINDOW_END, /* the last one ends */
};

/* How many cgroups may be asked for. */
#define CS_CGROUPS 32

/*
 * What user space writes while the programs run.
 *
 * Windows follow each other without a gap: window_at() in bpf/lib/account.bpf.h uses begin_ns and
 * end_ns to tell to which one an instant belongs. While a window is open, end_ns is ~0. Its end is
 * set ahead of time, and from then on hooks know two windows: [begin_ns, end_ns) and the one from
 * end_ns on. When the sums of the first have been read, begin_ns is set to end_ns, and then end_ns
 * to ~0; neither store changes the window of any instant. Window starts are alternately even and
 * odd, which selects one of two tables for their waits. docs/adr/0037.
 */
struct cs_control {
	__u64 begin_ns; /* window, CLOCK_MONOTONIC; ~0 until known */
	__u64 end_ns;
	__u64 first_ns; /* start of the first window */
	__u64 last_ns; /* end of the last window, after which nothing counts; ~0: unknown */
	__u64 rq_minus_ktime_ns; /* two's complement: rq clock = ktime + this */
	__u64 followed_ns; /* when that offset was last relaxed */
	__u64 files_until_ns; /* CLOCK_MONOTONIC: limit for a walk over open files */
	__u64 period_ns; /* sampling period, at most CS_PERIOD_MAX_NS; 0: every wait is chosen */
	/*
	 * A new value each time the tables of stacks and objects turn to their other side: its
	 * CS_STACK_SIDE is the side of what is kept from now on. See capture/ageing.h.
	 */
	__u64 salt;
	/*
	 * Of the pass over all threads that is under way, with cfg.visits: its instant, the time
	 * that a thread's first visit stands for besides, and likewise the last one of a thread.
	 */
	__u64 pass_ns;
	__u64 pass_before_ns;
	__u64 pass_after_ns;
	__u64 user_slow_ns; /* until then, no user stack is recalled; see bpf/lib/take.bpf.h */
	__u32 wanted_tid; /* thread whose mappings user space requests */
	__u32 own_host_tgid; /* the profiler, never traced; set by the mark iterator */
	__u32 next_task_id;
	__u32 last_task_id; /* written at the end: threads with later ids are in no window */
	__u32 tasks; /* traced threads that still exist, including zombies */
	__u32 tasks_most; /* maximum of `tasks` so far */
	__u32 next_module_id;
	__u32 next_object_id;
	__u32 kernel_slow; /* fingerprints of kernel stacks failed verification; by the programs */
	__u32 tables_gen; /* grows when a table is added or removed: older reads are stale */
	__u32 modules_full; /* set by the programs: full, and will stay full */
	__u32 objects_full; /* likewise, for objects */
	__u32 postponed; /* walks sent to be repeated; by the programs */
	__u32 postponed_seen; /* as many of these did user space see */
	__u32 postponed_most; /* on their way at a time */
	__u32 zero; /* a 0 that the verifier does not know; see bpf/wait.bpf.c */
	__u64 handle_fault; /* address of the kernel's handle_mm_fault(); 0: not available */
	struct cs_orc orc;
	struct cs_wake_code wake_code;
};

/*
 * Sleepers for whom sched_info is wrong, see on_sched_migrate. On a cache line of its own: every
 * switch reads struct cs_control, and each write to it would take it from all CPUs.
 */
struct cs_moved_sleepers {
	__u32 asleep;
	__u32 told; /* user space knows of one; it clears this */
} __attribute__((aligned(64)));

#endif
