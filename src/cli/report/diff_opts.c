/* SPDX-License-Identifier: Apache-2.0 */
/* The option table of diff, and where its outputs go. */
#include "cli/report/diff_opts.h"

#include <errno.h>
#include <string.h>

#include "base/text/units.h"
#include "cli/commands.h"
#include "cli/rules_opts.h"
#include "cli/selection_opts.h"

static int parse_requests(const char *text, void *value, struct err *err)
{
	struct diff_requests *rq = value;
	const char *colon = strchr(text, ':');
	char first[32];
	int r = -EINVAL;

	if (colon && (size_t)(colon - text) < sizeof(first)) {
		snprintf(first, sizeof(first), "%.*s", (int)(colon - text), text);
		r = units_parse_u64(first, 1, ~0ULL, &rq->at[0], NULL);
		if (!r)
			r = units_parse_u64(colon + 1, 1, ~0ULL, &rq->at[1], NULL);
	}
	return r ? err__set(err, -EINVAL,
			    "'%.64s' is not a pair of request counts, such as 1200:1350", text) :
		   0;
}

/* In the order of enum diff_per. */
static const char *const per_names[] = { "wall", "thread", "requests", NULL };

#define FORMATS "text, svg, html, json, folded"

#define V struct diff_values
static const struct opt diff_table[] = {
	OPT_HEADING("Unit"),
	{ 0, "per", OPT_CHOICE(V, per), "WHAT",
	  "Divide times by: wall, recorded seconds; thread, seconds summed over all threads, "
	  "if the number of threads differs; requests, the counts of --requests.",
	  .choices = per_names, .flags = OPT_COMMON },
	{ 0, "requests", OPT_CUSTOM(V, requests), "N:M",
	  "Number of requests before and after; implies --per requests.", .parse = parse_requests,
	  .flags = OPT_COMMON },
	OPT_HEADING("Windows of each recording"),
	{ 0, "before-from", OPT_CUSTOM(V, ranges[0].from), "TIME",
	  "Only windows of BEFORE that end after this time, as --from of `report`.",
	  .parse = time_point_parse },
	{ 0, "before-to", OPT_CUSTOM(V, ranges[0].to), "TIME",
	  "Only windows of BEFORE that begin before this time.", .parse = time_point_parse },
	{ 0, "after-from", OPT_CUSTOM(V, ranges[1].from), "TIME", "The same for AFTER.",
	  .parse = time_point_parse },
	{ 0, "after-to", OPT_CUSTOM(V, ranges[1].to), "TIME", "The same for AFTER.",
	  .parse = time_point_parse },
	{ 0, "at", OPT_CUSTOM(V, ranges[0].at), "TIME",
	  "Only the window of BEFORE at this time, as --at of `report`.", .parse = time_point_parse,
	  .excludes = "before-from before-to" },
	{ 0, "and", OPT_CUSTOM(V, ranges[1].at), "TIME",
	  "Only the window of AFTER at this time; of the same store if one is named.",
	  .parse = time_point_parse, .excludes = "after-from after-to" },
	{ 0, "on", OPT_CUSTOM(V, ranges[0].on), "DAY",
	  "Only windows of BEFORE on this day, as --on of `report`.", .parse = time_day_parse },
	{ 0, "and-on", OPT_CUSTOM(V, ranges[1].on), "DAY", "The same for AFTER.",
	  .parse = time_day_parse },
	{ 0, "host", OPT_STRINGS(V, hosts[0]), "GLOB",
	  "ClickHouse only: read only these hosts. Repeatable: any may match." },
	{ 0, "and-host", OPT_STRINGS(V, hosts[1]), "GLOB",
	  "The same for AFTER, if its hosts are others." },
	{ 0, "service", OPT_STRINGS(V, services), "GLOB",
	  "ClickHouse only: read only this service, as for `report`." },
	OPT_HEADING("Threads of both recordings"),
	SELECTION_THREAD_OPTS(V, select),
	OPT_HEADING("Waits of these threads"),
	SELECTION_WAIT_OPTS(V, select),
	OPT_HEADING("Rules for causes and classes"),
	RULES_OPTS(V, rules),
	OPT_HEADING("Output"),
	{ 'o', "output", OPT_STRINGS(V, outputs), "FILE",
	  "Write a file in the format of its extension: .svg, .html, .json or .folded, as the "
	  "options below. Repeatable.",
	  .flags = OPT_COMMON | OPT_FILE },
	{ 'f', "format", OPT_STRING(V, format), "NAME", "Format on standard output: " FORMATS ".",
	  .flags = OPT_COMMON },
	{ 0, "text", OPT_FLAG(V, text), NULL,
	  "Print tables to standard output, the default if there is no other output." },
	{ 0, "svg", OPT_STRING(V, svg), "FILE",
	  "Write a flame graph of both: red is more, blue is less, grey is noise. Here and "
	  "below, '-' is standard output.",
	  .flags = OPT_FILE },
	{ 0, "html", OPT_STRING(V, html), "FILE",
	  "Write a page for a browser, usable offline: both recordings merged or side by "
	  "side, with sandwich, tree, tables, filters, search and verdicts.",
	  .flags = OPT_COMMON | OPT_FILE },
	{ 0, "json", OPT_STRING(V, json), "FILE", "Write all numbers as JSON.", .flags = OPT_FILE },
	{ 0, "folded", OPT_STRING(V, folded), "FILE",
	  "Write lines of `stack before after`, as difffolded.pl does for flamegraph.pl.",
	  .flags = OPT_FILE },
	{ 0, "side-by-side", OPT_FLAG(V, side_by_side), NULL,
	  "Draw one graph for each side in the .svg, on one scale, instead of a merged one." },
	{ 0, "width", OPT_U64(V, width), "PIXELS", "Width of the .svg. Default: 1200.", .min = 400,
	  .max = 20000 },
	{ 0, "top", OPT_U64(V, top), "N",
	  "Rows in each table of functions in the text. Default: 15.", .min = 1, .max = 100000,
	  .flags = OPT_COMMON },
	{ 0, "interpreter-frames", OPT_FLAG(V, interpreter), NULL,
	  "Include the interpreter's own frames, such as _PyEval_EvalFrameDefault." },
	OPT_HEADING("For scripts"),
	{ 0, "fail-on", OPT_STRINGS(V, limits), "LIMIT",
	  "Exit with status 4 if this changed by at least as much: 'total:+5%' (excluding "
	  "waits for work), 'cause:lock:+10%' with a cause as named in the tables, or "
	  "'frame:NAME:+20%' where * is any text. A minus means less. Noise does not count, "
	  "if it can be identified. Repeatable.",
	  .flags = OPT_COMMON },
	{ 'q', "quiet", OPT_FLAG(V, quiet), NULL,
	  "Print nothing to standard output, except outputs to '-'.", .flags = OPT_COMMON },
	OPT_END,
};

