/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_FLIGHT_FLIGHT_FILE_H
#define APP_FLIGHT_FLIGHT_FILE_H

#include "base/err.h"
#include "profile/profile.h"

struct ruleset;
struct session;

/* Windows for a new recording. All are borrowed. */
struct flight_file {
	const char *path; /* NAME.coldspot */
	struct profile *const *windows;
	size_t len;
	const struct ruleset *rules; /* NULL: the built-in ones */
	struct session *session; /* polled after each window, unless it is over; NULL: none */
};

/* Whether files can be created next to `path`, a recording. An errno with a message, or 0. */
int flight_file_check(const char *path, struct err *err);
/*
 * Writes NAME-1.coldspot, or the first of -2, -3 ... that does not exist: nothing is ever
 * overwritten. *ret_path is its name, to be freed with mem_free(). A file that cannot be written
 * whole is removed.
 */
int flight_file_write(const struct flight_file *file, char **ret_path, struct err *err);

#endif
