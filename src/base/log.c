/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch has three states, because nobody has to set it: the first query reads the environment.
 * A line is written in one call, so that lines of several threads do not mix.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum log_switch {
	LOG_UNSET = 0,
	LOG_OFF,
	LOG_ON,
};

static atomic_int log_switch;

void log_enable(bool on)
{
	atomic_store(&log_switch, on ? LOG_ON : LOG_OFF);
}

bool log_enabled(void)
{
	const char *env;

	if (atomic_load(&log_switch) == LOG_UNSET) {
		env = getenv("COLDSPOT_DEBUG");
		log_enable(env && env[0] && strcmp(env, "0") != 0);
	}
	return atomic_load(&log_switch) == LOG_ON;
}

void log_debug(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	if (!log_enabled())
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "coldspot: %s\n", line);
}
