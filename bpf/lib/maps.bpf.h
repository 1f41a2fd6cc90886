/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_MAPS_BPF_H
#define LIB_MAPS_BPF_H

/*
 * Every map and global: what it holds, who sizes it, what happens when it is full. They are defined
 * in maps.bpf.c. Sizes here are defaults; capture sets them before load.
 */
#include "lib/kernel/kernel.bpf.h"
#include "lib/scratch.bpf.h"
#include "lib/walk_maps.bpf.h"

#include "abi/cfg.h"
#include "abi/event.h"
#include "abi/peer.h"
#include "abi/stats.h"
#include "abi/symbol.h"
#include "abi/task.h"
#include "abi/wait.h"

/*
 * The state of one traced thread, in its own task storage. What a switch, a wakeup and a move write
 * comes first: storage begins 8 bytes into a cache line, so up to `early_wake` it is one line,
 * all that goes to another CPU that wakes or moves a thread, and back; see docs/adr/0020.
 */
struct task_slot {
	u64 since_ns; /* begin of the present phase */
	u64 wake_ns; /* CS_SPLIT_WAKING: when it was woken; 0: not yet */
	u64 moved_ns; /* when its notes ceased to be true of the present wait; 0: they are */
	u64 run_delay_ns; /* sched_info.run_delay when it left the CPU */
	u64 waited_ns; /* sampling: how much of the present period was waited */
	u32 phase; /* enum cs_phase */
	u32 raw_state; /* of the present wait, 0 when runnable */
	u32 cpu; /* it left */
	u16 flags; /* enum cs_wait_flag of the present wait */
	u8 early_wake; /* CS_SPLIT_WAKING: a wakeup came before it had left the CPU */
	u8 moved; /* set by others: it may have another cgroup, or be no target any more */
	u64 period_ns; /* of sampling, when waited_ns and point_ns were set */
	u64 point_ns; /* the wait that is under way when waited_ns is this is chosen */
	struct cs_task_record rec; /* rec.id == 0: not ready, leave it alone */
	u64 mark_run_delay_ns; /* CS_PHASE_UNSEEN: run_delay_ns, as it was found */
	u64 mark_left_rq; /* likewise: when it left the CPU, see gap_left_cpu() */
	u64 window_ns; /* begin of the window that its totals are of */
	u64 reported_ns; /* the last end of a window for which somebody took on to send them */
	u64 kstack; /* CS_RESUME_SWITCH_OUT: stacks of the present wait */
	u64 ustack;
	u32 mark_state; /* CS_PHASE_UNSEEN: raw_state, as it was found */
	u32 stack_lost; /* CS_RESUME_SWITCH_OUT: a stack of the wait found no room */
	u32 object; /* as kstack, or of a wait that is open at the end; see struct cs_wait_key */
	u32 owner; /* of what the present wait is for, see struct cs_wait_key */
	u64 lock; /* of the kernel's, that it is about to sleep for, or does; 0: none */
	u32 lock_kind; /* enum cs_lock */
	s16 sysno; /* CS_RESUME_SWITCH_OUT */
	u16 mark_flags; /* CS_PHASE_UNSEEN: flags, as it was found */
	u64 quota_rq; /* run queue where it lay when it lost the CPU, and could run; 0: none */
	u64 throttled_ns; /* of that run queue until then; throttle_sum_ns() */
};

_Static_assert(__builtin_offsetof(struct task_slot, period_ns) == 64 - 8, "a line of its storage");

/* Traced threads, cfg.max_tasks at a time. One more is left out: task_storage_failed. */
struct tasks_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_slot);
};

/* Histograms of traced threads, when asked for. No memory for one more: hist_lost. */
struct task_hists_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct cs_task_hist);
};

/* Thread groups or threads asked for, and their children when followed. */
struct targets_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u8);
};

/*
 * The sums, of windows with an even begin and with an odd one: while those of one that is over are
 * read, the next one fills the other table. Full: wait_lost, wait_lost_ns; totals stay whole.
 */
struct waits_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 131072);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(struct cs_wait_key)); /* or CS_WAIT_KEY_SZ */
	__uint(value_size, sizeof(struct cs_wait_sum));
};

/* What threads waited for. Full: others are all CS_OBJECT_OTHER. */
struct objects_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct cs_object_key);
	__type(value, struct cs_object);
};

/* Whose other ends user space wants to know; what has no room is LOSS_PEERS. */
struct peers_wanted_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct cs_peer_key);
	__type(value, u32);
};

/*
 * Distinct stacks by hash, in the table of their length or, where that is full, of a greater one.
 * All full: the wait is listed without the stack, with CS_WAIT_STACK_LOST.
 */
struct short_stacks_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(u64));
	__uint(value_size, CS_STACK_SZ(CS_STACK_SHORT));
};

struct medium_stacks_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(u64));
	__uint(value_size, CS_STACK_SZ(CS_STACK_MEDIUM));
};

struct stacks_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(u64));
	__uint(value_size, sizeof(struct cs_stack)); /* or less: as deep as was asked for */
};

/* News for user space. Full: task_record_lost, process_event_lost. */
struct events_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
};

struct stats_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cs_stats);
};

/* Addresses, and what the kernel says of them; user space has it mapped. */
struct symbols_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CS_SYMBOLS_LEN);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct cs_symbol);
};

extern struct symbols_map symbols SEC(".maps");
extern struct tasks_map tasks SEC(".maps");
extern struct task_hists_map task_hists SEC(".maps");
extern struct targets_map targets SEC(".maps");
extern struct waits_map waits SEC(".maps");
extern struct waits_map waits_odd SEC(".maps");
extern struct short_stacks_map short_stacks SEC(".maps");
extern struct medium_stacks_map medium_stacks SEC(".maps");
extern struct stacks_map stacks SEC(".maps");
extern struct objects_map objects SEC(".maps");
extern struct peers_wanted_map peers_wanted SEC(".maps");
extern struct events_map events SEC(".maps");
extern struct stats_map stats SEC(".maps");
extern struct scratches_map scratches SEC(".maps");
extern struct drain_scratch_map drain_scratch SEC(".maps");

/*
 * What lookups in the kernel's ORC tables found, by a hash of the address. One word has tag and
 * entry, so that no lock is needed: type 3 bits, signal 1, sp_reg 4, bp_reg 4, bp_off / 8 in 8,
 * sp_off / 8 in 12, then the low half of the address.
 */
#define ORC_CACHE_LEN 4096
extern __u64 orc_cache[ORC_CACHE_LEN];

/* enum cs_call by number of the system call. */
extern const volatile __u8 call_kinds[CS_CALLS_LEN];
/* enum cs_socket_call, likewise. */
extern const volatile __u8 socket_calls[CS_CALLS_LEN];

extern const volatile struct cs_cfg cfg;
extern const volatile struct cs_program_glob program_glob;
extern volatile struct cs_control control;
extern volatile struct cs_moved_sleepers moved_sleepers;

#endif
