/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* Buckets of histograms. */
#include "lib/hist.bpf.h"

const char no_hist[sizeof(struct cs_task_hist)] = {};

__noinline int hist_bucket(u64 ns)
{
	return (int)cs_fine_bucket(ns, cfg.hist_unit_ns);
}
