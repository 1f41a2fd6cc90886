/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "doctor/debug_package.h"
#include "doctor/file.h"
#include "doctor/runtime.h"
#include "doctor/tasks.h"
#include "base/text/wrap.h"
#include "proc/maps.h"
#include "proc/task.h"
#include "base/text/utf8.h"

/*
 * One screen: what the stacks will look like, whether they will have names, what would improve
 * that, and the files that lack something. Complete files are only counted. An unreadable file is a
 * line of the report, not its end.
 */

#define TEXT_COLUMN 11
/* Files shown one by one; a browser maps a hundred. */
#define FILES_SHOWN 8
#define LINE_SZ 1024

struct examination {
	u32 tgid;
	struct maps maps;
	struct vec files; /* struct doctor_file */
	struct doctor_runtime runtime;
	size_t unwind; /* files that stacks can be unwound through */
	size_t named; /* files with the names of all their functions */
	bool is_32bit;
	bool is_go;
};

static void put_line(struct sink *out, const char *mark, const char *text)
{
	sink__printf(out, "  %-8s ", mark);
	wrap_text(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

/* A file has several mappings, but is inspected once. */
static bool seen_before(const struct maps *maps, size_t idx)
{
	const struct map_range *range = &maps->ranges[idx];
	size_t i;

	for (i = 0; i < idx; i++) {
		if (maps->ranges[i].exec && maps->ranges[i].dev == range->dev &&
		    maps->ranges[i].ino == range->ino)
			return true;
	}
	return false;
}

/* A jitdump is mapped as if it were code, but only describes code. */
static bool is_code(const struct map_range *range)
{
	size_t len = strlen(range->path);

	return range->exec && map_range__is_file(range) &&
	       !(len > 5 && !strcmp(range->path + len - 5, ".dump"));
}

static int look_at_files(struct examination *e, struct err *err)
{
	size_t i;

	for (i = 0; i < e->maps.len; i++) {
		const struct map_range *range = &e->maps.ranges[i];
		struct doctor_file *f;

		if (!is_code(range) || seen_before(&e->maps, i))
			continue;
		f = vec__push(&e->files);
		if (!f)
			return err__nomem(err);
		doctor_file__look(f, e->tgid, range);
		e->unwind += doctor_file__unwinds(f);
		e->named += doctor_file__named(f);
		e->is_32bit |= f->is_32bit;
		e->is_go |= f->is_go;
	}
	return 0;
}

/* Appends "a, b and 3 more" for the files that do not satisfy `is`. */
static void list_others(const struct examination *e, bool (*is)(const struct doctor_file *f),
			char *buf, size_t sz)
{
	size_t i, len = strlen(buf), listed = 0, all = 0;

	for (i = 0; i < e->files.len && len < sz; i++) {
		const struct doctor_file *f = vec__at(&e->files, i);

		if (is(f))
			continue;
		all++;
		if (listed == 3)
			continue;
		len += (size_t)snprintf(buf + len, sz - len, "%s%.100s", listed ? ", " : "",
					doctor_file__name(f));
		listed++;
	}
	if (all > listed && len < sz)
		snprintf(buf + len, sz - len, " and %zu more", all - listed);
}

/*
 * Whether the program was built without tables and has them only for what it was linked with, as
 * Rust with panic=abort may be. Libraries may contain assembly without tables, which does not wait;
 * those of interpreters contain code that keeps frame pointers.
 */
static const struct doctor_file *bare_program(const struct examination *e)
{
	const struct doctor_file *f = e->files.len ? vec__at(&e->files, 0) : NULL;

	return f && f->bare_sz && !f->is_go && doctor_file__unwinds(f) && !e->runtime.runtime ?
		       f :
		       NULL;
}

static void put_bare_stacks(const struct doctor_file *f, struct sink *out)
{
	char line[LINE_SZ];

	snprintf(line, sizeof(line),
		 "stacks: frames will be missing: %llu bytes of code in %.100s have no unwind "
		 "tables",
		 f->bare_sz, doctor_file__name(f));
	put_line(out, "partly", line);
	put_line(out, "to do",
		 "build it with -C force-unwind-tables=yes (Rust) or -fasynchronous-unwind-tables "
		 "(C), or with frame pointers");
}

static void put_stacks(const struct examination *e, struct sink *out)
{
	size_t missing = e->files.len - e->unwind;
	char line[LINE_SZ], *end = line + sizeof(line);
	int len;

	if (e->is_32bit) {
		put_line(out, "missing", "stacks: only the innermost frame, in a 32-bit program");
		return;
	}
	if (!missing && bare_program(e)) {
		put_bare_stacks(bare_program(e), out);
		return;
	}
	len = snprintf(line, sizeof(line), "stacks: %s",
		       missing			    ? "may end in files without unwind tables: " :
		       e->runtime.advice.stacks_cut ? "whole for native code" :
						      "whole");
	if (missing)
		list_others(e, doctor_file__unwinds, line, sizeof(line));
	else if (e->files.len > 1)
		snprintf(line + len, (size_t)(end - line - len),
			 ", all %zu files have unwind tables", e->files.len);
	len = (int)strlen(line);
	snprintf(line + len, (size_t)(end - line - len), "%s%s%s",
		 e->is_go ? "; Go code by frame pointer; those of Go's scheduler end at "
			    "runtime.mcall, mstart or systemstack" :
			    "",
		 e->runtime.advice.stacks[0] ? "; " : "", e->runtime.advice.stacks);
	put_line(out, missing || e->runtime.advice.stacks_cut ? "partly" : "ok", line);
}

static void put_names(const struct examination *e, struct sink *out)
{
	size_t missing = e->files.len - e->named;
	const struct doctor_runtime *rt = &e->runtime;
	bool unnamed = rt->advice.unnamed && rt->advice.names[0];
	char line[LINE_SZ];
	int len;

	len = snprintf(line, sizeof(line), "names: all functions of %zu of %zu files", e->named,
		       e->files.len);
	snprintf(line + len, sizeof(line) - (size_t)len, "%s%.400s%s%.400s",
		 rt->found[0] ? "; " : "", rt->found, rt->advice.names[0] ? "; " : "",
		 rt->advice.names);
	put_line(out,
		 !missing && !unnamed ? "ok" :
		 e->named || !unnamed ? "partly" :
					"missing",
		 line);
}

/* The packages with the missing symbols, each once. */
static void list_packages(const struct examination *e, char *buf, size_t sz)
{
	struct debug_package packages[FILES_SHOWN * 4];
	size_t i, n = 0, len = 0, other;

	for (i = 0; i < e->files.len && n < ARRAY_LEN(packages); i++) {
		const struct doctor_file *f = vec__at(&e->files, i);

		if (!doctor_file__named(f) && !f->why.code)
			packages[n++] = (struct debug_package){ .path = f->range->path };
	}
	debug_package_find(e->tgid, packages, n);
	for (i = 0; i < n && len < sz; i++) {
		for (other = 0; other < i; other++) {
			if (!strcmp(packages[i].name, packages[other].name))
				break;
		}
		if (packages[i].name[0] && other == i)
			len += (size_t)snprintf(buf + len, sz - len, " %s", packages[i].name);
	}
}

static void put_improvements(const struct examination *e, struct sink *out)
{
	char packages[LINE_SZ - 100] = "", line[LINE_SZ];

	if (e->runtime.advice.todo[0])
		put_line(out, "to do", e->runtime.advice.todo);
	if (e->named == e->files.len)
		return;
	list_packages(e, packages, sizeof(packages));
	if (packages[0]) {
		snprintf(line, sizeof(line), "apt install%s", packages);
		put_line(out, "to do", line);
		put_line(out, "", DEBUG_PACKAGE_NOTE);
	} else {
		put_line(out, "to do",
			 "install the debug symbols of the files below, or record with "
			 "--debuginfod");
	}
}

static void put_file(const struct doctor_file *f, bool ok, struct sink *out)
{
	char line[PATH_MAX + 2 * LINE_SZ], facts[LINE_SZ];
	bool nothing = f->why.code || f->source == SYMTAB_NONE;

	doctor_file__describe(f, facts, sizeof(facts));
	if (f->why.code)
		snprintf(line, sizeof(line), "%s", facts);
	else
		snprintf(line, sizeof(line), "%.*s%s: %s", PATH_MAX, f->range->path,
			 f->range->deleted ? " (deleted or replaced, still readable)" : "", facts);
	put_line(out, ok ? "ok" : nothing ? "missing" : "partly", line);
}

static void put_files(const struct examination *e, struct sink *out)
{
	size_t i, shown = 0, left = 0, fine = 0;

	sink__puts(out, "Files with code\n");
	for (i = 0; i < e->files.len; i++) {
		const struct doctor_file *f = vec__at(&e->files, i);
		bool ok = doctor_file__unwinds(f) && doctor_file__named(f);

		fine += ok;
		left += !ok && shown == FILES_SHOWN;
		/* complete files get a line if there is room: the program itself, or a few */
		if ((ok && e->files.len > FILES_SHOWN) || shown == FILES_SHOWN)
			continue;
		shown++;
		put_file(f, ok, out);
	}
	if (left)
		sink__printf(out, "  %zu more files like these\n", left);
	if (fine && e->files.len > FILES_SHOWN)
		sink__printf(out, "  %zu more files are complete\n", fine);
}

static int report(struct examination *e, struct sink *out, struct err *err)
{
	int r = look_at_files(e, err);

	if (!r)
		r = doctor_runtime__look(&e->runtime, e->tgid, &e->maps, err);
	if (r)
		return r;
	if (e->runtime.runtime)
		sink__printf(out, ", %s", e->runtime.runtime->words);
	sink__puts(out, "\n");
	put_stacks(e, out);
	put_names(e, out);
	if (e->is_go)
		put_line(out, "partly",
			 "waits: goroutines that wait for a sync.Mutex, channel or select are not "
			 "threads: record --tasks records what they wait for");
	doctor_tasks_of(e->tgid, out);
	put_improvements(e, out);
	put_files(e, out);
	return 0;
}

static int examine(u32 pid, struct sink *out, struct err *err)
{
	struct examination e = { .tgid = pid };
	struct err why = { 0 };
	int r = 0;

	vec__init(&e.files, sizeof(struct doctor_file));
	if (maps__read(&e.maps, pid, &why)) {
		sink__puts(out, "\n");
		put_line(out, "missing", why.msg);
		put_line(out, "",
			 "costs: its user frames have no names; to do: grant "
			 "CAP_SYS_PTRACE, or run as its user");
	} else if (!e.maps.len) {
		sink__puts(out, "\n");
		put_line(out, "ok", "no program: a kernel thread, or the process has exited");
	} else {
		r = report(&e, out, err);
	}
	vec__done(&e.files);
	maps__done(&e.maps);
	return r;
}

int doctor_process(u32 pid, struct sink *out, struct err *err)
{
	struct task_status status;
	char comm[PROC_COMM_SZ] = "?", harmless[4 * PROC_COMM_SZ];
	int r = task_status__read(&status, pid, err);

	if (r < 0)
		return r;
	if (status.tgid != pid)
		return err__set(err, -ESRCH, "%u is a thread, not a process; its process is %u",
				pid, status.tgid);
	proc_task_comm(pid, comm, sizeof(comm), NULL);
	sink__printf(out, "Process %u (%s) of user %u", pid,
		     utf8_copy_harmless(comm, harmless, sizeof(harmless)), status.uid);
	return examine(pid, out, err);
}
