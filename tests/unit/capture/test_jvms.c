/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/runtime/jvms.h"

#define CODE 0x1230
#define WAIT "void java.lang.Object.wait(long)"

static u32 tables_gen;

/* Was it told of, named or not? */
static bool has(const struct jvms *js, u64 image, u64 code)
{
	const u64 key[] = { image, code };

	return intern__find(&js->methods, key);
}

static void set_text(struct cs_method_event *ev, u32 i, const void *text, size_t len)
{
	ev->len[i] = (u16)len;
	memset(ev->text[i], '!', CS_METHOD_TEXT_SZ); /* of the method before */
	memcpy(ev->text[i], text, len < CS_METHOD_TEXT_SZ ? len : CS_METHOD_TEXT_SZ);
}

static struct cs_method_event sample(const char *holder, const char *name, const char *signature)
{
	struct cs_method_event ev = { .kind = CS_EVENT_METHOD, .tgid = (u32)getpid() };

	ev.image = 7;
	ev.code = CODE;
	ev.addr = 4096;
	set_text(&ev, 0, holder, strlen(holder));
	set_text(&ev, 1, name, strlen(name));
	set_text(&ev, 2, signature, strlen(signature));
	return ev;
}

static struct cs_method_event wait_of_object(void)
{
	return sample("java/lang/Object", "wait", "(J)V");
}

/* Nothing but that there is such a method. */
static struct cs_method_event unread(void)
{
	return sample("", "", "");
}

static void begin(struct jvms *js)
{
	assert_int_equal(jvms__init(js, -1, &tables_gen), 0);
}

struct seen {
	struct interpreted_code code;
	char name[2048];
	u32 calls;
	int r;
};

static int see(void *arg, const struct interpreted_code *code)
{
	struct seen *seen = arg;

	seen->code = *code;
	assert_null(code->file);
	assert_int_equal(view__left(&code->lines), 0);
	assert_true((size_t)snprintf(seen->name, sizeof(seen->name), "%s", code->name) <
		    sizeof(seen->name));
	seen->calls++;
	return seen->r;
}

/* What the only method with a name is called; NULL: none has a name. */
static void assert_name(struct jvms *js, const char *name)
{
	struct seen seen = { 0 };

	assert_int_equal(jvms__give(js, see, &seen), 0);
	assert_int_equal(seen.calls, name ? 1 : 0);
	assert_string_equal(seen.name, name ? name : "");
}

static void test_jvms__take_keeps_what_was_told(void **state)
{
	struct cs_method_event ev = wait_of_object();
	struct seen seen = { 0 };
	struct jvms js;

	(void)state;
	begin(&js);
	assert_int_equal(jvms__give(&js, see, &seen), 0);
	assert_int_equal(seen.calls, 0);
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_int_equal(jvms__give(&js, see, &seen), 0);
	assert_int_equal(seen.calls, 1);
	assert_true(seen.code.image == 7 && seen.code.code == CODE);
	assert_string_equal(seen.name, WAIT);
	assert_true(js.full == 0);
	jvms__done(&js);
	jvms__done(NULL);
}

static void test_jvms__give_gives_each_name_once(void **state)
{
	struct cs_method_event ev = wait_of_object();
	struct seen seen = { 0 };
	struct jvms js;

	(void)state;
	begin(&js);
	assert_int_equal(jvms__take(&js, &ev), 0);
	ev.image = 8;
	assert_int_equal(jvms__take(&js, &ev), 0);
	seen.r = -EIO;
	assert_int_equal(jvms__give(&js, see, &seen), -EIO);
	assert_int_equal(seen.calls, 1);
	seen.r = 0;
	assert_int_equal(jvms__give(&js, see, &seen), 0);
	assert_int_equal(seen.calls, 3);
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_int_equal(jvms__give(&js, see, &seen), 0);
	assert_int_equal(seen.calls, 3);
	assert_int_equal(jvms__nameless(&js), 0);
	jvms__done(&js);
}

