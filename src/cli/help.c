/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/opt_value.h"
#include "base/text/wrap.h"

/*
 * --help: common options, a sentence for each; --help-all has the rest. 80 columns whatever the
 * terminal, so that it looks the same in a mail and in a test. Options are in one column, sentences
 * in the next; an option that is too long gets its own line.
 */

#define HELP_HEAD_WIDTH 26
/* In --help. */
#define HELP_EXAMPLES 4

const struct opt_example help_environment[] = {
	{ "COLDSPOT_DEBUG", "If set to 1, log debug messages to standard error." },
	{ NULL, NULL },
};

const struct opt_example help_statuses[] = {
	{ "0", "Success, also if the reader of the output closed it early." },
	{ "1", "Failure; standard error has the reason." },
	{ "2", "Invalid command line." },
	{ "3", "Not permitted: a capability is missing." },
	{ "4", "diff: a limit of --fail-on was reached; regressions: something waits longer." },
	{ "N", "record -- COMMAND: the status of the command, or 128 and the signal that killed "
	       "it. What fails in coldspot itself is 1, 2 or 3." },
	{ NULL, NULL },
};

/* Appends to a string; what does not fit is cut. */
static void append(char *buf, size_t sz, const char *text)
{
	size_t len = strlen(buf);

	snprintf(buf + len, sz - len, "%s", text);
}

void help_option_head(const struct opt *o, char *buf, size_t sz)
{
	char letter[8] = "    ";

	buf[0] = '\0';
	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c%s", o->letter, o->name ? ", " : "");
	append(buf, sz, letter);
	if (o->name) {
		append(buf, sz, o->flags & OPT_NEGATABLE ? "--[no-]" : "--");
		append(buf, sz, o->name);
	}
	if (o->metavar) {
		append(buf, sz, " ");
		append(buf, sz, o->metavar);
	}
}

/* The end of the sentence that `text` begins with, or of the whole text. */
static const char *sentence_end(const char *text)
{
	const char *p = strstr(text, ". ");

	return p ? p + 1 : text + strlen(text);
}

/* Appends the first sentence, and the one that says what the default is. */
static void append_brief(char *buf, size_t sz, const char *text)
{
	const char *end = sentence_end(text), *def = strstr(end, " Default: ");
	size_t len = strlen(buf);

	snprintf(buf + len, sz - len, "%.*s", (int)(end - text), text);
	len = strlen(buf);
	if (def)
		snprintf(buf + len, sz - len, "%.*s", (int)(sentence_end(def) - def), def);
}

void help_option_sentence(const struct opt *o, const void *defaults, bool brief, char *buf,
			  size_t sz)
{
	char value[64];
	u32 i;

	buf[0] = '\0';
	(brief ? append_brief : append)(buf, sz, o->help);
	for (i = 0; o->type == OPT_TYPE_CHOICE && o->choices[i]; i++) {
		append(buf, sz, !i ? " One of " : o->choices[i + 1] ? ", " : " or ");
		append(buf, sz, o->choices[i]);
	}
	if (i)
		append(buf, sz, ".");
	if (opt_value_default(o, defaults, value, sizeof(value))) {
		append(buf, sz, " Default: ");
		append(buf, sz, value);
		append(buf, sz, ".");
	}
}

static void put_entry(struct sink *out, const char *head, const char *text)
{
	int width = (int)strlen(head);

	sink__printf(out, "  %s", head);
	if (width + 2 > HELP_HEAD_WIDTH - 2)
		sink__printf(out, "\n%*s", HELP_HEAD_WIDTH, "");
	else
		sink__printf(out, "%*s", HELP_HEAD_WIDTH - 2 - width, "");
	wrap_text(out, text, HELP_HEAD_WIDTH, HELP_HEAD_WIDTH);
}

static void put_paragraphs(struct sink *out, const char *text)
{
	while (text && *text) {
		sink__puts(out, "\n");
		text = wrap_text(out, text, 0, 0);
	}
}

static void put_usage(const struct opt_command *cmd, struct sink *out)
{
	const struct opt *o;

	sink__printf(out, "Usage: coldspot %s", cmd->name);
	if (cmd->opts)
		sink__puts(out, " [OPTION]...");
	for (o = cmd->args; o && o->type != OPT_TYPE_END; o++)
		sink__printf(out, o->flags & OPT_REQUIRED ? " %s" : " [%s]", o->metavar);
	sink__puts(out, "\n");
}

