/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is a log: a JIT appends a line for all code it makes and never takes one back, so old
 * lines may cover what other code lies at now. Later lines get the higher rank, and the sweep in
 * spans does the rest.
 *
 * /tmp is everybody's. A map is only believed when it belongs to the user of the process or to
 * root, and links in it cannot lead us out of the root of the process.
 */
#include "symbol/perfmap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "elf/spans.h"
#include "proc/mapfile.h"
#include "proc/task.h"

#define PERFMAP_MAX_SZ (256UL << 20)
#define PERFMAP_MAX_LINES (4UL << 20)

struct perfmap {
	struct spans spans;
};

void perfmap__free(struct perfmap *pm)
{
	if (!pm)
		return;
	spans__done(&pm->spans);
	mem_free(pm);
}

/* Hex digits, with or without 0x. */
static u64 parse_number(struct view *line)
{
	view__blank(line);
	if (view__left(line) > 2 && line->p[0] == '0' && (line->p[1] | 0x20) == 'x')
		view__bytes(line, 2);
	return view__hex(line);
}

/* False when the line is to be left out. */
static bool parse_line(struct view *line, struct span *range, struct view *ret_name)
{
	u64 sz;

	range->start = parse_number(line);
	sz = parse_number(line);
	range->end = range->start + sz;
	if (line->bad || !view__left(line) || *line->p != ' ')
		return false;
	view__blank(line);
	while (view__left(line) && (line->end[-1] == ' ' || line->end[-1] == '\r'))
		line->end--;
	*ret_name = *line;
	return view__left(line) && !memchr(line->p, '\0', view__left(line));
}

static int add_line(struct perfmap *pm, struct vec *ranges, struct view line)
{
	struct span range = { .rank = ranges->len }, *copy;
	struct view name;
	int r;

	if (!parse_line(&line, &range, &name))
		return 0;
	r = spans__name(&pm->spans, (const char *)name.p, view__left(&name), &range.name);
	if (r)
		return r;
	copy = vec__push(ranges);
	if (!copy)
		return -ENOMEM;
	*copy = range;
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int parse_all(struct perfmap *pm, struct view text, struct vec *ranges)
{
	struct view line;
	int r = 0;

	while (view__left(&text) && text.end[-1] != '\n')
		text.end--;
	while (!r && ranges->len < PERFMAP_MAX_LINES && view__line(&text, &line))
		r = add_line(pm, ranges, line);
	if (r && r != -E2BIG)
		return r;
	if (ranges->len)
		qsort(ranges->data, ranges->len, sizeof(struct span), compare_starts);
	return spans__build(&pm->spans, ranges->data, ranges->len);
}

int perfmap__parse(struct perfmap **ret, struct view text, struct err *err)
{
	struct perfmap *pm = mem_alloc(sizeof(*pm));
	struct vec ranges;
	int r;

	if (!pm)
		return err__nomem(err);
	vec__init(&ranges, sizeof(struct span));
	r = spans__init(&pm->spans);
	if (!r)
		r = parse_all(pm, text, &ranges);
	vec__done(&ranges);
	if (r) {
		perfmap__free(pm);
		return err__nomem(err);
	}
	*ret = pm;
	return 0;
}

static int read_fd(int fd, const char *path, const struct task_status *task, struct perfmap **ret,
		   struct err *err)
{
	struct stat st;
	char *text;
	size_t sz;
	int r;

	if (fstat(fd, &st))
		return err__set(err, -errno, "cannot stat '%s': %s", path, err_str(errno));
	if (st.st_uid != task->uid && st.st_uid != task->euid && st.st_uid != 0)
		return err__set(err, -EPERM, "'%s' of process %u belongs to user %u: not used",
				path, task->tgid, st.st_uid);
	r = file_read_fd(fd, path, PERFMAP_MAX_SZ, &text, &sz, err);
	if (r)
		return r;
	r = perfmap__parse(ret, view__of(text, sz), err);
	mem_free(text);
	return r;
}

int perfmap__read(u32 tgid, struct perfmap **ret, struct err *err)
{
	struct task_status task;
	char path[40];
	int fd, r;

	r = task_status__read(&task, tgid, err);
	if (r == -ESRCH)
		return err__set(err, -ENOENT, "process %u is gone", tgid);
	if (r)
		return r;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", task.ns_pid);
	r = module_file_open_in_root(tgid, path, &fd);
	if (r == -ENOENT || r == -ESRCH)
		return err__set(err, -ENOENT, "process %u has no '%s'", tgid, path);
	if (r)
		return err__set(err, r, "cannot open '%s' of process %u: %s", path, tgid,
				err_str(r));
	r = read_fd(fd, path, &task, ret, err);
	close(fd);
	return r;
}

bool perfmap__find(const struct perfmap *pm, u64 addr, const char **ret_name, u64 *ret_start)
{
	return spans__find(&pm->spans, addr, ret_name, ret_start);
}