static void test_jvms__forget_makes_room_and_keeps_the_count(void **state)
{
	struct cs_method_event ev = wait_of_object();
	struct ended ended;
	struct jvms js;
	u64 bytes;

	(void)state;
	ended__init(&ended);
	begin(&js);
	assert_int_equal(jvms__take(&js, &ev), 0);
	bytes = js.bytes;
	ev.image = 8;
	ev.len[0] = 0;
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_int_equal(jvms__nameless(&js), 1);
	assert_int_equal(ended__add_image(&ended, 8), 0);
	jvms__forget(&js, &ended);
	assert_true(js.bytes == bytes);
	assert_int_equal(jvms__nameless(&js), 1);
	assert_name(&js, WAIT);
	jvms__done(&js);
	ended__done(&ended);
}

static void test_jvms__keeps_the_methods_of_an_image(void **state)
{
	struct cs_method_event ev = wait_of_object();
	struct jvms js;

	(void)state;
	begin(&js);
	assert_false(has(&js, 7, CODE));
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_true(has(&js, 7, CODE));
	assert_false(has(&js, 8, CODE));
	assert_false(has(&js, 7, CODE + 16));
	jvms__done(&js);
}

/* It is a method all the same, and not a function of Python. */
static void test_jvms__take_of_the_unread_has_no_name(void **state)
{
	struct cs_method_event ev = unread();
	struct jvms js;

	(void)state;
	begin(&js);
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_true(has(&js, 7, CODE));
	assert_name(&js, NULL);
	assert_int_equal(jvms__nameless(&js), 1);
	/* nor with two of three */
	ev = sample("java/lang/Object", "", "(J)V");
	assert_int_equal(jvms__take(&js, &ev), 0);
	ev = sample("", "wait", "(J)V");
	assert_int_equal(jvms__take(&js, &ev), 0);
	ev = sample("java/lang/Object", "wait", "");
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_name(&js, NULL);
	jvms__done(&js);
}

static void test_jvms__take_names_an_unread_method_on_the_next_record(void **state)
{
	struct cs_method_event ev = unread();
	struct jvms js;

	(void)state;
	begin(&js);
	assert_int_equal(jvms__take(&js, &ev), 0);
	ev = wait_of_object();
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_name(&js, WAIT);
	assert_int_equal(jvms__nameless(&js), 0);
	/* A name that was given is not lost again. */
	ev = unread();
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_name(&js, NULL);
	assert_int_equal(jvms__nameless(&js), 0);
	jvms__done(&js);
}

static void test_jvms__take_keeps_the_first_of_two(void **state)
{
	struct cs_method_event ev = wait_of_object();
	struct jvms js;

	(void)state;
	begin(&js);
	assert_int_equal(jvms__take(&js, &ev), 0);
	ev = sample("java/lang/Object", "notify", "()V");
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_name(&js, WAIT);
	jvms__done(&js);
}

/* The process is not there to ask for the rest. */
static void test_jvms__take_of_long_texts_tells_their_beginning(void **state)
{
	struct cs_method_event ev = wait_of_object();
	char text[1000], want[2048];
	struct jvms js;

	(void)state;
	begin(&js);
	memset(text, 'c', sizeof(text));
	set_text(&ev, 0, text, sizeof(text));
	assert_int_equal(jvms__take(&js, &ev), 0);
	snprintf(want, sizeof(want), "void %.*s.wait(long)", CS_METHOD_TEXT_SZ, text);
	assert_name(&js, want);
	jvms__done(&js);
}

