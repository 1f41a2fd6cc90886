/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is a log: a JIT compiler appends a line for all code it creates and never withdraws one,
 * so old lines may cover addresses of newer code. Later lines win; code_log handles that.
 */
#include "symbol/perfmap.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "symbol/code_log.h"
#include "symbol/growing.h"

struct perfmap {
	struct code_log log;
	struct growing file;
};

int perfmap__new(struct perfmap **ret, struct err *err)
{
	struct perfmap *pm = mem_alloc(sizeof(*pm));

	if (!pm)
		return err__nomem(err);
	if (code_log__init(&pm->log)) {
		perfmap__free(pm);
		return err__nomem(err);
	}
	*ret = pm;
	return 0;
}

void perfmap__free(struct perfmap *pm)
{
	if (!pm)
		return;
	code_log__done(&pm->log);
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

/* False if the line must be skipped. */
static bool parse_line(struct view *line, u64 *ret_start, u64 *ret_sz)
{
	*ret_start = parse_number(line);
	*ret_sz = parse_number(line);
	if (line->bad || !view__left(line) || *line->p != ' ')
		return false;
	view__blank(line);
	while (view__left(line) && (line->end[-1] == ' ' || line->end[-1] == '\r'))
		line->end--;
	return view__left(line) && !memchr(line->p, '\0', view__left(line));
}

/* Only -ENOMEM is an error: a line that does not fit is counted. */
static int take_line(struct perfmap *pm, struct view *line)
{
	u64 start, sz;
	int r;

	if (!parse_line(line, &start, &sz))
		return 0;
	r = code_log__add(&pm->log, start, sz, (const char *)line->p, view__left(line), NULL);
	if (r == -ENOSPC) {
		r = code_log__compact(&pm->log);
		if (!r)
			r = code_log__add(&pm->log, start, sz, (const char *)line->p,
					  view__left(line), NULL);
	}
	if (r == -ENOSPC)
		pm->log.dropped++;
	return r == -ENOMEM ? r : 0;
}

/* Takes the complete lines; returns their bytes. */
static s64 take_lines(void *arg, struct view text)
{
	struct perfmap *pm = arg;
	const u8 *begin = text.p;
	struct view line;

	while (view__left(&text) && text.end[-1] != '\n')
		text.end--;
	while (view__line(&text, &line)) {
		if (take_line(pm, &line))
			return -ENOMEM;
	}
	return text.end - begin;
}

static int settle(struct perfmap *pm, struct err *err)
{
	return code_log__settle(&pm->log) ? err__nomem(err) : 0;
}

int perfmap__add(struct perfmap *pm, struct view text, struct err *err)
{
	if (take_lines(pm, text) < 0)
		return err__nomem(err);
	return settle(pm, err);
}

static int forget(struct perfmap *pm)
{
	growing__restart(&pm->file);
	code_log__done(&pm->log);
	return code_log__init(&pm->log);
}

int perfmap__update(struct perfmap *pm, int fd, struct err *err)
{
	int r = growing__is_another(&pm->file, fd) ? forget(pm) : 0, settled;

	if (!r)
		r = growing__read(&pm->file, fd, take_lines, pm);
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r < 0)
		return err__set(err, r, "cannot read a perf map: %s", err_str(r));
	settled = settle(pm, err);
	return settled ? settled : r;
}

bool perfmap__find(const struct perfmap *pm, u64 addr, const char **ret_name, u64 *ret_start)
{
	u32 id;

	if (!code_log__find(&pm->log, addr, &id))
		return false;
	*ret_name = code_log__name(&pm->log, id);
	*ret_start = code_log__entry(&pm->log, id)->start;
	return true;
}

size_t perfmap__len(const struct perfmap *pm)
{
	return pm->log.entries.len;
}

u64 perfmap__dropped(const struct perfmap *pm)
{
	return pm->log.dropped;
}
