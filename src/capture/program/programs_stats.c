/* SPDX-License-Identifier: Apache-2.0 */

/* What the BPF side counts, and what the kernel counts of it. */
#include "capture/program/programs_priv.h"

#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/mem.h"
#include "capture/feature/hooks.h"
#include "gen/coldspot.skel.h"

int programs__stats(const struct programs *p, struct cs_stats *ret, struct err *err)
{
	int ncpu = libbpf_num_possible_cpus();
	u64 *sum = (u64 *)ret;
	struct cs_stats *all;
	u32 zero = 0;
	int r;

	if (ncpu < 0)
		return err__set(err, ncpu, "cannot count the CPUs: %s", err_str(ncpu));
	all = mem_array((size_t)ncpu, sizeof(*all));
	if (!all)
		return err__nomem(err);
	r = bpf_map_lookup_elem(bpf_map__fd(p->skel->maps.stats), &zero, all);
	memset(ret, 0, sizeof(*ret));
	for (int cpu = 0; !r && cpu < ncpu; cpu++)
		for (size_t i = 0; i < sizeof(*ret) / sizeof(u64); i++)
			sum[i] += ((const u64 *)&all[cpu])[i];
	mem_free(all);
	return r ? err__set(err, r, "cannot read the counters: %s", err_str(r)) : 0;
}

void programs__cost(const struct programs *p, struct programs_cost *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (u32 i = 0; i < hooks_cnt; i++) {
		const struct bpf_program *prog =
			bpf_object__find_program_by_name(p->skel->obj, hooks[i].program);
		struct bpf_prog_info info = { 0 };
		u32 len = sizeof(info);
		int fd = prog ? bpf_program__fd(prog) : -1;

		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
			continue;
		ret->runs += info.run_cnt;
		ret->ns += info.run_time_ns;
		if (!hooks[i].misses_harmless)
			ret->recursion_misses += info.recursion_misses;
	}
}
