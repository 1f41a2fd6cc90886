/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_KERNEL_KERNEL_PID_BPF_H
#define LIB_KERNEL_KERNEL_PID_BPF_H

/* The part of lib/kernel.bpf.h about PIDs and their namespaces; see there. */
#include "lib/kernel/kernel_mm.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum; /* all */
};

struct xa_node { /* all */
	unsigned char shift;
	void *slots[64];
};

struct xarray {
	void *xa_head;
};

struct idr {
	struct xarray idr_rt; /* a radix tree is an xarray since 4.20 */
};

struct pid_namespace {
	struct idr idr; /* 4.15+ */
	struct ns_common ns; /* all */
};

struct nsproxy {
	struct pid_namespace *pid_ns_for_children; /* 3.11+ */
};

struct upid {
	int nr; /* all */
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level; /* all */
	struct hlist_head tasks[1]; /* by enum pid_type, PIDTYPE_PID first; all */
	struct upid numbers[1]; /* level + 1 of them; all */
};

#pragma clang attribute pop

#endif
