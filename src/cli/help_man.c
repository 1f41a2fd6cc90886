/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "gen/version.h"

/*
 * Man pages in the classic man macros, which groff, mandoc and every viewer know. There is no date:
 * the same source gives the same page. Text from the tables is escaped, so tables need no roff: a
 * backslash, a minus to be typed, and a dot or quote at the start of a line.
 */

/*
 * `typed`: every '-' may be copied to a shell; else only those that begin a word. Ends at an empty
 * line or at the end of the text, and returns what follows.
 */
static const char *put_escaped(struct sink *out, const char *text, bool typed)
{
	const char *p;
	char before = '\n';

	for (p = text; *p && strncmp(p, "\n\n", 2); before = *p++) {
		if (before == '\n' && (*p == '.' || *p == '\''))
			sink__puts(out, "\\&");
		if (*p == '\\')
			sink__puts(out, "\\e");
		else if (*p == '-' && (typed || strchr(" \n-", before)))
			sink__puts(out, "\\-");
		else
			sink__put(out, p, 1);
	}
	return p + strspn(p, "\n");
}

static void put_heading(struct sink *out, const char *macro, const char *title)
{
	sink__printf(out, "%s \"", macro);
	put_escaped(out, title, false);
	sink__puts(out, "\"\n");
}

/* A list entry: bold head, then the text. */
static void put_entry(struct sink *out, const char *head, const char *text)
{
	sink__puts(out, ".TP\n\\fB");
	put_escaped(out, head, true);
	sink__puts(out, "\\fR\n");
	put_escaped(out, text, false);
	sink__puts(out, "\n");
}

static void put_list(struct sink *out, const char *title, const struct opt_example *list)
{
	put_heading(out, ".SH", title);
	for (; list->line; list++)
		put_entry(out, list->line, list->what);
}

/* After a heading, which is a paragraph break itself. */
static void put_paragraphs(struct sink *out, const char *text)
{
	while (text && *text) {
		text = put_escaped(out, text, false);
		sink__puts(out, *text ? "\n.PP\n" : "\n");
	}
}

