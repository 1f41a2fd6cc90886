/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TUI_SEEN_H
#define TESTS_UNIT_TUI_SEEN_H

/* A viewer, what goes into it, and what is seen of it: for the tests of each tab. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/sink.h"
#include "base/text/utf8.h"
#include "lib/lit.h"
#include "tui/viewer.h"

#define HEAD                                                                                       \
	"arch x86_64\nsides user kernel\nncpu 2\nwindow 1s\nswitches_seen 10\nprog_runs 10\n"      \
	"prog 1ms\nself_cpu 1ms\n"

/* Two programs, three causes, one of them idle. */
__attribute__((unused)) static const char first[] = HEAD
	"task 10/10 web group=web on=100ms\n"
	"  wait S sys=futex blocked=600ms count=3 max=500ms hist=10:2,19:1\n"
	"    u main\n    u lock_it\n    u pthread_mutex_lock\n    k futex_wait\n"
	"  wait S sys=epoll_wait blocked=300ms count=1\n    u main\n    u event_loop\n"
	"    k ep_poll\n"
	"task 20/20 b\xc3\xa4r group=b\xc3\xa4r on=200ms\n"
	"  wait D sys=fsync blocked=800ms count=2 max=700ms\n    u main\n    u flush\n"
	"    k submit_bio_wait\n";
__attribute__((unused)) static const char second[] = HEAD
	"task 10/10 web group=web on=400ms\n"
	"  wait S sys=futex blocked=600ms count=3\n    u main\n    u lock_it\n"
	"    u pthread_mutex_lock\n    k futex_wait\n"
	"task 20/20 b\xc3\xa4r group=b\xc3\xa4r on=900ms\n"
	"  wait D sys=fsync blocked=100ms count=1\n    u main\n    u flush\n"
	"    k submit_bio_wait\n";

static struct viewer v;
static u32 added;

static inline int setup(void **state)
{
	static const struct viewer_options opt = { .target = "all threads" };

	(void)state;
	added = 0;
	viewer__init(&v, &opt);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	viewer__done(&v);
	return 0;
}

/* Each one follows the one before. */
static inline void add(const char *text)
{
	static char whole[65536];
	struct err err;

	added++;
	snprintf(whole, sizeof(whole),
		 "begin_mono %u000000000\nbegin_wall 17900000%02u000000000\n%s", added, added,
		 text);
	assert_int_equal(viewer__add(&v, lit(whole), &err), 0);
}

static inline void press(const char *keys)
{
	struct err err;

	while (*keys)
		assert_int_equal(viewer__key(&v, utf8_next(&keys), &err), 0);
}

static inline void press_key(u32 key)
{
	struct err err;

	assert_int_equal(viewer__key(&v, key, &err), 0);
}

/* The picture as text; what is shown in reverse in the table is marked by '>'. */
static inline const char *picture(u32 cols, u32 rows, bool ascii)
{
	static char text[65536];
	struct screen s;
	size_t len = 0;

	assert_int_equal(screen__init(&s, rows, cols, ascii), 0);
	assert_int_equal(viewer__paint(&v, &s), 0);
	for (u32 y = 0; y < rows; y++) {
		const struct span *span = s.lines[y].first;
		bool marked = span && span->attr == ATTR_REVERSE && y > 4;

		assert_true(s.lines[y].col <= cols);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", marked ? ">" : "");
		for (; span; span = span->next)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", span->text);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "\n");
	}
	screen__done(&s);
	return text;
}

#define assert_has(text, part)                                                                     \
	do {                                                                                       \
		const char *has_in = text;                                                         \
		if (!strstr(has_in, part))                                                         \
			fail_msg("no '%s' in\n%s", part, has_in);                                  \
	} while (0)
#define assert_lacks(text, part)                                                                   \
	do {                                                                                       \
		const char *lacks_in = text;                                                       \
		if (strstr(lacks_in, part))                                                        \
			fail_msg("'%s' in\n%s", part, lacks_in);                                   \
	} while (0)

/* Whether `a` comes before `b`. */
static inline void assert_order(const char *text, const char *a, const char *b)
{
	assert_has(text, a);
	assert_has(text, b);
	if (strstr(text, a) > strstr(text, b))
		fail_msg("'%s' behind '%s' in\n%s", a, b, text);
}

#endif
