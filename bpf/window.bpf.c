/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * The two instants of a trace. User space would read the clock, and may lose its CPU for
 * milliseconds before it has stored the sum: a hook that comes after an end that it cannot know yet
 * counts beyond it. Here nothing is scheduled in between.
 */
#include "lib/clock.bpf.h"

/* Run by user space. CS_WINDOW_KEEP: only to have been on a CPU. */
SEC("raw_tp")
int BPF_PROG(set_window, u64 instant, u64 ahead_ns)
{
	if (instant == CS_WINDOW_BEGIN)
		control.begin_ns = clock_now() + ahead_ns;
	else if (instant == CS_WINDOW_END)
		control.end_ns = clock_now() + ahead_ns;
	return 0;
}
