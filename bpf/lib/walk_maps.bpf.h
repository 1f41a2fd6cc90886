/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WALK_MAPS_BPF_H
#define LIB_WALK_MAPS_BPF_H

/* The part of lib/maps.bpf.h that walks of user stacks need; see there. */
#include "lib/code_maps.bpf.h"
#include "lib/kernel/kernel.bpf.h"
#include "lib/walk.bpf.h"

#include "abi/event.h"
#include "abi/unwind.h"

/* Mapped files by inode. If full: modules_lost; their frames are shown as without a file. */
struct modules_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct cs_module_key);
	__type(value, struct cs_module);
};

/* Unwind tables: see abi/unwind.h. User space creates a segment when it needs one. */
struct segment_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, u8[CS_SEGMENT_SZ]);
};

struct segments_map {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, CS_SEGMENTS_MAX);
	__type(key, u32);
	__array(values, struct segment_map);
};

/* The dictionary of rules; user space has it mapped. */
struct rules_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CS_RULES_MAX);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct cs_unwind_rule);
};

/* By image. If full: process_event_lost; stacks of missing images end at the leaf. */
struct image_maps_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct cs_image_maps);
};

/* The walk that walk_postponed() repeats. */
struct postponed_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cs_postponed_walk);
};

/* The state of a walk up the path of a file; kernel pointers are numbers to the verifier. */
struct path_walk {
	u64 dentry;
	u64 mnt; /* struct vfsmount */
	u32 off; /* bytes of `path` that are used */
	u32 pad;
	char path[CS_PATH_SZ];
};

/*
 * [1] is for objects that the drain iterator sees, which the users of [0] can preempt. The paths of
 * mapped files are all made in [0], and may be mixed up: they are checked when they are used.
 */
struct path_walks_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct path_walk);
};

/*
 * A node of a maple tree; [1] is for the iterators, which the users of [0] can preempt, [2] for
 * samples, which interrupt them.
 */
#define NODE_WORDS 32
struct maple_nodes_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 3);
	__type(key, u32);
	__type(value, u64[NODE_WORDS]);
};

/* Recently seen mappings, by (mm, address / 64 KiB): a search in mm_mt costs ten times as much. */
#define MAP_CACHE_LEN 512
struct cached_map {
	u64 mm;
	u64 image; /* the next process may have the same mm */
	u64 granule;
	u64 maps_version;
	u64 until_ns;
	u32 tables_gen;
	u32 pad;
	struct walk_map map;
};

struct map_cache_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MAP_CACHE_LEN);
	__type(key, u32);
	__type(value, struct cached_map);
};

#define PRINT_MEMOS 64 /* for each CPU */
#define PRINT_MEMO_WORDS 20

/*
 * The words that one walk up a kernel stack followed: return addresses, and the frame pointers that
 * steps used. The table determines each step from the address before it, so a stack with the same
 * words at the same places has the same walk and the same fingerprint.
 *
 * Places are relative to the thread's sp. A system call may begin at a random distance from the top
 * of the stack (randomize_kstack_offset): the last step by a frame pointer crosses it, and what
 * lies beyond may have moved by the difference.
 */
struct print_memo {
	u64 word[PRINT_MEMO_WORDS]; /* a frame pointer: from the sp on */
	u16 at[PRINT_MEMO_WORDS]; /* bytes above the sp, multiples of 8; bit 0: a frame pointer */
	u64 print;
	u32 depth; /* from sp to the top */
	u16 last_fp; /* which word; PRINT_MEMO_WORDS: none */
	u16 len; /* words; 0: empty */
};

struct print_memos_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PRINT_MEMOS);
	__type(key, u32);
	__type(value, struct print_memo);
};

/*
 * For the hooks; they run with preemption off, so one per CPU is enough. [1] is for samples that
 * interrupt a hook with interrupts on; it exists if samples are taken.
 */
struct scratches_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct scratch);
};

/* For the drain iterator, which can be preempted; only one runs at a time. */
struct drain_scratch_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct scratch);
};

extern struct modules_map modules SEC(".maps");
extern struct segments_map segments SEC(".maps");
extern struct rules_map rules SEC(".maps");
extern struct image_maps_map image_maps SEC(".maps");
extern struct postponed_map postponed SEC(".maps");
extern struct path_walks_map path_walks SEC(".maps");
extern struct maple_nodes_map maple_nodes SEC(".maps");
extern struct map_cache_map map_cache SEC(".maps");
extern struct print_memos_map print_memos SEC(".maps");

#endif
