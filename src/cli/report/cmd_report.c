/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cause/cause_memo.h"
#include "app/outputs.h"
#include "base/text/units.h"
#include "cli/output_opts.h"
#include "cli/report/report_hosts.h"
#include "cli/report/report_opts.h"
#include "cli/report/report_path.h"
#include "cli/report/report_requests.h"
#include "cli/report/windows_load.h"
#include "cli/terminal.h"
#include "render/text/explain.h"
#include "render/words/scope_text.h"
#include "symbol/rename.h"

/*
 * report, export and hist: recordings, or a part of them, in any format. All do the same: load,
 * filter, render. Export is a shortcut for one format to a pipe, hist for histograms.
 */

static const struct render_ops *format_of(const struct opt_command *cmd,
					  const struct report_values *v)
{
	if (cmd == &hist_opts)
		return render_find(v->json ? "hist-json" : "hist");
	if (v->format)
		return render_find(v->format);
	if (v->narrative.len)
		return render_find("narrative");
	return render_find(v->view.invert ? "tree" : "summary");
}

static bool wants_print(const struct report_values *v)
{
	if (v->critical_path || report_requests_wanted(v))
		return false;
	return v->explain || v->narrative.len || v->format ||
	       (!v->quiet && (!v->view.invert || !v->outputs.len));
}

/* What the format itself cannot say goes to standard error. */
static void say_scope(const struct opt_command *cmd, const struct profile *p)
{
	char text[SCOPE_TEXT_SZ];
	enum scope scope;

	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(p, scope, text, sizeof(text)))
			fprintf(stderr, "coldspot %s: %s\n", cmd->name, text);
	}
}

static int print_explained(const struct profile *p, const struct render_options *opt,
			   const char *what, struct err *err)
{
	struct sink sink;
	int r;

	sink__init_mem(&sink);
	r = explain_put(p, opt, what, &sink, err);
	if (!r)
		r = sink__finish(&sink, err);
	if (!r)
		r = output_text(STDOUT_FILENO, &sink, terminal_ascii(), err);
	sink__done(&sink);
	return r;
}

static int print(const struct opt_command *cmd, const struct report_values *v,
		 const struct profile *p, struct cause_memo *memo, struct err *err)
{
	struct render_options opt = view_values__options(&v->view);
	const struct render_ops *format = format_of(cmd, v);
	struct debug_package package;
	int r;

	opt.of = v->of;
	opt.steps = (u32)v->steps;
	opt.memo = memo;
	if (v->explain)
		return print_explained(p, &opt, v->explain, err);
	graph_values__apply(&v->graph, format->name, &opt);
	output_fit_terminal(format, &opt);
	output_find_package(format, p, &package, &opt);
	r = output_put(STDOUT_FILENO, format, p, &opt, err);
	if (!r && format->bare)
		say_scope(cmd, p);
	return r;
}

/* Frames recorded without names may get them from debug files of the same builds. */
static int name(const struct opt_command *cmd, const struct report_values *v, struct profile *p,
		struct err *err)
{
	const struct resolver_options opt = {
		.debug_dir = v->names.debug_dir,
		.debuginfod = v->names.debuginfod,
		.demangle = v->names.demangle,
		.strip_suffixes = v->names.strip_suffixes,
	};
	u32 named;
	int r;

	if (!opt.debug_dir && !opt.debuginfod)
		return 0;
	r = rename_profile(p, &opt, &named, err);
	if (!r)
		fprintf(stderr, "coldspot %s: %u frame%s resolved\n", cmd->name, named,
			units_plural(named));
	return r;
}

/* What to show: resolve names, then apply the filters. */
static int load(const struct opt_command *cmd, const struct report_values *v,
		const struct ruleset *rules, struct profile **p, struct recordings_found *found,
		struct err *err)
{
	const struct windows_from from = { &v->files, &v->range, &v->hosts, &v->services };
	struct selection select = v->select;
	int r;

	found->splits = v->critical_path;
	r = windows_load(&from, cmd, p, found, err);
	if (!r)
		r = name(cmd, v, *p, err);
	if (v->narrative.len)
		select.tids = v->narrative;
	select.no_idle = v->view.idle == VIEW_IDLE_HIDE;
	/* the path of a thread is made of others too */
	if (!r && !v->critical_path)
		r = selection__apply(&select, rules, p, err);
	if (!r)
		r = output_view_check(v->view.time, *p, err);
	return r ? r : output_wakers_check(&v->view, *p, err);
}

