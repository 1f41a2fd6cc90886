/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "render/render.h"

/*
 * Completions for bash and zsh, complete scripts that need nothing at run time: the program is not
 * called during completion. The type of a value comes from the flags of the table (a file, a
 * process, a command) or from its choices; other values are not completed.
 */

static void put_command_names(struct sink *out)
{
	const struct command *c;

	for (c = commands; c->opts; c++)
		sink__printf(out, "%s%s", c == commands ? "" : " ", c->opts->name);
}

static void put_format_names(struct sink *out)
{
	for (u32 i = 0; render_formats[i]; i++)
		sink__printf(out, "%s%s", i ? " " : "", render_formats[i]->name);
}

/* Whether the value is one of a few words. */
static bool has_words(const struct opt *o)
{
	return o->type == OPT_TYPE_CHOICE || o->flags & (OPT_COMMAND | OPT_FORMAT);
}

static void put_words(const struct opt *o, struct sink *out)
{
	if (o->flags & OPT_COMMAND)
		put_command_names(out);
	else if (o->flags & OPT_FORMAT)
		put_format_names(out);
	else
		for (u32 i = 0; o->choices[i]; i++)
			sink__printf(out, "%s%s", i ? " " : "", o->choices[i]);
}

/* What bash should offer as the value of an option or argument. */
static void bash_value(const struct opt *o, struct sink *out)
{
	if (has_words(o)) {
		sink__puts(out, "COMPREPLY=($(compgen -W '");
		put_words(o, out);
		sink__puts(out, "' -- \"$cur\"))");
	} else if ((o->flags & OPT_FILE) && (o->flags & OPT_PROCESS)) {
		sink__puts(out,
			   "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen "
			   "-W \"$(ps -eo pid=)\" -- \"$cur\"; compgen -f -- \"$cur\")");
	} else if (o->flags & OPT_FILE) {
		sink__puts(out, "compopt -o filenames 2>/dev/null; "
				"mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")");
	} else if (o->flags & OPT_PROCESS) {
		sink__puts(out, "COMPREPLY=($(compgen -W \"$(ps -eo pid=)\" -- \"$cur\"))");
	} else {
		sink__puts(out, ":");
	}
}

static void bash_values(const struct opt_command *cmd, struct sink *out)
{
	const struct opt *o;

	sink__puts(out, "\t\tcase $prev in\n");
	for (o = cmd->opts; o && o->type != OPT_TYPE_END; o++) {
		if (!o->metavar)
			continue;
		sink__puts(out, "\t\t");
		if (o->letter)
			sink__printf(out, "-%c%s", o->letter, o->name ? " | " : "");
		if (o->name)
			sink__printf(out, "--%s", o->name);
		sink__puts(out, ") ");
		bash_value(o, out);
		sink__puts(out, "; return ;;\n");
	}
	sink__puts(out, "\t\tesac\n");
}

static bool is_word(const struct opt *arg)
{
	return arg && arg->type != OPT_TYPE_END && arg->type != OPT_TYPE_REST;
}

/* The first word after the command is the first argument, any other one the second. */
static void bash_arguments(const struct opt *args, struct sink *out)
{
	if (is_word(&args[1])) {
		sink__puts(out, "\t\telif ((COMP_CWORD > 2)); then\n\t\t\t");
		bash_value(&args[1], out);
		sink__puts(out, "\n");
	}
	sink__puts(out, "\t\telse\n\t\t\t");
	bash_value(args, out);
	sink__puts(out, "\n");
}

static void bash_command(const struct opt_command *cmd, struct sink *out)
{
	const struct opt *o;

	sink__printf(out, "\t%s)\n", cmd->name);
	if (cmd->opts)
		bash_values(cmd, out);
	sink__puts(out, "\t\tif [[ $cur == -* ]]; then\n"
			"\t\t\tCOMPREPLY=($(compgen -W '--help --help-all");
	for (o = cmd->opts; o && o->type != OPT_TYPE_END; o++) {
		if (o->name)
			sink__printf(out, " --%s", o->name);
		else if (o->letter)
			sink__printf(out, " -%c", o->letter);
		if (o->flags & OPT_NEGATABLE)
			sink__printf(out, " --no-%s", o->name);
	}
	sink__puts(out, "' -- \"$cur\"))\n");
	if (is_word(cmd->args))
		bash_arguments(cmd->args, out);
	sink__puts(out, "\t\tfi\n\t\t;;\n");
}

void help_bash(const struct opt_command *cmd, struct sink *out)
{
	const struct command *c;

	(void)cmd;
	sink__puts(out,
		   "# bash completion for coldspot; printed by 'coldspot help --format bash'\n"
		   "# shellcheck disable=SC2207\n"
		   "_coldspot()\n{\n\tlocal cur prev i\n\tCOMPREPLY=()\n"
		   "\tcur=${COMP_WORDS[COMP_CWORD]}\n\tprev=${COMP_WORDS[COMP_CWORD - 1]}\n"
		   "\t# bash divides --name=value into three words\n"
		   "\tif [[ $cur == = ]]; then\n\t\tcur=\n"
		   "\telif [[ $prev == = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n"
		   "\tif ((COMP_CWORD == 1)); then\n\t\tCOMPREPLY=($(compgen -W '");
	put_command_names(out);
	sink__puts(out, " --help --version' -- \"$cur\"))\n\t\treturn\n\tfi\n"
			"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
			"\t\t[[ ${COMP_WORDS[i]} == -- ]] || continue\n"
			"\t\tif declare -F _command_offset >/dev/null; then\n"
			"\t\t\t_command_offset $((i + 1))\n"
			"\t\telif ((COMP_CWORD == i + 1)); then\n"
			"\t\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
			"\t\telse\n"
			"\t\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
			"\t\tfi\n\t\treturn\n\tdone\n"
			"\tcase ${COMP_WORDS[1]} in\n");
	for (c = commands; c->opts; c++)
		bash_command(c->opts, out);
	sink__puts(out, "\tesac\n}\ncomplete -F _coldspot coldspot\n");
}

