/* SPDX-License-Identifier: Apache-2.0 */
/* query: SQL over the windows of a store, as a table, CSV or JSON. */
#include "cli/commands.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "app/outputs.h"
#include "app/past/store_question.h"
#include "base/mem.h"
#include "base/sink.h"
#include "base/text/utf8.h"
#include "cli/terminal.h"
#include "render/encode/csv_text.h"
#include "render/encode/json_text.h"

#define CELL_SZ 256
#define WIDTH_MAX 60

enum query_form {
	FORM_TABLE,
	FORM_CSV,
	FORM_JSON,
};

struct query_values {
	const char *store;
	struct time_range range;
	u32 form; /* enum query_form */
	struct vec sql;
};

static const char *const forms[] = { "table", "csv", "json", NULL };
static const struct query_values defaults = { .store = "/var/lib/coldspot" };

#define V struct query_values
static const struct opt table[] = {
	{ 0, "store", OPT_STRING(V, store), "PATH", "The store, or one recording.",
	  .flags = OPT_FILE },
	{ 0, "since", OPT_CUSTOM(V, range.from), "TIME",
	  "Only windows that end after this time, written as for `report`.",
	  .parse = time_point_parse },
	{ 0, "until", OPT_CUSTOM(V, range.to), "TIME", "Only windows that begin before this time.",
	  .parse = time_point_parse },
	{ 0, "at", OPT_CUSTOM(V, range.at), "TIME", "Only the window at this time.",
	  .parse = time_point_parse, .excludes = "since until" },
	{ 0, "on", OPT_CUSTOM(V, range.on), "DAY",
	  "Only windows of this day, 2026-11-02; times of day are on it.",
	  .parse = time_day_parse },
	{ 'f', "format", OPT_CHOICE(V, form), "FORMAT", "Of the output: table, csv or json.",
	  .choices = forms },
	OPT_END,
};

static const struct opt args[] = {
	{ 0, NULL, OPT_STRINGS(V, sql), "SQL", "One SELECT.", .flags = OPT_REQUIRED },
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot query --since -7d 'SELECT cause, sum(seconds) FROM totals GROUP BY 1'",
	  "Causes of a week." },
	{ "coldspot query --at 14:32 'SELECT comm, cause, name, seconds FROM waits'",
	  "What threads waited for in one minute." },
	{ "coldspot query --store shop.coldspot 'SELECT * FROM requests'",
	  "The requests of a recording made with --request." },
	{ NULL, NULL },
};

const struct opt_command query_opts = {
	.name = "query",
	.summary = "ask a store in SQL",
	.description =
		"Runs one SELECT over the windows of a store, across its days, with the functions "
		"of SQLite. Views: windows, totals (by cause), losses, threads, waits, and those "
		"of each recording, such as places; of recordings made with --request also "
		"requests, request_waits and request_classes. The first three cover months in a "
		"moment; the others are made from the windows in the range, so give one.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct query_values),
	.defaults = &defaults,
};

struct printing {
	enum query_form form;
	struct sink out;
	size_t rows;
	struct vec names; /* char *; JSON */
	struct vec cells; /* char *; table, row by row */
	size_t columns;
};

/* A copy in a vec. -ENOMEM or 0. */
static int keep(struct vec *v, const char *text)
{
	char **to = vec__push(v);

	if (to)
		*to = mem_strdup(text);
	return to && *to ? 0 : -ENOMEM;
}

static void put_csv(struct sink *out, const struct query_value *v, bool first)
{
	sink__puts(out, first ? "" : ",");
	if (v->kind == QUERY_NUMBER)
		sink__puts(out, v->text);
	else
		csv_text_put(out, v->text);
}

static void put_json(struct printing *pr, const struct query_value *v, size_t idx)
{
	sink__puts(&pr->out, idx ? "," : pr->rows ? ",\n{" : "\n{");
	json_text_put(&pr->out, *(char **)vec__at(&pr->names, idx));
	sink__puts(&pr->out, ":");
	/* infinite numbers do not exist in JSON */
	if (v->kind == QUERY_NULL || (v->kind == QUERY_NUMBER && strstr(v->text, "nf")))
		sink__puts(&pr->out, "null");
	else if (v->kind == QUERY_NUMBER)
		sink__puts(&pr->out, v->text);
	else
		json_text_put(&pr->out, v->text);
}

