/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_MOMENT_BPF_H
#define LIB_MOMENT_BPF_H

/* When listed waits happened. Only with cfg.moments; otherwise all of it is dead code. */
#include "lib/kernel/kernel.bpf.h"

#include "abi/moment.h"
#include "abi/wait.h"

/* Defined in maps.bpf.c. Full: moment_lost, moment_lost_ns. */
struct moments_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
};

extern struct moments_map moments SEC(".maps");

/*
 * Sends when a wait happened that was just added on this CPU. In wait.bpf.c, a global function, so
 * that the verifier reads it once.
 */
int moment_send(const struct cs_wait_key *at, u64 end_ns, u64 blocked_ns, u64 runq_ns);

#endif
