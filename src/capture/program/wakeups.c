/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/program/wakeups.h"

#include <errno.h>

#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/log.h"

/* Attaching takes about a millisecond: do not do it all the time. */
#define LEAST_NS (500 * NSEC_PER_MSEC)
/* The count may stay above 0 if such a thread leaves the trace asleep. */
#define MOST_NS (60 * NSEC_PER_SEC)

void wakeups__init(struct wakeups *w, struct bpf_program *prog,
		   volatile struct cs_moved_sleepers *sleepers)
{
	*w = (struct wakeups){ .prog = prog, .sleepers = sleepers };
}

void wakeups__begin(struct wakeups *w, u64 now_mono_ns)
{
	if (!w->prog || w->link)
		return;
	w->since_mono_ns = now_mono_ns;
	w->link = bpf_program__attach_trace(w->prog);
	if (!w->link)
		log_debug("cannot watch wakeups: %s", err_str(errno));
}

void wakeups__tick(struct wakeups *w, u64 now_mono_ns)
{
	bool idle;

	if (!w->link || now_mono_ns < w->since_mono_ns + LEAST_NS)
		return;
	idle = (s32)w->sleepers->asleep <= 0;
	if (!idle && now_mono_ns < w->since_mono_ns + MOST_NS)
		return;
	/* First: who is moved from here on asks again, and the event comes after this. */
	w->sleepers->told = 0;
	bpf_link__destroy(w->link);
	w->link = NULL;
}

void wakeups__done(struct wakeups *w)
{
	if (w->link)
		bpf_link__destroy(w->link);
	w->link = NULL;
}
