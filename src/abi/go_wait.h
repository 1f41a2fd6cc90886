/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_GO_WAIT_H
#define ABI_GO_WAIT_H

#include <linux/types.h>

#include "abi/hist.h"

/*
 * Waits of goroutines, measured by probes in the Go runtime: between bpf/tasks/ and
 * capture/program/go_probes.c. A wait begins where runtime.gopark() gives up the thread, and ends
 * where somebody makes the goroutine runnable.
 */

/* Frames of a stack at most: it is copied on the stack of a BPF program, which has 512 bytes. */
#define CS_GO_FRAMES 40

/* States in runtime.casgstatus(): a wait ends with the change from one to the other. */
#define CS_GO_WAITING 4
#define CS_GO_RUNNABLE 1

/* The cookie of a probe: which process, and where in a g the reason and the function are. */
#define CS_GO_COOKIE(serial, reason_off, start_off)                                                \
	((__u64)(serial) | (__u64)(reason_off) << 32 | (__u64)(start_off) << 48)
#define CS_GO_COOKIE_SERIAL(cookie) ((__u32)(cookie))
#define CS_GO_COOKIE_REASON(cookie) ((__u16)((cookie) >> 32))
#define CS_GO_COOKIE_START(cookie) ((__u16)((cookie) >> 48))

/* Leaf first. Behind the leaf, return addresses. */
struct cs_go_stack {
	__u64 len; /* CS_GO_FRAMES: there may be more */
	__u64 ip[CS_GO_FRAMES];
};

/* A goroutine that waits. */
struct cs_go_key {
	__u64 g; /* address of its struct */
	__u64 serial; /* of the process */
};

struct cs_go_parked {
	__u64 since_ns; /* CLOCK_MONOTONIC */
	__u64 start; /* the function of its go statement */
	__u64 stack; /* hash of a struct cs_go_stack; 0: none */
	__u64 reason; /* runtime.waitReason */
};

struct cs_go_sum_key {
	__u32 serial;
	__u32 reason;
	__u32 odd; /* of cs_go_control.odd, when it ended */
	__u32 pad;
	__u64 start;
	__u64 stack;
	__u64 waker; /* hash of the stack of who ended it */
};

struct cs_go_sum {
	__u64 count;
	__u64 total_ns;
	__u64 max_ns;
	__u32 hist[CS_HIST_LEN];
};

/* Shared memory, written by user space. */
struct cs_go_control {
	__u64 odd; /* which sums are added to: the others are read */
	__u64 is_off; /* probes are about to be taken off: what they hit no longer counts */
};

/* Of each CPU. */
struct cs_go_counts {
	__u64 hits; /* of probes */
	__u64 prog_ns; /* in our programs */
	__u64 unbegun; /* ended waits whose begin was not seen */
	__u64 unended; /* parks after which the goroutine ran without being made runnable */
	__u64 parked_full; /* waits not followed: table full */
	__u64 sums_full; /* ended waits not counted: table full, or the process is gone */
	__u64 sums_full_ns;
	__u64 stacks_lost; /* waits or wakeups without a stack: unreadable, or table full */
};

#endif
