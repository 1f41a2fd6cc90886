/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#define WORDS_MAX_SZ (1UL << 20)

int process_words__read(struct process_words *w, u32 pid, enum process_words_of of, struct err *err)
{
	char path[40];
	int r;

	*w = (struct process_words){ 0 };
	snprintf(path, sizeof(path), "/proc/%u/%s", pid,
		 of == PROCESS_CMDLINE ? "cmdline" : "environ");
	r = file_read(path, WORDS_MAX_SZ, &w->text, &w->sz, err);
	if (r == -ENOENT)
		return err__set(err, -ESRCH, "process %u is gone", pid);
	return r;
}

void process_words__done(struct process_words *w)
{
	mem_free(w->text);
	*w = (struct process_words){ 0 };
}

/* Whether `option` is in `text`, delimited by spaces, quotes, "=", or the ends. */
static bool holds(const char *text, const char *option)
{
	static const char around[] = " \t\"'=,";
	size_t len = strlen(option);
	const char *at;

	for (at = text; (at = strstr(at, option)); at++) {
		if ((at == text || strchr(around, at[-1])) && (!at[len] || strchr(around, at[len])))
			return true;
	}
	return false;
}

bool process_words__has(const struct process_words *w, const char *option)
{
	size_t at;

	for (at = 0; at < w->sz; at += strlen(w->text + at) + 1) {
		if (holds(w->text + at, option))
			return true;
	}
	return false;
}
