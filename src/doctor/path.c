/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same findings as for a process, of a single file: a summary names the file that most
 * addresses without a name are in, when the process has often exited.
 */
#include "doctor/path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "base/text/wrap.h"
#include "doctor/debug_package.h"
#include "doctor/file.h"

#define TEXT_COLUMN 11
#define LINE_SZ 512

static void put_line(struct sink *out, const char *mark, const char *text)
{
	sink__printf(out, "  %-8s ", mark);
	wrap_text(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

static void put_stacks(const struct doctor_file *f, struct sink *out)
{
	char tables[64], line[LINE_SZ];

	if (f->is_32bit) {
		put_line(out, "missing", "stacks: only the innermost frame, in a 32-bit program");
		return;
	}
	doctor_file__describe_tables(f, tables, sizeof(tables));
	snprintf(line, sizeof(line), "stacks: %s", f->is_go ? "Go code by frame pointer" : tables);
	put_line(out, doctor_file__unwinds(f) ? "ok" : "partly", line);
}

static void put_names(const struct doctor_file *f, struct sink *out)
{
	char words[64], line[LINE_SZ];

	doctor_file__describe_names(f, words, sizeof(words));
	snprintf(line, sizeof(line), "names: %s", words);
	put_line(out,
		 doctor_file__named(f)	  ? "ok" :
		 f->source == SYMTAB_NONE ? "missing" :
					    "partly",
		 line);
}

static void put_improvement(const struct doctor_file *f, const char *path, struct sink *out)
{
	struct debug_package package = { .path = path };
	char line[LINE_SZ];

	debug_package_find((u32)getpid(), &package, 1);
	if (package.name[0]) {
		snprintf(line, sizeof(line), "apt install %s", package.name);
		put_line(out, "to do", line);
		put_line(out, "", DEBUG_PACKAGE_NOTE);
	} else if (f->build_id[0]) {
		put_line(out, "to do",
			 "no package of this machine has the file: record with --debuginfod, or "
			 "put its debug file below /usr/lib/debug/.build-id");
	} else {
		put_line(out, "to do",
			 "it has no build ID to find its symbols by: build it again, with "
			 "-Wl,--build-id and without stripping it");
	}
}

static void put_file(const struct doctor_file *f, const char *path, struct sink *out)
{
	char line[PATH_MAX + LINE_SZ];

	utf8_copy_harmless(path, line, sizeof(line));
	sink__printf(out, "File %s\n", line);
	put_stacks(f, out);
	put_names(f, out);
	snprintf(line, sizeof(line), "build ID: %s", f->build_id[0] ? f->build_id : "none");
	put_line(out, f->build_id[0] ? "ok" : "missing", line);
	if (!doctor_file__named(f))
		put_improvement(f, path, out);
}

int doctor_path(const char *path, struct sink *out, struct err *err)
{
	char real[PATH_MAX]; /* dpkg does not know what a symbolic link leads to */
	const struct map_range range = { .path = realpath(path, real) ? real : path };
	struct doctor_file f;

	doctor_file__look_at_path(&f, &range);
	if (f.why.code)
		return err__set(err, f.why.code, "%s", f.why.msg);
	put_file(&f, range.path, out);
	return 0;
}
