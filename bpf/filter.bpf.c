/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * What the filter asks in a loop: a global function, which the verifier reads once and not again on
 * each path to a call. It takes the address as a number, because 6.1 passes no pointers to kernel
 * objects to such functions.
 */
#include "lib/filter.bpf.h"

/*
 * Cgroups asked for, by id, up to the first 0. User space writes here. Not a map, which would take
 * memory in each recording that asks for none.
 */
volatile u64 cgroups[CS_CGROUPS] SEC(".data");

static __always_inline bool is_listed(u64 id)
{
	u32 i;

	for (i = 0; i < CS_CGROUPS && cgroups[i]; i++)
		if (cgroups[i] == id)
			return true;
	return false;
}

__noinline int cgroup_is_wanted(u64 cgroup)
{
	int i;

	/* 6.1 reads it even where nothing calls it */
	if (!cfg.by_cgroup)
		return 0;
	for (i = 0; i < MAX_CGROUP_DEPTH; i++) {
		struct cgroup *cg = (struct cgroup *)cgroup;
		u64 id;

		if (!cg)
			return 0;
		id = BPF_CORE_READ(cg, kn, id);
		if (is_listed(id))
			return 1;
		cgroup = (u64)BPF_CORE_READ(cg, self.parent, cgroup);
	}
	return 0;
}
