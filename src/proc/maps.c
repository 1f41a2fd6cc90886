/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of /proc/PID/maps is five fields and a path:
 *
 *	7f2c4a000000-7f2c4a021000 r-xp 00002000 fe:00 247134        /usr/bin/a path (deleted)
 *
 * The path is chosen by its owner, so it is never searched for anything: it begins after the inode
 * and the blanks, and continues to the end of the line, including spaces. The kernel writes a
 * newline in it as "\012" but does not escape backslashes, so unescaping is ambiguous; the text is
 * kept as it is. For the same reason " (deleted)" at the end may be part of the name. Neither
 * matters: whoever opens the file compares the inode.
 *
 * The kernel promises that lines are sorted and do not overlap, even while the process maps and
 * unmaps. Text that violates this is refused, because maps__find() relies on it.
 */
#include "proc/maps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"

/* 65,530 mappings (vm.max_map_count) with paths of 4 KiB. */
#define MAPS_MAX_SZ (512UL << 20)

void maps__init(struct maps *m)
{
	*m = (struct maps){ 0 };
	arena__init(&m->strings);
}

void maps__done(struct maps *m)
{
	if (!m)
		return;
	mem_free(m->ranges);
	arena__done(&m->strings);
	maps__init(m);
}

/* Named memory in which JIT compilers put code: there is no file at these paths. */
static const char *const memory_paths[] = {
	"/dev/zero", /* shared anonymous memory: PHP */
	"/SYSV", /* shmget() */
	"/anon_hugepage", /* MAP_HUGETLB: a JVM with large pages */
	"/memfd:doublemapper", /* .NET maps its code a second time, for writing */
};

const struct map_range *maps__code_named(const struct maps *m, const char *name, bool whole)
{
	for (size_t i = 0; i < m->len; i++) {
		const struct map_range *range = &m->ranges[i];
		const char *slash = strrchr(range->path, '/');
		const char *have = slash ? slash + 1 : range->path;

		if (!range->exec || !map_range__is_file(range))
			continue;
		if (whole ? !strcmp(have, name) : !strncmp(have, name, strlen(name)))
			return range;
	}
	return NULL;
}

bool map_range__is_file(const struct map_range *range)
{
	size_t i;

	if (!range->ino)
		return false;
	for (i = 0; range->deleted && i < ARRAY_LEN(memory_paths); i++) {
		if (strncmp(range->path, memory_paths[i], strlen(memory_paths[i])) == 0)
			return false;
	}
	return true;
}

bool map_range__is_memory(const struct map_range *range)
{
	static const char *const kernels[] = { "[vdso]", "[vsyscall]", "[uprobes]", "[vvar]" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(kernels); i++) {
		if (strcmp(range->path, kernels[i]) == 0)
			return false;
	}
	return !map_range__is_file(range);
}

bool map_range__is_vdso(const struct map_range *range)
{
	return !range->ino && strcmp(range->path, "[vdso]") == 0;
}

/* "rwxp": each of the first three may be '-'; the last is p or s. */
static void parse_perms(struct view *line, struct map_range *range)
{
	const char *perms = view__bytes(line, 4);

	if (!perms)
		return;
	range->exec = perms[2] == 'x';
	if ((perms[0] != 'r' && perms[0] != '-') || (perms[1] != 'w' && perms[1] != '-') ||
	    (perms[2] != 'x' && perms[2] != '-') || (perms[3] != 'p' && perms[3] != 's'))
		line->bad = true;
}

static void expect(struct view *line, char c)
{
	if (!view__accept(line, c))
		line->bad = true;
}

