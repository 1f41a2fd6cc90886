/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "cli/opt.h"

struct values {
	struct vec pids;
	struct vec files;
	bool all;
	bool follow;
	bool quick;
	const char *comm;
	u64 min_ns;
	u64 size;
	u64 count;
	u32 color;
	u64 letters;
	u64 duration;
	struct opt_rest cmd;
};

static const struct values defaults = { .follow = true, .min_ns = 1000, .color = 1 };

static const char *const colors[] = { "red", "green", "blue", NULL };

/* A type of the caller: the number of letters, of which there may be three. */
static int parse_letters(const char *text, void *value, struct err *err)
{
	if (strlen(text) > 3)
		return err__set(err, -EINVAL, "'%s' has too many letters", text);
	*(u64 *)value = strlen(text);
	return 0;
}

static const struct opt table[] = {
	OPT_HEADING("Targets"),
	{ 'p', "pid", OPT_IDS(struct values, pids), "PID,...", "Processes.", .min = 1,
	  .excludes = "all" },
	{ 'a', "all", OPT_FLAG(struct values, all), NULL, "All." },
	{ 0, "follow", OPT_FLAG(struct values, follow), NULL, "Children.", .flags = OPT_NEGATABLE },
	{ 'q', NULL, OPT_FLAG(struct values, quick), NULL, "Quick." },
	OPT_HEADING("Values"),
	{ 'c', "comm", OPT_STRING(struct values, comm), "GLOB", "Name." },
	{ 'm', "min", OPT_NS(struct values, min_ns), "TIME", "Shortest.", .bare_ns = NSEC_PER_USEC,
	  .min = 500, .max = 3600 * NSEC_PER_SEC },
	{ 0, "size", OPT_BYTES(struct values, size), "BYTES", "Size.", .min = 4096,
	  .max = 1 << 20 },
	{ 0, "count", OPT_U64(struct values, count), "N", "Count.", .min = 2, .max = 9,
	  .excludes = "size comm" },
	{ 0, "color", OPT_CHOICE(struct values, color), "COLOR", "Color.", .choices = colors },
	{ 0, "comment", OPT_CUSTOM(struct values, letters), "TEXT", "Letters.",
	  .parse = parse_letters },
	{ 'o', "output", OPT_STRINGS(struct values, files), "FILE", "Write.", .flags = OPT_FILE },
	OPT_END,
};

static const struct opt args_plain[] = {
	{ 0, NULL, OPT_NS(struct values, duration), "DURATION", "How long." },
	OPT_END,
};

static const struct opt args_needed[] = {
	{ 0, NULL, OPT_NS(struct values, duration), "DURATION", "How long.",
	  .flags = OPT_REQUIRED },
	{ 0, NULL, OPT_STRINGS(struct values, files), "FILE", "Files." },
	OPT_END,
};

static const struct opt args_rest[] = {
	{ 0, NULL, OPT_REST(struct values, cmd), "-- COMMAND", "Run it." },
	OPT_END,
};

static const struct opt args_rest_needed[] = {
	{ 0, NULL, OPT_REST(struct values, cmd), "-- COMMAND", "Run it.", .flags = OPT_REQUIRED },
	OPT_END,
};

static struct opt_command command(const struct opt *args)
{
	return (struct opt_command){ .name = "try",
				     .summary = "try it",
				     .opts = table,
				     .args = args,
				     .values_sz = sizeof(struct values),
				     .defaults = &defaults };
}

#define MAX_WORDS 24

/* Parses the words of a line, which are divided by '|', because a word may hold a space. */
struct
try {
	struct values v;
	struct err err;
	char text[256];
	char *argv[MAX_WORDS];
	int r;
};

static void try_line(struct try *t, const struct opt *args, const char *line)
{
	struct opt_command cmd = command(args);
	char *p = t->text;
	int argc = 0;

	memset(t, 0xa5, sizeof(*t)); /* opt_parse() must not need cleared values */
	memset(&t->err, 0, sizeof(t->err));
	snprintf(t->text, sizeof(t->text), "%s", line);
	while (p && argc < MAX_WORDS - 1) {
		t->argv[argc++] = p;
		p = strchr(p, '|');
		if (p)
			*p++ = '\0';
	}
	t->argv[argc] = NULL;
	t->r = opt_parse(&cmd, argc, t->argv, &t->v, &t->err);
}

