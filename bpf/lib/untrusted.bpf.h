/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_UNTRUSTED_BPF_H
#define LIB_UNTRUSTED_BPF_H

/*
 * For each load of a pointer through one that it trusts, as those of a hook's arguments, the
 * verifier since 6.4 looks through all of BTF up to four times for what is said about that field:
 * 2 ms, again on each path that leads there. Through one that it does not trust it looks for
 * nothing; the load itself is caught where there is no memory, as those behind it are anyway.
 */
#include "abi/cfg.h"
#include "lib/maps.bpf.h"

#ifndef bpf_untrusted_task /* tests for this machine have their own */
static struct task_struct *(*const bpf_untrusted_task)(struct task_struct *task,
						       __u32 btf_id) = (void *)CS_CALL_UNTRUSTED;
#endif

/* The same thread: for loads of pointers only. */
static __always_inline struct task_struct *untrusted(struct task_struct *task)
{
	return bpf_untrusted_task(task, cfg.task_struct_id);
}

#endif
