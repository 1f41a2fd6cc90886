/* SPDX-License-Identifier: Apache-2.0 */
/* graph: who waits for whom, as text, JSON or a picture for Graphviz. */
#include "cli/commands.h"

#include "analysis/path/path_thread.h"
#include "analysis/path/wait_graph.h"
#include "cli/path/loaded_lanes.h"
#include "cli/recordings_opts.h"
#include "cli/rules_opts.h"
#include "render/json/json_graph.h"
#include "render/text/graph_screen.h"

enum graph_form {
	FORM_TEXT,
	FORM_JSON,
	FORM_DOT,
};

struct graph_command {
	struct vec files;
	struct time_range range;
	struct rules_options rules;
	u32 form; /* enum graph_form */
	const char *output; /* NULL: standard output */
	u64 top;
};

static const char *const forms[] = { "text", "json", "dot", NULL };
static const char *const endings[] = { ".txt", ".json", ".dot", NULL }; /* likewise */

#define V struct graph_command
static const struct opt table[] = {
	OPT_HEADING("Windows"),
	RECORDINGS_OPTS(V, range),
	OPT_HEADING("Output"),
	{ 'o', "output", OPT_STRING(V, output), "FILE",
	  "Write a file in the format of its extension: .txt, .json or .dot.", .excludes = "format",
	  .flags = OPT_COMMON | OPT_FILE },
	{ 'f', "format", OPT_CHOICE(V, form), "FORMAT", "Of the output; dot is for Graphviz.",
	  .choices = forms, .flags = OPT_COMMON },
	{ 0, "top", OPT_U64(V, top), "N", "Rows in tables of the text. Default: 15.", .min = 1,
	  .max = 100000, .flags = OPT_COMMON },
	OPT_HEADING("Rules for causes and classes"),
	RULES_OPTS(V, rules),
	OPT_END,
};

static const struct opt args[] = {
	RECORDINGS_ARGS(V, files),
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot graph shop.coldspot", "Show who waits for whom, and where waits end." },
	{ "coldspot graph -f dot shop.coldspot | dot -Tsvg > shop.svg", "Draw it." },
	{ NULL, NULL },
};

const struct opt_command graph_opts = {
	.name = "graph",
	.summary = "show who waits for whom",
	.description =
		"Reads recordings made with `record --events --wakers`. Threads with one name, "
		"kinds of interrupts and peers of sockets are nodes. While one thread waits for "
		"another, and that for a third, the time belongs to the last of these waits. "
		"Recordings without --events do not say what threads did meanwhile: then all of a "
		"wait belongs to the thread that ended it.\n\n"
		"A knot is a group of threads that wait only for each other: one of them limits "
		"the throughput.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct graph_command),
};

static int put(const void *values, struct loaded_lanes *l, struct arena *a, struct sink *out,
	       struct err *err)
{
	const struct graph_command *v = values;
	struct wait_graph g;
	int r = path_wakers_check(l->p, err);

	if (!r)
		r = wait_graph__build(&l->lanes, &l->memo, a, &g, err);
	if (r)
		return r;
	if (v->form == FORM_JSON)
		return json_graph_put(&g, out) ? err__nomem(err) : 0;
	if (v->form == FORM_DOT)
		graph_dot_put(&g, out);
	else
		graph_screen_put(l->p, &g, (u32)v->top, out);
	return 0;
}

int cmd_graph(int argc, char **argv)
{
	struct graph_command v;
	int status;

	if (!command_begin(&graph_opts, argc, argv, &v, &status))
		return status;
	status = loaded_lanes_find_form(&graph_opts, v.output, endings, &v.form);
	if (status == STATUS_OK)
		status = loaded_lanes_print(&graph_opts,
					    &(struct loaded_lanes_options){ .files = &v.files,
									    .range = &v.range,
									    .rules = &v.rules,
									    .output = v.output },
					    put, &v, v.form == FORM_TEXT);
	opt_release(&graph_opts, &v);
	return status;
}
