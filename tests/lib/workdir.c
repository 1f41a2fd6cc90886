/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixtures are built when the test runs, by the machine's own tools: what is tested is what these
 * tools make, and no binary lies in the tree. Failures of the directory itself abort the test.
 */
#include "lib/workdir.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

static void need(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

void workdir__init(struct workdir *w)
{
	*w = (struct workdir){ .path = mem_strdup("/tmp/coldspot-test-XXXXXX") };
	need(w->path && mkdtemp(w->path), "mkdtemp");
	need(!setenv("CC", "cc", 0), "setenv");
}

void workdir__done(struct workdir *w)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf -- '%s'", w->path);
	need(system(command) == 0, command);
	mem_free(w->path);
}

const char *workdir__path(struct workdir *w, const char *name)
{
	char *buf = w->name_buf[w->name_next++ % ARRAY_LEN(w->name_buf)];

	snprintf(buf, sizeof(w->name_buf[0]), "%s/%s", w->path, name);
	return buf;
}

void workdir__write(struct workdir *w, const char *name, const void *data, size_t sz)
{
	FILE *f = fopen(workdir__path(w, name), "w");

	need(f && fwrite(data, 1, sz, f) == sz && fclose(f) == 0, name);
}

char *workdir__read(struct workdir *w, const char *name, size_t *ret_sz)
{
	char *data = NULL;

	need(!file_read(workdir__path(w, name), 1UL << 30, &data, ret_sz, NULL), name);
	return data;
}

int workdir__open(struct workdir *w, const char *name)
{
	int fd = open(workdir__path(w, name), O_RDONLY | O_CLOEXEC);

	need(fd >= 0, name);
	return fd;
}

bool workdir__run(struct workdir *w, const char *fmt, ...)
{
	char command[2048];
	int len;
	va_list ap;

	len = snprintf(command, sizeof(command), "cd '%s' || exit\n", w->path);
	va_start(ap, fmt);
	len += vsnprintf(command + len, sizeof(command) - (size_t)len, fmt, ap);
	va_end(ap);
	need((size_t)len < sizeof(command), "command too long");
	return system(command) == 0;
}

u64 workdir__addr_of(struct workdir *w, const char *file, const char *symbol)
{
	char *text, *end;
	size_t sz;
	u64 addr;

	need(workdir__run(w,
			  "{ nm '%s'; nm -D '%s'; } 2>/dev/null |"
			  " awk '$3 == \"%s\" { print $1; exit }' >addr",
			  file, file, symbol),
	     "nm");
	text = workdir__read(w, "addr", &sz);
	addr = strtoull(text, &end, 16);
	mem_free(text);
	return addr;
}

bool workdir_have(const char *words)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "for c in %s; do command -v $c >/dev/null ||"
		 " { echo \"SKIPPED: there is no $c\" >&2; exit 1; }; done",
		 words);
	return system(command) == 0;
}