static void done(struct try *t)
{
	struct opt_command cmd = command(args_needed);

	opt_release(&cmd, &t->v);
	assert_null(t->v.pids.data);
	assert_null(t->v.files.data);
	opt_release(&cmd, &t->v);
}

static void expect_wrong(const struct opt *args, const char *line, const char *sentence)
{
	struct try t;

	try_line(&t, args, line);
	if (t.r != -EINVAL || strcmp(t.err.msg, sentence))
		print_error("%s: %d '%s'\n", line, t.r, t.err.msg);
	assert_int_equal(t.r, -EINVAL);
	assert_int_equal(t.err.code, -EINVAL);
	assert_string_equal(t.err.msg, sentence);
	done(&t);
}

static u32 pid_at(const struct try *t, size_t i)
{
	return *(u32 *)vec__at(&t->v.pids, i);
}

static void test_opt_parse_fills_defaults(void **state)
{
	struct try t;

	(void)state;
	try_line(&t, NULL, "try");
	assert_int_equal(t.r, 0);
	assert_true(t.v.follow);
	assert_false(t.v.all);
	assert_int_equal(t.v.min_ns, 1000);
	assert_int_equal(t.v.color, 1);
	assert_null(t.v.comm);
	assert_null(t.v.cmd.argv);
	assert_int_equal(t.v.pids.len, 0);
	done(&t);
}

static void test_opt_parse_accepts_every_way_to_give_a_value(void **state)
{
	static const char *const lines[] = { "try|-p1,2",      "try|-p|1,2",	 "try|--pid=1,2",
					     "try|--pid|1,2",  "try|-qp1,2",	 "try|-qp|1,2",
					     "try|--pi=1,2",   "try|-p1|-p2",	 "try|-p1,2,1|-p2",
					     "try|--p|1|-p|2", "try|-p|1|-q|-p2" };
	struct try t;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(lines); i++) {
		try_line(&t, NULL, lines[i]);
		assert_int_equal(t.r, 0);
		assert_int_equal(t.v.pids.len, 2);
		assert_int_equal(pid_at(&t, 0), 1);
		assert_int_equal(pid_at(&t, 1), 2);
		done(&t);
	}
}

/* What pgrep and pidof print, with and without quotes. */
static void test_opt_parse_reads_ids_as_commands_print_them(void **state)
{
	static const char *const lines[] = {
		"try|-p|1 2",	 "try|-p|1\n2",	  "try|-p| 1, 2 \n",
		"try|-p|1|2",	 "try|-p|1|2|-q", "try|--pid|1|2",
		"try|-p|1 ,\t2", "try|-qp|1|2",	  "try|-p|1,2|-q|--|x"
	};
	struct try t;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(lines); i++) {
		try_line(&t, args_rest, lines[i]);
		assert_int_equal(t.r, 0);
		assert_int_equal(t.v.pids.len, 2);
		assert_int_equal(pid_at(&t, 0), 1);
		assert_int_equal(pid_at(&t, 1), 2);
		done(&t);
	}
	/* a command with words of its own keeps them */
	try_line(&t, args_plain, "try|-p|1|2");
	assert_int_equal(t.v.pids.len, 1);
	assert_int_equal(t.v.duration, 2 * NSEC_PER_SEC);
	done(&t);
	expect_wrong(NULL, "try|-p|1|two", "unexpected argument 'two'");
	expect_wrong(NULL, "try|-p|1 two", "-p: 'two' is not a whole number from 1 to 4294967295");
}

static void test_opt_parse_reads_every_type(void **state)
{
	struct try t;

	(void)state;
	try_line(&t, args_plain,
		 "try|-c|a b|-m|3ms|--size|64k|--color|blue|--comment|abc|-o|x|-oy|5");
	assert_int_equal(t.r, 0);
	assert_string_equal(t.v.comm, "a b");
	assert_int_equal(t.v.min_ns, 3000000);
	assert_int_equal(t.v.size, 65536);
	assert_int_equal(t.v.color, 2);
	assert_int_equal(t.v.letters, 3);
	assert_int_equal(t.v.files.len, 2);
	assert_string_equal(*(const char **)vec__at(&t.v.files, 0), "x");
	assert_string_equal(*(const char **)vec__at(&t.v.files, 1), "y");
	assert_int_equal(t.v.duration, 5 * NSEC_PER_SEC);
	done(&t);
}

