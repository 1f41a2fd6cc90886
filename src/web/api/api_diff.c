/* SPDX-License-Identifier: Apache-2.0 */
/* Two ranges of windows, or two recordings, compared. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analysis/diff/diff.h"
#include "base/clock.h"
#include "render/diff/diff_page.h"
#include "render/diff/diff_view.h"
#include "web/ask/ask.h"
#include "web/source/picked.h"
#include "web/api/routes.h"

typedef int put_fn(const struct diff_view *v, struct sink *out, struct err *err);

static int put_json(const struct diff_view *v, struct sink *out, struct err *err)
{
	(void)err;
	diff_json_put(v, out);
	return 0;
}

static int put_text(const struct diff_view *v, struct sink *out, struct err *err)
{
	(void)err;
	diff_text_put(v, out);
	return 0;
}

static int put_page(const struct diff_view *v, struct sink *out, struct err *err)
{
	return diff_page_put(v, out) ? err__nomem(err) : 0;
}

static const struct diff_format {
	const char *mime;
	const char *file;
	put_fn *put;
} formats[] = {
	{ MIME_JSON, "diff.json", put_json },
	{ "application/octet-stream", "", put_page },
	{ "text/plain; charset=utf-8", "", put_text },
	{ "image/svg+xml", "diff.svg", diff_svg_put },
	{ "text/html; charset=utf-8", "diff.html", diff_html_put },
	{ "text/plain; charset=utf-8", "diff.folded", diff_folded_put },
};

static const char *const format_names[] = { "json", "page", "text", "svg", "html", "folded", NULL };
static const char *const per_names[] = { "wall", "threads", NULL };

struct comparing {
	struct ask ask;
	struct pick picks[2];
	char ids[2][24];
	char hosts[2][256]; /* of a fleet: a glob; "": as for both */
	struct vec host_list[2];
	struct picked picked[2];
	u32 format;
	u32 per;
	char names[2][320];
};

/* "HOST", ":FROM-TO" or "HOST:FROM-TO", in ms since the epoch. */
static int parse_fleet_side(struct comparing *c, u32 side, const char *text, struct err *err)
{
	struct pick *pick = &c->picks[side];
	const char *colon = strrchr(text, ':'), **slot;
	size_t len = colon ? (size_t)(colon - text) : strlen(text);

	if (len >= sizeof(c->hosts[0]))
		return err__set(err, -EINVAL, "the name of a host has at most 255 bytes");
	memcpy(c->hosts[side], text, len);
	pick->hosts = &c->ask.hosts;
	pick->services = &c->ask.services;
	if (len) {
		slot = vec__push(&c->host_list[side]);
		if (!slot)
			return err__nomem(err);
		*slot = c->hosts[side];
		pick->hosts = &c->host_list[side];
	}
	return colon ? query_parse_range(colon + 1, &pick->range, err) : 0;
}

/* "FROM-TO"; of a directory "ID" or "ID:FROM-TO". */
static int parse_side(struct web *w, struct comparing *c, u32 side, const char *text,
		      struct err *err)
{
	struct pick *pick = &c->picks[side];
	const char *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : strlen(text);

	pick->range = (struct query_range){ 1, ~0ULL >> 1 };
	if (w->opt.mode == WEB_FLEET)
		return parse_fleet_side(c, side, text, err);
	if (w->opt.mode != WEB_DIRECTORY)
		return query_parse_range(text, &pick->range, err);
	if (len >= sizeof(c->ids[0]))
		return err__set(err, -ENOENT, "no recording '%.20s'", text);
	memcpy(c->ids[side], text, len);
	pick->recording = c->ids[side];
	return colon ? query_parse_range(colon + 1, &pick->range, err) : 0;
}

/* Of a store: numbers of windows are the times at which they begin. */
static void name_time(char *name, size_t sz, const struct query_range *range)
{
	const u64 most = ~0ULL / NSEC_PER_MSEC;
	char from[40] = "...", to[40] = "...";

	if (range->from > 1 && range->from < most)
		clock_format_wall(range->from * NSEC_PER_MSEC, from, sizeof(from));
	if (range->to < most)
		clock_format_wall(range->to * NSEC_PER_MSEC, to, sizeof(to));
	if (range->from == range->to)
		snprintf(name, sz, "window of %s", from);
	else
		snprintf(name, sz, "windows of %s to %s", from, to);
}