static u32 count_options(const struct opt_command *cmd, bool common)
{
	u32 n = 0;

	for (const struct opt *o = cmd->opts; o && o->type != OPT_TYPE_END; o++)
		n += o->type != OPT_TYPE_HEADING && (!common || o->flags & OPT_COMMON);
	return n;
}

/* A heading is put before the first of its options that is shown. */
static void put_options(const struct opt_command *cmd, bool common, struct sink *out)
{
	const char *heading = "Options";
	char head[64], sentence[HELP_SENTENCE_SZ];

	for (const struct opt *o = cmd->opts; o && o->type != OPT_TYPE_END; o++) {
		if (o->type == OPT_TYPE_HEADING) {
			heading = o->help;
			continue;
		}
		if (common && !(o->flags & OPT_COMMON))
			continue;
		if (heading)
			sink__printf(out, "\n%s:\n", heading);
		heading = NULL;
		help_option_head(o, head, sizeof(head));
		help_option_sentence(o, cmd->defaults, common, sentence, sizeof(sentence));
		put_entry(out, head, sentence);
	}
}

static void put_examples(const struct opt_example *examples, u32 max, struct sink *out)
{
	sink__puts(out, "\nExamples:\n");
	for (u32 i = 0; i < max && examples[i].line; i++) {
		sink__printf(out, "  %s\n      ", examples[i].line);
		wrap_text(out, examples[i].what, 6, 6);
	}
}

static void help_command(const struct opt_command *cmd, bool all, struct sink *out)
{
	const struct opt *o;
	u32 shown = all ? 0 : count_options(cmd, true);
	char sentence[HELP_SENTENCE_SZ];

	put_usage(cmd, out);
	sink__printf(out, "%c%s.\n", cmd->summary[0] - 'a' + 'A', cmd->summary + 1);
	put_paragraphs(out, cmd->description);
	if (cmd->args && cmd->args->type != OPT_TYPE_END)
		sink__puts(out, "\n");
	for (o = cmd->args; o && o->type != OPT_TYPE_END; o++) {
		help_option_sentence(o, cmd->defaults, shown > 0, sentence, sizeof(sentence));
		put_entry(out, o->metavar, sentence);
	}
	put_options(cmd, shown > 0, out);
	if (shown)
		sink__printf(out, "\n%u more options, and these in full: coldspot %s --help-all\n",
			     count_options(cmd, false) - shown, cmd->name);
	if (cmd->examples)
		put_examples(cmd->examples, shown ? HELP_EXAMPLES : ~0U, out);
}

static void put_commands(struct sink *out)
{
	const struct command *c;

	for (c = commands; c->opts; c++)
		sink__printf(out, "  %-12s %s\n", c->opts->name, c->opts->summary);
}

static void help_program(struct sink *out)
{
	const struct opt_example *e;

	sink__puts(out, "Usage: coldspot COMMAND [OPTION]...\n"
			"Shows where programs wait: all time off the CPU, with its cause.\n"
			"\nCommands:\n");
	put_commands(out);
	sink__puts(out, "\nOptions:\n");
	put_entry(out, "-h, --help", "Show this.");
	put_entry(out, "-V, --version", "Show the version.");
	sink__puts(out, "\nEnvironment:\n");
	for (e = help_environment; e->line; e++)
		put_entry(out, e->line, e->what);
	sink__puts(out, "\nExit status:\n");
	for (e = help_statuses; e->line; e++)
		put_entry(out, e->line, e->what);
	sink__puts(out, "\n'coldspot help COMMAND' lists the options of a command.\n");
}

void help_text(const struct opt_command *cmd, struct sink *out)
{
	if (cmd)
		help_command(cmd, false, out);
	else
		help_program(out);
}

void help_text_all(const struct opt_command *cmd, struct sink *out)
{
	if (cmd)
		help_command(cmd, true, out);
	else
		help_program(out);
}

void help_short(struct sink *out)
{
	sink__puts(out, "Usage: coldspot COMMAND [OPTION]...\n\n");
	put_commands(out);
	sink__puts(out, "\nTo get started: sudo coldspot record -p PID\n");
}

void help_list(const struct opt_command *cmd, struct sink *out)
{
	const struct command *c;

	(void)cmd;
	for (c = commands; c->opts; c++)
		sink__printf(out, "%s\n", c->opts->name);
}
