/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/sink.h"
#include "cli/commands.h"

/*
 * Everything that is said about the options, printed from the tables into a sink: errors stick to
 * the sink. `cmd` NULL is the program itself with its commands. Each is a command_print_fn.
 */
void help_text(const struct opt_command *cmd, struct sink *out);
/* A page of section 1 in the man macros, "coldspot-CMD" or "coldspot". */
void help_man(const struct opt_command *cmd, struct sink *out);

/* Completions are of the whole program: `cmd` must be NULL. */
void help_bash(const struct opt_command *cmd, struct sink *out);
void help_zsh(const struct opt_command *cmd, struct sink *out);
/* The names of the commands, one a line. */
void help_list(const struct opt_command *cmd, struct sink *out);

/* The few lines for somebody who typed the program's name and nothing else. */
void help_short(struct sink *out);

/* Words on what every command shares; up to a NULL line. */
extern const struct opt_example help_environment[];
extern const struct opt_example help_statuses[];

/* "-p, --pid PID,..." or "    --[no-]follow", for the text and the man page. */
void help_option_head(const struct opt *o, char *buf, size_t sz);
/*
 * The sentence of an option with its choices and default, as "Trace it. Default: 10s.", cut at sz.
 */
void help_option_sentence(const struct opt *o, const void *defaults, char *buf, size_t sz);

#endif
