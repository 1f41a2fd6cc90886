/* SPDX-License-Identifier: Apache-2.0 */
/* A file is there if it can be read: some are listed and refuse to be opened. */
#include "doctor/visits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text/wrap.h"

#define TEXT_COLUMN 11
#define FILE_MAX_SZ 65536

/* A file of a thread, and what is lost without it. */
struct source {
	const char *name;
	const char *costs;
};

static const struct source sources[] = {
	{ "schedstat",
	  "times are exact to a clock tick only, and waiting for a CPU counts as blocked" },
	{ "syscall", "no system calls, user stacks, objects and lock owners" },
	{ "wchan", "no kernel function where a thread sleeps, so most causes are unknown" },
	{ "stack", "of kernel stacks only the function in wchan; run as root for all of them" },
};

static void put_line(struct sink *out, const char *mark, const char *text)
{
	sink__printf(out, "  %-8s ", mark);
	wrap_text(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

static int try_source(const char *root, const char *name)
{
	char path[256], *text;
	size_t sz;
	int r;

	snprintf(path, sizeof(path), "%s/self/%s", root, name);
	r = file_read(path, FILE_MAX_SZ, &text, &sz, NULL);
	if (!r)
		mem_free(text);
	return r;
}

static void put_scope(const char *root, struct sink *out)
{
	static const char *const words[] = {
		"0: user stacks of every process of your own",
		"1: user stacks only of commands that coldspot starts (record -- CMD), and as root",
		"2: user stacks only as root",
		"3: no user stacks of anything",
	};
	char path[256], line[256];
	u64 scope;

	snprintf(path, sizeof(path), "%s/sys/kernel/yama/ptrace_scope", root);
	if (file_read_u64(path, &scope, NULL) || scope >= ARRAY_LEN(words))
		return;
	snprintf(line, sizeof(line), "kernel.yama.ptrace_scope is %s", words[scope]);
	put_line(out, scope ? "partly" : "ok", line);
}

void doctor_visits(const char *root, struct sink *out)
{
	char line[512];

	sink__puts(out, "Without BPF (record --proc)\n");
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		int r = try_source(root, sources[i].name);

		snprintf(line, sizeof(line), "/proc/PID/%s%s%s", sources[i].name, r ? ": " : "",
			 r ? err_str(r) : "");
		put_line(out, r ? "missing" : "ok", line);
		if (!r)
			continue;
		snprintf(line, sizeof(line), "costs: %s", sources[i].costs);
		put_line(out, "", line);
	}
	put_scope(root, out);
	put_line(
		out, "never",
		"counts and lengths of single waits, wakers, stacks on a CPU, threads of less than "
		"a quarter of a second; preempted apart from woken");
}
