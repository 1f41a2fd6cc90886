/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEET_SUMS_H
#define FLEET_SUMS_H

#include "base/intern.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "fleet/fleet_answer.h"
#include "import/gather.h"

/* Rows of ClickHouse in memory, and the profile that they make. */

/* Strings are ids in `strings`. */
struct fleet_sum {
	u32 host, service, cause, class, state, syscall, cgroup, container, thread;
	u32 pid, tid;
	u32 object, owner;
	u64 stack;
	u64 ns, count;
	u64 runq_ns; /* part of ns; 0 where an older coldspot sent it */
};

/* By its number; frames are `len` from `first` on, and so many files, or none, are behind them. */
struct fleet_stack {
	u64 stack;
	u32 first;
	u32 len;
	u32 files_len;
	u32 kernel; /* the last are the kernel's; STACK_SIDES_UNKNOWN: not known which */
};

/* Of a stack that an older coldspot sent. */
#define STACK_SIDES_UNKNOWN 65535

struct fleet_window {
	u32 host;
	u64 begin_ns, window_ns;
	u64 rows; /* that are there, also repeatedly */
	u64 different; /* numbers of rows */
	u64 unnumbered; /* rows without a number, of an older coldspot */
	u64 sent; /* rows; if their number was not sent, the highest one */
	bool knows_sent; /* false: of a coldspot that sent neither this nor the next */
	bool sampled;
	u64 ns, service_ns;
};

struct fleet_sums {
	struct strtab strings;
	struct vec windows; /* struct fleet_window, by host and time */
	struct vec sums; /* struct fleet_sum */
	struct intern stacks; /* struct fleet_stack */
	struct vec frames; /* u32 */
	u64 ns; /* of `sums` */
	u64 unknown_stacks; /* waits whose stack the server does not have */
};

int fleet_sums__init(struct fleet_sums *s);
void fleet_sums__done(struct fleet_sums *s);

/* From an answer to the statement of question.h. -EBADMSG, -ENOMEM. What was there is replaced. */
int fleet_sums__take_windows(struct fleet_sums *s, struct view body, struct err *err);
int fleet_sums__take_sums(struct fleet_sums *s, struct view body, struct err *err);
int fleet_sums__take_stacks(struct fleet_sums *s, struct view body, struct err *err);

/* Waits and threads. -ENOMEM, -EOVERFLOW. */
int fleet_sums__gather(struct fleet_sums *s, struct gather *g);

#endif
