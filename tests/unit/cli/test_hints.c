/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What we tell a person to type has to exist: a command between backquotes in a hint is parsed by
 * its own option table, a lone --option is one of `record` or `report`; and help knows all formats.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/cause.h"
#include "cli/commands.h"
#include "render/render.h"

#define WORDS 16

/* Words in capitals stand for what a person has: a number will do for all that there are. */
static char *filled_in(char *word)
{
	static char number[] = "1";

	return word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] ? word : number;
}

/* Is it a command line of ours, "coldspot doctor PID"? Says why not. */
static bool is_command_line(const char *line, char *why, size_t sz)
{
	char text[256], *argv[WORDS] = { NULL }, *save = NULL, *word;
	const struct command *cmd;
	struct err err = { 0 };
	void *values;
	int argc = 0, r;

	snprintf(text, sizeof(text), "%s", line);
	for (word = strtok_r(text, " ", &save); word && argc < WORDS - 1;
	     word = strtok_r(NULL, " ", &save))
		argv[argc++] = filled_in(word);
	cmd = argc > 1 && strcmp(argv[0], "coldspot") == 0 ? commands_find(argv[1]) : NULL;
	if (!cmd) {
		snprintf(why, sz, "no command of ours");
		return false;
	}
	values = malloc(cmd->opts->values_sz ? cmd->opts->values_sz : 1);
	assert_non_null(values);
	r = opt_parse(cmd->opts, argc - 1, argv + 1, values, &err);
	opt_release(cmd->opts, values);
	free(values);
	snprintf(why, sz, "%s", err.msg);
	return !r;
}

static bool has_option(const struct opt_command *cmd, const char *name, size_t len)
{
	const struct opt *o;

	for (o = cmd->opts; o->type != OPT_TYPE_END; o++) {
		if (o->name && strlen(o->name) == len && memcmp(o->name, name, len) == 0)
			return true;
	}
	return false;
}

static void check_commands(const char *hint)
{
	const char *from = hint, *to;
	char line[128], why[512];

	while ((from = strstr(from, "`coldspot "))) {
		to = strchr(++from, '`');
		assert_non_null(to);
		snprintf(line, sizeof(line), "%.*s", (int)(to - from), from);
		if (!is_command_line(line, why, sizeof(why)))
			fail_msg("`%s`: %s", line, why);
		from = to + 1;
	}
}

static void check_options(const char *hint)
{
	const char *at = hint;

	while ((at = strstr(at, "--"))) {
		size_t len = strspn(at += 2, "abcdefghijklmnopqrstuvwxyz-");

		if (!has_option(&record_opts, at, len) && !has_option(&report_opts, at, len))
			fail_msg("there is no --%.*s: %s", (int)len, at, hint);
	}
}

static void test_hints__name_commands_that_exist(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < CAUSE_CNT; i++) {
		check_commands(cause_hint((enum cause)i));
		check_options(cause_hint((enum cause)i));
	}
}

static void test_hints__ignore_lines_that_are_no_command(void **state)
{
	char why[512];

	(void)state;
	assert_true(is_command_line("coldspot doctor PID", why, sizeof(why)));
	assert_true(is_command_line("coldspot doctor", why, sizeof(why)));
	assert_false(is_command_line("coldspot doctor -p PID", why, sizeof(why)));
	assert_false(is_command_line("coldspot doctors", why, sizeof(why)));
	assert_false(is_command_line("perf trace", why, sizeof(why)));
	assert_true(has_option(&record_opts, "follow", 6));
	assert_false(has_option(&record_opts, "follower", 8));
}

static const char *help_of(const struct opt_command *cmd, const char *name)
{
	const struct opt *o;

	for (o = cmd->opts; o->type != OPT_TYPE_END; o++) {
		if (o->name && strcmp(o->name, name) == 0)
			return o->help;
	}
	return "";
}

/* Between spaces and commas, or before the end of a sentence. */
static bool has_word(const char *text, const char *word, size_t len)
{
	for (; *text; text += strcspn(text, " ,"), text += strspn(text, " ,")) {
		size_t own = strcspn(text, " ,;");

		own -= own && text[own - 1] == '.';
		if (own == len && memcmp(text, word, len) == 0)
			return true;
	}
	return false;
}

static void test_help__has_every_format(void **state)
{
	static const struct opt_command *const cmds[] = { &record_opts, &report_opts };
	size_t i, f;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cmds); i++) {
		for (f = 0; render_formats[f]; f++) {
			const char *name = render_formats[f]->name;
			const char *ending = render_formats[f]->endings;
			size_t len = strcspn(ending, " ");

			if (!has_word(help_of(cmds[i], "format"), name, strlen(name)))
				fail_msg("%s --format: no %s", cmds[i]->name, name);
			if (len && !has_word(help_of(cmds[i], "output"), ending, len))
				fail_msg("%s --output: no %s", cmds[i]->name, ending);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hints__name_commands_that_exist),
		cmocka_unit_test(test_help__has_every_format),
		cmocka_unit_test(test_hints__ignore_lines_that_are_no_command),
	};

	return cmocka_run_group_tests_name("hints", tests, NULL, NULL);
}