static int row(void *arg, const struct query_value *values, size_t len, bool is_head,
	       struct err *err)
{
	struct printing *pr = arg;
	char clean[CELL_SZ];
	int r = 0;

	pr->columns = len;
	for (size_t i = 0; i < len && !r; i++) {
		if (pr->form == FORM_CSV)
			put_csv(&pr->out, &values[i], !i);
		else if (pr->form == FORM_TABLE)
			r = keep(&pr->cells,
				 utf8_copy_harmless(values[i].text, clean, sizeof(clean)));
		else if (is_head)
			r = keep(&pr->names, values[i].text);
		else
			put_json(pr, &values[i], i);
	}
	if (pr->form == FORM_CSV)
		sink__puts(&pr->out, "\n");
	if (pr->form == FORM_JSON && !is_head)
		sink__puts(&pr->out, "}");
	pr->rows += !is_head;
	return r ? err__nomem(err) : 0;
}

static const char *cell(const struct printing *pr, size_t idx)
{
	return *(char **)vec__at(&pr->cells, idx);
}

/* Columns as wide as what is in them, up to a limit. -ENOMEM or 0. */
static int put_table(struct printing *pr)
{
	size_t *widths = mem_array(pr->columns + 1, sizeof(*widths)), i;

	if (!widths)
		return -ENOMEM;
	for (i = 0; i < pr->cells.len; i++) {
		size_t width = utf8_columns(cell(pr, i)), *widest = &widths[i % pr->columns];

		width = width < WIDTH_MAX ? width : WIDTH_MAX;
		*widest = width > *widest ? width : *widest;
	}
	for (i = 0; i < pr->cells.len; i++) {
		size_t col = i % pr->columns;

		if (col + 1 == pr->columns)
			sink__printf(&pr->out, "%s\n", cell(pr, i));
		else
			sink__printf(&pr->out, "%*s  ", utf8_pad(cell(pr, i), -(int)widths[col]),
				     cell(pr, i));
	}
	mem_free(widths);
	return 0;
}

static void release(struct vec *v)
{
	for (size_t i = 0; i < v->len; i++)
		mem_free(*(char **)vec__at(v, i));
	vec__done(v);
}

static int print(const struct query_values *v, struct notices *notices, struct err *err)
{
	struct printing pr = { .form = v->form };
	const struct store_question question = {
		.store = v->store,
		.range = v->range,
		.sql = *(const char **)vec__at(&v->sql, 0),
	};
	int r;

	sink__init_mem(&pr.out);
	vec__init(&pr.names, sizeof(char *));
	vec__init(&pr.cells, sizeof(char *));
	if (pr.form == FORM_JSON)
		sink__puts(&pr.out, "[");
	r = store_question__ask(&question, row, &pr, notices, err);
	if (pr.form == FORM_JSON)
		sink__puts(&pr.out, "\n]\n");
	if (!r && pr.form == FORM_TABLE && put_table(&pr))
		r = err__nomem(err);
	if (!r)
		r = sink__finish(&pr.out, err);
	if (!r)
		r = output_text(STDOUT_FILENO, &pr.out, pr.form == FORM_TABLE && terminal_ascii(),
				err);
	sink__done(&pr.out);
	release(&pr.names);
	release(&pr.cells);
	return r;
}

int cmd_query(int argc, char **argv)
{
	struct query_values v;
	struct notices notices;
	struct err err = { 0 };
	int status, r;

	if (!command_begin(&query_opts, argc, argv, &v, &status))
		return status;
	if (v.sql.len > 1) {
		status = command_usage(&query_opts, "one SELECT, in quotes");
	} else {
		notices__init(&notices);
		r = print(&v, &notices, &err);
		command_say(&query_opts, &notices);
		status = r ? command_fail(&query_opts, &err) : STATUS_OK;
		notices__done(&notices);
	}
	opt_release(&query_opts, &v);
	return status;
}
