/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WAIT_BPF_H
#define LIB_WAIT_BPF_H

/*
 * A wait of known length: whether it is listed, and its place in the sums; and a wait that has
 * ended, by its windows: chosen, and listed in each with its part.
 */
#include "lib/account.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/moment.bpf.h"
#include "lib/stats.bpf.h"

#include "abi/sample.h"

/*
 * How many points of its periods a thread passes in a wait shorter than the period: at most 2. In
 * wait.bpf.c, a global function, so that the verifier reads it once.
 */
u64 wait_points(struct task_slot *slot, u64 ns, u64 period_ns);

/*
 * The choice, once the length is known: the time that this wait stands for, in which case its
 * stacks are recorded. 0: it is not listed. `len_ns` is the length of the whole wait, for the
 * user's bounds; `ns` is its part in the window.
 */
static __always_inline u64 wait_weight(struct task_slot *slot, u64 len_ns, u64 ns)
{
	u64 period = control.period_ns;

	if (len_ns < cfg.min_ns || len_ns > cfg.max_ns)
		return 0;
	if (!cfg.state_any && !(slot->raw_state ? slot->raw_state & cfg.state_mask : cfg.state_r))
		return 0;
	if (ns >= period)
		return ns;
	return wait_points(slot, ns, period) * period;
}

/*
 * Adds one wait, or its part in the window that begins at `window`, which stands for weight_ns, to
 * the sums of that window; in wait.bpf.c, a global function, so that the verifier reads it once.
 * Returns 0, or 1 if the table is full: counted.
 */
int wait_add(const struct cs_wait_key *at, u64 window, u64 blocked_ns, u64 runq_ns, u64 weight_ns);

/* Adds one sample of a thread on a CPU. Likewise. */
int sample_add(const struct cs_wait_key *at, u64 window);

static __always_inline void wait_key_init(struct cs_wait_key *key, const struct task_slot *slot)
{
	key->kstack = 0;
	key->ustack = 0;
	key->task = slot->rec.id;
	key->sysno = CS_SYSNO_NONE;
	key->state = cs_state_of(slot->raw_state);
	key->flags = slot->flags;
	key->object = 0;
	key->owner = 0;
}

/* Marks what a wait lacks; `lock` is the kernel lock that it is for, or 0. */
static __always_inline void wait_mark_missing(struct cs_wait_key *key, bool stack_lost, u64 lock)
{
	if (stack_lost)
		key->flags |= CS_WAIT_STACK_LOST;
	if (lock && !key->owner)
		key->flags |= CS_WAIT_OWNER_UNKNOWN;
}

/* The weight of a wait, or of its part in one window. It is counted whether chosen or not. */
static __always_inline u64 choose_part(struct task_slot *slot, u64 len_ns, const struct split *s)
{
	u64 ns = split_ns(s), weight_ns;

	if (!ns)
		return 0;
	STAT_BUMP(waits, 1);
	weight_ns = wait_weight(slot, len_ns, ns);
	if (weight_ns)
		STAT_BUMP(chosen, 1);
	return weight_ns;
}

/* *ret: the part in the window where the wait ends. */
static __always_inline void set_part(struct wait_parts *ret, const struct task_slot *slot,
				     const struct ended_wait *e, u64 weight_ns)
{
	ret->window = e->window;
	ret->end_ns = e->end_ns;
	ret->weight_ns = weight_ns;
	ret->blocked_ns = e->part.blocked_ns;
	ret->runq_ns = e->part.runq_ns;
	ret->flags = slot->flags | (e->since_ns < e->window ? CS_WAIT_PRE : 0);
}

/*
 * 0: no part of it was chosen. The part before a window has the earlier points of its thread's
 * periods. In wait.bpf.c, a global function, so that the verifier reads it once.
 */
int choose_parts(struct task_slot *slot, const struct ended_wait *e, struct wait_parts *ret);

/*
 * As choose_parts(). Most waits are in one window, which needs no call: with mitigations against
 * return prediction (SRSO, Retbleed) each return costs several ns.
 */
static __always_inline bool choose_wait(struct task_slot *slot, const struct ended_wait *e,
					struct wait_parts *ret)
{
	u64 weight_ns;

	if (e->since_ns < e->window || !in_window(e->end_ns))
		return choose_parts(slot, e, ret);
	weight_ns = choose_part(slot, e->end_ns - e->since_ns, &e->part);
	if (!weight_ns)
		return false;
	set_part(ret, slot, e, weight_ns);
	ret->before_weight_ns = 0;
	return true;
}

static __always_inline u64 parts_weight(const struct wait_parts *p)
{
	return p->weight_ns + p->before_weight_ns;
}

/* `key`: complete except for the flags. `lost`: a stack did not fit into the table. */
static __always_inline void list_parts(struct cs_wait_key *key, const struct wait_parts *p,
				       bool lost, u64 lock)
{
	u16 missing;

	key->flags = 0;
	wait_mark_missing(key, lost, lock);
	missing = key->flags;
	if (p->before_weight_ns) {
		key->flags = p->before_flags | missing;
		wait_add(key, p->before, p->before_blocked_ns, p->before_runq_ns,
			 p->before_weight_ns);
	}
	if (p->weight_ns) {
		key->flags = p->flags | missing;
		if (!wait_add(key, p->window, p->blocked_ns, p->runq_ns, p->weight_ns) &&
		    cfg.moments)
			moment_send(key, p->end_ns, p->blocked_ns, p->runq_ns);
	}
}

#endif
