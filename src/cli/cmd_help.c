/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"
#include "gen/version.h"

/*
 * help and version. The program itself generates man pages and completions at build time, so what
 * is installed always matches what the program accepts.
 */

enum help_format {
	HELP_TEXT,
	HELP_MAN,
	HELP_BASH,
	HELP_ZSH,
	HELP_LIST,
};

static const char *const formats[] = { "text", "man", "bash", "zsh", "list", NULL };
static command_print_fn *const printers[] = { help_text, help_man, help_bash, help_zsh, help_list };

struct help_values {
	u32 format;
	bool all;
	const char *command;
};

static const struct help_values help_defaults = { .format = HELP_TEXT };

static const struct opt help_table[] = {
	{ 0, "format", OPT_CHOICE(struct help_values, format), "FORMAT", "What to print.",
	  .choices = formats },
	{ 0, "all", OPT_FLAG(struct help_values, all), NULL,
	  "List all options of the command, not only the common ones." },
	OPT_END,
};

static const struct opt help_args[] = {
	{ 0, NULL, OPT_STRING(struct help_values, command), "COMMAND",
	  "The command to explain. Default: all commands.", .flags = OPT_COMMAND },
	OPT_END,
};

static const struct opt_example help_examples[] = {
	{ "coldspot help record", "The common options of record." },
	{ "coldspot help --all record", "All of them, as `coldspot record --help-all`." },
	{ "coldspot help --format man record | man -l -", "The same, as a man page." },
	{ ". <(coldspot help --format bash)", "Load completions into this shell." },
	{ NULL, NULL },
};

const struct opt_command help_opts = {
	.name = "help",
	.summary = "explain a command",
	.description =
		"Prints help for a command or the whole program, as text or as a man page; shell "
		"completions; or the names of the commands.",
	.opts = help_table,
	.args = help_args,
	.examples = help_examples,
	.values_sz = sizeof(struct help_values),
	.defaults = &help_defaults,
};

const struct opt_command version_opts = {
	.name = "version",
	.summary = "show the version",
	.description = "Prints the version of the program, with its commit where it was built from "
		       "a repository.",
};

int cmd_help(int argc, char **argv)
{
	const struct command *about = NULL;
	struct help_values values;
	int status;

	if (!command_begin(&help_opts, argc, argv, &values, &status))
		return status;
	if (values.command) {
		about = commands_find(values.command);
		if (!about)
			return command_usage(&help_opts, "no command '%s'", values.command);
		if (values.format > HELP_MAN)
			return command_usage(&help_opts, "--format %s takes no COMMAND",
					     formats[values.format]);
	}
	if (values.all && values.format == HELP_TEXT)
		return command_print(&help_opts, help_text_all, about ? about->opts : NULL);
	return command_print(&help_opts, printers[values.format], about ? about->opts : NULL);
}

static void print_version(const struct opt_command *cmd, struct sink *out)
{
	(void)cmd;
	sink__puts(out, "coldspot " COLDSPOT_VERSION "\n");
}

int cmd_version(int argc, char **argv)
{
	int status;

	if (!command_begin(&version_opts, argc, argv, NULL, &status))
		return status;
	return command_print(&version_opts, print_version, NULL);
}
