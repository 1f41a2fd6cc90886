/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "lib/rendered.h"
#include "render/formats.h"
#include "render/words/scope_text.h"

#define TASK "task 1/1 web\n wait S blocked=2s\n  u main\n"
#define PART "selection --comm web\nwhole_off 8s\nwhole_threads 4\n"
#define TWO "windows 2\n"

static void assert_texts(const char *literal, const char *windows, const char *selection)
{
	struct profile *p = lit(literal);
	char text[SCOPE_TEXT_SZ];

	assert_int_equal(scope_text(p, SCOPE_WINDOWS, text, sizeof(text)), *windows != '\0');
	assert_string_equal(text, windows);
	assert_int_equal(scope_text(p, SCOPE_SELECTION, text, sizeof(text)), *selection != '\0');
	assert_string_equal(text, selection);
	profile__free(p);
}

static void test_scope_text__is_nothing_for_one_window_whole(void **state)
{
	(void)state;
	assert_texts(TASK, "", "");
	assert_texts("windows 1\n" TASK, "", "");
}

static void test_scope_text__says_what_was_selected(void **state)
{
	(void)state;
	assert_texts(PART TASK, "", "selected 2.00 s of 8.00 s waited, 1 of 4 threads: --comm web");
	assert_texts("selection --cause futex\nwhole_off 8s\nwhole_threads 1\n" TASK, "",
		     "selected 2.00 s of 8.00 s waited: --cause futex");
	assert_texts(
		"selection --cause on-cpu\nwhole_off 8s\nwhole_on 3s\nwhole_threads 1\n"
		"filtered\non_cpu_hz 99\ntask 1/1 web on=2s\n hot on=1s samples=99\n  u main\n",
		"",
		"selected 0 ns of 8.00 s waited and 1.00 s of 3.00 s on a CPU: "
		"--cause on-cpu");
}

/* Of two bytes a character, and one before them or none: the end may be in the middle of one. */
static void test_scope_text__says_that_words_are_cut(void **state)
{
	size_t odd, i;

	(void)state;
	for (odd = 0; odd < 2; odd++) {
		char literal[1024] = "selection ", text[SCOPE_TEXT_SZ];
		size_t at = strlen(literal), len;
		struct profile *p;

		literal[at] = 'x';
		for (i = at + odd; i + 2 < at + SCOPE_TEXT_SZ; i += 2)
			memcpy(literal + i, "\xc3\xa9", 2);
		snprintf(literal + i, sizeof(literal) - i, "\nwhole_off 8s\n%s", TASK);
		p = lit(literal);
		assert_true(scope_text(p, SCOPE_SELECTION, text, sizeof(text)));
		len = strlen(text);
		assert_in_range(len, SCOPE_TEXT_SZ - 3, SCOPE_TEXT_SZ - 1);
		assert_string_equal(text + len - 5, "\xc3\xa9...");
		profile__free(p);
	}
}

static void test_scope_text__says_how_windows_lie(void **state)
{
	(void)state;
	assert_texts(TWO TASK, "2 windows", "");
	assert_texts(TWO "gap 3s\n" TASK, "2 windows, 3.00 s between them not recorded", "");
	assert_texts(TWO "overlap 1s\n" TASK,
		     "2 windows, 1.00 s in more than one and counted in each", "");
}

static void test_scope_text__says_what_an_import_does_not_know(void **state)
{
	struct profile *p = lit("source bcc offcputime -f\nunknown on_cpu threads\n" TASK);
	char text[SCOPE_TEXT_SZ], small[40];

	(void)state;
	assert_true(scope_text(p, SCOPE_SOURCE, text, sizeof(text)));
	assert_string_equal(text, "imported from bcc offcputime -f; not known: time on a CPU, "
				  "threads");
	assert_true(scope_text(p, SCOPE_SOURCE, small, sizeof(small)));
	assert_string_equal(small, "imported from bcc offcputime -f; not...");
	profile__free(p);
	p = lit("source perf sched\n" TASK);
	assert_true(scope_text(p, SCOPE_SOURCE, text, sizeof(text)));
	assert_string_equal(text, "imported from perf sched");
	profile__free(p);
}

/* Nothing of it reads as a measured zero. */
static void test_render_formats__leave_blank_what_is_not_known(void **state)
{
	struct profile *p =
		lit("source bcc offcputime -f\n"
		    "unknown window on_cpu run_queue processes threads counts lengths "
		    "losses\n"
		    "task 0/0 web\n wait S blocked=2s flags=summed count=0\n  u main\n");
	const struct render_options none = { 0 };
	char *text = rendered(p, &render_summary, none);

	(void)state;
	assert_non_null(strstr(text, "  on a CPU                 -      -  not known\n"));
	assert_non_null(strstr(text, "  waiting for a CPU        -      -  not known\n"));
	assert_non_null(strstr(text, "Lost: not known"));
	assert_null(strstr(text, " 0 threads"));
	mem_free(text);
	text = rendered(p, &render_json, none);
	assert_non_null(strstr(text, "\"threads\":null,\"processes\":null,\"wall_ns\":null,"
				     "\"on_ns\":null"));
	assert_non_null(strstr(text, "\"count\":null,\"max_ns\":null"));
	mem_free(text);
	text = rendered(p, &render_csv, none);
	assert_non_null(strstr(text, "\n,,\"web\",\"web\",S,"));
	assert_non_null(strstr(text, ",2000000000,0,,,,,"));
	mem_free(text);
	profile__free(p);
}

/* A format that has a place for it says it, and one that has none is known to be silent. */
static void test_render_formats__say_what_part_it_is_or_are_bare(void **state)
{
	struct profile *p = lit("source that tool\n" TWO PART TASK);
	size_t i;

	(void)state;
	for (i = 0; render_formats[i]; i++) {
		char *text;

		/* binary: tests/golden/part has them */
		if (render_formats[i] == &render_pprof || render_formats[i] == &render_otlp)
			continue;
		text = rendered(p, render_formats[i], (struct render_options){ 0 });
		assert_int_equal(!strstr(text, "--comm web"), render_formats[i]->bare);
		assert_int_equal(!strstr(text, "2 windows") && !strstr(text, "\"windows\":2"),
				 render_formats[i]->bare);
		assert_int_equal(!strstr(text, "that tool"), render_formats[i]->bare);
		mem_free(text);
	}
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scope_text__is_nothing_for_one_window_whole),
		cmocka_unit_test(test_scope_text__says_what_was_selected),
		cmocka_unit_test(test_scope_text__says_that_words_are_cut),
		cmocka_unit_test(test_scope_text__says_how_windows_lie),
		cmocka_unit_test(test_scope_text__says_what_an_import_does_not_know),
		cmocka_unit_test(test_render_formats__leave_blank_what_is_not_known),
		cmocka_unit_test(test_render_formats__say_what_part_it_is_or_are_bare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
