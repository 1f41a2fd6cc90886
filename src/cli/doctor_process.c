/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor_process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/wrap.h"
#include "elf/image.h"
#include "elf/symtab.h"
#include "proc/mapfile.h"
#include "proc/maps.h"
#include "proc/task.h"

/*
 * Goes the same way as the naming of frames does, through the same functions: what doctor can open
 * and read, a recording can too. A mapping that fails is a line of the report, not its end.
 */

#define TEXT_COLUMN 11

static void put_line(struct sink *out, const char *mark, const char *text)
{
	sink__printf(out, "  %-8s ", mark);
	wrap_text(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

/* How well a file's functions can be named, by where the names come from. */
static const struct {
	const char *mark;
	const char *words;
} sources[] = {
	[SYMTAB_NONE] = { "missing", "no functions have names" },
	[SYMTAB_OWN] = { "ok", "functions in .symtab" },
	[SYMTAB_SEPARATE] = { "ok", "functions in a separate debug file" },
	[SYMTAB_DEBUGDATA] = { "ok", "functions in .gnu_debugdata" },
	[SYMTAB_DYNSYM] = { "partly", "functions in .dynsym, the exported ones only" },
};

static void put_image(const struct image *img, const struct map_range *range, struct sink *out)
{
	struct symtab_options opt = { .path = range->path };
	struct symtab *st = NULL;
	enum symtab_source source;
	char count[32] = "";

	if (symtab__load(img, &opt, &st, NULL) < 0) {
		put_line(out, "missing", "not enough memory for its symbols");
		return;
	}
	source = symtab__source(st);
	if (source != SYMTAB_NONE)
		units_format_count(symtab__len(st), count, sizeof(count));
	sink__printf(out, "  %-8s %s%s\n", sources[source].mark, range->path,
		     range->deleted ? " (deleted or replaced, and still readable)" : "");
	sink__printf(out, "%*s%s%s%s; build ID %s\n", TEXT_COLUMN, "", count, count[0] ? " " : "",
		     sources[source].words, img->build_id[0] ? img->build_id : "none");
	symtab__free(st);
}

/* One file with code: mark, path, build ID, functions with a name. */
static void put_file(u32 pid, const struct map_range *range, struct sink *out)
{
	struct image *img = NULL;
	struct err err = { 0 };
	int fd, r = module_file_open(pid, range, &fd, &err);

	if (!r) {
		r = image__open(fd, range->path, &img, &err);
		close(fd);
	}
	if (r < 0) {
		put_line(out, "missing", err.msg);
		return;
	}
	put_image(img, range, out);
	image__free(img);
}

/* A file has several mappings; it is looked at once. */
static bool seen_before(const struct maps *maps, size_t idx)
{
	const struct map_range *range = &maps->ranges[idx];
	size_t i;

	for (i = 0; i < idx; i++) {
		if (maps->ranges[i].dev == range->dev && maps->ranges[i].ino == range->ino)
			return true;
	}
	return false;
}

static void put_files(u32 pid, struct sink *out)
{
	struct err err = { 0 };
	struct maps maps;
	size_t i;
	u32 anonymous = 0;

	if (maps__read(&maps, pid, &err) < 0) {
		put_line(out, "missing", err.msg);
		put_line(out, "",
			 "costs: its user frames have no names; to do: grant "
			 "CAP_SYS_PTRACE, or run as its user");
		return;
	}
	if (!maps.len)
		put_line(out, "ok", "no program of its own: a kernel thread, or it has ended");
	for (i = 0; i < maps.len; i++) {
		const struct map_range *range = &maps.ranges[i];

		if (map_range__is_file(range) && range->exec && !seen_before(&maps, i))
			put_file(pid, range, out);
		anonymous += range->exec && !map_range__is_file(range) && range->path[0] != '[';
	}
	if (anonymous) {
		char line[128];

		snprintf(line, sizeof(line),
			 "%u mappings with code and no file: made at run time; "
			 "a perf map would name it",
			 anonymous);
		put_line(out, "note", line);
	}
	maps__done(&maps);
}

/* Run-time compilers write this file, under the number that the process has for itself. */
static void put_perf_map(u32 pid, u32 ns_pid, struct sink *out)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", ns_pid);
	if (module_file_open_in_root(pid, path, &fd) < 0)
		return;
	close(fd);
	put_line(out, "ok", path);
}

int doctor_process(u32 pid, struct sink *out, struct err *err)
{
	struct task_status status;
	char comm[PROC_COMM_SZ] = "?";
	int r = task_status__read(&status, pid, err);

	if (r < 0)
		return r;
	if (status.tgid != pid)
		return err__set(err, -ESRCH, "%u is a thread, not a process; its process is %u",
				pid, status.tgid);
	proc_task_comm(pid, comm, sizeof(comm), NULL);
	sink__printf(out, "Process %u (%s) of user %u\n", pid, comm, status.uid);
	put_files(pid, out);
	put_perf_map(pid, status.ns_pid, out);
	sink__puts(out,
		   "  Code without a name is shown as [file+0xoffset]; a package of debug symbols "
		   "brings names.\n");
	return 0;
}
