/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Each wait of a goroutine, by probes in the Go runtime. An object of its own, so that recordings
 * without --task-events neither load nor verify it. The probes are at calls, which the kernel
 * emulates; other instructions would be single-stepped, at ten times the cost. All code of Go
 * keeps frame pointers, so the kernel's own walk is enough. Registers are by the convention of Go
 * since 1.17 (ABIInternal): r14 is the goroutine, rax, rbx and rcx the first arguments.
 */
#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_helpers.h>

#include "abi/go_wait.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* All three: no memory is taken for what is not there. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1 << 18);
	__type(key, struct cs_go_key);
	__type(value, struct cs_go_parked);
} parked SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1 << 14);
	__type(key, struct cs_go_sum_key);
	__type(value, struct cs_go_sum);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1 << 14);
	__type(key, __u64);
	__type(value, struct cs_go_stack);
} go_stacks SEC(".maps");

/* CPUs that count on one cache line would wait for each other. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cs_go_counts);
} go_counts SEC(".maps");

struct cs_go_control go_control;

static const struct cs_go_sum no_sum;

/* A thread can be preempted in it, and another one count on the same CPU. */
#define COUNT(member, n)                                                                           \
	do {                                                                                       \
		__u32 zero_ = 0;                                                                   \
		struct cs_go_counts *counts_ = bpf_map_lookup_elem(&go_counts, &zero_);            \
                                                                                                   \
		if (counts_)                                                                       \
			__sync_fetch_and_add(&counts_->member, (n));                               \
	} while (0)

/* As much of the kernel's struct pt_regs for x86-64 as is read. Other machines have no probes. */
struct go_regs {
	__u64 r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx;
};

/* Its hash, under which it is in the table; 0: it is not. */
static __noinline __u64 take_stack(struct go_regs *ctx)
{
	struct cs_go_stack stack = { 0 };
	long sz = bpf_get_stack(ctx, stack.ip, sizeof(stack.ip), BPF_F_USER_STACK);
	__u64 hash = 0x9e3779b97f4a7c15;

	if (sz <= 0)
		goto lost;
	stack.len = (__u64)sz / sizeof(stack.ip[0]);
	for (__u32 i = 0; i < CS_GO_FRAMES && i < stack.len; i++) {
		hash = (hash ^ stack.ip[i]) * 0xff51afd7ed558ccd;
		hash ^= hash >> 32;
	}
	hash |= !hash;
	if (bpf_map_lookup_elem(&go_stacks, &hash) ||
	    !bpf_map_update_elem(&go_stacks, &hash, &stack, BPF_ANY))
		return hash;
lost:
	COUNT(stacks_lost, 1);
	return 0;
}

static __noinline int park(struct go_regs *ctx, __u64 now)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	struct cs_go_key key = { .g = ctx->r14, .serial = CS_GO_COOKIE_SERIAL(cookie) };
	struct cs_go_parked p = { .since_ns = now };

	bpf_probe_read_user(&p.reason, 1, (void *)(key.g + CS_GO_COOKIE_REASON(cookie)));
	bpf_probe_read_user(&p.start, sizeof(p.start),
			    (void *)(key.g + CS_GO_COOKIE_START(cookie)));
	p.stack = take_stack(ctx);
	if (!bpf_map_update_elem(&parked, &key, &p, BPF_NOEXIST))
		return 0;
	if (bpf_map_update_elem(&parked, &key, &p, BPF_EXIST))
		COUNT(parked_full, 1);
	else
		COUNT(unended, 1);
	return 0;
}

static __always_inline void add(struct cs_go_sum *sum, __u64 ns)
{
	__u64 max = sum->max_ns, before;

	__sync_fetch_and_add(&sum->count, 1);
	__sync_fetch_and_add(&sum->total_ns, ns);
	__sync_fetch_and_add(&sum->hist[cs_hist_bucket(ns) & (CS_HIST_LEN - 1)], 1);
	for (int i = 0; i < 4 && max < ns; i++) {
		before = __sync_val_compare_and_swap(&sum->max_ns, max, ns);
		if (before == max)
			break;
		max = before;
	}
}

static __noinline int wake(struct go_regs *ctx, __u64 now)
{
	__u64 cookie = bpf_get_attach_cookie(ctx), ns;
	struct cs_go_key key = { .g = ctx->rax, .serial = CS_GO_COOKIE_SERIAL(cookie) };
	struct cs_go_parked *p = bpf_map_lookup_elem(&parked, &key);
	struct cs_go_sum_key to = { .serial = key.serial, .odd = go_control.odd };
	struct cs_go_sum *sum;

	if (!p) {
		COUNT(unbegun, 1);
		return 0;
	}
	ns = now > p->since_ns ? now - p->since_ns : 0;
	to.reason = p->reason;
	to.start = p->start;
	to.stack = p->stack;
	bpf_map_delete_elem(&parked, &key);
	to.waker = take_stack(ctx);
	sum = bpf_map_lookup_elem(&sums, &to);
	if (!sum) {
		bpf_map_update_elem(&sums, &to, &no_sum, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&sums, &to);
	}
	if (sum) {
		add(sum, ns);
	} else {
		COUNT(sums_full, 1);
		COUNT(sums_full_ns, ns);
	}
	return 0;
}

static __always_inline int count_hit(__u64 begin)
{
	COUNT(hits, 1);
	COUNT(prog_ns, bpf_ktime_get_ns() - begin);
	return 0;
}

/* At the call of runtime.mcall() in runtime.gopark(). */
SEC("uprobe")
int on_go_park(struct go_regs *ctx)
{
	__u64 now = bpf_ktime_get_ns();

	if (!go_control.is_off)
		park(ctx, now);
	return count_hit(now);
}

/* At calls of runtime.casgstatus(g, waiting, runnable). */
SEC("uprobe")
int on_go_wake(struct go_regs *ctx)
{
	__u64 now = bpf_ktime_get_ns();

	if (!go_control.is_off && (__u32)ctx->rbx == CS_GO_WAITING &&
	    (__u32)ctx->rcx == CS_GO_RUNNABLE)
		wake(ctx, now);
	return count_hit(now);
}

/* What a hit costs without a program that does anything. */
SEC("uprobe")
int on_go_nothing(struct go_regs *ctx)
{
	return 0;
}
