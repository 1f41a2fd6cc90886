/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* What counts of a time. */
#include "lib/clock.bpf.h"

__noinline u64 clock_clip(u64 from, u64 to)
{
	u64 begin = control.begin_ns, end = control.end_ns;

	if (to < from) {
		STAT_INC(clock_back);
		return 0;
	}
	if (from < begin)
		from = begin;
	if (to > end)
		to = end;
	return to > from ? to - from : 0;
}
