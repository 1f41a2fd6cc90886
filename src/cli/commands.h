/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/err.h"
#include "base/notices.h"
#include "base/sink.h"
#include "base/types.h"
#include "cli/opt.h"

struct target;

/* Exit statuses of the program. */
enum status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_NOT_PERMITTED = 3,
	STATUS_DIFFERS = 4, /* diff: a limit of --fail-on was reached; regressions: one was found */
};

/* A new command is one file with these two, and one line in commands.c. */
struct command {
	const struct opt_command *opts; /* name, summary and options */
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns enum status */
};

extern const struct command commands[]; /* up to a NULL opts */

int cmd_record(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_query(int argc, char **argv);
int cmd_push(int argc, char **argv);
int cmd_regressions(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_hist(int argc, char **argv);
int cmd_graph(int argc, char **argv);
int cmd_whatif(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_offcputime(int argc, char **argv);
int cmd_offwaketime(int argc, char **argv);
int cmd_wakeuptime(int argc, char **argv);
int cmd_cpudist(int argc, char **argv);
int cmd_runqlat(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_version(int argc, char **argv);

extern const struct opt_command record_opts;
extern const struct opt_command top_opts;
extern const struct opt_command agent_opts;
extern const struct opt_command query_opts;
extern const struct opt_command push_opts;
extern const struct opt_command regressions_opts;
extern const struct opt_command serve_opts;
extern const struct opt_command report_opts;
extern const struct opt_command import_opts;
extern const struct opt_command export_opts;
extern const struct opt_command hist_opts;
extern const struct opt_command graph_opts;
extern const struct opt_command whatif_opts;
extern const struct opt_command diff_opts;
extern const struct opt_command offcputime_opts;
extern const struct opt_command offwaketime_opts;
extern const struct opt_command wakeuptime_opts;
extern const struct opt_command cpudist_opts;
extern const struct opt_command runqlat_opts;
extern const struct opt_command check_opts;
extern const struct opt_command doctor_opts;
extern const struct opt_command help_opts;
extern const struct opt_command version_opts;

/*
 * Runs the command line of the whole program; returns enum status. Ignores SIGPIPE; code that
 * starts another program must reset it to SIG_DFL in the child.
 */
int commands_main(int argc, char **argv);
/* The command of that name, or NULL. */
const struct command *commands_find(const char *name);

/*
 * Prints the output of `print` for `about` to standard output, and reports errors for `cmd` (may be
 * NULL).
 */
typedef void command_print_fn(const struct opt_command *about, struct sink *out);
int command_print(const struct opt_command *cmd, command_print_fn *print,
		  const struct opt_command *about);

/*
 * opt_parse() plus its output: true if the command should continue. Otherwise the help (stdout) or
 * the message (stderr) is printed, `values` is released, and *ret_status is the exit status.
 */
bool command_begin(const struct opt_command *cmd, int argc, char **argv, void *values,
		   int *ret_status);
/*
 * Prints "coldspot CMD: message" on stderr and returns the exit status for err->code: -EPERM is
 * STATUS_NOT_PERMITTED; -EPIPE (the reader closed the pipe) is silent and STATUS_OK; others
 * STATUS_FAILED.
 */
int command_fail(const struct opt_command *cmd, const struct err *err);
/* Prints each as "coldspot CMD: message" on stderr, without the name if `cmd` is NULL. */
void command_say(const struct opt_command *cmd, const struct notices *notices);
/* target_check(); prints which processes and threads were skipped. */
int command_check_target(struct target *t, struct err *err);
/* For invalid combinations that only the command knows: the message, and STATUS_USAGE. */
int command_usage(const struct opt_command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
