/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * The instants at which windows begin and end. User space would read the clock, and might be
 * preempted for milliseconds before storing the sum: a hook after an end that it does not know yet
 * counts beyond it. Here the scheduler cannot interfere.
 */
#include "lib/clock.bpf.h"

/*
 * Run by user space. CS_WINDOW_KEEP: only to have run on a CPU. `at_ns` is the requested instant;
 * if it is nearer than `ahead_ns`, or past, that is used. Only its last bit may differ: see struct
 * cs_control.
 */
SEC("raw_tp")
int BPF_PROG(set_window, u64 instant, u64 ahead_ns, u64 at_ns)
{
	u64 soon_ns = clock_now() + ahead_ns, odd = ~control.begin_ns & 1;

	if (at_ns < soon_ns)
		at_ns = soon_ns;
	at_ns = (at_ns & ~1ULL) | odd;
	if (instant == CS_WINDOW_BEGIN) {
		control.first_ns = at_ns;
		control.begin_ns = at_ns;
	} else if (instant == CS_WINDOW_CUT) {
		control.end_ns = at_ns;
	} else if (instant == CS_WINDOW_END) {
		control.last_ns = at_ns;
		control.end_ns = at_ns;
	}
	return 0;
}
