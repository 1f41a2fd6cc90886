/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff: two recordings, or two times of recordings, beside each other. Files are read and chosen
 * from as `report` does; then both become one model, of which everything is printed.
 */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/diff.h"
#include "analysis/diff_limit.h"
#include "base/units.h"
#include "cli/output_opts.h"
#include "cli/outputs.h"
#include "cli/recordings.h"
#include "cli/rules_opts.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "render/diff_view.h"
#include "render/utf8.h"

struct requests {
	u64 at[2]; /* 0: not given */
};

struct diff_values {
	struct vec files;
	struct time_range ranges[2];
	struct selection_values select;
	struct rules_values rules;
	u32 per; /* enum diff_per */
	struct requests requests;
	struct vec limits; /* const char * */
	bool interpreter;
	u64 top;
	bool quiet;
	const char *format; /* NULL: not given */
	bool text;
	const char *svg;
	const char *html;
	const char *json;
	const char *folded;
	struct vec outputs; /* const char * */
	bool side_by_side;
	u64 width;
};

static int parse_requests(const char *text, void *value, struct err *err)
{
	struct requests *rq = value;
	const char *colon = strchr(text, ':');
	char first[32];
	int r = -EINVAL;

	if (colon && (size_t)(colon - text) < sizeof(first)) {
		snprintf(first, sizeof(first), "%.*s", (int)(colon - text), text);
		r = units_parse_u64(first, 1, ~0ULL, &rq->at[0], NULL);
		if (!r)
			r = units_parse_u64(colon + 1, 1, ~0ULL, &rq->at[1], NULL);
	}
	return r ? err__set(err, -EINVAL, "'%.64s' is not two numbers of requests, as in 1200:1350",
			    text) :
		   0;
}

/* In the order of enum diff_per. */
static const char *const per_names[] = { "wall", "thread", "requests", NULL };

#define FORMATS "text, svg, html, json, folded"

#define V struct diff_values
static const struct opt diff_table[] = {
	OPT_HEADING("What times are divided by"),
	{ 0, "per", OPT_CHOICE(V, per), "WHAT",
	  "wall: seconds that were recorded; thread: seconds of all threads together, for more or "
	  "fewer threads; requests: as many as --requests says.",
	  .choices = per_names },
	{ 0, "requests", OPT_CUSTOM(V, requests), "N:M",
	  "How many requests there were before and after; means --per requests.",
	  .parse = parse_requests },
	OPT_HEADING("Which windows of each"),
	{ 0, "before-from", OPT_CUSTOM(V, ranges[0].from), "TIME",
	  "Only windows of BEFORE that end behind this time, as --from of `report`.",
	  .parse = time_point_parse },
	{ 0, "before-to", OPT_CUSTOM(V, ranges[0].to), "TIME",
	  "Only windows of BEFORE that begin before this time.", .parse = time_point_parse },
	{ 0, "after-from", OPT_CUSTOM(V, ranges[1].from), "TIME", "The same of AFTER.",
	  .parse = time_point_parse },
	{ 0, "after-to", OPT_CUSTOM(V, ranges[1].to), "TIME", "The same of AFTER.",
	  .parse = time_point_parse },
	OPT_HEADING("Which threads of both"),
	SELECTION_THREAD_OPTS(V, select),
	OPT_HEADING("Which of their waits"),
	SELECTION_WAIT_OPTS(V, select),
	OPT_HEADING("What a wait is called"),
	RULES_OPTS(V, rules),
	OPT_HEADING("Output"),
	{ 'o', "output", OPT_STRINGS(V, outputs), "FILE",
	  "Write a file, in the form of its ending: .svg, .html, .json or .folded, as the options "
	  "below say. Several are possible.",
	  .flags = OPT_FILE },
	{ 'f', "format", OPT_STRING(V, format), "NAME",
	  "What goes to standard output: " FORMATS "." },
	{ 0, "text", OPT_FLAG(V, text), NULL,
	  "Tables on standard output; so it is without any other output too." },
	{ 0, "svg", OPT_STRING(V, svg), "FILE",
	  "A flame graph of both: red is more, blue is less, grey is chance; '-' is standard "
	  "output, here and below.",
	  .flags = OPT_FILE },
	{ 0, "html", OPT_STRING(V, html), "FILE",
	  "A page that opens in a browser, offline: both in one flame graph and side by side, "
	  "sandwich, tree and tables, with filters, search and verdicts.",
	  .flags = OPT_FILE },
	{ 0, "json", OPT_STRING(V, json), "FILE", "All numbers.", .flags = OPT_FILE },
	{ 0, "folded", OPT_STRING(V, folded), "FILE",
	  "Lines of `stack before after`, as difffolded.pl writes them for flamegraph.pl.",
	  .flags = OPT_FILE },
	{ 0, "side-by-side", OPT_FLAG(V, side_by_side), NULL,
	  "The .svg has a graph for each side, on one scale, and not one of both." },
	{ 0, "width", OPT_U64(V, width), "PIXELS", "Width of the .svg; 1200 if not given.",
	  .min = 400, .max = 20000 },
	{ 0, "top", OPT_U64(V, top), "N",
	  "Rows of each table of functions in the text; 15 if not given.", .min = 1,
	  .max = 100000 },
	{ 0, "interpreter-frames", OPT_FLAG(V, interpreter), NULL,
	  "Take in the interpreter's own frames too (_PyEval_EvalFrameDefault and such)." },
	OPT_HEADING("For scripts"),
	{ 0, "fail-on", OPT_STRINGS(V, limits), "LIMIT",
	  "End with status 4 if this changed by as much or more: 'total:+5%' (without waits for "
	  "work), "
	  "'cause:lock:+10%' with a cause as the tables name it, or 'frame:NAME:+20%' where * is "
	  "any text; a minus is for less. Chance does not count where it can be told. Several are "
	  "possible." },
	{ 'q', "quiet", OPT_FLAG(V, quiet), NULL, "Nothing on standard output but '-'." },
	OPT_END,
};