static void test_jvms__take_marks_the_unknown_part_of_a_long_signature(void **state)
{
	struct cs_method_event ev = wait_of_object();
	struct seen seen = { 0 };
	char text[1000];
	struct jvms js;

	(void)state;
	begin(&js);
	memset(text, 'I', sizeof(text));
	text[0] = '(';
	set_text(&ev, 2, text, sizeof(text));
	ev.len[2] = 0xffff;
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_int_equal(jvms__give(&js, see, &seen), 0);
	assert_int_equal(seen.calls, 1);
	assert_memory_equal(seen.name, "? java.lang.Object.wait(int, int", 32);
	/* what was sent, and nothing behind it */
	assert_int_equal(strlen(seen.name), strlen("? java.lang.Object.wait(") +
						    (CS_METHOD_TEXT_SZ - 1) * strlen("int, ") -
						    strlen(", ") + 1);
	jvms__done(&js);
}

/* One that fills its room to the last byte is whole. */
static void test_jvms__take_of_a_text_that_just_fits(void **state)
{
	struct cs_method_event ev = wait_of_object();
	char text[CS_METHOD_TEXT_SZ], want[2048];
	struct jvms js;

	(void)state;
	begin(&js);
	memset(text, 'n', sizeof(text));
	set_text(&ev, 1, text, sizeof(text));
	assert_int_equal(jvms__take(&js, &ev), 0);
	snprintf(want, sizeof(want), "void java.lang.Object.%.*s(long)", CS_METHOD_TEXT_SZ, text);
	assert_name(&js, want);
	jvms__done(&js);
}

static void test_jvms__take_stops_where_it_is_full(void **state)
{
	struct cs_method_event ev = wait_of_object();
	struct jvms js;

	(void)state;
	begin(&js);
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_true(js.bytes > strlen(WAIT));
	js.bytes = JVMS_BYTES;
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_true(js.full == 0); /* it is here already */
	ev.image = 8;
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_true(js.full == 1);
	assert_false(has(&js, 8, CODE));
	assert_name(&js, WAIT);
	jvms__done(&js);
}

/* A method is sent each time it is met once the programs' table of sent ones is full. */
static void test_jvms__take_counts_the_room_of_a_method_once(void **state)
{
	struct cs_method_event ev = wait_of_object();
	struct jvms js;
	u64 bytes;

	(void)state;
	begin(&js);
	assert_int_equal(jvms__take(&js, &ev), 0);
	bytes = js.bytes;
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_true(js.bytes == bytes);
	jvms__done(&js);
}

/* A JVM whose methods cannot be read makes them all day long too. */
static void test_jvms__take_counts_the_room_of_the_unread(void **state)
{
	struct cs_method_event ev = unread();
	struct jvms js;
	u64 bytes;

	(void)state;
	begin(&js);
	assert_int_equal(jvms__take(&js, &ev), 0);
	bytes = js.bytes;
	assert_true(bytes > 0);
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_true(js.bytes == bytes);
	ev = wait_of_object();
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_true(js.bytes == bytes + sizeof(WAIT));
	jvms__done(&js);
}

static void check_hostile(const char *holder, const char *name, const char *signature,
			  const char *want)
{
	struct cs_method_event ev = sample(holder, name, signature);
	struct jvms js;

	begin(&js);
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_true(has(&js, 7, CODE));
	assert_name(&js, want);
	jvms__done(&js);
}

static void test_jvms__take_survives_hostile_texts(void **state)
{
	struct cs_method_event ev = wait_of_object();
	struct jvms js;

	(void)state;
	check_hostile("a/B", "f", "no signature", NULL);
	check_hostile("a/B", "f", ")(", NULL);
	check_hostile("a/B", "f", "(", "? a.B.f()");
	check_hostile("a/B", "f", "(Q[", "? a.B.f(?, ?[])");
	check_hostile("a/B", "f", "(La/C", "? a.B.f(a.C)");
	/* whoever makes names of them makes them harmless */
	check_hostile("a/\x1b[1m", "f;\n", "()V", "void a.\x1b[1m.f;\n()");

	begin(&js);
	set_text(&ev, 1, "wa\0it", 5);
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_name(&js, NULL);
	jvms__done(&js);

	begin(&js);
	ev = wait_of_object();
	set_text(&ev, 0, "\0\0\0", 3);
	set_text(&ev, 2, "\0\0\0", 3);
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_name(&js, NULL);
	jvms__done(&js);
}