/* ".TH" and NAME. The title is in capitals, as usual in section 1. */
static void put_title(struct sink *out, const char *name, const char *summary)
{
	const char *p;

	sink__puts(out, ".TH ");
	for (p = name; *p; p++)
		sink__printf(out, "%c", *p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
	sink__puts(out, " 1 \"\" \"coldspot " COLDSPOT_VERSION "\" \"coldspot\"\n.SH NAME\n");
	put_escaped(out, name, false);
	sink__puts(out, " \\- ");
	put_escaped(out, summary, false);
	sink__puts(out, "\n");
}

/* "-p, --pid PID,...": names bold, the value in italics. */
static void put_option_head(struct sink *out, const struct opt *o)
{
	sink__puts(out, ".TP\n\\fB");
	if (o->letter)
		sink__printf(out, "\\-%c%s", o->letter, o->name ? "\\fR, \\fB" : "");
	if (o->name) {
		sink__puts(out, o->flags & OPT_NEGATABLE ? "\\-\\-[no\\-]" : "\\-\\-");
		put_escaped(out, o->name, true);
	}
	sink__puts(out, "\\fR");
	if (o->metavar) {
		sink__puts(out, " \\fI");
		put_escaped(out, o->metavar, false);
		sink__puts(out, "\\fR");
	}
	sink__puts(out, "\n");
}

/* The long names of `excludes`, which are separated by spaces. */
static void put_excludes(const char *names, struct sink *out)
{
	const char *p;

	sink__puts(out, " Not together with \\-\\-");
	for (p = names; *p; p++) {
		if (*p == ' ')
			sink__puts(out, " or \\-\\-");
		else
			sink__puts(out, *p == '-' ? "\\-" : (char[]){ *p, '\0' });
	}
	sink__puts(out, ".");
}

static void put_options(const struct opt_command *cmd, struct sink *out)
{
	const struct opt *o = cmd->opts;
	char sentence[HELP_SENTENCE_SZ];

	if (!o || o->type == OPT_TYPE_END)
		return;
	put_heading(out, ".SH", "OPTIONS");
	for (; o->type != OPT_TYPE_END; o++) {
		if (o->type == OPT_TYPE_HEADING) {
			put_heading(out, ".SS", o->help);
			continue;
		}
		put_option_head(out, o);
		help_option_sentence(o, cmd->defaults, false, sentence, sizeof(sentence));
		put_escaped(out, sentence, false);
		if (o->excludes)
			put_excludes(o->excludes, out);
		sink__puts(out, "\n");
	}
}

static void put_synopsis(const struct opt_command *cmd, struct sink *out)
{
	const struct opt *o;

	put_heading(out, ".SH", "SYNOPSIS");
	sink__puts(out, "\\fBcoldspot ");
	put_escaped(out, cmd->name, true);
	sink__printf(out, "\\fR%s", cmd->opts ? " [\\fIOPTION\\fR]..." : "");
	for (o = cmd->args; o && o->type != OPT_TYPE_END; o++) {
		sink__puts(out, o->flags & OPT_REQUIRED ? " " : " [");
		sink__puts(out, "\\fI");
		put_escaped(out, o->metavar, true);
		sink__puts(out, "\\fR");
		sink__puts(out, o->flags & OPT_REQUIRED ? "" : "]");
	}
	sink__puts(out, "\n");
}

static void put_examples(const struct opt_example *e, struct sink *out)
{
	const struct opt_example *first = e;

	put_heading(out, ".SH", "EXAMPLES");
	for (; e->line; e++) {
		sink__puts(out, e == first ? "" : ".PP\n");
		put_escaped(out, e->what, false);
		sink__puts(out, "\n.PP\n.RS 4\n.nf\n\\fB");
		put_escaped(out, e->line, true);
		sink__puts(out, "\\fR\n.fi\n.RE\n");
	}
}

static void man_command(const struct opt_command *cmd, struct sink *out)
{
	const struct opt *o;
	char name[64], sentence[HELP_SENTENCE_SZ];

	snprintf(name, sizeof(name), "coldspot-%s", cmd->name);
	put_title(out, name, cmd->summary);
	put_synopsis(cmd, out);
	put_heading(out, ".SH", "DESCRIPTION");
	put_paragraphs(out, cmd->description ? cmd->description : cmd->summary);
	for (o = cmd->args; o && o->type != OPT_TYPE_END; o++) {
		help_option_sentence(o, cmd->defaults, false, sentence, sizeof(sentence));
		put_entry(out, o->metavar, sentence);
	}
	put_options(cmd, out);
	if (cmd->examples)
		put_examples(cmd->examples, out);
	put_list(out, "EXIT STATUS", help_statuses);
	put_list(out, "ENVIRONMENT", help_environment);
	put_heading(out, ".SH", "SEE ALSO");
	sink__puts(out, "\\fBcoldspot\\fR(1)\n");
}

static void man_program(struct sink *out)
{
	const struct command *c;

	put_title(out, "coldspot", "show where programs wait");
	put_heading(out, ".SH", "SYNOPSIS");
	sink__puts(out, "\\fBcoldspot\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n");
	put_heading(out, ".SH", "DESCRIPTION");
	put_paragraphs(
		out, "coldspot traces threads through the kernel's scheduler. At any time a thread "
		     "is on a CPU, waiting for a CPU, or blocked. coldspot adds up all three, and "
		     "reports what each wait was for and which code waited.\n\n"
		     "It needs Linux 5.15 or newer with BTF, and root or a few capabilities. "
		     "coldspot-doctor(1) reports what this machine has and what is missing.");
	put_heading(out, ".SH", "COMMANDS");
	for (c = commands; c->opts; c++)
		put_entry(out, c->opts->name, c->opts->summary);
	put_heading(out, ".SH", "OPTIONS");
	put_entry(out, "-h, --help", "Show the commands.");
	put_entry(out, "-V, --version", "Show the version.");
	put_list(out, "EXIT STATUS", help_statuses);
	put_list(out, "ENVIRONMENT", help_environment);
	put_heading(out, ".SH", "SEE ALSO");
	for (c = commands; c->opts; c++)
		sink__printf(out, "%s\\fBcoldspot\\-%s\\fR(1)", c == commands ? "" : ",\n",
			     c->opts->name);
	sink__puts(out, "\n");
}

void help_man(const struct opt_command *cmd, struct sink *out)
{
	if (cmd)
		man_command(cmd, out);
	else
		man_program(out);
}
