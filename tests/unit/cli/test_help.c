/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/text/utf8.h"
#include "cli/help.h"
#include "base/text/wrap.h"

struct values {
	struct vec pids;
	bool follow;
	u64 min_ns;
	u64 max_ns;
	u64 size;
	u32 color;
	const char *dir;
};

static const struct values defaults = {
	.follow = true,
	.min_ns = 1500,
	.max_ns = ~0ULL,
	.size = 65536,
	.dir = "/usr/lib/debug",
};

static const char *const colors[] = { "red", "green", NULL };

static const struct opt table[] = {
	OPT_HEADING("What"),
	{ 'p', "pid", OPT_IDS(struct values, pids), "PID,...", "Take it's [process].",
	  .excludes = "min max" },
	{ 0, "follow", OPT_FLAG(struct values, follow), NULL, "Children.", .flags = OPT_NEGATABLE },
	{ 'm', "min", OPT_NS(struct values, min_ns), "TIME", "Shortest; a\\b." },
	{ 'M', "max", OPT_NS(struct values, max_ns), "TIME", "Longest." },
	{ 0, "a-rather-long-name", OPT_BYTES(struct values, size), "BYTES",
	  "A sentence that is so long that it must be broken at least once to fit the screen." },
	{ 0, "color", OPT_CHOICE(struct values, color), "COLOR", "Color." },
	{ 0, "dir", OPT_STRING(struct values, dir), "DIR", "Where." },
	OPT_END,
};

static const struct opt_example examples[] = {
	{ "coldspot try -p 1", "One \\ example." },
	{ NULL, NULL },
};

static struct opt table_with_choices[ARRAY_LEN(table)];

static struct opt_command command(void)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(table); i++) {
		table_with_choices[i] = table[i];
		if (table[i].type == OPT_TYPE_CHOICE)
			table_with_choices[i].choices = colors;
	}
	return (struct opt_command){ .name = "try",
				     .summary = "try it",
				     .description =
					     "First paragraph.\n\n.Second begins with a dot.",
				     .opts = table_with_choices,
				     .examples = examples,
				     .values_sz = sizeof(struct values),
				     .defaults = &defaults };
}

static char *text_of(command_print_fn *print, const struct opt_command *cmd)
{
	struct sink out;
	size_t len;
	char *text;

	sink__init_mem(&out);
	print(cmd, &out);
	text = sink__steal(&out, &len);
	sink__done(&out);
	assert_non_null(text);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_error("'%s' is not in:\n%s\n", part, text);
	assert_non_null(strstr(text, part));
}

static void test_help_text_shows_heads_and_sentences(void **state)
{
	struct opt_command cmd = command();
	char *text = text_of(help_text, &cmd);

	(void)state;
	assert_has(text, "Usage: coldspot try [OPTION]...\nTry it.\n");
	assert_has(text, "\nWhat:\n  -p, --pid PID,...       Take it's [process].\n");
	assert_has(text, "\n      --[no-]follow       Children. Default: yes.\n");
	assert_has(text, "\n  coldspot try -p 1\n      One \\ example.\n");
	mem_free(text);
}

static void test_help_text_shows_defaults_as_one_types_them(void **state)
{
	struct opt_command cmd = command();
	char *text = text_of(help_text, &cmd);

	(void)state;
	assert_has(text, "Shortest; a\\b. Default: 1500ns.");
	assert_has(text, "Longest.\n"); /* no bound has no number */
	assert_has(text, "Default: 64k.");
	assert_has(text, "Color. One of red or green. Default: red.");
	assert_has(text, "Where. Default: /usr/lib/debug.");
	mem_free(text);
}

static void assert_fits_80_columns(char *text)
{
	char *line = text, *end;

	while ((end = strchr(line, '\n'))) {
		if (utf8_columns_until(line, end) > 80)
			print_error("%.*s\n", (int)(end - line), line);
		assert_true(utf8_columns_until(line, end) <= 80);
		if (end > line)
			assert_int_not_equal(end[-1], ' ');
		line = end + 1;
	}
	mem_free(text);
}

static void test_help_text_fits_80_columns(void **state)
{
	(void)state;
	for (const struct command *c = commands; c->opts; c++) {
		assert_fits_80_columns(text_of(help_text, c->opts));
		assert_fits_80_columns(text_of(help_text_all, c->opts));
	}
}

