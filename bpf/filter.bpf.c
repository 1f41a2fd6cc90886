/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * What the filter asks in a loop: a global function, which the verifier reads once and not again on
 * each path to a call. It takes the address as a number, because 6.1 passes no pointers to kernel
 * objects to such functions.
 */
#include "lib/filter.bpf.h"

/* Cgroups asked for, by id. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, u8);
} cgroups SEC(".maps");

__noinline int cgroup_is_wanted(u64 cgroup)
{
	int i;

	for (i = 0; i < MAX_CGROUP_DEPTH; i++) {
		struct cgroup *cg = (struct cgroup *)cgroup;
		u64 id;

		if (!cg)
			return 0;
		id = BPF_CORE_READ(cg, kn, id);
		if (bpf_map_lookup_elem(&cgroups, &id))
			return 1;
		cgroup = (u64)BPF_CORE_READ(cg, self.parent, cgroup);
	}
	return 0;
}
