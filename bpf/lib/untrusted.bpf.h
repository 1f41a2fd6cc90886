/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_UNTRUSTED_BPF_H
#define LIB_UNTRUSTED_BPF_H

/*
 * For each load of a pointer through a trusted one, such as a hook's argument, the verifier since
 * 6.4 searches all of BTF up to four times for that field: 2 ms, again on each path. For an
 * untrusted one it does not search; if there is no memory, the load itself is caught, as are the
 * loads that follow anyway.
 */
#include "abi/cfg.h"
#include "lib/maps.bpf.h"

#ifndef bpf_untrusted_task /* native tests define their own */
static struct task_struct *(*const bpf_untrusted_task)(struct task_struct *task,
						       __u32 btf_id) = (void *)CS_CALL_UNTRUSTED;
#endif

/* The same thread: for loads of pointers only. */
static __always_inline struct task_struct *untrusted(struct task_struct *task)
{
	return bpf_untrusted_task(task, cfg.task_struct_id);
}

#endif
