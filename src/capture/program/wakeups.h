/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_WAKEUPS_H
#define CAPTURE_PROGRAM_WAKEUPS_H

#include "abi/cfg.h"
#include "base/types.h"

struct bpf_link;
struct bpf_program;

/*
 * Attaches on_sched_waking only while it is needed: sched_info is cheaper for splitting waits, but
 * wrong for a sleeper that was migrated while its dequeue was delayed. docs/adr/0041. All zero is
 * one that never attaches. Not thread-safe.
 */
struct wakeups {
	struct bpf_program *prog; /* loaded; NULL: not used on demand */
	volatile struct cs_moved_sleepers *sleepers; /* borrowed */
	struct bpf_link *link; /* NULL: not attached */
	u64 since_mono_ns; /* when the watch began */
};

void wakeups__init(struct wakeups *w, struct bpf_program *prog,
		   volatile struct cs_moved_sleepers *sleepers);
/* There is a sleeper that was moved: attaches. If the kernel refuses, its wait stays unsplit. */
void wakeups__begin(struct wakeups *w, u64 now_mono_ns);
/* Detaches when no such sleeper is left, or after a minute. */
void wakeups__tick(struct wakeups *w, u64 now_mono_ns);
void wakeups__done(struct wakeups *w);

#endif
