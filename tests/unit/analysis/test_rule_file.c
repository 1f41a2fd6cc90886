/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/rule_file.h"
#include "base/mem.h"

static const struct rule *rule(const struct rule_file *f, size_t i)
{
	assert_true(i < f->rules.len);
	return vec__at(&f->rules, i);
}

static void parse(struct rule_file *f, const char *text)
{
	struct err err = { 0 };

	if (rule_file__parse(f, "my", text, strlen(text), &err))
		fail_msg("%s", err.msg);
}

static void test_rule_file__reads_every_condition(void **state)
{
	struct rule_file f;
	const struct rule *r;

	(void)state;
	parse(&f, "# a comment\n\n"
		  "kind=lock class=bad state=SD under=a|b under='x y' not-under=c caller=d* "
		  "kernel=k1 module=lib*.so comm=\"w 1|w2\" process=p syscall=read|write "
		  "under-regex='^a.*b$' not-under-regex=z # why\r\n"
		  "\tclass=idle if-kind=cond|futex,poll");
	assert_int_equal(f.rules.len, 2);
	r = rule(&f, 0);
	assert_string_equal(r->name, "my:3");
	assert_int_equal(r->line, 3);
	assert_int_equal(r->kind, CAUSE_LOCK);
	assert_int_equal(r->class, CLASS_BAD);
	assert_int_equal(r->states, RULE_S | RULE_D);
	assert_string_equal(r->user[0], "a b");
	assert_string_equal(r->user[1], "x?y");
	assert_null(r->user[2]);
	assert_string_equal(r->not_user, "c");
	assert_string_equal(r->caller, "d*");
	assert_string_equal(r->kernel[0], "k1");
	assert_string_equal(r->modules, "lib*.so");
	assert_string_equal(r->threads, "w?1 w2");
	assert_string_equal(r->processes, "p");
	assert_string_equal(r->syscalls, "read write");
	assert_string_equal(r->regexes[0], "^a.*b$");
	assert_null(r->regexes[1]);
	assert_string_equal(r->not_regexes[0], "z");
	assert_int_equal(r->kinds, 0);
	r = rule(&f, 1);
	assert_string_equal(r->name, "my:4");
	assert_int_equal(r->kind, CAUSE_UNKNOWN);
	assert_int_equal(r->kinds,
			 RULE_KIND(CAUSE_COND) | RULE_KIND(CAUSE_FUTEX) | RULE_KIND(CAUSE_POLL));
	assert_null(r->regexes);
	rule_file__done(&f);
}

static void test_rule_file__switches_rules_off(void **state)
{
	const struct rule_off *off;
	struct rule_file f;

	(void)state;
	parse(&f, "off c/mutex\noff 'a b' # why\n");
	assert_int_equal(f.rules.len, 0);
	assert_int_equal(f.off.len, 2);
	off = f.off.data;
	assert_string_equal(off[0].name, "c/mutex");
	assert_string_equal(off[0].where, "my:1");
	assert_string_equal(off[1].name, "a b");
	assert_string_equal(off[1].where, "my:2");
	rule_file__done(&f);
}

static void test_rule_file__names_the_line_that_is_wrong(void **state)
{
	static const struct {
		const char *text;
		const char *fault;
	} cases[] = {
		{ "class=idle\nkind=lok\n", "my:2: there is no kind 'lok'" },
		{ "kind=unknown", "my:1: there is no kind 'unknown'" },
		{ "class=lazy", "my:1: there is no class 'lazy'" },
		{ "class=none", "my:1: there is no class 'none'" },
		{ "class=on-cpu", "my:1: there is no class 'on-cpu'" },
		{ "\n\nclass=idle if-kind=cond|x", "my:3: there is no kind 'x'" },
		{ "class=idle over=x", "my:1: there is no condition 'over'" },
		{ "class=idle under", "my:1: neither `off` nor KEY=VALUE: 'under'" },
		{ "class=idle under=", "my:1: no value for 'under'" },
		{ "class=idle under='|'", "my:1: no name in '|'" },
		{ "class=idle class=bad", "my:1: given twice: 'class'" },
		{ "kind=lock kind=lock", "my:1: given twice: 'kind'" },
		{ "class=idle comm=a comm=b", "my:1: given twice: 'comm'" },
		{ "class=idle under=a under=b under=c under=d", "my:1: too many of 'under'" },
		{ "class=idle under='a b", "my:1: no closing quote in 'under=a b'" },
		{ "class=idle state=SY", "my:1: not a task state: 'Y'" },
		{ "under=a", "my:1: decides nothing; say 'kind=NAME' or 'class=NAME'" },
		{ "kind=lock if-kind=cond",
		  "my:1: a rule that decides the kind cannot ask for it: 'if-kind'" },
		{ "off", "my:1: no name of a rule after 'off'" },
		{ "off a b", "my:1: too much: 'b'" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct rule_file f;
		struct err err = { 0 };

		assert_int_equal(rule_file__parse(&f, "my", cases[i].text, strlen(cases[i].text),
						  &err),
				 -EINVAL);
		assert_string_equal(err.msg, cases[i].fault);
		rule_file__done(&f);
	}
}

static void test_rule_file__has_limits(void **state)
{
	char text[4096];
	struct rule_file f;
	struct err err = { 0 };

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(rule_file__parse(&f, "my", text, sizeof(text), &err), -EINVAL);
	assert_non_null(strstr(err.msg, "my:1: too long: 'aaa"));
	rule_file__done(&f);
	memset(text, '\n', sizeof(text));
	assert_int_equal(rule_file__parse(&f, "my", text, sizeof(text), &err), -EINVAL);
	assert_string_equal(err.msg, "my: more than 2000 lines");
	rule_file__done(&f);
	assert_int_equal(rule_file__parse(&f, "my", "a\0b", 3, &err), -EINVAL);
	assert_string_equal(err.msg, "my:1: a zero byte after 'a'");
	rule_file__done(&f);
}

static void test_rule_file__reports_every_allocation_that_fails(void **state)
{
	static const char text[] = "kind=lock under=a under-regex=b\noff c/mutex\n";
	u64 nth = 1;
	bool fired;

	(void)state;
	do {
		struct rule_file f;
		int r;

		mem_fail_nth(nth++);
		r = rule_file__parse(&f, "my", text, strlen(text), NULL);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		assert_int_equal(r, fired ? -ENOMEM : 0);
		rule_file__done(&f);
	} while (fired);
	assert_true(nth > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rule_file__reads_every_condition),
		cmocka_unit_test(test_rule_file__switches_rules_off),
		cmocka_unit_test(test_rule_file__names_the_line_that_is_wrong),
		cmocka_unit_test(test_rule_file__has_limits),
		cmocka_unit_test(test_rule_file__reports_every_allocation_that_fails),
	};

	return cmocka_run_group_tests_name("rule_file", tests, NULL, NULL);
}
