/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_SENDER_H
#define AGENT_SENDER_H

#include "agent/agent.h"
#include "app/child.h"

/*
 * The process that sends windows elsewhere: `coldspot push --follow`. It is started again if it
 * ends. All zero: none is wanted.
 */
struct sender {
	const struct agent_options *opt; /* borrowed: where its messages go */
	struct child child;
	bool runs;
	bool wanted;
	u64 next_ns; /* CLOCK_MONOTONIC: when to start it, or to kill one that does not end */
	u64 pause_ns; /* before it is started again */
	char program[1024]; /* the child borrows it */
	char store[1024];
	char line[1600]; /* what it wrote of one */
	size_t line_len;
	char status[400]; /* what it says of its targets; "": nothing yet */
};

/* Starts it, or asks it to end, or to begin anew: as these settings say. */
void sender__set(struct sender *s, const struct agent_options *opt,
		 const struct agent_settings *settings);
/* Passes on what it says; starts, restarts and ends it. Returns at once. */
void sender__turn(struct sender *s, u64 now_mono_ns);
/* Ends it, within a few seconds. */
void sender__done(struct sender *s);

#endif