/* Escapes for single quotes, and brackets and colons, which are special in zsh. */
static void zsh_escaped(const char *text, struct sink *out)
{
	const char *p;

	for (p = text; *p; p++) {
		if (*p == '\'')
			sink__puts(out, "'\\''");
		else if (strchr("[]:\\", *p))
			sink__printf(out, "\\%c", *p);
		else
			sink__put(out, p, 1);
	}
}

static void zsh_value(const struct opt *o, struct sink *out)
{
	sink__puts(out, ":");
	zsh_escaped(o->metavar, out);
	sink__puts(out, ":");
	if (has_words(o)) {
		sink__puts(out, "(");
		put_words(o, out);
		sink__puts(out, ")");
	} else if ((o->flags & OPT_FILE) && (o->flags & OPT_PROCESS)) {
		sink__puts(out, "{_pids; _files}");
	} else if (o->flags & OPT_FILE) {
		sink__puts(out, "_files");
	} else if (o->flags & OPT_PROCESS) {
		sink__puts(out, "_pids");
	} else {
		sink__puts(out, " ");
	}
}

/* One line of _arguments: '(-p --pid)'{-p+,--pid=}'[sentence]:PID:_pids' */
static void zsh_option(const struct opt *o, const char *no, struct sink *out)
{
	bool many = o->type == OPT_TYPE_IDS || o->type == OPT_TYPE_STRINGS;
	const char *short_tail = o->metavar ? "+" : "", *long_tail = o->metavar ? "=" : "";

	sink__puts(out, " \\\n\t\t\t'");
	if (many)
		sink__puts(out, "*");
	if (o->letter && o->name && !*no) {
		if (!many)
			sink__printf(out, "(-%c --%s)", o->letter, o->name);
		sink__printf(out, "'{-%c%s,--%s%s}'", o->letter, short_tail, o->name, long_tail);
	} else if (o->name) {
		sink__printf(out, "--%s%s%s", no, o->name, long_tail);
	} else {
		sink__printf(out, "-%c%s", o->letter, short_tail);
	}
	sink__puts(out, "[");
	zsh_escaped(o->help, out);
	sink__puts(out, "]");
	if (o->metavar)
		zsh_value(o, out);
	sink__puts(out, "'");
}

static void zsh_command(const struct opt_command *cmd, struct sink *out)
{
	const struct opt *o;

	sink__printf(out,
		     "\t%s)\n\t\t_arguments -s -S '(- *)'{-h,--help}'[Show the common options.]'"
		     " \\\n\t\t\t'(- *)--help-all[Show all options.]'",
		     cmd->name);
	for (o = cmd->opts; o && o->type != OPT_TYPE_END; o++) {
		if (o->type == OPT_TYPE_HEADING)
			continue;
		zsh_option(o, "", out);
		if (o->flags & OPT_NEGATABLE)
			zsh_option(o, "no-", out);
	}
	for (o = cmd->args; o && o->type != OPT_TYPE_END; o++) {
		if (o->type == OPT_TYPE_REST) {
			sink__puts(out, " \\\n\t\t\t'*::command:_normal'");
			continue;
		}
		sink__printf(out, " \\\n\t\t\t'%s",
			     o->type == OPT_TYPE_STRINGS ? "*" :
			     o->flags & OPT_REQUIRED	 ? "" :
							   ":");
		zsh_value(o, out);
		sink__puts(out, "'");
	}
	sink__puts(out, "\n\t\t;;\n");
}

void help_zsh(const struct opt_command *cmd, struct sink *out)
{
	const struct command *c;

	(void)cmd;
	sink__puts(out, "#compdef coldspot\n"
			"# printed by 'coldspot help --format zsh'\n"
			"_coldspot() {\n\tlocal context state state_descr line\n"
			"\ttypeset -A opt_args\n\tlocal -a names\n"
			"\t_arguments -C '(- *)'{-h,--help}'[Show the commands.]' \\\n"
			"\t\t'(- *)'{-V,--version}'[Show the version.]' \\\n"
			"\t\t'1:command:->command' '*::argument:->argument'\n"
			"\tcase $state in\n\tcommand)\n\t\tnames=(");
	for (c = commands; c->opts; c++) {
		sink__printf(out, "\n\t\t\t'%s:", c->opts->name);
		zsh_escaped(c->opts->summary, out);
		sink__puts(out, "'");
	}
	sink__puts(out, ")\n\t\t_describe command names\n\t\treturn\n\t\t;;\n"
			"\targument) ;;\n\t*) return ;;\n\tesac\n"
			"\tcase $words[1] in\n");
	for (c = commands; c->opts; c++)
		zsh_command(c->opts, out);
	sink__puts(out, "\tesac\n}\n_coldspot \"$@\"\n");
}
