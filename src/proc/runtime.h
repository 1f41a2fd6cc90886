/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_RUNTIME_H
#define PROC_RUNTIME_H

#include "base/err.h"
#include "base/types.h"
#include "proc/maps.h"

/* What makes or interprets code in a process, as far as its mapped files tell. */
enum runtime_kind {
	RUNTIME_NONE = 0,
	RUNTIME_HOTSPOT, /* OpenJDK and its kin */
	RUNTIME_OPENJ9,
	RUNTIME_NODE,
	RUNTIME_DOTNET,
	RUNTIME_CPYTHON,
	RUNTIME_PHP,
	RUNTIME_RUBY,
	RUNTIME_CNT,
};

/* "OpenJDK (HotSpot)"; NULL for RUNTIME_NONE. */
const char *runtime_words(enum runtime_kind kind);
/* The runtime, and in *ret_range the mapping that tells; it may be NULL. */
enum runtime_kind runtime_of(const struct maps *maps, const struct map_range **ret_range);

/* Words as the kernel keeps them, each with its NUL: /proc/PID/cmdline and environ. */
struct runtime_words {
	char *text;
	size_t sz;
};

enum runtime_words_of {
	RUNTIME_CMDLINE,
	RUNTIME_ENVIRON,
};

/* -ESRCH, -EACCES, -ENOMEM. What was read is cut at 1 MiB. */
int runtime_words__read(struct runtime_words *w, u32 pid, enum runtime_words_of of,
			struct err *err);
void runtime_words__done(struct runtime_words *w);
/* One of the words is `option`, or a variable whose value holds it as a word: NODE_OPTIONS=... */
bool runtime_words__has(const struct runtime_words *w, const char *option);

#endif
