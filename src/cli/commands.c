/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/spell.h"
#include "app/target.h"
#include "base/text/utf8.h"
#include "cli/help.h"

/*
 * The registry of commands, and the only place that turns errors into messages on standard error
 * and exit statuses. Commands return a status and never call exit().
 *
 * SIGPIPE is ignored, so that `coldspot ... | head` ends as a quiet success through the -EPIPE of a
 * sink, with everything closed in order, instead of being killed in the middle of a trace.
 */

/* One line for each. */
/* clang-format off */
const struct command commands[] = {
	{ &record_opts, cmd_record },
	{ &top_opts, cmd_top },
	{ &serve_opts, cmd_serve },
	{ &agent_opts, cmd_agent },
	{ &report_opts, cmd_report },
	{ &import_opts, cmd_import },
	{ &export_opts, cmd_export },
	{ &hist_opts, cmd_hist },
	{ &graph_opts, cmd_graph },
	{ &whatif_opts, cmd_whatif },
	{ &diff_opts, cmd_diff },
	{ &offcputime_opts, cmd_offcputime },
	{ &offwaketime_opts, cmd_offwaketime },
	{ &wakeuptime_opts, cmd_wakeuptime },
	{ &cpudist_opts, cmd_cpudist },
	{ &runqlat_opts, cmd_runqlat },
	{ &query_opts, cmd_query },
	{ &push_opts, cmd_push },
	{ &regressions_opts, cmd_regressions },
	{ &check_opts, cmd_check },
	{ &doctor_opts, cmd_doctor },
	{ &help_opts, cmd_help },
	{ &version_opts, cmd_version },
	{ NULL, NULL },
};
/* clang-format on */

const struct command *commands_find(const char *name)
{
	const struct command *c;

	for (c = commands; c->opts; c++) {
		if (!strcmp(c->opts->name, name))
			return c;
	}
	return NULL;
}

int command_fail(const struct opt_command *cmd, const struct err *err)
{
	char msg[sizeof(err->msg)];

	if (err->code == -EPIPE)
		return STATUS_OK;
	/* the message may contain names from untrusted sources */
	fprintf(stderr, "coldspot%s%s: %s\n", cmd ? " " : "", cmd ? cmd->name : "",
		utf8_copy_harmless(err->msg, msg, sizeof(msg)));
	return err->code == -EPERM ? STATUS_NOT_PERMITTED : STATUS_FAILED;
}

void command_say(const struct opt_command *cmd, const struct notices *notices)
{
	for (size_t i = 0; notices__at(notices, i); i++)
		fprintf(stderr, "coldspot%s%s: %s\n", cmd ? " " : "", cmd ? cmd->name : "",
			notices__at(notices, i));
}

int command_check_target(struct target *t, struct err *err)
{
	struct notices skipped;
	int r;

	notices__init(&skipped);
	r = target_check(t, &skipped, err);
	command_say(NULL, &skipped);
	notices__done(&skipped);
	return r;
}

int command_usage(const struct opt_command *cmd, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "coldspot %s: ", cmd->name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return STATUS_USAGE;
}

int command_print(const struct opt_command *cmd, command_print_fn *print,
		  const struct opt_command *about)
{
	struct err err = { 0 };
	struct sink out;
	int r;

	sink__init_fd(&out, STDOUT_FILENO);
	print(about, &out);
	r = sink__finish(&out, &err);
	sink__done(&out);
	return r < 0 ? command_fail(cmd, &err) : STATUS_OK;
}

bool command_begin(const struct opt_command *cmd, int argc, char **argv, void *values,
		   int *ret_status)
{
	struct err err = { 0 };
	int r = opt_parse(cmd, argc, argv, values, &err);

	if (!r)
		return true;
	opt_release(cmd, values);
	if (r == OPT_HELP_ASKED)
		*ret_status = command_print(cmd, help_text, cmd);
	else if (r == OPT_HELP_ALL_ASKED)
		*ret_status = command_print(cmd, help_text_all, cmd);
	else if (r == -EINVAL)
		*ret_status = command_usage(cmd, "%s", err.msg);
	else
		*ret_status = command_fail(cmd, &err);
	return false;
}

/* If descriptor 0, 1 or 2 is closed, a file that we open would get it, and our output. */
static void hold_standard_fds(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", O_RDONLY);
	}
}

static int unknown_command(const char *name)
{
	const struct command *c;
	struct spell spell;

	if (name[0] == '-') {
		fprintf(stderr, "coldspot: unknown option '%s' before a command\n", name);
		return STATUS_USAGE;
	}
	spell__init(&spell, name);
	for (c = commands; c->opts; c++)
		spell__offer(&spell, c->opts->name);
	if (spell.best)
		fprintf(stderr, "coldspot: no command '%s'; did you mean '%s'?\n", name,
			spell.best);
	else
		fprintf(stderr, "coldspot: no command '%s'; 'coldspot help' lists them\n", name);
	return STATUS_USAGE;
}

static int no_command(void)
{
	struct sink out;

	sink__init_fd(&out, STDERR_FILENO);
	help_short(&out);
	sink__finish(&out, NULL);
	sink__done(&out);
	return STATUS_USAGE;
}

int commands_main(int argc, char **argv)
{
	const struct command *c;

	hold_standard_fds();
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2)
		return no_command();
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		return command_print(NULL, help_text, NULL);
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version"))
		return cmd_version(1, (char *[]){ argv[1], NULL });
	c = commands_find(argv[1]);
	return c ? c->run(argc - 1, argv + 1) : unknown_command(argv[1]);
}
