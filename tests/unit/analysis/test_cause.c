/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules against waits that were seen: tests/lib/seen_*.c. That each rule is needed by one of
 * them is a test of its own, which leaves them out one by one.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/rule.h"
#include "analysis/cause/ruleset.h"
#include "analysis/view/shown.h"
#include "base/mem.h"
#include "lib/literal.h"
#include "lib/seen.h"

static const struct seen_table *const tables[] = {
	&seen_kernel, &seen_libraries, &seen_runtimes, &seen_servers, &seen_tasks,
};

#define MAX_SEEN 1024

/* All of them in a row. */
static size_t all_seen(const struct seen *list[MAX_SEEN])
{
	size_t len = 0, i, j;

	for (i = 0; i < ARRAY_LEN(tables); i++) {
		for (j = 0; j < tables[i]->len; j++) {
			assert_true(len < MAX_SEEN);
			list[len++] = &tables[i]->waits[j];
		}
	}
	return len;
}

struct answer {
	enum cause cause;
	enum wait_class class;
};

static struct answer ask(const struct profile *p, const struct ruleset *rules)
{
	struct causes c;
	struct answer a;

	assert_int_equal(causes__init(&c, p, rules, NULL), 0);
	a = (struct answer){ causes__of(&c, 1), causes__class(&c, 1) };
	causes__done(&c);
	return a;
}

static enum wait_class class_of(const struct seen *s)
{
	return s->class == CLASS_NONE ? CLASS_WORK : s->class;
}