static const struct opt diff_args[] = {
	{ 0, NULL, OPT_STRINGS(V, files), "BEFORE AFTER",
	  "Two recordings (.coldspot) written by `record -o`, or stores of `agent`; one store is "
	  "enough for two times in it. Or the URL of a ClickHouse to which hosts push, as for "
	  "`report`; one is enough for two times or two hosts.",
	  .flags = OPT_REQUIRED | OPT_FILE },
	OPT_END,
};
#undef V

static const struct opt_example diff_examples[] = {
	{ "coldspot diff monday.coldspot tuesday.coldspot", "Compare before and after a deploy." },
	{ "coldspot diff --requests 51200:48100 --html d.html a.coldspot b.coldspot",
	  "Per request, as a page for a browser." },
	{ "coldspot diff --before-to 10m --after-from -10m day.coldspot day.coldspot",
	  "Compare the last ten minutes with the first." },
	{ "coldspot diff -q --fail-on 'cause:lock:+10%' main.coldspot branch.coldspot",
	  "For CI: exit with status 4 if lock waits grew." },
	{ NULL, NULL },
};

const struct opt_command diff_opts = {
	.name = "diff",
	.summary = "show what changed between two recordings",
	.description =

		"Compares off-CPU time, blocked plus waiting for a CPU: in total, by cause, "
		"and by function including its callees. Functions are matched by name and "
		"file, not by address, so recordings may be of different builds. Idle time "
		"has its own line and is excluded from all other numbers, unless --class "
		"asks for it: a program that finishes sooner waits longer for more "
		"work.\n\n"
		"A change marked + or - is larger than the seconds of the recordings differ "
		"from each other; ~ is noise or too small, ? is not known. Of all changes "
		"marked + or -, one in 20 may be noise. Short recordings are inconclusive: "
		"record at least 10 s of each. coldspot cannot tell what else changed "
		"between the recordings, such as the load of the machine: record each more "
		"than once.\n\n"
		"The exit status is 0 even if something changed, 4 if a limit of --fail-on "
		"was reached, and 1 on errors.",
	.opts = diff_table,
	.args = diff_args,
	.examples = diff_examples,
	.values_sz = sizeof(struct diff_values),
};

static const struct {
	const char *name;
	const char *ending;
	size_t path; /* offset of its option */
} forms[] = {
	{ "svg", ".svg", offsetof(struct diff_values, svg) },
	{ "html", ".html", offsetof(struct diff_values, html) },
	{ "json", ".json", offsetof(struct diff_values, json) },
	{ "folded", ".folded", offsetof(struct diff_values, folded) },
};

/* As if given by the form's own option. 0, or the exit status after the message. */
static int ask_for(struct diff_values *v, size_t form, const char *path)
{
	const char **at = (const char **)((char *)v + forms[form].path);

	if (*at)
		return command_usage(&diff_opts, "--%s is already '%s': give it once",
				     forms[form].name, *at);
	*at = path;
	return 0;
}

static int apply_format(struct diff_values *v)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (strcmp(v->format, forms[i].name) == 0)
			return ask_for(v, i, "-");
	}
	if (strcmp(v->format, "text") != 0)
		return command_usage(&diff_opts, "--format: '%s' is not one of " FORMATS,
				     v->format);
	v->text = true;
	return 0;
}

static int apply_output(struct diff_values *v, const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		size_t end = strlen(forms[i].ending);

		if (len > end && strcmp(path + len - end, forms[i].ending) == 0)
			return ask_for(v, i, path);
	}
	return command_usage(
		&diff_opts,
		"--output: the extension of '%s' is not one of .svg, .html, .json, .folded", path);
}

u32 diff_values__on_stdout(const struct diff_values *v)
{
	const char *const paths[] = { v->svg, v->html, v->json, v->folded };
	u32 n = v->text, i;

	for (i = 0; i < ARRAY_LEN(paths); i++)
		n += paths[i] && strcmp(paths[i], "-") == 0;
	return n;
}

int diff_values__place_outputs(struct diff_values *v)
{
	int status = v->format ? apply_format(v) : 0;

	for (size_t i = 0; !status && i < v->outputs.len; i++)
		status = apply_output(v, *(const char **)vec__at(&v->outputs, i));
	if (status)
		return status;
	if (diff_values__on_stdout(v) > 1)
		return command_usage(&diff_opts, "only one output can go to standard output");
	if ((v->side_by_side || v->width) && !v->svg)
		return command_usage(&diff_opts, "--side-by-side and --width need --svg");
	return 0;
}