static void check_no_jvm(u32 tgid, bool lives)
{
	struct cs_method_event ev = wait_of_object();
	struct notices notices;
	struct jvms js;

	notices__init(&notices);
	begin(&js);
	assert_int_equal(jvms__see(&js, tgid, 7, &notices), 0);
	assert_int_equal(jvms__see(&js, tgid, 7, &notices), 0);
	assert_int_equal(js.list.len, 1);
	assert_int_equal(notices__len(&notices), 0);
	assert_true(js.due_mono_ns < ~0ULL);
	/* it may load a JVM one day, as long as it lives */
	assert_int_equal(jvms__tick(&js, ~0ULL - 1, &notices), 0);
	assert_int_equal(js.list.len, lives);
	assert_true((js.due_mono_ns < ~0ULL) == lives);
	assert_int_equal(notices__len(&notices), 0);
	assert_int_equal(tables_gen, 0);
	/* what is sent for it is not read from it */
	ev.tgid = tgid;
	set_text(&ev, 2, "", 0);
	assert_int_equal(jvms__take(&js, &ev), 0);
	assert_true(has(&js, 7, CODE));
	assert_name(&js, NULL);
	jvms__done(&js);
	notices__done(&notices);
}

static void test_jvms__see_of_another_program_is_silent(void **state)
{
	pid_t gone = fork();

	(void)state;
	assert_true(gone >= 0);
	if (!gone)
		_exit(0);
	assert_int_equal(waitpid(gone, NULL, 0), gone);
	check_no_jvm((u32)getpid(), true);
	check_no_jvm((u32)gone, false);
}

static void test_jvms__survive_every_failed_allocation(void **state)
{
	struct cs_method_event ev = wait_of_object(), cut = unread();
	struct notices notices;
	struct jvms js;
	bool begun;
	u64 nth;
	int r;

	(void)state;
	notices__init(&notices);
	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = jvms__init(&js, -1, &tables_gen);
		begun = !r;
		if (!r)
			r = jvms__see(&js, (u32)getpid(), 7, &notices);
		if (!r)
			r = jvms__take(&js, &ev);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		/* what is known of it is whole: it can be asked for what is missing */
		if (begun)
			assert_int_equal(jvms__take(&js, &cut), 0);
		jvms__done(&js);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_name(&js, WAIT);
	assert_true(nth > 4);
	jvms__done(&js);
	notices__done(&notices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jvms__take_keeps_what_was_told),
		cmocka_unit_test(test_jvms__give_gives_each_name_once),
		cmocka_unit_test(test_jvms__forget_makes_room_and_keeps_the_count),
		cmocka_unit_test(test_jvms__keeps_the_methods_of_an_image),
		cmocka_unit_test(test_jvms__take_of_the_unread_has_no_name),
		cmocka_unit_test(test_jvms__take_names_an_unread_method_on_the_next_record),
		cmocka_unit_test(test_jvms__take_keeps_the_first_of_two),
		cmocka_unit_test(test_jvms__take_of_long_texts_tells_their_beginning),
		cmocka_unit_test(test_jvms__take_marks_the_unknown_part_of_a_long_signature),
		cmocka_unit_test(test_jvms__take_of_a_text_that_just_fits),
		cmocka_unit_test(test_jvms__take_stops_where_it_is_full),
		cmocka_unit_test(test_jvms__take_counts_the_room_of_a_method_once),
		cmocka_unit_test(test_jvms__take_counts_the_room_of_the_unread),
		cmocka_unit_test(test_jvms__take_survives_hostile_texts),
		cmocka_unit_test(test_jvms__see_of_another_program_is_silent),
		cmocka_unit_test(test_jvms__survive_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("jvms", tests, NULL, NULL);
}
