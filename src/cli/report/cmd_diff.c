/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff: compares two recordings, or two times in recordings. Files are read and filtered as in
 * `report`; then both become one model, from which everything is printed.
 */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/diff/diff.h"
#include "analysis/diff/diff_limit.h"
#include "app/outputs.h"
#include "base/text/utf8.h"
#include "cli/report/diff_opts.h"
#include "cli/report/windows_load.h"
#include "cli/output_opts.h"
#include "cli/terminal.h"
#include "render/diff/diff_view.h"

struct comparing {
	struct diff_values v;
	struct profile *p[2];
	struct loaded_rules rules;
	struct arena arena;
	struct diff diff;
	struct diff_view view;
	struct vec limits; /* struct diff_limit */
	char names[2][1400];
	const char *shown[2]; /* names of both */
	bool damaged;
	bool over; /* a limit was reached */
};

static const char *file_of(const struct comparing *c, u32 side)
{
	return *(const char **)vec__at(&c->v.files, c->v.files.len > 1 ? side : 0);
}

static bool is_given(const struct time_range *range)
{
	return range->from.kind || range->to.kind || range->at.kind || range->on.is_given;
}

/* One recording compared with itself needs times, or a ClickHouse hosts. */
static bool has_two_parts(const struct diff_values *v)
{
	return (is_given(&v->ranges[0]) && is_given(&v->ranges[1])) ||
	       (v->hosts[0].len && v->hosts[1].len);
}

static const struct time_range *range_of(const struct diff_values *v, u32 side)
{
	/* two hosts at one time */
	bool other = v->hosts[1].len && !is_given(&v->ranges[side]);

	return &v->ranges[other ? !side : side];
}

static struct windows_from from_of(const struct comparing *c, u32 side, const struct vec *one)
{
	const struct diff_values *v = &c->v;

	return (struct windows_from){ one, range_of(v, side), &v->hosts[v->hosts[1].len ? side : 0],
				      &v->services };
}

static int check_side(const struct comparing *c, u32 side)
{
	const char *path = file_of(c, side);
	const struct vec one = { .data = &path, .len = 1, .elem_sz = sizeof(const char *) };
	const struct windows_from from = from_of(c, side, &one);

	return windows_from__check(&from, &diff_opts);
}

static void name_side(struct comparing *c, u32 side)
{
	const char *path = file_of(c, side);
	const struct vec one = { .data = &path, .len = 1, .elem_sz = sizeof(const char *) };
	const struct windows_from from = from_of(c, side, &one);

	c->shown[side] = windows_from__name(&from, c->names[side], sizeof(c->names[side]));
}

/* 0, or the exit status after the message. */
static int check_usage(struct comparing *c)
{
	struct diff_values *v = &c->v;
	struct err err = { 0 };
	size_t i;
	int status;

	if (v->files.len != 2 && !(v->files.len == 1 && has_two_parts(v)))
		return command_usage(&diff_opts, "diff needs two recordings, not %zu",
				     v->files.len);
	status = diff_values__place_outputs(v);
	if (!status)
		status = check_side(c, DIFF_BEFORE);
	if (!status)
		status = check_side(c, DIFF_AFTER);
	if (status)
		return status;
	if (v->requests.at[0])
		v->per = DIFF_PER_REQUEST;
	if (v->per == DIFF_PER_REQUEST && !v->requests.at[0])
		return command_usage(&diff_opts, "--per requests needs --requests N:M");
	for (i = 0; i < v->limits.len; i++) {
		struct diff_limit *l = vec__push(&c->limits);

		if (!l || diff_limit_parse(*(const char **)vec__at(&v->limits, i), l, &err))
			return command_usage(&diff_opts, "--fail-on: %s",
					     l ? err.msg : err_str(ENOMEM));
	}
	return 0;
}

static int load_side(struct comparing *c, u32 side, struct err *err)
{
	const char *path = file_of(c, side);
	struct vec one = { .data = &path, .len = 1, .elem_sz = sizeof(const char *) };
	const struct windows_from from = from_of(c, side, &one);
	struct recordings_found found = { 0 };
	int r = windows_load(&from, &diff_opts, &c->p[side], &found, err);

	name_side(c, side);
	c->damaged |= found.damaged;
	if (!r)
		r = selection__apply(&c->v.select, c->rules.set, &c->p[side], err);
	return r ? err__wrap(err, r, "%s", side ? "after" : "before") : 0;
}

static int build(struct comparing *c, struct err *err)
{
	const struct diff_options opt = {
		.per = c->v.per,
		.requests = { (double)c->v.requests.at[0], (double)c->v.requests.at[1] },
		.interpreter = c->v.interpreter,
		.idle = c->v.select.classes >> CLASS_IDLE & 1,
		.rules = c->rules.set,
	};
	const struct profile *const p[2] = { c->p[0], c->p[1] };
	int r = diff__build(p, &opt, &c->arena, &c->diff, err);

	c->view = (struct diff_view){ .d = &c->diff,
				      .names = { c->shown[0], c->shown[1] },
				      .rows = (u32)c->v.top,
				      .color = terminal_color(),
				      .side_by_side = c->v.side_by_side,
				      .width = (u32)c->v.width };
	return r;
}

