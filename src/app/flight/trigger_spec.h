/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_FLIGHT_TRIGGER_SPEC_H
#define APP_FLIGHT_TRIGGER_SPEC_H

#include "analysis/cause/cause.h"
#include "base/err.h"
#include "base/types.h"

/* A condition under which a flight recorder writes, as a user wrote it. */
enum trigger_kind {
	TRIGGER_WAIT, /* "wait>200ms [cause=NAME]... [comm=GLOB]" */
	TRIGGER_BLOCKED, /* "cpu-idle-and-blocked>500ms" */
	TRIGGER_REQUEST, /* "request>1s [class=GLOB] [cause=NAME]... [comm=GLOB]" */
	TRIGGER_END, /* "end" of the recording, for whatever reason */
};

struct trigger_spec {
	const char *text; /* borrowed, like the glob */
	enum trigger_kind kind;
	u64 ns; /* it fires when something lasted longer */
	cause_set causes; /* 0: any, of waits except those for work */
	const char *comm; /* a glob for names of threads, without a NUL; NULL: any */
	size_t comm_len;
	const char *class; /* likewise, for classes of requests */
	size_t class_len;
};

/* -EINVAL with a message that says what is wrong, or 0. */
int trigger_spec__parse(struct trigger_spec *spec, const char *text, struct err *err);

#endif
