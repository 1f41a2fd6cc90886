/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_HOST_BPF_H
#define TESTS_LIB_HOST_BPF_H

/*
 * bpf/unwind.bpf.c compiled natively. What it needs from the kernel is here: maps are arrays, and
 * process memory is read by host_read_user(), which the including file defines. The guards keep the
 * corresponding real headers out.
 */
#include <string.h>

#include "abi/cfg.h"
#include "abi/stats.h"
#include "base/types.h"

typedef __s16 s16;

#define LIB_KERNEL_KERNEL_BPF_H
#define LIB_MAPS_BPF_H
#define LIB_STATS_BPF_H
#define __TARGET_ARCH_x86 1
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))
#define barrier_var(var) __asm__ volatile("" : "+r"(var))

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp;
};

struct task_struct {
	struct {
		u64 fsbase;
	} thread;
};

static struct {
	u32 unwind_tables;
	u32 ustack_len;
} cfg;

/* The maps of the kernel side; an inner map is the memory of its segment. */
static struct host_map {
	int kind;
} segments, rules;

static int host_read_user(void *dst, u32 sz, u64 addr);
static void *host_lookup(void *map, u32 key);

#define bpf_map_lookup_elem(map, key) host_lookup((map), *(key))
#define bpf_probe_read_user(dst, sz, src) host_read_user((dst), (u32)(sz), (u64)(src))
#define bpf_probe_read_kernel(dst, sz, src) (memcpy((dst), (src), (sz)), 0)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wcast-qual"
#include "../../bpf/unwind.bpf.c"
#include "../../bpf/walk_memory.bpf.c"
#pragma GCC diagnostic pop

int java_frame(struct user_walk *w)
{
	w->java.code = 0;
	return WALK_ON;
}

int python_frames(struct user_walk *w, u64 off)
{
	(void)w;
	(void)off;
	return WALK_ON;
}

#endif