/* Everything except the path; afterwards the cursor is behind the inode. */
static int parse_fields(struct view *line, struct map_range *range)
{
	u64 major, minor;

	range->start = view__hex(line);
	expect(line, '-');
	range->end = view__hex(line);
	expect(line, ' ');
	parse_perms(line, range);
	expect(line, ' ');
	range->off = view__hex(line);
	expect(line, ' ');
	major = view__hex(line);
	expect(line, ':');
	minor = view__hex(line);
	expect(line, ' ');
	range->ino = view__dec(line);
	if (line->bad || major > 0xfff || minor > 0xfffff || range->start >= range->end)
		return -EINVAL;
	range->dev = makedev((u32)major, (u32)minor);
	return 0;
}

/* If the same file is mapped several times in a row, reuses the text of the previous range. */
static int parse_path(struct arena *strings, struct view line, const struct map_range *before,
		      struct map_range *range)
{
	static const char mark[] = " (deleted)";
	const size_t mark_len = sizeof(mark) - 1;
	size_t len;
	char *path;

	view__blank(&line);
	len = view__left(&line);
	if (memchr(line.p, '\0', len))
		return -EINVAL;
	if (len > mark_len && memcmp(line.end - mark_len, mark, mark_len) == 0) {
		range->deleted = true;
		len -= mark_len;
	}
	if (before && strlen(before->path) == len && memcmp(before->path, line.p, len) == 0) {
		range->path = before->path;
		return 0;
	}
	path = arena__alloc(strings, len + 1);
	if (!path)
		return -ENOMEM;
	memcpy(path, line.p, len);
	range->path = path;
	return 0;
}

static int parse_line(struct arena *strings, struct view line, const struct map_range *before,
		      struct map_range *range)
{
	int r = parse_fields(&line, range);

	if (r)
		return r;
	if (view__left(&line) && *line.p != ' ')
		return -EINVAL;
	if (before && range->start < before->end)
		return -EINVAL;
	return parse_path(strings, line, before, range);
}

static bool is_wanted(const struct map_range *range, bool exec_only)
{
	return !exec_only || range->exec || map_range__is_vdso(range);
}

static int parse_all(struct maps *m, struct view text, bool exec_only, struct err *err)
{
	struct map_range prev = { 0 }, range;
	struct view line;
	struct vec ranges;
	size_t number = 0;
	int r = 0;

	maps__init(m);
	vec__init(&ranges, sizeof(struct map_range));
	while (view__line(&text, &line)) {
		struct map_range *kept;

		range = (struct map_range){ 0 };
		r = parse_line(&m->strings, line, number ? &prev : NULL, &range);
		number++;
		if (r)
			break;
		prev = range;
		if (!is_wanted(&range, exec_only))
			continue;
		kept = vec__push(&ranges);
		if (!kept) {
			r = -ENOMEM;
			break;
		}
		*kept = range;
	}
	m->ranges = vec__steal(&ranges, &m->len);
	if (r)
		maps__done(m);
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r)
		return err__set(err, r, "line %zu of the mappings is malformed", number);
	return 0;
}

int maps__parse(struct maps *m, struct view text, struct err *err)
{
	return parse_all(m, text, false, err);
}

static int read_ranges(struct maps *m, u32 pid, bool code, struct err *err)
{
	char path[32], *text;
	size_t sz;
	int r;

	maps__init(m);
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	r = file_read(path, MAPS_MAX_SZ, &text, &sz, err);
	if (r == -ENOENT || r == -ESRCH)
		return err__set(err, -ESRCH, "process %u is gone", pid);
	if (r)
		return r;
	r = parse_all(m, view__of(text, sz), code, err);
	mem_free(text);
	return r ? err__wrap(err, r, "process %u", pid) : 0;
}

int maps__read(struct maps *m, u32 pid, struct err *err)
{
	return read_ranges(m, pid, true, err);
}

int maps__read_all(struct maps *m, u32 pid, struct err *err)
{
	return read_ranges(m, pid, false, err);
}

const struct map_range *maps__find(const struct maps *m, u64 addr)
{
	size_t lo = 0, hi = m->len;

	/* the first range that ends behind addr */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->ranges[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->len && m->ranges[lo].start <= addr ? &m->ranges[lo] : NULL;
}
