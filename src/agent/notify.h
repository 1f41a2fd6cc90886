/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_NOTIFY_H
#define AGENT_NOTIFY_H

#include "base/types.h"

/*
 * Tells the service manager how we are (sd_notify(3)), if there is one. Nothing fails: a manager
 * that does not listen is as none.
 */
struct notify {
	int fd; /* -1: none */
	u64 watchdog_ns; /* how often it wants to hear from us; 0: never */
	u64 next_ns; /* the next time, CLOCK_MONOTONIC */
};

/* From $NOTIFY_SOCKET and $WATCHDOG_USEC, which are removed from the environment. */
void notify__init(struct notify *n);
void notify__done(struct notify *n);
/* "READY=1", or several such lines. */
void notify__send(const struct notify *n, const char *lines);
/* Once the time has come, half of the interval. */
void notify__alive(struct notify *n, u64 now_ns);

#endif