static int put_json(const struct diff_view *v, struct sink *out, struct err *err)
{
	(void)err;
	diff_json_put(v, out);
	return 0;
}

typedef int put_fn(const struct diff_view *v, struct sink *out, struct err *err);

static int put_to(const struct comparing *c, const char *path, put_fn *put, struct err *err)
{
	struct sink out;
	int r;

	if (!path)
		return 0;
	sink__init_mem(&out);
	r = put(&c->view, &out, err);
	if (!r)
		r = sink__finish(&out, err);
	if (!r)
		r = output_replace(path, &out, err);
	if (!r && !c->v.quiet)
		output_say_written(path);
	sink__done(&out);
	return r;
}

static int print(const struct comparing *c, struct err *err)
{
	struct sink out;
	int r;

	sink__init_mem(&out);
	diff_text_put(&c->view, &out);
	r = sink__finish(&out, err);
	if (!r)
		r = output_text(STDOUT_FILENO, &out, terminal_ascii(), err);
	sink__done(&out);
	return r;
}

static int put_all(const struct comparing *c, struct err *err)
{
	const struct diff_values *v = &c->v;
	bool other = v->svg || v->html || v->json || v->folded || v->limits.len;
	bool text = v->text || !other || (v->limits.len && !diff_values__on_stdout(v));
	int r = put_to(c, v->svg, diff_svg_put, err);

	if (!r)
		r = put_to(c, v->html, diff_html_put, err);
	if (!r)
		r = put_to(c, v->json, put_json, err);
	if (!r)
		r = put_to(c, v->folded, diff_folded_put, err);
	if (!r && text && !v->quiet)
		r = print(c, err);
	return r;
}

/* With one path too many, an output option may have a recording as its argument. */
static int spare_recordings(const struct comparing *c, struct err *err)
{
	const char *const paths[] = { c->v.svg, c->v.html, c->v.json, c->v.folded };
	int r = 0;
	u32 i;

	for (i = 0; i < ARRAY_LEN(paths) && !r; i++) {
		if (paths[i])
			r = output_spare(paths[i], file_of(c, DIFF_BEFORE), err);
		if (paths[i] && !r)
			r = output_spare(paths[i], file_of(c, DIFF_AFTER), err);
	}
	return r;
}

static int check_limit(struct comparing *c, size_t idx, struct err *err)
{
	const char *text = *(const char **)vec__at(&c->v.limits, idx), *name;
	const struct diff_item *it;
	char before[32], after[32], clean[512];
	u32 matched;
	int r = diff_limit__find(vec__at(&c->limits, idx), &c->diff, &it, &name, &matched, err);

	if (r)
		return r;
	if (!matched)
		fprintf(stderr, "coldspot diff: --fail-on %s: no wait matches that name\n", text);
	if (!it)
		return 0;
	c->over = true;
	diff_rate_text(it->rate[DIFF_BEFORE], before, sizeof(before));
	diff_rate_text(it->rate[DIFF_AFTER], after, sizeof(after));
	fprintf(stderr, "coldspot diff: --fail-on %s: %s has %s per %s, before it had %s%s\n", text,
		utf8_copy_harmless(name, clean, sizeof(clean)), after,
		diff_unit_name(c->diff.opt.per), before,
		it->verdict == DIFF_UNKNOWN ? "; not known whether this is noise" : "");
	return 0;
}

static int compare(struct comparing *c, struct err *err)
{
	int r = spare_recordings(c, err);
	size_t i;

	if (!r)
		r = loaded_rules__init(&c->rules, &c->v.rules, err);
	if (!r)
		r = load_side(c, DIFF_BEFORE, err);
	if (!r)
		r = load_side(c, DIFF_AFTER, err);
	if (!r)
		r = build(c, err);
	if (!r)
		r = put_all(c, err);
	for (i = 0; i < c->limits.len && !r; i++)
		r = check_limit(c, i, err);
	if (!r && c->damaged)
		r = err__set(err, -EBADMSG, "part of a recording is lost");
	return r;
}

int cmd_diff(int argc, char **argv)
{
	struct comparing c = { 0 };
	struct err err = { 0 };
	int status;

	if (!command_begin(&diff_opts, argc, argv, &c.v, &status))
		return status;
	arena__init(&c.arena);
	vec__init(&c.limits, sizeof(struct diff_limit));
	status = check_usage(&c);
	if (!status && compare(&c, &err))
		status = command_fail(&diff_opts, &err);
	if (!status && c.over)
		status = STATUS_DIFFERS;
	profile__free(c.p[0]);
	profile__free(c.p[1]);
	loaded_rules__done(&c.rules);
	vec__done(&c.limits);
	arena__done(&c.arena);
	opt_release(&diff_opts, &c.v);
	return status;
}
