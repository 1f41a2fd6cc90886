/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime changes to the stack of the scheduler to make a goroutine runnable, and keeps the
 * frame pointer, so the chain of frame pointers leads on to the stack of the goroutine that asked
 * for it. Before Go 1.21 it also leads from the scheduler to the goroutine that gave up the thread
 * last, which woke nobody: a stack with a function of the scheduler is no goroutine's.
 */
#include "async/go/go_waker.h"

#include <string.h>

/* Bytes of the call where a wait begins. */
#define CALL_SZ 5

/* What makes a goroutine runnable, at the inner end. */
static const char *const waking[] = {
	"runtime.ready",	 "runtime.goready",
	"runtime.systemstack",	 "runtime.systemstack_switch",
	"runtime.readyWithTime",
};

/* The function that goready() runs on the other stack: where it was inlined, X.goready.func1. */
#define WAKING_END ".goready.func1"

static const char *const scheduling[] = {
	"runtime.schedule", "runtime.findRunnable", "runtime.findrunnable", "runtime.park_m",
	"runtime.mcall",    "runtime.sysmon",	    "runtime.mstart",	    "runtime.mstart0",
	"runtime.mstart1",  "runtime.goexit0",	    "runtime.goschedImpl",
};

static bool is_among(const char *name, const char *const *names, size_t len)
{
	for (size_t i = 0; name && i < len; i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

static bool is_waking(const char *name)
{
	size_t len = name ? strlen(name) : 0, end = sizeof(WAKING_END) - 1;

	return is_among(name, waking, ARRAY_LEN(waking)) ||
	       (len > end && !strcmp(name + len - end, WAKING_END));
}

/* A return address may be behind the function that called. */
static const char *name_of(const struct cs_go_stack *s, u64 i, go_name_fn *name, void *arg)
{
	return name(arg, s->ip[i] - (i > 0));
}

static u64 len_of(const struct cs_go_stack *s)
{
	return s->len < CS_GO_FRAMES ? s->len : CS_GO_FRAMES;
}

static void take(const struct cs_go_stack *s, u64 from, go_name_fn *name, void *arg,
		 struct host_stack *ret)
{
	const char *outermost;
	u64 len = len_of(s);

	ret->len = ret->gap = 0;
	ret->end = CS_END_FP;
	for (u64 i = from; i < len; i++)
		ret->frame[ret->len++] = (struct host_frame){ .ip = s->ip[i] };
	outermost = len ? name_of(s, len - 1, name, arg) : NULL;
	if (outermost && !strncmp(outermost, "runtime.goexit", strlen("runtime.goexit")))
		ret->end = CS_END_ROOT;
	else if (len == CS_GO_FRAMES)
		ret->end = CS_END_DEPTH;
}

void go_waker_parked(const struct cs_go_stack *s, go_name_fn *name, void *arg,
		     struct host_stack *ret)
{
	take(s, 0, name, arg, ret);
	if (ret->len)
		ret->frame[0].ip += CALL_SZ;
}

/* Timers run in the scheduler: checkTimers() until Go 1.22, methods of timers since. */
static bool is_of_timers(const char *name)
{
	return name &&
	       (!strcmp(name, "runtime.checkTimers") || !strncmp(name, "runtime.(*timer", 15));
}

static const char *what_scheduler_did(const struct cs_go_stack *s, const char *reason,
				      go_name_fn *name, void *arg)
{
	for (u64 i = 0; i < len_of(s); i++) {
		const char *function = name_of(s, i, name, arg);

		if (is_of_timers(function))
			return "[timer]";
		if (is_among(function, scheduling, ARRAY_LEN(scheduling)))
			break;
	}
	if (reason && !strcmp(reason, "IO wait"))
		return "[netpoll]";
	return reason && !strncmp(reason, "GC ", 3) ? "[gc]" : "[scheduler]";
}

const char *go_waker_of(const struct cs_go_stack *s, const char *reason, go_name_fn *name,
			void *arg, struct host_stack *ret)
{
	u64 from = 0;

	for (u64 i = 0; i < len_of(s); i++) {
		if (!is_among(name_of(s, i, name, arg), scheduling, ARRAY_LEN(scheduling)))
			continue;
		ret->len = 0;
		return what_scheduler_did(s, reason, name, arg);
	}
	while (from < len_of(s) && is_waking(name_of(s, from, name, arg)))
		from++;
	take(s, from, name, arg, ret);
	return NULL;
}
