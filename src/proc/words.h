/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_WORDS_H
#define PROC_WORDS_H

#include "base/err.h"
#include "base/types.h"

/* The kernel's lists of strings, each with its NUL: /proc/PID/cmdline and environ. */
struct process_words {
	char *text;
	size_t sz;
};

enum process_words_of {
	PROCESS_CMDLINE,
	PROCESS_ENVIRON,
};

/* -ESRCH, -EACCES, -ENOMEM. Reads at most 1 MiB. */
int process_words__read(struct process_words *w, u32 pid, enum process_words_of of,
			struct err *err);
void process_words__done(struct process_words *w);
/*
 * One of the words is `option`, or a variable whose value contains it as a word: NODE_OPTIONS=...
 */
bool process_words__has(const struct process_words *w, const char *option);

#endif
