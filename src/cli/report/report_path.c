/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path is not a profile, so its text and JSON are its own. For graphs it is made into one
 * (path_view.h), which the formats of `report` draw.
 */
#include "cli/report/report_path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/path/path_thread.h"
#include "analysis/path/path_view.h"
#include "app/outputs.h"
#include "base/text/units.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "render/json/json_path.h"
#include "render/text/path_screen.h"

#define TITLE_SZ 96
#define ABOUT_SZ 192

static const char *const formats[] = { "summary", "json", "folded", "wide", "svg" };

/* Of a file; NULL: there is none for its name. */
static const char *format_of(const char *path)
{
	const struct render_ops *ops = render_find_by_path(path);
	const char *name = !ops ? "" : strcmp(ops->name, "txt") == 0 ? "summary" : ops->name;

	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		if (strcmp(name, formats[i]) == 0)
			return formats[i];
	}
	return NULL;
}

int report_path_check(const struct report_values *v, const struct opt_command *cmd)
{
	size_t i;

	if (v->select.tids.len > 1)
		return command_usage(cmd, "--critical-path: --tid takes one thread");
	for (i = 0; i < v->outputs.len; i++) {
		const char *path = *(const char **)vec__at(&v->outputs, i);

		if (!format_of(path))
			return command_usage(cmd,
					     "--critical-path: unknown extension of '%s'; known "
					     "extensions: .txt .json .folded .wide.folded .svg",
					     path);
	}
	for (i = 0; v->format && i < ARRAY_LEN(formats); i++) {
		if (strcmp(v->format, formats[i]) == 0)
			return STATUS_OK;
	}
	if (!v->format)
		return STATUS_OK;
	return command_usage(cmd,
			     "--critical-path has the formats summary, json, folded, wide and "
			     "svg, not %s",
			     v->format);
}

/* The first window begins at 0. */
static u64 since_begin(const struct profile *p, u64 wall_ns)
{
	return wall_ns > p->hdr.begin_wall_ns ? wall_ns - p->hdr.begin_wall_ns : 0;
}

static int find(const struct report_values *v, const struct lanes *lanes,
		const struct time_span *span, struct path_range *range, struct err *err)
{
	u32 tid = v->select.tids.len ? *(const u32 *)vec__at(&v->select.tids, 0) : 0;
	int r = path_thread_find(lanes, tid, range, err);

	return r ? r :
		   path_thread_cut(lanes, since_begin(lanes->p, span->from_ns),
				   since_begin(lanes->p, span->to_ns), range, err);
}

/* Appends to `out`. */
static int put_view(const struct render_ops *format, const struct critical_path *path,
		    const struct render_options *opt, struct sink *out, struct err *err)
{
	const struct profile *p = path->lanes->p;
	const struct profile_task *t = &p->tasks[path->lanes->lanes[path->range.lane].last_task];
	struct render_options own = *opt;
	struct path_view view;
	char title[TITLE_SZ], about[ABOUT_SZ], time[32];
	int r = path_view__init(&view, path, opt->memo, err);

	snprintf(title, sizeof(title), "Critical path of %s-%u", profile__str(p, t->comm), t->tid);
	units_format_ns(path->range.end_ns - path->range.begin_ns, time, sizeof(time));
	snprintf(about, sizeof(about),
		 "What %s of the thread went to, also in threads that it waited for", time);
	own.about = about;
	if (!own.title)
		own.title = title;
	own.memo = &view.memo;
	if (!r)
		r = format->render(&view.copy, &own, out, err);
	path_view__done(&view);
	return r;
}

static int put_table(bool is_json, const struct critical_path *path,
		     const struct render_options *opt, struct sink *out, struct err *err)
{
	struct path_table table;
	struct arena a;
	int r;

	arena__init(&a);
	r = path_table__build(path, opt->memo, &a, &table, err);
	if (!r && is_json)
		json_path_put(path, &table, out);
	else if (!r && path_screen_put(path, &table, opt, out))
		r = err__nomem(err);
	arena__done(&a);
	return r;
}

/* To a file, or to standard output if that is NULL. */
static int write_to(const char *file, const char *format, const struct report_values *v,
		    const struct critical_path *path, const struct render_options *opt,
		    struct err *err)
{
	bool is_json = strcmp(format, "json") == 0, is_text = strcmp(format, "summary") == 0;
	struct render_options own = *opt;
	struct sink out;
	int r;

	graph_values__apply(&v->graph, format, &own);
	sink__init_mem(&out);
	r = is_json || is_text ? put_table(is_json, path, &own, &out, err) :
				 put_view(render_find(format), path, &own, &out, err);
	if (!r)
		r = sink__finish(&out, err);
	if (!r && file)
		r = output_replace(file, &out, err);
	else if (!r)
		r = output_text(STDOUT_FILENO, &out, is_text && terminal_ascii(), err);
	sink__done(&out);
	return r;
}

static int write_all(const struct report_values *v, const struct critical_path *path,
		     const struct render_options *opt, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < v->outputs.len && !r; i++) {
		const char *file = *(const char **)vec__at(&v->outputs, i);

		r = write_to(file, format_of(file), v, path, opt, err);
	}
	if (!r && (v->format || !v->outputs.len))
		r = write_to(NULL, v->format ? v->format : "summary", v, path, opt, err);
	return r;
}

int report_path_print(const struct report_values *v, const struct profile *p,
		      const struct time_span *span, const struct render_options *opt,
		      struct err *err)
{
	struct critical_path path = { 0 };
	struct lanes lanes;
	struct path_range range;
	int r = path_thread_check(p, err);

	if (r)
		return r;
	r = lanes__init(&lanes, p) ? err__nomem(err) : 0;
	if (!r)
		r = find(v, &lanes, span, &range, err);
	if (!r && critical_path__init(&path, &lanes, range))
		r = err__nomem(err);
	if (!r)
		r = write_all(v, &path, opt, err);
	critical_path__done(&path);
	lanes__done(&lanes);
	return r;
}
