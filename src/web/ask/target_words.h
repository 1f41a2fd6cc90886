/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_ASK_TARGET_WORDS_H
#define WEB_ASK_TARGET_WORDS_H

#include "base/err.h"
#include "base/types.h"

/* {"add": {"pid": 812}} or {"remove": {"pid": 812}}, and nothing else. */
struct target_words {
	bool add;
	u32 pid;
};

/* -EINVAL with a sentence, or 0. */
int target_words_parse(const char *body, size_t len, struct target_words *ret, struct err *err);

#endif