/* Options have two columns before their letter or six before "--". */
static u32 options_in(const char *text)
{
	u32 n = 0;

	for (const char *line = strstr(text, ":\n"); line && *line; line = strchr(line, '\n') + 1)
		n += !strncmp(line, "  -", 3) || !strncmp(line, "      --", 8);
	return n;
}

static void test_help_text_has_few_options_and_says_where_the_rest_is(void **state)
{
	char last[96];

	(void)state;
	for (const struct command *c = commands; c->opts; c++) {
		char *some = text_of(help_text, c->opts), *all = text_of(help_text_all, c->opts);
		u32 some_len = options_in(some), all_len = options_in(all);

		assert_true(some_len <= 16);
		snprintf(last, sizeof(last),
			 "\n%u more options, and these in full: coldspot %s --help-all\n",
			 all_len - some_len, c->opts->name);
		if (all_len > 16)
			assert_has(some, last);
		if (all_len == some_len)
			assert_string_equal(some, all);
		assert_null(strstr(all, "--help-all\n"));
		mem_free(some);
		mem_free(all);
	}
}

/* What an option says is never cut, neither for the text nor for the man page. */
static void test_help_sentences_are_whole(void **state)
{
	char sentence[HELP_SENTENCE_SZ];

	(void)state;
	for (const struct command *c = commands; c->opts; c++) {
		for (const struct opt *o = c->opts->opts; o && o->type != OPT_TYPE_END; o++) {
			if (!o->help || o->type == OPT_TYPE_HEADING)
				continue;
			help_option_sentence(o, c->opts->defaults, false, sentence,
					     sizeof(sentence));
			if (!strstr(sentence, o->help) || strlen(sentence) + 1 == sizeof(sentence))
				fail_msg("%s --%s is cut: %s", c->opts->name, o->name, sentence);
		}
	}
}

/* A screen and a half of a terminal with 50 lines. */
static void test_help_text_is_short(void **state)
{
	(void)state;
	for (const struct command *c = commands; c->opts; c++) {
		char *text = text_of(help_text, c->opts);
		u32 lines = 0;

		for (const char *p = text; *p; p++)
			lines += *p == '\n';
		if (lines > 75)
			fail_msg("help of %s has %u lines", c->opts->name, lines);
		mem_free(text);
	}
}

static void test_help_text_of_the_program_names_every_command(void **state)
{
	char *text = text_of(help_text, NULL), *list = text_of(help_list, NULL);
	const struct command *c;
	size_t lines = 0;
	char *p;

	(void)state;
	for (c = commands; c->opts; c++) {
		assert_has(text, c->opts->name);
		assert_has(text, c->opts->summary);
		assert_has(list, c->opts->name);
		lines++;
	}
	for (p = list; *p; p++)
		lines -= *p == '\n';
	assert_int_equal(lines, 0);
	mem_free(text);
	mem_free(list);
}

static void test_help_man_escapes_what_roff_would_take(void **state)
{
	struct opt_command cmd = command();
	char *text = text_of(help_man, &cmd);

	(void)state;
	assert_has(text, ".TH COLDSPOT-TRY 1 ");
	assert_has(text, "\ncoldspot-try \\- try it\n");
	assert_has(text, "\n.PP\n\\&.Second begins");
	assert_has(text, "\\fB\\-p\\fR, \\fB\\-\\-pid\\fR \\fIPID,...\\fR\n");
	assert_has(text, "Not together with \\-\\-min or \\-\\-max.");
	assert_has(text, "a\\eb");
	assert_has(text, "One \\e example.");
	assert_has(text, "coldspot try \\-p 1");
	mem_free(text);
}

static void test_help_man_has_the_sections(void **state)
{
	static const char *const sections[] = { "NAME",	       "SYNOPSIS",    "DESCRIPTION",
						"EXIT STATUS", "ENVIRONMENT", "SEE ALSO" };
	const struct command *c;
	char head[32];
	size_t i;

	(void)state;
	for (c = commands;; c++) {
		char *text = text_of(help_man, c->opts);

		for (i = 0; i < ARRAY_LEN(sections); i++) {
			snprintf(head, sizeof(head), "\n.SH \"%s\"\n", sections[i]);
			assert_has(text, i ? head : "\n.SH NAME\n");
		}
		mem_free(text);
		if (!c->opts)
			break;
	}
}