static const struct opt diff_args[] = {
	{ 0, NULL, OPT_STRINGS(V, files), "BEFORE AFTER",
	  "Two recordings (.coldspot), as `record -o` writes them.",
	  .flags = OPT_REQUIRED | OPT_FILE },
	OPT_END,
};
#undef V

static const struct opt_example diff_examples[] = {
	{ "coldspot diff monday.coldspot tuesday.coldspot", "What is slower since the deploy?" },
	{ "coldspot diff --requests 51200:48100 --html d.html a.coldspot b.coldspot",
	  "Per request, as a page that opens in a browser." },
	{ "coldspot diff --before-to 10m --after-from -10m day.coldspot day.coldspot",
	  "The last ten minutes against the first." },
	{ "coldspot diff -q --fail-on 'cause:lock:+10%' main.coldspot branch.coldspot",
	  "For CI: status 4 if locks wait longer." },
	{ NULL, NULL },
};

const struct opt_command diff_opts = {
	.name = "diff",
	.summary = "show what changed between two recordings",
	.description =
		"Compares time off the CPU, blocked and waiting for a CPU, in all, by cause and "
		"by function with all that it calls. Functions are matched by name and file, not "
		"by address, so recordings may be of different builds. Waits for work are a line "
		"of their own and in no other number, unless --class asks for them: who is done "
		"sooner waits longer for the next.\n\n"
		"A change that is marked + or - is larger than what the seconds of the recordings "
		"differ by among themselves; ~ is chance or too little, ? is not known. Among all "
		"that are marked + or -, one in 20 may be chance. Two recordings of a few seconds "
		"tell little: 10 s of each are the least that is of use. What else differed "
		"between the recordings, such as the load of the machine, nobody can tell but "
		"you: record both ways more than once.\n\n"
		"The exit status is 0 also where something changed; 4 if a limit of --fail-on was "
		"reached; 1 if something could not be done.",
	.opts = diff_table,
	.args = diff_args,
	.examples = diff_examples,
	.values_sz = sizeof(struct diff_values),
};

struct comparing {
	struct diff_values v;
	struct profile *p[2];
	struct loaded_rules rules;
	struct arena arena;
	struct diff diff;
	struct diff_view view;
	struct vec limits; /* struct diff_limit */
	bool damaged;
	bool over; /* a limit was reached */
};

static const char *file_of(const struct comparing *c, u32 side)
{
	return *(const char **)vec__at(&c->v.files, side);
}

static const struct {
	const char *name;
	const char *ending;
	size_t path; /* where its option is */
} forms[] = {
	{ "svg", ".svg", offsetof(struct diff_values, svg) },
	{ "html", ".html", offsetof(struct diff_values, html) },
	{ "json", ".json", offsetof(struct diff_values, json) },
	{ "folded", ".folded", offsetof(struct diff_values, folded) },
};