static void say_unused_by(const struct opt_command *cmd, const struct report_values *v,
			  const struct render_ops *format)
{
	if (v->view.by && !format->takes_root)
		fprintf(stderr, "coldspot %s: %s ignores --by\n", cmd->name, format->name);
	if (v->view.invert && !format->takes_invert)
		fprintf(stderr, "coldspot %s: %s ignores --invert\n", cmd->name, format->name);
	if ((v->view.off_wake || v->view.chains) && !format->takes_wakers)
		fprintf(stderr, "coldspot %s: %s ignores --%s\n", cmd->name, format->name,
			v->view.chains ? "chains" : "off-wake");
}

/* An option without effect is reported. A recording as output contains all of a selection. */
static void say_unused(const struct opt_command *cmd, const struct report_values *v)
{
	const struct render_ops *format;

	for (size_t i = 0; i < v->outputs.len; i++) {
		format = render_find_by_path(*(const char **)vec__at(&v->outputs, i));
		if (format)
			say_unused_by(cmd, v, format);
	}
	if (wants_print(v) && !v->explain)
		say_unused_by(cmd, v, format_of(cmd, v));
}

static int write_all(const struct opt_command *cmd, const struct report_values *v,
		     struct outputs *outputs, struct err *err)
{
	struct render_options opt = view_values__options(&v->view);
	struct loaded_rules rules;
	struct cause_memo memo = { 0 };
	struct profile *p = NULL;
	struct recordings_found found = { 0 };
	int r = loaded_rules__init(&rules, &v->rules, err);

	if (!r)
		r = load(cmd, v, rules.set, &p, &found, err);
	graph_values__apply(&v->graph, NULL, &opt);
	memo.p = p;
	memo.rules = rules.set;
	opt.memo = &memo;
	if (!r && report_requests_wanted(v))
		r = report_requests_print(v, p, &opt, err);
	else if (!r && v->critical_path)
		r = report_path_print(v, p, &found.span, &opt, err);
	if (!r)
		r = outputs__write(outputs, p, &opt, err);
	if (!r && wants_print(v))
		r = print(cmd, v, p, &memo, err);
	cause_memo__done(&memo);
	profile__free(p);
	loaded_rules__done(&rules);
	if (!r && found.damaged)
		r = err__set(err, -EBADMSG, "part of the recording is lost");
	return r;
}

static int print_hosts(const struct opt_command *cmd, const struct report_values *v,
		       struct err *err)
{
	bool damaged = false;
	int r = report_hosts_print(v, cmd, &damaged, err);

	return !r && damaged ? err__set(err, -EBADMSG, "part of the recording is lost") : r;
}

/* Paths and requests are no profile: report_path_print() and its like write their files. */
static int open_outputs(const struct report_values *v, struct outputs *outputs, struct err *err)
{
	bool is_own = v->critical_path || report_requests_wanted(v);
	size_t i, j;
	int r = 0;

	for (i = 0; i < v->outputs.len && !r; i++) {
		const char *path = *(const char **)vec__at(&v->outputs, i);

		for (j = 0; j < v->files.len && !r && is_own; j++)
			r = output_spare(path, *(const char **)vec__at(&v->files, j), err);
		if (!is_own)
			r = outputs__add(outputs, path, err);
	}
	for (i = 0; i < v->files.len && !r; i++)
		r = outputs__spare(outputs, *(const char **)vec__at(&v->files, i), err);
	return r;
}

static int report(const struct opt_command *cmd, int argc, char **argv)
{
	struct outputs outputs;
	struct report_values v;
	struct err err = { 0 };
	int status, r = 0;

	if (!command_begin(cmd, argc, argv, &v, &status))
		return status;
	status = report_values__check(&v, cmd);
	if (!status && report_requests_wanted(&v))
		status = report_requests_check(&v, cmd);
	else if (!status && v.critical_path)
		status = report_path_check(&v, cmd);
	else if (!status && v.by_host)
		status = report_hosts_check(&v, cmd);
	if (!status)
		say_unused(cmd, &v);
	outputs__init(&outputs);
	if (!status)
		r = open_outputs(&v, &outputs, &err);
	if (!status && !r)
		r = v.by_host ? print_hosts(cmd, &v, &err) : write_all(cmd, &v, &outputs, &err);
	if (!status && !r && !v.quiet)
		outputs_say_written(&v.outputs);
	if (r)
		status = command_fail(cmd, &err);
	outputs__done(&outputs);
	opt_release(cmd, &v);
	return status;
}

int cmd_report(int argc, char **argv)
{
	return report(&report_opts, argc, argv);
}

int cmd_export(int argc, char **argv)
{
	return report(&export_opts, argc, argv);
}

int cmd_hist(int argc, char **argv)
{
	return report(&hist_opts, argc, argv);
}
