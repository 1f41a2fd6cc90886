/* SPDX-License-Identifier: Apache-2.0 */
/* regressions: what waits longer in an hour of a store than in that hour of the days before. */
#include "cli/commands.h"

#include <unistd.h>

#include "analysis/regress/regress.h"
#include "app/outputs.h"
#include "app/past/regressions.h"
#include "cli/rules_opts.h"
#include "cli/terminal.h"
#include "render/diff/regress_view.h"

enum regress_form {
	FORM_TEXT,
	FORM_JSON,
	FORM_CSV,
};

struct regress_values {
	const char *store;
	struct time_range range;
	u64 days;
	u64 top;
	u32 form; /* enum regress_form */
	struct rules_options rules;
};

static const char *const forms[] = { "text", "json", "csv", NULL };
static const struct regress_values defaults = { .store = "/var/lib/coldspot", .days = 7 };

#define V struct regress_values
static const struct opt table[] = {
	{ 0, "store", OPT_STRING(V, store), "DIRECTORY", "The store.", .flags = OPT_FILE },
	{ 0, "at", OPT_CUSTOM(V, range.at), "TIME",
	  "The hour (UTC) that has this time, written as for `report`. Default: the last full one.",
	  .parse = time_point_parse, .excludes = "since until" },
	{ 0, "since", OPT_CUSTOM(V, range.from), "TIME",
	  "Compare a range that begins at this time, of a day at most.",
	  .parse = time_point_parse },
	{ 0, "until", OPT_CUSTOM(V, range.to), "TIME", "And that ends at this time.",
	  .parse = time_point_parse },
	{ 0, "days", OPT_U64(V, days), "N", "With so many days before.", .min = 1, .max = 400 },
	RULES_OPTS(V, rules),
	{ 'f', "format", OPT_CHOICE(V, form), "FORMAT", "Of the output: text, json or csv.",
	  .choices = forms },
	{ 0, "top", OPT_U64(V, top), "N", "Rows in each table of the text. Default: 15.", .min = 1,
	  .max = 100000 },
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot regressions", "The last full hour." },
	{ "coldspot regressions --at 2026-11-25T10:30", "The hour that has 10:30." },
	{ "coldspot regressions --since 10:00 --until 12:00 -f json", "Two hours, for a script." },
	{ NULL, NULL },
};

const struct opt_command regressions_opts = {
	.name = "regressions",
	.summary = "find what waits longer than on the days before",
	.description =
		"Compares an hour of a store with the same hour of the days before: time off the "
		"CPU per second, by process and cause and by function, without waits for work. "
		"Prints what is more than days and windows vary, most costly first. Exits with "
		"status 4 if there is any.",
	.opts = table,
	.examples = examples,
	.values_sz = sizeof(struct regress_values),
	.defaults = &defaults,
};

struct searching {
	struct regress_values v;
	struct regress_rows rows;
	struct arena arena;
	struct regress found;
	struct time_span span;
	struct loaded_rules rules;
	struct notices notices;
};

static int print(const struct searching *s, struct err *err)
{
	const struct regress_view view = {
		.found = &s->found,
		.store = s->v.store,
		.from_ns = s->span.from_ns,
		.to_ns = s->span.to_ns,
		.rows = (u32)s->v.top,
		.color = s->v.form == FORM_TEXT && terminal_color(),
	};
	struct sink out;
	int r;

	sink__init_mem(&out);
	if (s->v.form == FORM_JSON)
		regress_json_put(&view, &out);
	else if (s->v.form == FORM_CSV)
		regress_csv_put(&view, &out);
	else
		regress_text_put(&view, &out);
	r = sink__finish(&out, err);
	if (!r)
		r = output_text(STDOUT_FILENO, &out, s->v.form == FORM_TEXT && terminal_ascii(),
				err);
	sink__done(&out);
	return r;
}

static int search(struct searching *s, struct err *err)
{
	struct regressions_question q = {
		.store = s->v.store,
		.range = s->v.range,
		.days = s->v.days,
	};
	int r = loaded_rules__init(&s->rules, &s->v.rules, err);

	q.rules = s->rules.set;
	if (!r)
		r = regress_rows__init(&s->rows, err);
	if (!r)
		r = regressions_read(&q, &s->rows, &s->span, &s->notices, err);
	if (!r)
		r = regress__find(&s->rows, &s->arena, &s->found, err);
	return r ? r : print(s, err);
}

int cmd_regressions(int argc, char **argv)
{
	struct searching s = { 0 };
	struct err err = { 0 };
	int status, r;

	if (!command_begin(&regressions_opts, argc, argv, &s.v, &status))
		return status;
	arena__init(&s.arena);
	notices__init(&s.notices);
	r = search(&s, &err);
	command_say(&regressions_opts, &s.notices);
	status = r	     ? command_fail(&regressions_opts, &err) :
		 s.found.len ? STATUS_DIFFERS :
			       STATUS_OK;
	regress_rows__done(&s.rows);
	loaded_rules__done(&s.rules);
	arena__done(&s.arena);
	notices__done(&s.notices);
	opt_release(&regressions_opts, &s.v);
	return status;
}
