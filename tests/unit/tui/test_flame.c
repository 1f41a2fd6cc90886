/* SPDX-License-Identifier: Apache-2.0 */
/* The tab Flame: where frames are, what colour and letter they have, zoom and search. */
#include "seen.h"

/* Two causes below main, one of them with two callers; an idle wait. */
static const char graph[] = HEAD
	"task 10/10 web group=web on=100ms\n"
	"  wait S sys=futex blocked=500ms count=3\n    u main\n    u take\n"
	"    u pthread_mutex_lock\n    k futex_wait\n"
	"  wait D sys=fsync blocked=300ms count=2\n    u main\n    u flush\n"
	"    k submit_bio_wait\n"
	"  wait S sys=epoll_wait blocked=100ms count=1\n    u main\n    u event_loop\n"
	"    k ep_poll\n";

/* The attributes of the span that begins with `text`, behind its bar and letter. */
static u32 attr_of(const char *text)
{
	struct screen s;
	u32 found = ~0U;

	assert_int_equal(screen__init(&s, 24, 80, true), 0);
	assert_int_equal(viewer__paint(&v, &s), 0);
	for (u32 y = 4; y < 22; y++) {
		for (const struct span *span = s.lines[y].first; span; span = span->next) {
			if (strstr(span->text, text))
				found = span->attr;
		}
	}
	screen__done(&s);
	return found;
}

static void test_frames_stand_below_their_callers(void **state)
{
	const char *text;

	(void)state;
	add(graph);
	press("3");
	text = picture(80, 24, true);
	assert_order(text, "\n|all", "\n|web-10");
	assert_order(text, "\n|web-10", "\n|main");
	/* 500 of 800 ms are 50 columns */
	assert_has(text, "\n|L take                                           |D flush");
	assert_has(text, "\n|pthread_mutex_lock                               -------");
	assert_has(text, "\n--------------------------------------------------|submit_b");
	assert_has(text, "\n|futex_wait");
	assert_lacks(text, "ep_poll");
	assert_has(text, "\n800 ms 100.0% in 5 waits, most lock: everything\n");
	assert_has(picture(80, 24, false), "\n\u258fL take");
	assert_has(picture(80, 24, false), "\u2592\u2592\u2592");
	press("i");
	assert_has(picture(80, 24, true), "[idle]");
	assert_has(picture(80, 24, true), "\n900 ms 100.0% in 6 waits");
}

static void test_colours_are_those_of_causes(void **state)
{
	(void)state;
	add(graph);
	press("3");
	assert_int_equal(attr_of("take"), ATTR_FILL | ATTR_OF_CAUSE(CAUSE_LOCK));
	assert_int_equal(attr_of("flush"), ATTR_FILL | ATTR_OF_CAUSE(CAUSE_DISK_SYNC));
	assert_int_equal(attr_of("futex_wait"), ATTR_FILL | ATTR_PALE | ATTR_OF_CAUSE(CAUSE_LOCK));
	assert_int_equal(attr_of("all"), ATTR_REVERSE | ATTR_BOLD);
}

static void test_cursor(void **state)
{
	(void)state;
	add(graph);
	press("3jjj");
	assert_has(picture(80, 24, true), "\n500 ms 62.5% in 3 waits, lock: take\n");
	press("l");
	assert_has(picture(80, 24, true), "\n300 ms 37.5% in 2 waits, disk-sync: flush\n");
	press_key(KEY_OF_RIGHT);
	assert_has(picture(80, 24, true), ": flush\n");
	press("h");
	assert_has(picture(80, 24, true), ": take\n");
	press_key(KEY_OF_LEFT);
	assert_has(picture(80, 24, true), ": take\n");
	press("k");
	assert_has(picture(80, 24, true), ": main\n");
	press_key(KEY_OF_END);
	assert_has(picture(80, 24, true), ": futex_wait\n");
	press_key(KEY_OF_HOME);
	assert_has(picture(80, 24, true), ": everything\n");
	/* it is on the same frame in the next window */
	press("jjjl");
	add(graph);
	assert_has(picture(80, 24, true), ": flush\n");
	/* and scrolls where rows are few */
	press_key(KEY_OF_END);
	assert_has(picture(80, 8, true), "|submit_bio_wait");
	assert_lacks(picture(80, 8, true), "|all");
}