/* "windows 1-30"; of a directory "db.coldspot" or "db.coldspot, windows 1-30". */
static int name_side(struct web *w, struct comparing *c, u32 side, const char *text,
		     struct err *err)
{
	const char *colon = strchr(text, ':');
	char path[PATH_MAX], time[110];
	int r;

	if (w->opt.mode == WEB_STORE) {
		name_time(c->names[side], sizeof(c->names[side]), &c->picks[side].range);
		return 0;
	}
	if (w->opt.mode == WEB_FLEET) {
		*time = '\0';
		if (colon)
			name_time(time, sizeof(time), &c->picks[side].range);
		snprintf(c->names[side], sizeof(c->names[side]), "%.200s%s%s", c->hosts[side],
			 *c->hosts[side] && colon ? ", " : "", time);
		return 0;
	}
	if (w->opt.mode != WEB_DIRECTORY) {
		snprintf(c->names[side], sizeof(c->names[side]), "windows %.60s", text);
		return 0;
	}
	r = picked_path(w, c->picks[side].recording, path, err);
	if (r)
		return r;
	snprintf(c->names[side], sizeof(c->names[side]), "%.255s%s%.40s", strrchr(path, '/') + 1,
		 colon ? ", windows " : "", colon ? colon + 1 : "");
	return 0;
}

static int parse(struct web *w, struct comparing *c, struct query *q, struct err *err)
{
	static const char *const names[2] = { "before", "after" };
	u32 side;
	int r = ask__init_filters(&c->ask, q, err);

	for (side = 0; side < 2; side++)
		vec__init(&c->host_list[side], sizeof(const char *));
	if (!r && w->opt.mode == WEB_FLEET)
		r = ask_fleet(&c->ask, q, err);
	for (side = 0; side < 2 && !r; side++) {
		const char *text = query__text(q, names[side]);

		if (!text || !*text)
			return err__set(err, -EINVAL, "parameter '%s' is missing", names[side]);
		r = parse_side(w, c, side, text, err);
		if (!r)
			r = name_side(w, c, side, text, err);
		if (r)
			return err__wrap(err, r, "parameter '%s'", names[side]);
		if (ask__has_filters(&c->ask))
			c->picks[side].select = &c->ask.select;
	}
	if (!r)
		r = query__choice(q, "format", format_names, &c->format, err);
	if (!r)
		r = query__choice(q, "per", per_names, &c->per, err);
	return r ? r : query__check(q, err);
}

static int compare(struct web *w, const struct comparing *c, struct answer *a, struct err *err)
{
	const struct profile *const p[2] = { c->picked[0].p, c->picked[1].p };
	const struct diff_format *format = &formats[c->format];
	const struct diff_options opt = {
		.per = c->per ? DIFF_PER_THREAD : DIFF_PER_WALL,
		.idle = c->ask.select.classes >> CLASS_IDLE & 1,
		.rules = w->opt.rules,
	};
	struct diff_view view = { .names = { c->names[0], c->names[1] } };
	struct arena arena;
	struct diff diff;
	int r;

	arena__init(&arena);
	r = diff__build(p, &opt, &arena, &diff, err);
	view.d = &diff;
	a->mime = format->mime;
	snprintf(a->file, sizeof(a->file), "%s", format->file);
	if (!r)
		r = format->put(&view, &a->body, err);
	arena__done(&arena);
	return r;
}

int api_diff(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	struct comparing c = { 0 };
	u32 side, picked = 0;
	int r = parse(w, &c, &rq->query, err);

	if (!r)
		r = web__enter(w, err);
	if (r)
		goto out;
	for (side = 0; side < 2 && !r; side++, picked++)
		r = picked__init(&c.picked[side], w, &c.picks[side], err);
	if (!r)
		r = compare(w, &c, a, err);
	for (side = 0; side < picked; side++)
		picked__done(&c.picked[side]);
	web__leave(w);
out:
	for (side = 0; side < 2; side++)
		vec__done(&c.host_list[side]);
	ask__done(&c.ask);
	return r;
}
