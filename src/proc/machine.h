/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MACHINE_H
#define PROC_MACHINE_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* What /proc says of the whole machine. From /proc/stat: */
struct machine_stat {
	u64 switches; /* from any thread to another, idle CPUs included, since boot */
};

/* -EINVAL, with a message, for text that the kernel would not write. */
int machine_stat__parse(struct machine_stat *ret, struct view text, struct err *err);

/*
 * Time in which CPUs had nothing to run, added up over all CPUs since boot, from /proc/stat; in
 * steps of 10 ms. -EINVAL likewise.
 */
int machine_idle_parse(u64 *ret_ns, struct view text, struct err *err);

/* Threads that exist, from /proc/loadavg. -EINVAL likewise. */
int machine_threads_parse(u32 *ret, struct view text, struct err *err);

#endif
