/* SPDX-License-Identifier: Apache-2.0 */
/* whatif: what a command or thread would take if some of its waits were shorter. */
#include "cli/commands.h"

#include "analysis/path/path_thread.h"
#include "analysis/path/whatif.h"
#include "cli/path/loaded_lanes.h"
#include "cli/recordings_opts.h"
#include "cli/rules_opts.h"
#include "render/json/json_whatif.h"
#include "render/text/whatif_screen.h"

enum whatif_form {
	FORM_TEXT,
	FORM_JSON,
};

struct whatif_command {
	struct vec files;
	struct time_range range;
	struct rules_options rules;
	u32 form; /* enum whatif_form */
	const char *output; /* NULL: standard output */
	u64 tid;
	u64 cpus;
	u64 top;
};

static const char *const forms[] = { "text", "json", NULL };
static const char *const endings[] = { ".txt", ".json", NULL }; /* likewise */

#define V struct whatif_command
static const struct opt table[] = {
	OPT_HEADING("Windows"),
	RECORDINGS_OPTS(V, range),
	OPT_HEADING("What is asked"),
	{ 't', "tid", OPT_U64(V, tid), "TID",
	  "The thread whose time is predicted. Default: the first one of a recorded command.",
	  .min = 1, .max = 0xffffffff, .flags = OPT_COMMON },
	{ 0, "cpus", OPT_U64(V, cpus), "N",
	  "On so many CPUs. Default: as many as the recorded machine has.", .min = 1, .max = 65536,
	  .flags = OPT_COMMON },
	OPT_HEADING("Output"),
	{ 'o', "output", OPT_STRING(V, output), "FILE",
	  "Write a file in the format of its extension: .txt or .json.", .excludes = "format",
	  .flags = OPT_COMMON | OPT_FILE },
	{ 'f', "format", OPT_CHOICE(V, form), "FORMAT", "Of the output.", .choices = forms,
	  .flags = OPT_COMMON },
	{ 0, "top", OPT_U64(V, top), "N",
	  "So many waits are tried, those with most of the critical path. Default: 20.", .min = 1,
	  .max = 1000, .flags = OPT_COMMON },
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
	{ "coldspot whatif build.coldspot", "Show which waits are worth the effort." },
	{ "coldspot whatif --cpus 8 build.coldspot", "Show what more CPUs would do." },
	{ NULL, NULL },
};

const struct opt_command whatif_opts = {
	.name = "whatif",
	.summary = "predict what shorter waits or more CPUs would gain",
	.description =
		"Reads recordings made with `record --events --wakers`, and replays what threads "
		"did with some waits shortened by 25, 50 and 100 %, for a cause and an object or "
		"place at a time. Each has its share of the critical path. Waits that a recorded "
		"thread ended are only shortened if they were for a lock.\n\n"
		"These are predictions: the assumptions are printed with them.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct whatif_command),
};

static int put(const void *values, struct loaded_lanes *l, struct arena *a, struct sink *out,
	       struct err *err)
{
	const struct whatif_command *v = values;
	struct whatif_options opt = { .cpus = (u32)v->cpus, .rows = (u32)v->top };
	struct whatif w;
	u32 task;
	int r = path_thread_find(&l->lanes, (u32)v->tid, &opt.range, err);

	if (!r)
		r = whatif__build(&l->lanes, &opt, &l->memo, a, &w, err);
	if (r)
		return r;
	task = l->lanes.lanes[opt.range.lane].last_task;
	if (v->form == FORM_JSON)
		json_whatif_put(l->p, task, &w, out);
	else
		whatif_screen_put(l->p, task, &w, out);
	return 0;
}

int cmd_whatif(int argc, char **argv)
{
	struct whatif_command v;
	int status;

	if (!command_begin(&whatif_opts, argc, argv, &v, &status))
		return status;
	status = loaded_lanes_find_form(&whatif_opts, v.output, endings, &v.form);
	if (status == STATUS_OK)
		status = loaded_lanes_print(&whatif_opts,
					    &(struct loaded_lanes_options){ .files = &v.files,
									    .range = &v.range,
									    .rules = &v.rules,
									    .output = v.output },
					    put, &v, v.form == FORM_TEXT);
	opt_release(&whatif_opts, &v);
	return status;
}
