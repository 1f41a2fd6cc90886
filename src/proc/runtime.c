/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A runtime is known by the library it lives in, or by the program when it is linked in whole.
 * Names of files can lie; all that hangs on them is advice, and whom we ask for a perf map, where
 * they are not the only thing that is looked at.
 */
#include "proc/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#define WORDS_MAX_SZ (1UL << 20)

static const struct {
	const char *start; /* of the file's name */
	bool whole; /* the name is that and nothing more */
	enum runtime_kind kind;
} files[] = {
	{ "libjvm.so", true, RUNTIME_HOTSPOT },
	{ "libj9vm", false, RUNTIME_OPENJ9 },
	{ "libcoreclr.so", true, RUNTIME_DOTNET },
	{ "libnode.so", false, RUNTIME_NODE },
	{ "node", true, RUNTIME_NODE },
	{ "nodejs", true, RUNTIME_NODE },
	{ "libpython3", false, RUNTIME_CPYTHON },
	{ "python3", false, RUNTIME_CPYTHON },
	{ "libphp", false, RUNTIME_PHP },
	{ "php-fpm", false, RUNTIME_PHP },
	{ "php", false, RUNTIME_PHP },
	{ "libruby", false, RUNTIME_RUBY },
	{ "ruby", false, RUNTIME_RUBY },
};

static const char *const words[RUNTIME_CNT] = {
	[RUNTIME_HOTSPOT] = "OpenJDK (HotSpot)",
	[RUNTIME_OPENJ9] = "OpenJ9",
	[RUNTIME_NODE] = "Node.js",
	[RUNTIME_DOTNET] = ".NET",
	[RUNTIME_CPYTHON] = "CPython",
	[RUNTIME_PHP] = "PHP",
	[RUNTIME_RUBY] = "Ruby",
};

const char *runtime_words(enum runtime_kind kind)
{
	return words[kind];
}

static enum runtime_kind kind_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t i;

	for (i = 0; i < ARRAY_LEN(files); i++) {
		if (files[i].whole ? !strcmp(name, files[i].start) :
				     !strncmp(name, files[i].start, strlen(files[i].start)))
			return files[i].kind;
	}
	return RUNTIME_NONE;
}

enum runtime_kind runtime_of(const struct maps *maps, const struct map_range **ret_range)
{
	enum runtime_kind best = RUNTIME_NONE;
	size_t i;

	/* the first of the list wins: a JVM may have Python loaded, seldom the other way round */
	for (i = 0; i < maps->len; i++) {
		const struct map_range *range = &maps->ranges[i];
		enum runtime_kind kind = RUNTIME_NONE;

		if (range->exec && map_range__is_file(range))
			kind = kind_of(range->path);
		if (kind == RUNTIME_NONE || (best != RUNTIME_NONE && kind >= best))
			continue;
		best = kind;
		if (ret_range)
			*ret_range = range;
	}
	return best;
}

int runtime_words__read(struct runtime_words *w, u32 pid, enum runtime_words_of of, struct err *err)
{
	char path[40];
	int r;

	*w = (struct runtime_words){ 0 };
	snprintf(path, sizeof(path), "/proc/%u/%s", pid,
		 of == RUNTIME_CMDLINE ? "cmdline" : "environ");
	r = file_read(path, WORDS_MAX_SZ, &w->text, &w->sz, err);
	if (r == -ENOENT)
		return err__set(err, -ESRCH, "process %u is gone", pid);
	return r;
}

void runtime_words__done(struct runtime_words *w)
{
	mem_free(w->text);
	*w = (struct runtime_words){ 0 };
}

/* `option` stands in `text` between spaces, quotes, "=", or the ends. */
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

bool runtime_words__has(const struct runtime_words *w, const char *option)
{
	size_t at;

	for (at = 0; at < w->sz; at += strlen(w->text + at) + 1) {
		if (holds(w->text + at, option))
			return true;
	}
	return false;
}
