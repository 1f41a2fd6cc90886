/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "app/selection.h"
#include "app/selection_words.h"
#include "base/mem.h"
#include "lib/lit.h"
#include "profile/state.h"

#define MS NSEC_PER_MSEC

static const char two[] = "arch x86_64\nsides user kernel\nwindow 1s\n"
			  "task 10/10 web group=web cgroup=77 on=100ms\n"
			  "  wait S sys=futex blocked=30ms\n    u main\n    k futex_wait\n"
			  "  wait D blocked=5ms\n    u main\n    k io_schedule\n"
			  "task 20/20 db group=db cgroup=78 on=1ms\n"
			  "  wait S sys=futex blocked=6ms\n    u main\n    k futex_wait\n";

static void init(struct selection *s)
{
	struct vec *texts[] = { &s->comms,   &s->cgroups, &s->under,  &s->not_under,
				&s->modules, &s->objects, &s->owners, &s->wakers };

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		vec__init(texts[i], sizeof(const char *));
	vec__init(&s->pids, sizeof(u32));
	vec__init(&s->tids, sizeof(u32));
}

static void done(struct selection *s)
{
	vec__done(&s->comms);
	vec__done(&s->under);
	vec__done(&s->wakers);
	vec__done(&s->pids);
}

static void add_text(struct vec *v, const char *text)
{
	const char **at = vec__push(v);

	assert_non_null(at);
	*at = text;
}

static void add_id(struct vec *v, u32 id)
{
	u32 *at = vec__push(v);

	assert_non_null(at);
	*at = id;
}

static u64 listed(const struct profile *p)
{
	struct profile_budget b;

	assert_int_equal(profile__budget(p, &b), 0);
	return b.listed_blocked_ns;
}

static void test_nothing_asked(void **state)
{
	struct profile *p = lit(two), *before = p;
	struct selection s;

	(void)state;
	init(&s);
	assert_int_equal(selection__apply(&s, NULL, &p, NULL), 0);
	assert_ptr_equal(p, before);
	assert_false(p->hdr.filtered);
	profile__free(p);
}

static void test_part_knows_its_words(void **state)
{
	struct profile *p = lit(two);
	struct selection s;
	struct err err = { 0 };

	(void)state;
	init(&s);
	add_text(&s.comms, "we*");
	assert_int_equal(selection_parse_states("D", &s.states, NULL), 0);
	assert_int_equal(selection__apply(&s, NULL, &p, &err), 0);
	assert_int_equal(profile__check(p, &err), 0);
	assert_int_equal(listed(p), 5 * MS);
	assert_int_equal(p->tasks_len - 1, 1);
	assert_string_equal(profile__str(p, p->hdr.selection), "--comm 'we*' --state D");
	profile__free(p);
	done(&s);
}

static void test_no_match_keeps_the_whole(void **state)
{
	struct profile *p = lit(two), *before = p;
	struct selection s;
	struct err err = { 0 };

	(void)state;
	init(&s);
	add_id(&s.pids, 30);
	assert_int_equal(selection__apply(&s, NULL, &p, &err), -ENOENT);
	assert_true(err.msg[0]);
	assert_ptr_equal(p, before);
	profile__free(p);
	done(&s);
}

static void assert_words(const struct selection *s, const char *want)
{
	char *words = selection__words(s);

	assert_string_equal(words, want);
	mem_free(words);
}

static void test_words(void **state)
{
	struct selection s;

	(void)state;
	init(&s);
	assert_words(&s, "");
	add_id(&s.pids, 7);
	add_id(&s.pids, 8);
	add_text(&s.under, "it's");
	add_text(&s.wakers, "[timer*");
	s.no_idle = true;
	assert_int_equal(selection_parse_causes("net-recv,lock", &s.causes, NULL), 0);
	assert_int_equal(selection_parse_classes("bad", &s.classes, NULL), 0);
	assert_int_equal(selection_parse_bound("1.5%", &s.min, NULL), 0);
	assert_int_equal(selection_parse_bound("10ms", &s.max, NULL), 0);
	assert_words(&s,
		     "--pid 7,8 --cause net-recv,lock --class bad --idle hide --under 'it'\\''s'"
		     " --waker '[timer*' --min 1.5% --max '10.0 ms'");
	done(&s);
}

static void assert_refused(int r, const struct err *err, const char *sentence)
{
	assert_int_equal(r, -EINVAL);
	assert_string_equal(err->msg, sentence);
}

static void test_wrong_words(void **state)
{
	struct selection s;
	struct err err = { 0 };

	(void)state;
	init(&s);
	assert_refused(selection_parse_causes("lokc", &s.causes, &err), &err,
		       "'lokc' is not a cause; did you mean lock?");
	assert_refused(selection_parse_classes("none", &s.classes, &err), &err,
		       "'none' is not a class");
	assert_refused(selection_parse_states("Q", &s.states, &err), &err,
		       "'Q' is not a task state; try D or S,D");
	assert_refused(selection_parse_states("", &s.states, &err), &err,
		       "'' is not a task state; try D or S,D");
	assert_refused(selection_parse_bound("much", &s.min, &err), &err,
		       "'much' is not a time or percentage; try 10ms or 1%");
	assert_int_equal(s.causes | s.classes | s.states | s.min.ns | s.min.ppm, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_asked),
		cmocka_unit_test(test_part_knows_its_words),
		cmocka_unit_test(test_no_match_keeps_the_whole),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_wrong_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
