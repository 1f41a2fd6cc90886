/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report/report_requests.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/path/request_report.h"
#include "analysis/path/request_trace.h"
#include "app/outputs.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "render/json/json_requests.h"
#include "render/text/request_screen.h"

bool report_requests_wanted(const struct report_values *v)
{
	return v->view.requests_milli == REQUESTS_RECORDED || v->trace;
}

static bool is_json(const char *format)
{
	return format && strcmp(format, "json") == 0;
}

/* Of a file: "json", "txt", or NULL. */
static const char *format_of(const char *path)
{
	const struct render_ops *ops = render_find_by_path(path);

	return ops && (is_json(ops->name) || strcmp(ops->name, "txt") == 0) ? ops->name : NULL;
}

static int check_formats(const struct report_values *v, const char *what,
			 const struct opt_command *cmd)
{
	for (size_t i = 0; i < v->outputs.len; i++) {
		const char *path = *(const char **)vec__at(&v->outputs, i);

		if (!format_of(path))
			return command_usage(cmd,
					     "%s: unknown extension of '%s'; known extensions: "
					     ".txt .json",
					     what, path);
	}
	if (v->format && !is_json(v->format) && strcmp(v->format, "summary") != 0)
		return command_usage(cmd, "%s has the formats summary and json, not %s", what,
				     v->format);
	return STATUS_OK;
}

int report_requests_check(const struct report_values *v, const struct opt_command *cmd)
{
	const char *what = v->trace ? "--trace" : "--requests without a rate";
	struct err err = { 0 };

	if (v->trace && request_trace_check(v->trace, &err))
		return command_usage(cmd, "--trace: %s", err.msg);
	if (v->explain || v->narrative.len)
		return command_usage(cmd, "%s cannot be combined with --explain or --narrative",
				     what);
	return check_formats(v, what, cmd);
}

/* To a file, or to standard output if that is NULL. */
static int write_to(const char *file, bool as_json, const struct lanes *lanes,
		    const struct request_report *rr, const struct render_options *opt,
		    struct err *err)
{
	struct sink out;
	int r;

	sink__init_mem(&out);
	r = as_json ? json_requests_put(lanes, &rr->table, rr->paths, opt->memo, &out) :
		      request_screen_put(lanes, &rr->table, rr->paths, opt, &out);
	r = r ? err__nomem(err) : sink__finish(&out, err);
	if (!r && file)
		r = output_replace(file, &out, err);
	else if (!r)
		r = output_text(STDOUT_FILENO, &out, !as_json && terminal_ascii(), err);
	sink__done(&out);
	return r;
}

static int print(const struct report_values *v, const struct lanes *lanes, struct arena *a,
		 const struct render_options *opt, struct err *err)
{
	struct request_report rr = { .trace = v->trace, .critical_path = v->critical_path };
	int r = request_report__build(lanes, opt->memo, a, &rr, err);

	for (size_t i = 0; i < v->outputs.len && !r; i++) {
		const char *file = *(const char **)vec__at(&v->outputs, i);

		r = write_to(file, is_json(format_of(file)), lanes, &rr, opt, err);
	}
	if (!r && (v->format || !v->outputs.len))
		r = write_to(NULL, is_json(v->format), lanes, &rr, opt, err);
	return r;
}

int report_requests_print(const struct report_values *v, const struct profile *p,
			  const struct render_options *opt, struct err *err)
{
	struct lanes lanes = { 0 };
	struct arena a;
	int r = request_table_check(p, err);

	if (r)
		return r;
	arena__init(&a);
	r = lanes__init(&lanes, p) ? err__nomem(err) : print(v, &lanes, &a, opt, err);
	lanes__done(&lanes);
	arena__done(&a);
	return r;
}
