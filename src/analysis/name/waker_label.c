/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An interrupt has no thread, but functions of its kernel stack belong to one kind of device. They
 * are tried from the leaf: a packet may be received inside of a timer's work, and that one woke.
 */
#include "analysis/name/waker_label.h"

#include <stdio.h>
#include <string.h>

#define WAKER_UNKNOWN "[waker unknown]"

/* A name, or with a * the beginning of names. */
struct interrupt_name {
	const char *function;
	const char *label;
};

static const struct interrupt_name interrupt_names[] = {
	{ "hrtimer_*", "[timer interrupt]" },
	{ "__hrtimer_*", "[timer interrupt]" },
	{ "run_timer_softirq", "[timer interrupt]" },
	{ "call_timer_fn", "[timer interrupt]" },
	{ "process_timeout", "[timer interrupt]" },
	{ "tick_*", "[timer interrupt]" },
	{ "net_rx_action", "[net-rx interrupt]" },
	{ "__napi_poll*", "[net-rx interrupt]" },
	{ "process_backlog", "[net-rx interrupt]" },
	{ "blk_*", "[block interrupt]" },
	{ "nvme_*", "[block interrupt]" },
	{ "virtblk_done", "[block interrupt]" },
	{ "bio_endio", "[block interrupt]" },
	{ "scsi_*", "[block interrupt]" },
};

/* Names of threads that the kernel starts in numbers, without number or CPU. */
static const char *const kinds_of_worker[] = {
	"kworker", "ksoftirqd", "iou-wrk", "iou-sqp", "migration", "rcuog", "rcuop", "cpuhp",
};

static bool is_named(const char *name, const char *function)
{
	size_t len = strlen(function);

	if (function[len - 1] == '*')
		return strncmp(name, function, len - 1) == 0;
	return strcmp(name, function) == 0;
}

static const char *device_of(const struct profile *p, u32 stack)
{
	size_t i;

	for (; stack; stack = p->stacks[stack].parent) {
		const char *name = profile__str(p, p->frames[p->stacks[stack].frame].name);

		for (i = 0; i < ARRAY_LEN(interrupt_names); i++) {
			if (is_named(name, interrupt_names[i].function))
				return interrupt_names[i].label;
		}
	}
	return NULL;
}

/* NULL: it is a thread. */
static const char *interrupt_label(const struct profile *p, const struct profile_waker *w)
{
	const char *device = NULL;

	if (w->context == WAKER_THREAD)
		return NULL;
	if (w->context == WAKER_SOFTIRQ || w->context == WAKER_HARDIRQ)
		device = device_of(p, w->kstack);
	if (device)
		return device;
	switch (w->context) {
	case WAKER_SOFTIRQ:
		return "[softirq]";
	case WAKER_HARDIRQ:
		return "[interrupt]";
	case WAKER_NMI:
		return "[nmi]";
	default:
		return WAKER_UNKNOWN;
	}
}

const char *waker_kind_of_worker(const char *comm)
{
	size_t i, len;

	for (i = 0; i < ARRAY_LEN(kinds_of_worker); i++) {
		len = strlen(kinds_of_worker[i]);
		if (strncmp(comm, kinds_of_worker[i], len) == 0 &&
		    (comm[len] == '/' || comm[len] == '-'))
			return kinds_of_worker[i];
	}
	return NULL;
}

/* The name of an interrupt, or of a thread that is named without its TID; NULL for others. */
static const char *name_without_tid(const struct profile *p, const struct profile_waker *w)
{
	const char *comm = profile__str(p, w->comm);
	const char *name = interrupt_label(p, w);

	if (!name)
		name = waker_kind_of_worker(comm);
	if (!name && w->flags & WAKER_KTHREAD)
		name = comm;
	return name && *name ? name : NULL;
}

const char *waker_label(const struct profile *p, u32 waker, char *buf, size_t sz)
{
	const struct profile_waker *w = &p->wakers[waker];
	const char *name = name_without_tid(p, w);

	buf[0] = '\0';
	if (waker && name)
		snprintf(buf, sz, "%s", name);
	else if (waker)
		snprintf(buf, sz, "%s-%u", profile__str(p, w->comm), w->tid);
	return buf;
}

const char *waker_label_shared(const struct profile *p, u32 waker, char *buf, size_t sz)
{
	const struct profile_waker *w = &p->wakers[waker];
	const char *name = name_without_tid(p, w);

	snprintf(buf, sz, "%s", !waker ? "" : name ? name : profile__str(p, w->comm));
	return buf;
}

const char *waker_label_comm(const struct profile *p, u32 waker, char *buf, size_t sz)
{
	const struct profile_waker *w = &p->wakers[waker];
	const char *name = interrupt_label(p, w);

	if (!name && w->comm)
		name = profile__str(p, w->comm);
	snprintf(buf, sz, "%s", name ? name : WAKER_UNKNOWN);
	return buf;
}

const char *waker_end_note(const struct profile *p, u32 waker)
{
	const struct profile_waker *w = &p->wakers[waker];

	if (w->context != WAKER_THREAD)
		return NULL;
	switch (w->end) {
	case CHAIN_GOES_ON:
		return NULL;
	case CHAIN_RUNNING:
		return "[running]";
	case CHAIN_DEPTH:
		return "[chain too deep]";
	case CHAIN_UNRECORDED:
		return "[waker not recorded]";
	default:
		return WAKER_UNKNOWN;
	}
}

const char *no_waker_label(const struct profile_wait *w)
{
	if (w->flags & WAIT_ON_CPU)
		return "[on a CPU]";
	if (w->flags & WAIT_LOST)
		return "[unknown]";
	if (w->flags & WAIT_NEW)
		return "[new thread]";
	/* Runnable all the time: nobody had to wake it. */
	if (w->flags & WAIT_PREEMPTED || !w->state)
		return "[preempted]";
	return w->flags & WAIT_OPEN ? "[open at the end]" : "[unknown]";
}