static void test_causes__know_the_waits_that_were_seen(void **state)
{
	const struct seen *list[MAX_SEEN];
	size_t len = all_seen(list), i, wrong = 0;

	(void)state;
	for (i = 0; i < len; i++) {
		const struct seen *s = list[i];
		struct profile *p = seen_profile(s);
		struct answer a = ask(p, NULL);

		profile__free(p);
		if (a.cause == s->cause && a.class == class_of(s))
			continue;
		print_error("%s: %s, %s instead of %s, %s\n", s->what, cause_name(a.cause),
			    class_name(a.class), cause_name(s->cause), class_name(class_of(s)));
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

struct world {
	const struct seen *list[MAX_SEEN];
	struct profile *profiles[MAX_SEEN];
	size_t len;
};

/* Does any of the waits get another answer without the rule? */
static bool is_missed(const struct world *w, const char *rule)
{
	const struct rule_off off = { rule, "here" };
	const struct ruleset_options opt = { .off = &off, .off_len = 1 };
	struct ruleset *rules;
	bool missed = false;
	size_t i;

	assert_int_equal(ruleset__new(&opt, &rules, NULL), 0);
	for (i = 0; i < w->len && !missed; i++) {
		struct answer a = ask(w->profiles[i], rules);

		missed = a.cause != w->list[i]->cause || a.class != class_of(w->list[i]);
	}
	ruleset__free(rules);
	return missed;
}

static void test_rules__are_each_needed_by_a_wait_that_was_seen(void **state)
{
	static struct world w;
	const struct rule_table *const *t;
	size_t i, wrong = 0;

	(void)state;
	w.len = all_seen(w.list);
	for (i = 0; i < w.len; i++)
		w.profiles[i] = seen_profile(w.list[i]);
	for (t = rule_tables; *t; t++) {
		for (i = 0; i < (*t)->len; i++) {
			if (is_missed(&w, (*t)->rules[i].name))
				continue;
			print_error("no wait needs %s\n", (*t)->rules[i].name);
			wrong++;
		}
	}
	for (i = 0; i < w.len; i++)
		profile__free(w.profiles[i]);
	assert_int_equal(wrong, 0);
}

static void test_rules__have_names_and_say_where_they_were_seen(void **state)
{
	const struct rule_table *const *t, *const *u;
	size_t i, j;

	(void)state;
	for (t = rule_tables; *t; t++) {
		for (i = 0; i < (*t)->len; i++) {
			const struct rule *r = &(*t)->rules[i];

			assert_non_null(strchr(r->name, '/'));
			assert_true(r->seen && *r->seen);
			assert_true(r->kind != CAUSE_UNKNOWN || r->class != CLASS_NONE);
			for (u = rule_tables; *u; u++) {
				for (j = 0; j < (*u)->len; j++)
					assert_true(&(*u)->rules[j] == r ||
						    strcmp((*u)->rules[j].name, r->name) != 0);
			}
		}
	}
}

static void test_causes__need_no_kernel_names_for_plain_calls(void **state)
{
	static const struct {
		const char *syscall;
		enum cause cause;
	} calls[] = {
		{ "futex", CAUSE_FUTEX },	 { "epoll_pwait2", CAUSE_POLL },
		{ "fsync", CAUSE_DISK_SYNC },	 { "wait4", CAUSE_CHILD },
		{ "accept4", CAUSE_NET_ACCEPT }, { "clock_nanosleep", CAUSE_SLEEP },
		{ "read", CAUSE_SYSCALL },	 { "sync", CAUSE_DISK_SYNC },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(calls); i++) {
		const struct seen s = { calls[i].syscall, calls[i].syscall, 'S', .chain = "" };
		struct profile *p = seen_profile(&s);

		assert_int_equal(ask(p, NULL).cause, calls[i].cause);
		profile__free(p);
	}
}

static void test_causes__take_kernel_threads_apart(void **state)
{
	static const struct seen waits[] = {
		{ .what = "S", NULL, 'S', 0, "", CAUSE_KTHREAD, NULL, CLASS_IDLE, .kthread = true },
		/* not a page fault */
		{ .what = "D", NULL, 'D', 0, "", CAUSE_KTHREAD, NULL, CLASS_IDLE, .kthread = true },
		{ "iowait", NULL, 'D', WAIT_IOWAIT, "", CAUSE_DISK, .kthread = true },
		{ "lock", NULL, 'D', 0, "__mutex_lock", CAUSE_KERNEL_LOCK, .kthread = true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(waits); i++) {
		struct profile *p = seen_profile(&waits[i]);
		struct answer a = ask(p, NULL);

		assert_int_equal(a.cause, waits[i].cause);
		assert_int_equal(a.class, class_of(&waits[i]));
		profile__free(p);
	}
}

static enum cause kernel_function(const char *name)
{
	const struct seen s = { name, "read", 'S', .chain = name };
	struct profile *p = seen_profile(&s);
	enum cause cause = ask(p, NULL).cause;

	profile__free(p);
	return cause;
}

static void test_rules__ignore_what_the_compiler_adds(void **state)
{
	(void)state;
	assert_int_equal(kernel_function("do_epoll_wait"), CAUSE_POLL);
	assert_int_equal(kernel_function("do_epoll_wait.constprop.0"), CAUSE_POLL);
	assert_int_equal(kernel_function("do_epoll_wait.isra.0.cold"), CAUSE_POLL);
	assert_int_equal(kernel_function("do_epoll_waits"), CAUSE_SYSCALL);
	assert_int_equal(kernel_function("do_epoll_wai"), CAUSE_SYSCALL);
	assert_int_equal(kernel_function("."), CAUSE_SYSCALL);
}

static bool user_function_is(const char *under, const char *name)
{
	const struct rule mine = {
		.name = "mine", .class = CLASS_EXPECTED, .user = { under }, .line = 1
	};
	const struct ruleset_options opt = { .first = &mine, .first_len = 1 };
	const struct seen s = { name, "futex", 'S', 0, "futex_wait", .user = name };
	struct profile *p = seen_profile(&s);
	struct ruleset *rules;
	enum wait_class class;

	assert_int_equal(ruleset__new(&opt, &rules, NULL), 0);
	class = ask(p, rules).class;
	ruleset__free(rules);
	profile__free(p);
	return class == CLASS_EXPECTED;
}

/* A dot is a part of many names there. */
static void test_rules__ignore_it_at_the_end_of_names_of_users(void **state)
{
	static const char acme[] = "com.acme.part.Pool.coldStart";

	(void)state;
	assert_true(user_function_is(acme, acme));
	assert_true(user_function_is("*Pool.coldStart", acme));
	assert_false(user_function_is("com.acme", acme));
	assert_true(user_function_is("take", "take.isra.0.cold"));
	assert_true(user_function_is("take", "take.part.3"));
	assert_true(user_function_is("a.isra.Ray.take", "a.isra.Ray.take.constprop.0"));
	/* who means one copy of it */
	assert_true(user_function_is("take.cold", "take.cold"));
	assert_true(user_function_is("Pool.cold", "Pool.cold"));
	assert_false(user_function_is("take.cold", "take"));
	assert_true(user_function_is("q::take", "q::take::h0123456789abcdef"));
}

static void test_rules__take_a_name_for_a_prefix_only_where_told(void **state)
{
	(void)state;
	assert_int_equal(kernel_function("__mutex_lock_slowpath"), CAUSE_KERNEL_LOCK);
	assert_int_equal(kernel_function("my__mutex_lock"), CAUSE_SYSCALL);
	assert_int_equal(kernel_function("pipe_reader"), CAUSE_SYSCALL);
}

static void test_rules__are_asked_after_those_of_the_user(void **state)
{
	static const struct rule mine[] = {
		{ .name = "mine", .class = CLASS_EXPECTED, .user = { "take" }, .line = 1 },
		{ .name = "mine too",
		  CAUSE_QUEUE,
		  .user = { "take" },
		  .not_user = "other",
		  .line = 2 },
	};
	const struct ruleset_options opt = { .first = mine, .first_len = ARRAY_LEN(mine) };
	const struct seen lock = { "lock", "futex", 'S', 0, "futex_wait", .user = "take<main" };
	const struct seen other = {
		"lock", "futex", 'S', 0, "futex_wait", .user = "@pthread_mutex_lock<take<other"
	};
	struct profile *p = seen_profile(&lock), *q = seen_profile(&other);
	struct ruleset *rules;
	struct causes c;

	(void)state;
	assert_int_equal(ruleset__new(&opt, &rules, NULL), 0);
	assert_int_equal(ask(p, rules).cause, CAUSE_QUEUE);
	assert_int_equal(ask(p, rules).class, CLASS_EXPECTED);
	assert_int_equal(ask(q, rules).cause, CAUSE_LOCK);
	assert_int_equal(causes__init(&c, p, rules, NULL), 0);
	assert_string_equal(causes__kind_rule(&c, 1)->name, "mine too");
	assert_string_equal(causes__class_rule(&c, 1)->name, "mine");
	assert_null(causes__kind_rule(&c, 99));
	causes__done(&c);
	ruleset__free(rules);
	profile__free(p);
	profile__free(q);
}

static void test_ruleset__can_leave_out_what_says_idle(void **state)
{
	const struct ruleset_options opt = { .no_idle = true };
	const struct seen loop = { "loop", "epoll_wait",    'S',
				   0,	   "do_epoll_wait", .user = "@epoll_wait<event_loop" };
	struct profile *p = seen_profile(&loop);
	struct ruleset *rules;

	(void)state;
	assert_int_equal(ask(p, NULL).class, CLASS_IDLE);
	assert_int_equal(ruleset__new(&opt, &rules, NULL), 0);
	assert_int_equal(ask(p, rules).class, CLASS_WORK);
	ruleset__free(rules);
	profile__free(p);
}

/* A wait for a lock inside an event loop holds the loop up: only waits for work can be idle. */
static void test_rule_kinds__leave_locks_and_disks_out_of_idle(void **state)
{
	struct rule idle = { .class = CLASS_IDLE };

	(void)state;
	assert_true(rule_kinds(&idle) & CAUSE_SET(CAUSE_POLL));
	assert_true(rule_kinds(&idle) & CAUSE_SET(CAUSE_COND));
	assert_false(rule_kinds(&idle) & CAUSE_SET(CAUSE_LOCK));
	assert_false(rule_kinds(&idle) & CAUSE_SET(CAUSE_DISK_SYNC));
	idle.line = 1; /* the user's rules mean what they say */
	assert_true(rule_kinds(&idle) & CAUSE_SET(CAUSE_LOCK));
	idle.kinds = CAUSE_SET(CAUSE_DISK_SYNC);
	assert_true(rule_kinds(&idle) == CAUSE_SET(CAUSE_DISK_SYNC));
}

static void test_ruleset__refuses_what_it_cannot_do(void **state)
{
	static const char *const broken[] = { "a(", NULL };
	static const struct rule_off off = { "c/mutexes", "my:3" };
	static const struct rule mine = {
		.name = "my:1", CAUSE_LOCK, .regexes = broken, .line = 1
	};
	const struct ruleset_options no_rule = { .off = &off, .off_len = 1 };
	const struct ruleset_options no_regex = { .first = &mine, .first_len = 1 };
	struct ruleset *rules;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(ruleset__new(&no_rule, &rules, &err), -EINVAL);
	assert_string_equal(err.msg, "my:3: there is no rule 'c/mutexes' to switch off");
	assert_null(rules);
	assert_int_equal(ruleset__new(&no_regex, &rules, &err), -EINVAL);
	assert_ptr_equal(strstr(err.msg, "my:1: 'a(' is not a regular expression: "), err.msg);
}

static void test_causes__report_every_allocation_that_fails(void **state)
{
	struct profile *p = seen_profile(&seen_kernel.waits[0]);
	u64 nth = 1;
	bool fired;

	(void)state;
	do {
		struct causes c;
		int r;

		mem_fail_nth(nth++);
		r = causes__init(&c, p, NULL, NULL);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		assert_int_equal(r, fired ? -ENOMEM : 0);
		causes__done(&c);
	} while (fired);
	assert_true(nth > 8);
	profile__free(p);
}

static void test_cause_name__is_short_and_never_null(void **state)
{
	int i, j;

	(void)state;
	for (i = 0; i <= CAUSE_CNT; i++) {
		assert_true(strlen(cause_name((enum cause)i)) <= 16);
		assert_true(*cause_sentence((enum cause)i));
		assert_non_null(cause_hint((enum cause)i));
		assert_true(strlen(cause_hint((enum cause)i)) <= 90);
		for (j = 0; j < i && i < CAUSE_CNT; j++)
			assert_string_not_equal(cause_name((enum cause)i),
						cause_name((enum cause)j));
		if (i < CAUSE_CNT)
			assert_int_equal(cause_find(cause_name((enum cause)i)), i);
	}
	assert_int_equal(cause_find("futexes"), CAUSE_CNT);
}

static void test_causes__use_names_anywhere_in_the_kernel_stack(void **state)
{
	struct profile *p = NULL;
	struct err err = { 0 };
	struct causes c;

	(void)state;
	if (literal_parse("task 1/1 a\n"
			  "wait S sys=read blocked=1ms\n"
			  " k ksys_read\n k vfs_read\n k anon_pipe_read\n k schedule\n"
			  "wait S sys=read blocked=1ms\n"
			  " u anon_pipe_read\n k ksys_read\n k schedule\n"
			  "task 2/2 b flags=kthread\n"
			  "wait I blocked=1ms\n k worker_thread\n",
			  &p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(causes__init(&c, p, NULL, NULL), 0);
	assert_int_equal(causes__of(&c, 1), CAUSE_PIPE);
	assert_int_equal(causes__of(&c, 2), CAUSE_SYSCALL); /* a user function of that name */
	assert_int_equal(causes__of(&c, 3), CAUSE_KTHREAD);
	assert_int_equal(causes__of(&c, 99), CAUSE_UNKNOWN);
	assert_int_equal(causes__class(&c, 99), CLASS_WORK);
	causes__done(&c);
	profile__free(p);
}

static void test_causes__are_the_same_without_the_frames_of_an_interpreter(void **state)
{
	struct shown_options opt = { 0 };
	struct profile *p = NULL;
	struct causes all, part;
	struct shown shown;
	struct err err = { 0 };
	u32 i;

	(void)state;
	if (literal_load("tests/golden/python/profile.lit", &p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(shown__init(&shown, p, &opt, NULL), 0);
	assert_ptr_not_equal(shown.p, p);
	assert_int_equal(causes__init(&all, p, NULL, NULL), 0);
	assert_int_equal(causes__init(&part, shown.p, NULL, NULL), 0);
	for (i = 1; i < p->waits_len; i++) {
		assert_int_equal(causes__of(&all, i), causes__of(&part, i));
		assert_int_equal(causes__class(&all, i), causes__class(&part, i));
	}
	causes__done(&all);
	causes__done(&part);
	shown__done(&shown);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_causes__know_the_waits_that_were_seen),
		cmocka_unit_test(test_rules__are_each_needed_by_a_wait_that_was_seen),
		cmocka_unit_test(test_rules__have_names_and_say_where_they_were_seen),
		cmocka_unit_test(test_causes__need_no_kernel_names_for_plain_calls),
		cmocka_unit_test(test_causes__take_kernel_threads_apart),
		cmocka_unit_test(test_rules__ignore_what_the_compiler_adds),
		cmocka_unit_test(test_rules__ignore_it_at_the_end_of_names_of_users),
		cmocka_unit_test(test_rules__take_a_name_for_a_prefix_only_where_told),
		cmocka_unit_test(test_rules__are_asked_after_those_of_the_user),
		cmocka_unit_test(test_ruleset__can_leave_out_what_says_idle),
		cmocka_unit_test(test_rule_kinds__leave_locks_and_disks_out_of_idle),
		cmocka_unit_test(test_ruleset__refuses_what_it_cannot_do),
		cmocka_unit_test(test_causes__report_every_allocation_that_fails),
		cmocka_unit_test(test_cause_name__is_short_and_never_null),
		cmocka_unit_test(test_causes__use_names_anywhere_in_the_kernel_stack),
		cmocka_unit_test(test_causes__are_the_same_without_the_frames_of_an_interpreter),
	};

	return cmocka_run_group_tests_name("cause", tests, NULL, NULL);
}
