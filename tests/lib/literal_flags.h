/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_LITERAL_FLAGS_H
#define TESTS_LIB_LITERAL_FLAGS_H

/* Words for the flags of rows, in profiles as text. Only for literal*.c. */
#include "profile/profile.h"

struct flag_name {
	const char *name;
	u32 bit;
};

static const struct flag_name wait_flags[] = {
	{ "iowait", WAIT_IOWAIT },
	{ "killable", WAIT_KILLABLE },
	{ "preempted", WAIT_PREEMPTED },
	{ "new", WAIT_NEW },
	{ "pre", WAIT_PRE },
	{ "open", WAIT_OPEN },
	{ "lost", WAIT_LOST },
	{ "visited", WAIT_VISITED },
	{ "no_resume", WAIT_NO_RESUME },
	{ "throttled", WAIT_THROTTLED },
	{ "summed", WAIT_SUMMED },
	{ "runnable", WAIT_RUNNABLE },
	{ NULL, 0 },
};

static const struct flag_name task_flags[] = {
	{ "kthread", TASK_KTHREAD },
	{ "exited", TASK_EXITED },
	{ "execed", TASK_EXECED },
	{ "born", TASK_BORN },
	{ NULL, 0 },
};

#endif
