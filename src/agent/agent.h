/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "agent/settings.h"
#include "base/err.h"

/* As syslog numbers them. */
enum agent_level {
	AGENT_ERROR = 3,
	AGENT_WARNING = 4,
	AGENT_INFO = 6,
};

/* Takes a sentence for the log, without a full stop. */
typedef void agent_say_fn(void *arg, enum agent_level level, const char *sentence);

struct agent_options {
	const char *config; /* file; NULL: the default one, which may be missing */
	const char *store; /* instead of what the settings say; NULL: that */
	const char *version;
	agent_say_fn *say;
	void *say_arg;
};

/* The settings that an agent with these options would have. An error of agent_settings__read(). */
int agent_read_settings(const struct agent_options *opt, struct agent_settings *ret,
			struct err *err);
/*
 * Records the whole machine into the store until SIGTERM or SIGINT; the window that is open then is
 * written, too. SIGHUP reads the settings again. What can pass, such as a full disk, is said and
 * does not end it. Errors: of the settings, the store or the first start of the recording.
 */
int agent_run(const struct agent_options *opt, struct err *err);

#endif
