/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include "base/types.h"

#define PROMPT_SZ 256

/* A line that the user types. */
enum prompt_for {
	PROMPT_NONE,
	PROMPT_FILTER,
	PROMPT_EXPORT, /* a file */
	PROMPT_ADD, /* a PID, or the path of a cgroup */
	PROMPT_DROP, /* the path of a cgroup */
	PROMPT_REPLACE, /* y or n, like the next */
	PROMPT_REMOVE,
};

struct prompt {
	enum prompt_for what; /* PROMPT_NONE: nothing is typed */
	char text[PROMPT_SZ];
};

enum prompt_state {
	PROMPT_TYPED, /* the text has changed, or not */
	PROMPT_ENTERED,
	PROMPT_CANCELLED,
	PROMPT_NOT_ITS, /* a key that writes nothing */
};

void prompt__begin(struct prompt *p, enum prompt_for what, const char *text);
/* The caller ends it, by PROMPT_NONE. */
enum prompt_state prompt__key(struct prompt *p, u32 key);

#endif