static void test_opt_parse_counts_a_bare_time_in_its_unit(void **state)
{
	struct try t;

	(void)state;
	try_line(&t, args_plain, "try|-m|10|1.5");
	assert_int_equal(t.r, 0);
	assert_int_equal(t.v.min_ns, 10 * NSEC_PER_USEC);
	assert_int_equal(t.v.duration, 1500 * NSEC_PER_MSEC);
	done(&t);
}

static void test_opt_parse_takes_the_last_of_single_values(void **state)
{
	struct try t;

	(void)state;
	try_line(&t, NULL, "try|-m1|--min=2|--color=red|--color=blue|--no-follow|--follow");
	assert_int_equal(t.r, 0);
	assert_int_equal(t.v.min_ns, 2000);
	assert_int_equal(t.v.color, 2);
	assert_true(t.v.follow);
	done(&t);
}

static void test_opt_parse_negates_only_negatable_options(void **state)
{
	struct try t;

	(void)state;
	try_line(&t, NULL, "try|--no-f");
	assert_int_equal(t.r, 0);
	assert_false(t.v.follow);
	done(&t);
	expect_wrong(NULL, "try|--no-all", "unknown option '--no-all'");
}

static void test_opt_parse_finds_unique_beginnings(void **state)
{
	struct try t;

	(void)state;
	try_line(&t, NULL, "try|--comm=x"); /* whole, though --comment begins with it */
	assert_int_equal(t.r, 0);
	assert_string_equal(t.v.comm, "x");
	done(&t);
	expect_wrong(NULL, "try|--com=x", "'--com' is ambiguous: --comm or --comment");
	expect_wrong(NULL, "try|--co", "'--co' is ambiguous: --comm or --count");
}

static void test_opt_parse_keeps_arguments_after_two_dashes(void **state)
{
	struct try t;

	(void)state;
	try_line(&t, args_rest, "try|-a|--|ls|-l|--|--pid=x");
	assert_int_equal(t.r, 0);
	assert_true(t.v.all);
	assert_int_equal(t.v.cmd.argc, 4);
	assert_string_equal(t.v.cmd.argv[0], "ls");
	assert_string_equal(t.v.cmd.argv[3], "--pid=x");
	assert_null(t.v.cmd.argv[4]);
	done(&t);
	try_line(&t, args_plain, "try|--|5");
	assert_int_equal(t.r, 0);
	assert_int_equal(t.v.duration, 5 * NSEC_PER_SEC);
	done(&t);
}

static void test_opt_parse_says_where_a_command_goes(void **state)
{
	(void)state;
	expect_wrong(args_rest, "try|ls|-l",
		     "unexpected argument 'ls'; put '--' before a command to run");
	expect_wrong(args_rest, "try|--", "nothing follows '--'; expected -- COMMAND");
	expect_wrong(args_rest_needed, "try|-a", "-- COMMAND is missing");
}

static void test_opt_parse_fulfils_a_needed_rest(void **state)
{
	struct try t;

	(void)state;
	try_line(&t, args_rest_needed, "try|--|ls");
	assert_int_equal(t.r, 0);
	assert_int_equal(t.v.cmd.argc, 1);
	done(&t);
}

static void test_opt_parse_takes_positionals_among_options(void **state)
{
	struct try t;

	(void)state;
	try_line(&t, args_needed, "try|3|-a|x|-q|-");
	assert_int_equal(t.r, 0);
	assert_true(t.v.all && t.v.quick);
	assert_int_equal(t.v.duration, 3 * NSEC_PER_SEC);
	assert_int_equal(t.v.files.len, 2);
	assert_string_equal(*(const char **)vec__at(&t.v.files, 1), "-");
	done(&t);
	expect_wrong(args_needed, "try|-a", "DURATION is missing");
	expect_wrong(args_plain, "try|1|2", "unexpected argument '2'");
	expect_wrong(args_plain, "try|soon",
		     "DURATION: 'soon' is not a time; try 10us, 3ms or 1.5s");
	expect_wrong(NULL, "try|1", "unexpected argument '1'");
}

