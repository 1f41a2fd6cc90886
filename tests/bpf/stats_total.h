/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BPF_STATS_TOTAL_H
#define TESTS_BPF_STATS_TOTAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cmocka.h>

#include "abi/stats.h"
#include "base/types.h"

/* A counter of struct cs_stats over all CPUs. `off`: its offset there. Fails the test. */
static inline u64 stats_total(const struct bpf_map *stats, size_t off)
{
	int ncpu = libbpf_num_possible_cpus();
	struct cs_stats *all = calloc((size_t)ncpu, sizeof(*all));
	u32 zero = 0;
	u64 sum = 0;

	assert_non_null(all);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(stats), &zero, all), 0);
	for (int cpu = 0; cpu < ncpu; cpu++)
		sum += *(const u64 *)((const char *)&all[cpu] + off);
	free(all);
	return sum;
}

#endif
