/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agent/keeper.h"
#include "agent/settings.h"
#include "agent/way.h"
#include "base/clock.h"

static void test_agent_settings__parse_changes_what_is_named(void **state)
{
	struct agent_settings s, before;
	struct err err = { 0 };

	(void)state;
	agent_settings__init(&s);
	before = s;
	if (agent_settings__parse(&s,
				  view__of_str("store = '/srv/w'\nwindow = \"5s\"\n"
					       "max_overhead = \"0.25%\"\nwakers = true\n"
					       "retention_bytes = \"2GiB\"\nretention_days = 0\n"),
				  &err))
		fail_msg("%s", err.msg);
	assert_string_equal(s.store, "/srv/w");
	assert_int_equal(s.window_ns, 5 * NSEC_PER_SEC);
	assert_int_equal(s.interval_ns, 5 * NSEC_PER_SEC); /* no longer than a window */
	assert_int_equal(s.overhead_ppm, 2500);
	assert_true(s.wakers);
	assert_int_equal(s.retention_bytes, 2ULL << 30);
	assert_int_equal(s.retention_days, 0);
	assert_int_equal(s.memory_bytes, before.memory_bytes);
	assert_true(agent_settings__need_restart(&before, &s));
	before = s;
	before.retention_days = 9;
	assert_false(agent_settings__need_restart(&before, &s));
	before.wakers = false;
	assert_true(agent_settings__need_restart(&before, &s));
}

static void test_agent_settings__parse_refuses_and_changes_nothing(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "window = \"0\"", "window: 0 is not between 1s and 60m" },
		{ "window = 0", "not between 1s and 60m" },
		{ "retention_days = \"0\"", "write it as retention_days = 30" },
		{ "retention_dsys = 3", "did you mean 'retention_days'?" },
		{ "zzzzzzzzzzzz = 3", "unknown setting" },
		{ "[agent]", "unknown table [agent]" },
		{ "wakers = true\nwakers = true", "line 2: wakers is given twice" },
		{ "wakers = 1", "write it as wakers = false" },
		{ "store = \"\"", "store: " },
		{ "store = 3", "write it as store = " },
		{ "window = 60", "write it as window = " },
		{ "window = \"60\"", "window: " },
		{ "window = \"1ms\"", "not between 1s and 60m" },
		{ "max_overhead = \"90%\"", "not between 0.01% and 50%" },
		{ "retention_days = -1", "write it as retention_days = 30" },
		{ "retention_days = \"3\"", "write it as retention_days = 30" },
		{ "retention_bytes = 5", "less than 1MiB" },
		{ "push = \"otlp+http://h\"", "write it as push = [" },
		{ "push = [\"http://h\"]", "push: a target is NAME+http://" },
		{ "push = ['otlp+http://h', 'otlp+http://me:x@h/']", "is given twice" },
		{ "push = []\npush = []", "line 2: push is given twice" },
		{ "window = [\"1m\"]", "write it as window = " },
		{ "push = ['otlp+http://a', 'otlp+http://b', 'otlp+http://c', 'otlp+http://d',\n"
		  "'otlp+http://e', 'otlp+http://f', 'otlp+http://g', 'otlp+http://h',\n"
		  "'otlp+http://i']",
		  "line 3: push: at most 8 targets" },
	};
	struct agent_settings s, before;

	(void)state;
	agent_settings__init(&s);
	before = s;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = { 0 };

		assert_int_equal(agent_settings__parse(&s, view__of_str(bad[i].text), &err),
				 -EINVAL);
		if (!strstr(err.msg, bad[i].says))
			fail_msg("'%s': %s", bad[i].text, err.msg);
		assert_memory_equal(&s, &before, sizeof(s));
	}
}

/* 0 needs no unit, with quotes or without. */
static void test_agent_settings__parse_takes_zero(void **state)
{
	static const char *const texts[] = {
		"interval = 0\nmax_memory = 0\nretention_bytes = 0\n[[watch]]\nname = 'a'\n"
		"longest = '1s'\nrate = 0\nshare = 0\n",
		"interval = '0'\nmax_memory = '0'\nretention_bytes = \"0\"\n[[watch]]\nname = 'a'\n"
		"longest = '1s'\nrate = '0'\nshare = '0'\n",
		"interval = '0s'\nmax_memory = '0MiB'\nretention_bytes = '0GiB'\n[[watch]]\n"
		"name = 'a'\nlongest = '1s'\nrate = '0ms'\nshare = '0%'\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct agent_settings s;
		struct err err = { 0 };

		agent_settings__init(&s);
		s.memory_bytes = 64 << 20;
		if (agent_settings__parse(&s, view__of_str(texts[i]), &err))
			fail_msg("%s", err.msg);
		assert_int_equal(s.interval_ns, 0);
		assert_int_equal(s.memory_bytes, 0);
		assert_int_equal(s.retention_bytes, 0);
		assert_int_equal(s.watches[0].rate_ns, 0);
	}
}