static void test_opt_parse_names_the_option_as_it_was_typed(void **state)
{
	(void)state;
	expect_wrong(NULL, "try|--min=3q", "--min: '3q' is not a time; try 10us, 3ms or 1.5s");
	expect_wrong(NULL, "try|-m|3q", "-m: '3q' is not a time; try 10us, 3ms or 1.5s");
	expect_wrong(NULL, "try|--mi|3q", "--min: '3q' is not a time; try 10us, 3ms or 1.5s");
}

static void test_opt_parse_names_the_unknown_option(void **state)
{
	(void)state;
	expect_wrong(NULL, "try|--bogus", "unknown option '--bogus'");
	expect_wrong(NULL, "try|--outptu=x", "unknown option '--outptu'; did you mean --output?");
	expect_wrong(NULL, "try|-z", "unknown option '-z'");
	expect_wrong(NULL, "try|-az", "unknown option '-z' in '-az'");
	expect_wrong(NULL, "try|---all", "unknown option '---all'; did you mean --all?");
}

static void test_opt_parse_wants_values_and_only_where_they_belong(void **state)
{
	(void)state;
	expect_wrong(NULL, "try|-p", "-p needs a value: PID,...");
	expect_wrong(NULL, "try|-a|--min", "--min needs a value: TIME");
	expect_wrong(NULL, "try|--all=1", "--all takes no value");
	expect_wrong(NULL, "try|--no-follow=1", "--no-follow takes no value");
	expect_wrong(NULL, "try|--comm=", "--comm: the value is empty; expected GLOB");
	expect_wrong(NULL, "try|-c|", "-c: the value is empty; expected GLOB");
	expect_wrong(NULL, "try|--pid=", "--pid: the value is empty; expected PID,...");
}

static void test_opt_parse_refuses_bad_values(void **state)
{
	(void)state;
	expect_wrong(NULL, "try|-p1,,2", "-p: '1,,2' is not a list of numbers; try 1 or 1,2,3");
	expect_wrong(NULL, "try|-p1,", "-p: '1,' is not a list of numbers; try 1 or 1,2,3");
	expect_wrong(NULL, "try|-p,1", "-p: ',1' is not a list of numbers; try 1 or 1,2,3");
	expect_wrong(NULL, "try|-m499ns", "-m: '499ns' is too short; at least 500 ns");
	expect_wrong(NULL, "try|-m2h", "-m: '2h' is too long; at most 3600 s");
	expect_wrong(NULL, "try|--size=1k", "--size: '1k' is too small; at least 4.0 KiB");
	expect_wrong(NULL, "try|--size=2m", "--size: '2m' is too large; at most 1.0 MiB");
	expect_wrong(NULL, "try|--color=pink", "--color: 'pink' is not one of red, green, blue");
	expect_wrong(NULL, "try|--comment=abcd", "--comment: 'abcd' has too many letters");
}

static void test_opt_parse_refuses_numbers_out_of_range(void **state)
{
	static const char *const lines[] = { "try|--count=1",  "try|--count=10",
					     "try|--count=-3", "try|--count=x",
					     "try|-p0",	       "try|-p4294967296",
					     "try|-p-1",       "try|-p99999999999999999999999",
					     "try|--size=-1",  "try|--min=-1",
					     "try|--min=1e9",  "try|-p1.5" };
	struct try t;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(lines); i++) {
		try_line(&t, NULL, lines[i]);
		assert_int_equal(t.r, -EINVAL);
		assert_int_not_equal(strlen(t.err.msg), 0);
		done(&t);
	}
	try_line(&t, NULL, "try|-p4294967295|--count=2");
	assert_int_equal(t.r, 0);
	assert_int_equal(pid_at(&t, 0), 4294967295U);
	done(&t);
}

