/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "proc/runtime.h"

static enum runtime_kind kind_of(const char *text)
{
	enum runtime_kind kind;
	struct maps maps;

	assert_int_equal(maps__parse(&maps, view__of_str(text), NULL), 0);
	kind = runtime_of(&maps, NULL);
	maps__done(&maps);
	return kind;
}

static void test_runtime_of_knows_files_by_name(void **state)
{
	(void)state;
	assert_int_equal(kind_of("1000-2000 r-xp 0 fe:00 5 /usr/lib/jvm/x/libjvm.so\n"),
			 RUNTIME_HOTSPOT);
	assert_int_equal(kind_of("1000-2000 r-xp 0 fe:00 5 /usr/bin/node\n"), RUNTIME_NODE);
	assert_int_equal(kind_of("1000-2000 r-xp 0 fe:00 5 /usr/bin/nodejsd\n"), RUNTIME_NONE);
	assert_int_equal(kind_of("1000-2000 r-xp 0 fe:00 5 /opt/x/libcoreclr.so\n"),
			 RUNTIME_DOTNET);
	assert_int_equal(kind_of("1000-2000 r-xp 0 fe:00 5 /usr/bin/python3.11\n"),
			 RUNTIME_CPYTHON);
	/* data of it is not it, and neither is another file below such a directory */
	assert_int_equal(kind_of("1000-2000 r--p 0 fe:00 5 /usr/bin/node\n"), RUNTIME_NONE);
	assert_int_equal(kind_of("1000-2000 r-xp 0 fe:00 5 /srv/node/lib.so\n"), RUNTIME_NONE);
}

static void test_runtime_of_takes_the_host_not_the_guest(void **state)
{
	(void)state;
	assert_int_equal(kind_of("1000-2000 r-xp 0 fe:00 5 /usr/lib/libpython3.11.so.1.0\n"
				 "3000-4000 r-xp 0 fe:00 6 /usr/lib/libjvm.so\n"),
			 RUNTIME_HOTSPOT);
}

static void test_runtime_words__has_whole_words_only(void **state)
{
	static char text[] = "java\0-Xmx1g\0-XX:+PreserveFramePointer\0"
			     "NODE_OPTIONS=--perf-basic-prof --no-opt";
	struct runtime_words w = { text, sizeof(text) };

	(void)state;
	assert_true(runtime_words__has(&w, "-XX:+PreserveFramePointer"));
	assert_false(runtime_words__has(&w, "-XX:+Preserve"));
	assert_true(runtime_words__has(&w, "--perf-basic-prof"));
	assert_false(runtime_words__has(&w, "--perf-basic"));
	assert_false(runtime_words__has(&w, "perf-basic-prof"));
	assert_true(runtime_words__has(&w, "--no-opt"));
}

static void test_runtime_words__read_of_ourselves(void **state)
{
	struct runtime_words w;

	(void)state;
	assert_int_equal(runtime_words__read(&w, (u32)getpid(), RUNTIME_CMDLINE, NULL), 0);
	assert_non_null(strstr(w.text, "test_runtime"));
	runtime_words__done(&w);
	assert_int_equal(runtime_words__read(&w, 1U << 30, RUNTIME_ENVIRON, NULL), -ESRCH);
	assert_false(runtime_words__has(&w, "x"));
	runtime_words__done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtime_of_knows_files_by_name),
		cmocka_unit_test(test_runtime_of_takes_the_host_not_the_guest),
		cmocka_unit_test(test_runtime_words__has_whole_words_only),
		cmocka_unit_test(test_runtime_words__read_of_ourselves),
	};

	return cmocka_run_group_tests_name("runtime", tests, NULL, NULL);
}
