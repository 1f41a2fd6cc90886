/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/sink.h"
#include "cli/commands.h"

/* Room for the description of an option, with what the help adds to it; a test measures them. */
#define HELP_SENTENCE_SZ 2048

/*
 * All text about options, printed from the tables into a sink, which keeps errors. `cmd` NULL is
 * the program itself with its commands. Each is a command_print_fn.
 */
/* The common options of a command (OPT_COMMON) in brief, or all if it has none. */
void help_text(const struct opt_command *cmd, struct sink *out);
void help_text_all(const struct opt_command *cmd, struct sink *out);
/* A man page of section 1 in the man macros, "coldspot-CMD" or "coldspot". */
void help_man(const struct opt_command *cmd, struct sink *out);

/* Completions are for the whole program: `cmd` must be NULL. */
void help_bash(const struct opt_command *cmd, struct sink *out);
void help_zsh(const struct opt_command *cmd, struct sink *out);
/* The names of the commands, one per line. */
void help_list(const struct opt_command *cmd, struct sink *out);

/* The short text for the program name without arguments. */
void help_short(struct sink *out);

/* What all commands share; up to a NULL line. */
extern const struct opt_example help_environment[];
extern const struct opt_example help_statuses[];

/* "-p, --pid PID,..." or "    --[no-]follow", for the text and the man page. */
void help_option_head(const struct opt *o, char *buf, size_t sz);
/*
 * The text of an option with its choices and default, as "Trace it. Default: 10s.", cut at sz; in
 * brief, only its first sentence with choices and default.
 */
void help_option_sentence(const struct opt *o, const void *defaults, bool brief, char *buf,
			  size_t sz);

#endif