static void test_opt_parse_keeps_exclusive_options_apart(void **state)
{
	struct try t;

	(void)state;
	expect_wrong(NULL, "try|-a|-p1", "--pid and --all cannot be used together");
	expect_wrong(NULL, "try|--pid=1|--all", "--pid and --all cannot be used together");
	expect_wrong(NULL, "try|--count=2|-cx", "--count and --comm cannot be used together");
	expect_wrong(NULL, "try|--size=64k|--count=2",
		     "--count and --size cannot be used together");
	try_line(&t, NULL, "try|--count=9|--comment=x"); /* a longer name is another option */
	assert_int_equal(t.r, 0);
	assert_int_equal(t.v.count, 9);
	done(&t);
}

static void test_opt_parse_stops_at_help(void **state)
{
	static const char *const lines[] = { "try|-h", "try|--help", "try|--he", "try|-a|-p1|-h",
					     "try|-qh" };
	struct try t;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(lines); i++) {
		try_line(&t, args_needed, lines[i]);
		assert_int_equal(t.r, OPT_HELP_ASKED);
		done(&t);
	}
}

static void test_opt_parse_takes_help_all_by_its_whole_name(void **state)
{
	struct try t;

	(void)state;
	try_line(&t, args_needed, "try|-a|--help-all");
	assert_int_equal(t.r, OPT_HELP_ALL_ASKED);
	done(&t);
	try_line(&t, args_needed, "try|--help-al");
	assert_int_equal(t.r, -EINVAL);
	done(&t);
}

static void test_opt_parse_survives_each_failed_allocation(void **state)
{
	struct try t;
	u64 nth;

	(void)state;
	for (nth = 1; nth < 100; nth++) {
		mem_fail_nth(nth);
		try_line(&t, NULL, "try|-p1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17|-ox|-oy");
		if (!mem_fail_fired())
			break;
		assert_int_equal(t.r, -ENOMEM);
		done(&t);
	}
	mem_fail_nth(0);
	assert_true(nth > 1 && nth < 100);
	assert_int_equal(t.r, 0);
	assert_int_equal(t.v.pids.len, 17);
	done(&t);
}

static void test_opt_parse_works_without_tables(void **state)
{
	static const struct opt_command empty = { .name = "try", .summary = "try it" };
	char *argv[] = { (char[]){ "try" }, NULL, NULL };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(opt_parse(&empty, 1, argv, NULL, &err), 0);
	argv[1] = (char[]){ "-x" };
	assert_int_equal(opt_parse(&empty, 2, argv, NULL, &err), -EINVAL);
	argv[1] = (char[]){ "--help" };
	assert_int_equal(opt_parse(&empty, 2, argv, NULL, &err), OPT_HELP_ASKED);
	opt_release(&empty, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opt_parse_fills_defaults),
		cmocka_unit_test(test_opt_parse_accepts_every_way_to_give_a_value),
		cmocka_unit_test(test_opt_parse_reads_ids_as_commands_print_them),
		cmocka_unit_test(test_opt_parse_reads_every_type),
		cmocka_unit_test(test_opt_parse_counts_a_bare_time_in_its_unit),
		cmocka_unit_test(test_opt_parse_takes_the_last_of_single_values),
		cmocka_unit_test(test_opt_parse_negates_only_negatable_options),
		cmocka_unit_test(test_opt_parse_finds_unique_beginnings),
		cmocka_unit_test(test_opt_parse_keeps_arguments_after_two_dashes),
		cmocka_unit_test(test_opt_parse_says_where_a_command_goes),
		cmocka_unit_test(test_opt_parse_fulfils_a_needed_rest),
		cmocka_unit_test(test_opt_parse_takes_positionals_among_options),
		cmocka_unit_test(test_opt_parse_names_the_option_as_it_was_typed),
		cmocka_unit_test(test_opt_parse_names_the_unknown_option),
		cmocka_unit_test(test_opt_parse_wants_values_and_only_where_they_belong),
		cmocka_unit_test(test_opt_parse_refuses_bad_values),
		cmocka_unit_test(test_opt_parse_refuses_numbers_out_of_range),
		cmocka_unit_test(test_opt_parse_keeps_exclusive_options_apart),
		cmocka_unit_test(test_opt_parse_stops_at_help),
		cmocka_unit_test(test_opt_parse_takes_help_all_by_its_whole_name),
		cmocka_unit_test(test_opt_parse_survives_each_failed_allocation),
		cmocka_unit_test(test_opt_parse_works_without_tables),
	};

	return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