/* As if it were asked for by the form's own option. 0, or the exit status after the sentence. */
static int ask_for(struct diff_values *v, size_t form, const char *path)
{
	const char **at = (const char **)((char *)v + forms[form].path);

	if (*at)
		return command_usage(&diff_opts, "--%s is '%s' already: one is possible",
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
		return command_usage(&diff_opts, "--format: '%s' is none of " FORMATS, v->format);
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
	return command_usage(&diff_opts,
			     "--output: the ending of '%s' is none of .svg, .html, .json, .folded",
			     path);
}

/* How many outputs standard output would be in one another. */
static u32 outputs_on_stdout(const struct diff_values *v)
{
	const char *const paths[] = { v->svg, v->html, v->json, v->folded };
	u32 n = v->text, i;

	for (i = 0; i < ARRAY_LEN(paths); i++)
		n += paths[i] && strcmp(paths[i], "-") == 0;
	return n;
}

static int check_outputs(struct diff_values *v)
{
	int status = v->format ? apply_format(v) : 0;

	for (size_t i = 0; !status && i < v->outputs.len; i++)
		status = apply_output(v, *(const char **)vec__at(&v->outputs, i));
	if (status)
		return status;
	if (outputs_on_stdout(v) > 1)
		return command_usage(&diff_opts, "standard output has room for one output only");
	if ((v->side_by_side || v->width) && !v->svg)
		return command_usage(&diff_opts, "--side-by-side and --width are of --svg");
	return 0;
}

/* 0, or the exit status after the sentence. */
static int check_usage(struct comparing *c)
{
	struct diff_values *v = &c->v;
	struct err err = { 0 };
	size_t i;
	int status;

	if (v->files.len != 2)
		return command_usage(&diff_opts, "two recordings are compared, not %zu",
				     v->files.len);
	status = check_outputs(v);
	if (status)
		return status;
	if (v->requests.at[0])
		v->per = DIFF_PER_REQUEST;
	if (v->per == DIFF_PER_REQUEST && !v->requests.at[0])
		return command_usage(&diff_opts,
				     "--per requests: say how many with --requests N:M");
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
	struct vec one = { .data = vec__at(&c->v.files, side),
			   .len = 1,
			   .elem_sz = sizeof(const char *) };
	bool damaged = false;
	int r = recordings_load(&diff_opts, &one, &c->v.ranges[side], &c->p[side], &damaged, err);

	c->damaged |= damaged;
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
				      .names = { file_of(c, 0), file_of(c, 1) },
				      .rows = (u32)c->v.top,
				      .color = terminal_color(),
				      .side_by_side = c->v.side_by_side,
				      .width = (u32)c->v.width };
	return r;
}

static int put_text(const struct diff_view *v, struct sink *out, struct err *err)
{
	(void)err;
	diff_text_put(v, out);
	return 0;
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
	sink__done(&out);
	return r;
}

static int put_all(const struct comparing *c, struct err *err)
{
	const struct diff_values *v = &c->v;
	bool other = v->svg || v->html || v->json || v->folded || v->limits.len;
	bool text = v->text || !other || (v->limits.len && !outputs_on_stdout(v));
	int r = put_to(c, v->svg, diff_svg_put, err);

	if (!r)
		r = put_to(c, v->html, diff_html_put, err);
	if (!r)
		r = put_to(c, v->json, put_json, err);
	if (!r)
		r = put_to(c, v->folded, diff_folded_put, err);
	if (!r && text && !v->quiet)
		r = put_to(c, "-", put_text, err);
	return r;
}

/* A path too many, and an option has that of a recording. */
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
		fprintf(stderr, "coldspot diff: --fail-on %s: nothing of that name waited\n", text);
	if (!it)
		return 0;
	c->over = true;
	diff_rate_text(it->rate[DIFF_BEFORE], before, sizeof(before));
	diff_rate_text(it->rate[DIFF_AFTER], after, sizeof(after));
	fprintf(stderr, "coldspot diff: --fail-on %s: %s has %s per %s, and had %s%s\n", text,
		utf8_copy_harmless(name, clean, sizeof(clean)), after,
		diff_unit_name(c->diff.opt.per), before,
		it->verdict == DIFF_UNKNOWN ? "; whether that is chance is not known" : "");
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
		r = err__set(err, -EBADMSG, "a part of a recording is lost");
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