/* Every long option of every table is in both completions. */
static void test_help_shell_offers_every_option(void **state)
{
	char *bash = text_of(help_bash, NULL), *zsh = text_of(help_zsh, NULL);
	const struct command *c;
	const struct opt *o;
	char word[64];

	(void)state;
	for (c = commands; c->opts; c++) {
		snprintf(word, sizeof(word), "\t%s)\n", c->opts->name);
		assert_has(bash, word);
		assert_has(zsh, word);
		for (o = c->opts->opts; o && o->type != OPT_TYPE_END; o++) {
			if (!o->name)
				continue;
			snprintf(word, sizeof(word), "--%s", o->name);
			assert_has(bash, word);
			assert_has(zsh, word);
		}
	}
	mem_free(bash);
	mem_free(zsh);
}

/* A table is data; what the parser silently relies on is checked for all of them here. */
static void test_commands_have_sound_tables(void **state)
{
	const struct command *c;
	const struct opt *o, *other;

	(void)state;
	for (c = commands; c->opts; c++) {
		assert_ptr_equal(commands_find(c->opts->name), c);
		assert_non_null(c->run);
		assert_true(c->opts->summary[0] >= 'a' && c->opts->summary[0] <= 'z');
		for (o = c->opts->opts; o && o->type != OPT_TYPE_END; o++) {
			assert_true(o - c->opts->opts < OPT_MAX);
			if (o->type == OPT_TYPE_HEADING)
				continue;
			assert_true(o->letter || o->name);
			assert_true(o->off < c->opts->values_sz);
			assert_int_equal(!o->metavar, o->type == OPT_TYPE_FLAG);
			assert_int_equal(o->help[strlen(o->help) - 1], '.');
			assert_true(o->type != OPT_TYPE_CHOICE || o->choices);
			assert_true(o->type != OPT_TYPE_CUSTOM || o->parse);
			for (other = c->opts->opts; other < o; other++) {
				assert_true(!o->letter || o->letter != other->letter);
				assert_true(!o->name || !other->name ||
					    strcmp(o->name, other->name));
			}
		}
	}
	assert_null(commands_find("bogus"));
}

/* A name in `excludes` that is no option would be a rule that never holds. */
static void test_commands_exclude_options_that_exist(void **state)
{
	const struct command *c;
	const struct opt *o, *other;

	(void)state;
	for (c = commands; c->opts; c++) {
		for (o = c->opts->opts; o && o->type != OPT_TYPE_END; o++) {
			const char *name = o->excludes;

			while (name && *name) {
				size_t len = strcspn(name, " ");
				bool found = false;

				for (other = c->opts->opts; other->type != OPT_TYPE_END; other++)
					found |= other->name && strlen(other->name) == len &&
						 !strncmp(other->name, name, len);
				assert_true(found);
				name += len;
				name += strspn(name, " ");
			}
		}
	}
}

static void test_wrap_text_breaks_at_spaces(void **state)
{
	struct sink out;
	const char *rest;
	char *text;
	size_t len;

	(void)state;
	sink__init_mem(&out);
	rest = wrap_text(&out, "one  two\nthree\n\nfour", 76, 4);
	wrap_text(&out, "µs µs", 74, 4);
	text = sink__steal(&out, &len);
	assert_string_equal(text, " one\n    two three\n µs µs\n");
	assert_string_equal(rest, "four");
	mem_free(text);
	sink__done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help_text_shows_heads_and_sentences),
		cmocka_unit_test(test_help_text_shows_defaults_as_one_types_them),
		cmocka_unit_test(test_help_text_fits_80_columns),
		cmocka_unit_test(test_help_text_has_few_options_and_says_where_the_rest_is),
		cmocka_unit_test(test_help_sentences_are_whole),
		cmocka_unit_test(test_help_text_is_short),
		cmocka_unit_test(test_help_text_of_the_program_names_every_command),
		cmocka_unit_test(test_help_man_escapes_what_roff_would_take),
		cmocka_unit_test(test_help_man_has_the_sections),
		cmocka_unit_test(test_help_shell_offers_every_option),
		cmocka_unit_test(test_commands_have_sound_tables),
		cmocka_unit_test(test_commands_exclude_options_that_exist),
		cmocka_unit_test(test_wrap_text_breaks_at_spaces),
	};

	return cmocka_run_group_tests_name("help", tests, NULL, NULL);
}
