/* SPDX-License-Identifier: Apache-2.0 */
/* agent: records all the time. Its output is for a service manager's log. */
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/hourly.h"
#include "agent/settings_fault.h"
#include "base/sink.h"
#include "gen/version.h"

struct agent_values {
	const char *config;
	const char *store;
	bool check;
	bool roll_up;
};

#define V struct agent_values
static const struct opt table[] = {
	{ 0, "config", OPT_STRING(V, config), "FILE",
	  "Settings. Default: " AGENT_SETTINGS_FILE ", if it exists.", .flags = OPT_FILE },
	{ 0, "store", OPT_STRING(V, store), "DIRECTORY",
	  "Where recordings are written, instead of the setting `store`.", .flags = OPT_FILE },
	{ 0, "check", OPT_FLAG(V, check), NULL, "Only check the settings, and print all of them." },
	{ 0, "roll-up", OPT_FLAG(V, roll_up), NULL,
	  "Only make the hourly sums of the store that are missing. A running agent does so by "
	  "itself.",
	  .excludes = "check" },
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot agent", "Record this machine until a signal ends it." },
	{ "coldspot agent --check", "Print the settings that it would have." },
	{ "coldspot agent --store /srv/waits", "With another store." },
	{ NULL, NULL },
};

const struct opt_command agent_opts = {
	.name = "agent",
	.summary = "record the whole machine all the time",
	.description =
		"Records all threads within a budget (0.5 % of the machine's CPU time) and writes "
		"windows of a minute to a store: a directory with a recording for each UTC day, "
		"from which old days are removed. `report`, `hist`, `diff`, `query` and `serve` "
		"read it.\n\n"
		"SIGHUP reads the settings again; SIGTERM ends it, with the window that is open. "
		"Works with systemd as Type=notify.",
	.opts = table,
	.examples = examples,
	.values_sz = sizeof(struct agent_values),
};

/* With the prefix from which journald knows the level. */
static void say(void *arg, enum agent_level level, const char *sentence)
{
	const bool *journal = arg;

	if (*journal)
		fprintf(stderr, "<%d>%s\n", level, sentence);
	else
		fprintf(stderr, "coldspot agent: %s\n", sentence);
}

static int print_settings(const struct agent_options *opt, struct err *err)
{
	struct agent_settings s;
	struct sink out;
	int r = agent_read_settings(opt, &s, err);

	if (!r)
		r = agent_settings__find_fault(&s, err);
	if (r)
		return r;
	sink__init_fd(&out, STDOUT_FILENO);
	agent_settings__put(&s, &out);
	r = sink__finish(&out, err);
	sink__done(&out);
	return r;
}

int cmd_agent(int argc, char **argv)
{
	bool journal = getenv("JOURNAL_STREAM") != NULL;
	struct agent_options opt = { .say = say, .say_arg = &journal, .version = COLDSPOT_VERSION };
	struct agent_values v;
	struct err err = { 0 };
	int status, r;

	if (!command_begin(&agent_opts, argc, argv, &v, &status))
		return status;
	opt.config = v.config;
	opt.store = v.store;
	r = v.check   ? print_settings(&opt, &err) :
	    v.roll_up ? hourly_run(&opt, &err) :
			agent_run(&opt, &err);
	status = r ? command_fail(&agent_opts, &err) : STATUS_OK;
	opt_release(&agent_opts, &v);
	return status;
}
