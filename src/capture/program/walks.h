/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_WALKS_H
#define CAPTURE_PROGRAM_WALKS_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

struct bpf_program;

/*
 * Runs an iterator program over all tasks, or over thread `tid` alone (0: all; kernels before 6.1
 * always walk over all). Appends the records it writes, of the element size of *ret_records.
 */
int walk_tasks(struct bpf_program *prog, u32 tid, struct vec *ret_records, struct err *err);

/* A walk that is made often, and writes no records. *ret: free with walk_forget(). */
struct bpf_link;
int walk_prepare(struct bpf_program *prog, struct bpf_link **ret, struct err *err);
int walk_again(struct bpf_link *link, struct err *err);
/* A link that is NULL is fine; it is NULL afterwards. */
void walk_forget(struct bpf_link **link);

struct walk_bounds {
	u64 until_ns; /* CLOCK_MONOTONIC */
	size_t records_max;
};
/*
 * The same over the open files of all tasks. *ret_cut: it stopped at one of the bounds. The program
 * ends a read by returning 1 after `until_ns`.
 */
int walk_files(struct bpf_program *prog, const struct walk_bounds *bounds, struct vec *ret_records,
	       bool *ret_cut, struct err *err);

#endif
