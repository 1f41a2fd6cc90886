/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "abi/event.h"
#include "abi/stack.h"
#include "capture/runtime/cpython.h"
#include "capture/runtime/jit_runtimes.h"
#include "capture/runtime/openjdk.h"
#include "capture/runtime/readers.h"

static const struct runtime *runtime_of(const char *text)
{
	const struct runtime *rt;
	struct maps maps;

	assert_int_equal(maps__parse(&maps, view__of_str(text), NULL), 0);
	rt = runtimes_by_file(&maps);
	maps__done(&maps);
	return rt;
}

static void test_runtimes_by_file_knows_them_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(runtime_of("1000-2000 r-xp 0 fe:00 5 /usr/lib/jvm/x/libjvm.so\n"),
			 &runtime_openjdk);
	assert_ptr_equal(runtime_of("1000-2000 r-xp 0 fe:00 5 /usr/bin/node\n"), &runtime_node);
	assert_null(runtime_of("1000-2000 r-xp 0 fe:00 5 /usr/bin/nodejsd\n"));
	assert_ptr_equal(runtime_of("1000-2000 r-xp 0 fe:00 5 /opt/x/libcoreclr.so\n"),
			 &runtime_dotnet);
	assert_ptr_equal(runtime_of("1000-2000 r-xp 0 fe:00 5 /usr/bin/python3.11\n"),
			 &runtime_cpython);
	/* data of it is not it, and neither is another file below such a directory */
	assert_null(runtime_of("1000-2000 r--p 0 fe:00 5 /usr/bin/node\n"));
	assert_null(runtime_of("1000-2000 r-xp 0 fe:00 5 /srv/node/lib.so\n"));
}

static void test_runtimes_by_file_takes_the_host_not_the_guest(void **state)
{
	(void)state;
	assert_ptr_equal(runtime_of("1000-2000 r-xp 0 fe:00 5 /usr/lib/libpython3.11.so.1.0\n"
				    "3000-4000 r-xp 0 fe:00 6 /usr/lib/libjvm.so\n"),
			 &runtime_openjdk);
}

/* What each row must have. */
static void test_runtimes_are_complete(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNTIMES_CNT; i++) {
		assert_non_null(runtimes[i]->words);
		assert_non_null(runtimes[i]->files[0].start);
		assert_null(runtimes[i]->files[3].start);
		assert_non_null(runtimes[i]->advise);
	}
}

static bool is_complete(const struct runtime_reader *r)
{
	return r->code_label && r->facts_map && r->event && r->event_sz && r->loss && r->state_sz &&
	       r->init && r->done && r->take && r->lost && r->give && r->forget &&
	       (r->read_file ? r->module_flag : r->see != NULL);
}

/* A reader is complete, and nothing of it is another's. */
static void test_runtimes_readers_are_told_apart(void **state)
{
	const struct runtime_reader *a, *b;

	(void)state;
	for (size_t i = 0; i < RUNTIMES_CNT; i++) {
		a = runtimes[i]->reader;
		if (!a)
			continue;
		assert_true(is_complete(a));
		assert_string_equal(runtimes_code_label(a->code_flag | 0x10), a->code_label);
		for (size_t k = 0; k < i; k++) {
			b = runtimes[k]->reader;
			assert_true(!b || (b->event != a->event && b->loss != a->loss &&
					   b->code_flag != a->code_flag &&
					   strcmp(b->facts_map, a->facts_map) != 0));
		}
	}
}

static int no_map(const void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return 0;
}

static int count(void *arg, const struct interpreted_code *code)
{
	assert_string_equal(code->name, "void java.lang.Object.wait(long)");
	++*(u32 *)arg;
	return 0;
}

static void put_text(struct cs_method_event *ev, u32 i, const char *text)
{
	ev->len[i] = (u16)strlen(text);
	memcpy(ev->text[i], text, strlen(text));
}

/* A record goes to the reader of its kind, if it is long enough; others are refused. */
static void test_readers__take_finds_the_reader_of_a_record(void **state)
{
	struct cs_method_event ev = { .kind = CS_EVENT_METHOD, .image = 7, .code = 0x1230 };
	u32 tables_gen = 0, given = 0;
	struct runtime_code_sink sink = { count, &given };
	struct readers rs;

	(void)state;
	put_text(&ev, 0, "java/lang/Object");
	put_text(&ev, 1, "wait");
	put_text(&ev, 2, "(J)V");
	assert_int_equal(readers__init(&rs, no_map, NULL, &tables_gen), 0);
	assert_int_equal(readers__take(&rs, CS_EVENT_TASK, &ev, sizeof(ev)), -EPROTO);
	assert_int_equal(readers__take(&rs, ev.kind, &ev, sizeof(ev) - 1), -EPROTO);
	assert_int_equal(readers__take(&rs, 999, &ev, sizeof(ev)), -EPROTO);
	assert_int_equal(readers__take(&rs, ev.kind, &ev, sizeof(ev)), 0);
	assert_int_equal(readers__give(&rs, &sink), 0);
	assert_int_equal(given, 1);
	readers__done(&rs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtimes_by_file_knows_them_by_name),
		cmocka_unit_test(test_runtimes_by_file_takes_the_host_not_the_guest),
		cmocka_unit_test(test_runtimes_are_complete),
		cmocka_unit_test(test_runtimes_readers_are_told_apart),
		cmocka_unit_test(test_readers__take_finds_the_reader_of_a_record),
	};

	return cmocka_run_group_tests_name("runtimes", tests, NULL, NULL);
}