static void test_agent_settings__parse_takes_targets(void **state)
{
	struct agent_settings s, before;
	struct err err = { 0 };

	(void)state;
	agent_settings__init(&s);
	before = s;
	if (agent_settings__parse(&s, view__of_str("push = ['otlp+http://a:1', 'parca+http://b']"),
				  &err))
		fail_msg("%s", err.msg);
	assert_string_equal(s.push[0], "otlp+http://a:1");
	assert_string_equal(s.push[1], "parca+http://b");
	assert_string_equal(s.push[2], "");
	/* no window is lost for it */
	assert_false(agent_settings__need_restart(&before, &s));
	assert_true(agent_settings__push_otherwise(&before, &s));
	before = s;
	assert_false(agent_settings__push_otherwise(&before, &s));
	/* a list replaces the one before */
	if (agent_settings__parse(&s, view__of_str("push = []"), &err))
		fail_msg("%s", err.msg);
	assert_string_equal(s.push[0], "");
}

static void test_keeper__is_steady_after_ten_minutes_without_a_step(void **state)
{
	struct keeper k = { 0 };
	u64 wall = 1790000000 * NSEC_PER_SEC, mono = 50 * NSEC_PER_SEC, minute = 60 * NSEC_PER_SEC;
	u32 i;

	(void)state;
	for (i = 0; i < 10; i++)
		assert_false(keeper__is_steady(&k, wall + i * minute, mono + i * minute));
	assert_true(keeper__is_steady(&k, wall + i * minute, mono + i * minute));
	/* NTP slews; a step of years begins the wait again */
	wall += NSEC_PER_SEC / 2;
	assert_true(keeper__is_steady(&k, wall + i * minute, mono + i * minute));
	wall += 100000 * minute;
	assert_false(keeper__is_steady(&k, wall + i * minute, mono + i * minute));
	i += 9;
	assert_false(keeper__is_steady(&k, wall + i * minute, mono + i * minute));
	i++;
	assert_true(keeper__is_steady(&k, wall + i * minute, mono + i * minute));
	wall -= 2 * minute;
	assert_false(keeper__is_steady(&k, wall + i * minute, mono + i * minute));
}

static void test_way__take_leaves_hooks_that_cost_too_much(void **state)
{
	struct way w = { 0 };
	u64 now = 7 * NSEC_PER_SEC, hour = 3600 * NSEC_PER_SEC;

	(void)state;
	/* a little over the budget is the governor's business, and two windows are chance */
	for (u32 i = 0; i < 9; i++)
		assert_false(way__take(&w, 7500, 5000, now));
	assert_false(way__take(&w, 7501, 5000, now));
	assert_false(way__take(&w, 7501, 5000, now));
	assert_false(way__take(&w, 100, 5000, now));
	assert_false(way__take(&w, 40000, 5000, now));
	assert_false(way__take(&w, 40000, 5000, now));
	assert_true(way__take(&w, 40000, 5000, now));
	assert_true(w.visits);
	assert_false(way__take(&w, 100, 5000, now + hour - 1));
	assert_true(way__take(&w, 100, 5000, now + hour));
	assert_false(w.visits);
	/* one window is enough to see that it is as before */
	assert_true(way__take(&w, 40000, 5000, now + hour));
	assert_true(w.visits);
	assert_true(way__take(&w, 100, 5000, now + 2 * hour));
	assert_false(way__take(&w, 100, 5000, now + 2 * hour));
	assert_false(way__take(&w, 40000, 5000, now + 2 * hour));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agent_settings__parse_changes_what_is_named),
		cmocka_unit_test(test_agent_settings__parse_refuses_and_changes_nothing),
		cmocka_unit_test(test_agent_settings__parse_takes_targets),
		cmocka_unit_test(test_agent_settings__parse_takes_zero),
		cmocka_unit_test(test_way__take_leaves_hooks_that_cost_too_much),
		cmocka_unit_test(test_keeper__is_steady_after_ten_minutes_without_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
