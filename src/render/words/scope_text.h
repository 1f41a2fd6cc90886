/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_SCOPE_TEXT_H
#define RENDER_WORDS_SCOPE_TEXT_H

#include "profile/profile.h"

/* What a profile covers, if it is not one complete window: the same text in every format. */

/* Large enough for any of them; a long list of filters ends in "...". */
#define SCOPE_TEXT_SZ 768

/* In the order in which they are printed. */
enum scope {
	SCOPE_SOURCE = 0, /* "imported from bcc offcputime -f; not known: time on a CPU, threads" */
	SCOPE_WINDOWS, /* "3 windows, 2.10 s between them not recorded" */
	SCOPE_TRIGGER, /* "written by SIGUSR1 at 2026-11-21 10:03:00 UTC" */
	SCOPE_SELECTION, /* "selected 3.20 s of 48.1 s waited, 4 of 120 threads: --comm web" */
	SCOPE_CNT,
};

/*
 * False and empty if it does not apply: to a recording of our own, a single window, everything.
 * `sz` is at most SCOPE_TEXT_SZ, and at least what the numbers need.
 */
bool scope_text(const struct profile *p, enum scope scope, char *buf, size_t sz);

#endif
