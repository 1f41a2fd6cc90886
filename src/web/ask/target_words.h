/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_ASK_TARGET_WORDS_H
#define WEB_ASK_TARGET_WORDS_H

#include "base/err.h"
#include "base/types.h"

/* Longest path of a cgroup, with its NUL. */
#define TARGET_WHOM_SZ 1024

/*
 * {"add": {"pid": 812}}, {"remove": {"pid": 812}}, or the same with {"cgroup": "/shop.slice"}, and
 * nothing else. A path with a backslash or a quote in it cannot be named.
 */
struct target_words {
	bool add;
	bool is_cgroup;
	char whom[TARGET_WHOM_SZ]; /* the PID or the path */
};

/* -EINVAL with a sentence, or 0. */
int target_words_parse(const char *body, size_t len, struct target_words *ret, struct err *err);

#endif