static void test_zoom(void **state)
{
	const char *text;

	(void)state;
	add(graph);
	press("3jjjl\r");
	text = picture(80, 24, true);
	assert_order(text, "\n|main", "\n|D flush   ");
	assert_has(text, "\n|submit_bio_wait   ");
	assert_lacks(text, "take");
	/* its callers can be zoomed into, too */
	press("k\r");
	assert_has(picture(80, 24, true), "take");
	press_key(KEY_OF_BACKSPACE);
	assert_lacks(picture(80, 24, true), "take");
	/* it stays, and all is shown where there is no such frame */
	add(graph);
	assert_lacks(picture(80, 24, true), "take");
	add(HEAD "task 1/1 a group=a on=100ms\n"
		 "  wait S sys=futex blocked=300ms\n    u other\n    k futex_wait\n");
	assert_has(picture(80, 24, true), "other");
	assert_has(picture(120, 24, true), "The zoomed frame is not in this window.");
	add(graph);
	assert_lacks(picture(80, 24, true), "take");
	press_key(KEY_OF_ESC);
	assert_has(picture(80, 24, true), "take");
	press_key(KEY_OF_ESC);
	assert_int_equal(v.tab, TAB_FLAME);
}

static void test_search(void **state)
{
	(void)state;
	add(graph);
	press("3/FLUSH\r");
	assert_has(picture(80, 24, true), "\n37.5% matched  800 ms");
	assert_int_equal(attr_of("flush"), ATTR_MATCH);
	assert_int_equal(attr_of("take"), ATTR_FILL | ATTR_OF_CAUSE(CAUSE_LOCK));
	/* a frame below one that matches does not count twice */
	press("//main|flush\r");
	assert_has(picture(80, 24, true), "\n100.0% matched ");
	press_key(KEY_OF_ESC);
	assert_lacks(picture(80, 24, true), "matched");
	assert_int_equal(v.tab, TAB_FLAME);
}

static void test_groups(void **state)
{
	static const char *const roots[] = { "|L web-10/10", "|L web  ", "|L /sys", "|L lock ",
					     "|L web-10 " };

	(void)state;
	add(HEAD "task 10/10 web group=web on=100ms cgroup=77 cgroup_path=/sys\n"
		 "  wait S sys=futex blocked=600ms count=3\n    u main\n"
		 "    u pthread_mutex_lock\n    k futex_wait\n");
	press("3");
	for (u32 i = 0; i < ARRAY_LEN(roots); i++) {
		press("g");
		assert_has(picture(80, 24, true), roots[i]);
	}
}

static void test_nothing_and_much(void **state)
{
	char text[32768] = HEAD "task 10/10 web group=web on=10ms\n";
	size_t len = strlen(text);

	(void)state;
	add(HEAD "task 10/10 web group=web on=1s\n");
	press("3");
	assert_has(picture(80, 24, true), "\nNothing waited.\n");
	press("jkhl\r");
	add(HEAD "task 10/10 web group=web on=100ms\n"
		 "  wait S sys=epoll_wait blocked=900ms count=1\n    u main\n    u event_loop\n"
		 "    k ep_poll\n");
	assert_has(picture(80, 24, true), "Only waits for work: press i to see them.");
	/* 300 frames in 80 columns */
	for (int i = 0; i < 300; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"  wait S sys=futex blocked=3ms\n    u main\n    u f%d\n"
					"    k futex_wait\n",
					i);
	add(text);
	assert_has(picture(80, 24, true), "|main");
	press("jj");
	for (int i = 0; i < 20; i++)
		press("l");
	picture(1, 24, true);
	picture(250, 80, false);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(frames_stand_below_their_callers),
		T(colours_are_those_of_causes),
		T(cursor),
		T(zoom),
		T(search),
		T(groups),
		T(nothing_and_much),
	};

	return cmocka_run_group_tests_name("tui/flame", tests, NULL, NULL);
}
