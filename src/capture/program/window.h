/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_WINDOW_H
#define CAPTURE_PROGRAM_WINDOW_H

#include "abi/cfg.h"
#include "base/types.h"

/*
 * The windows of a trace: hooks count what is in [begin, end) of CLOCK_MONOTONIC, and windows
 * follow each other without a gap. Every hook knows a begin or end before it comes, unless the host
 * or an interrupt stops a CPU for 300 us at that moment.
 */
struct programs;

/*
 * Sets an instant near `at_ns`, or as soon as possible (0), and returns it; the caller waits for
 * it. CS_WINDOW_CUT and CS_WINDOW_END only after the previous window was retired.
 */
u64 window_set(struct programs *p, enum cs_window instant, u64 at_ns);
/*
 * Call it after the end: returns when every hook that runs with interrupts off has finished with
 * events before it. The hooks that close a thread's slices and waits run that way.
 */
void window_settle(struct programs *p);
/* Call it when all threads were read: the programs stop using the finished window. */
void window_retire(struct programs *p);
/*
 * Waits until the BPF programs that run now have ended. False: the kernel refuses to tell, so only
 * time has passed.
 */
bool window_outlasts_programs(void);
/*
 * After window_retire(): returns when no hook adds to the table of waits of that window any more.
 * That takes an RCU grace period: 10 to 30 ms, or more than a second if many processes start and
 * exit. May run in a thread of its own.
 */
void window_grace(struct programs *p);

#endif
