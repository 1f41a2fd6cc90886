/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_REQUEST_THREAD_CONTEXT_BPF_H
#define LIB_REQUEST_THREAD_CONTEXT_BPF_H

/* The thread context of OpenTelemetry (OTEP 4947): the trace that the current thread works on. */
#include "lib/kernel/kernel.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/regs.bpf.h"
#include "lib/stats.bpf.h"

#include "abi/thread_context.h"

/* By image. Never full: the oldest are asked for again. */
struct thread_contexts_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, u64);
	__type(value, struct cs_thread_context);
};

extern struct thread_contexts_map thread_contexts SEC(".maps");

/* What the pointer leads to; nothing is between the fields. */
struct otel_context {
	u64 trace[2]; /* bytes in the order of the text; all 0: none */
	u64 span;
	u8 valid; /* 1: it is; any other value: it is being changed */
	u8 flags;
	u16 attrs_sz;
};

/*
 * glibc on x86-64: the thread pointer leads to itself and to the table of blocks, whose entries are
 * two words. The entry before the first has their number, the first word of others the block's
 * address.
 */
#define TLS_TABLE_AT 8
#define TLS_ENTRY_SZ 16
#define TLS_NO_BLOCK (~0ULL)

static __always_inline long read_word(u64 *ret, u64 at)
{
	return bpf_probe_read_user(ret, sizeof(*ret), (const void *)at);
}

/* The block of a module; 0: this thread has none. */
static __always_inline long tls_block(u64 tp, u64 module, u64 *ret)
{
	u64 table, most;
	long r = read_word(&table, tp + TLS_TABLE_AT);

	*ret = 0;
	if (!r)
		r = read_word(&most, table - TLS_ENTRY_SZ);
	if (r || module > most)
		return r;
	r = read_word(ret, table + module * TLS_ENTRY_SZ);
	if (*ret == TLS_NO_BLOCK)
		*ret = 0;
	return r;
}

/* The trace of the current thread; false: it has none. A failed read is counted. */
static __always_inline bool thread_context_trace(const struct cs_thread_context *from, u64 *trace)
{
	u64 tp = regs_tls(bpf_get_current_task_btf()), at = tp, context = 0;
	struct otel_context now = { 0 };
	long r = 0;

	if (from->module)
		r = tls_block(tp, from->module, &at);
	if (!r && at)
		r = read_word(&context, at + from->offset);
	if (!r && context)
		r = bpf_probe_read_user(&now, __builtin_offsetof(struct otel_context, attrs_sz),
					(const void *)context);
	if (r) {
		STAT_INC(context_unread);
		return false;
	}
	trace[0] = now.trace[0];
	trace[1] = now.trace[1];
	return now.valid == 1 && (trace[0] || trace[1]);
}

#endif
