/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <jansson.h>

#include "base/clock.h"
#include "lib/lit.h"
#include "web/api/routes.h"
#include "web/api/status_json.h"
#include "web/api/windows_json.h"
#include "web/source/picked.h"

static const char window[] =
	"arch x86_64\nsides user kernel\nboot b\nhost h\nwindow 1s\n"
	"begin_mono %d000000000\n"
	"task 10/10 web group=web on=100ms\n"
	"  wait S sys=futex blocked=30ms runq=1ms\n    u main\n    k futex_wait\n"
	"  wait D blocked=5ms\n    u main\n    k io_schedule\n";

static struct profile *profile_at(int second)
{
	char text[sizeof(window) + 8];

	snprintf(text, sizeof(text), window, second);
	return lit(text);
}

static struct web web;
static struct web_options options;

static int end(void **state)
{
	(void)state;
	web__done(&web);
	return 0;
}

static void begin(u64 keep_ns, u64 rows)
{
	options = (struct web_options){ .keep_ns = keep_ns, .max_rows = rows };
	assert_int_equal(web__init(&web, &options, NULL), 0);
}

static void add(int from, int to)
{
	for (; from <= to; from++)
		assert_int_equal(web__add(&web, profile_at(from), NULL), 0);
}

static void test_kept__drops_what_is_too_old(void **state)
{
	struct kept_span span;

	(void)state;
	begin(3 * NSEC_PER_SEC, 0);
	assert_int_equal(kept__span(&web.kept).last_seq, 0);
	add(1, 5);
	span = kept__span(&web.kept);
	assert_int_equal(span.first_seq, 3);
	assert_int_equal(span.last_seq, 5);
	assert_int_equal(span.dropped, 2);
	assert_int_equal(web.totals.windows, 5);
}

static void test_kept__drops_what_is_too_much_but_the_last(void **state)
{
	(void)state;
	begin(0, 1);
	add(1, 3);
	assert_int_equal(kept__span(&web.kept).first_seq, 3);
	assert_int_equal(kept__span(&web.kept).dropped, 2);
}

/* Nine instants are a row more. */
static const char moments[] = "arch x86_64\nwindow 9s\nmax_events 90\ntask 10/10 web\n"
			      "  wait S blocked=9ms count=9 at=1s:1ms:0,2s:1ms:0,3s:1ms:0,"
			      "4s:1ms:0,5s:1ms:0,6s:1ms:0,7s:1ms:0,8s:1ms:0,9s:1ms:0\n";

static void test_kept__counts_instants(void **state)
{
	struct profile *p = lit(moments);
	u64 rows = (u64)p->waits_len + p->tasks_len + p->stacks_len + p->frames_len + p->wakes_len;

	(void)state;
	begin(0, 0);
	assert_int_equal(p->moments_len, 9);
	assert_int_equal(web__add(&web, p, NULL), 0);
	assert_int_equal(web.kept.rows, rows + 1);
}

static void test_kept__window_lives_while_somebody_has_it(void **state)
{
	const struct kept_window *w;
	struct vec held;

	(void)state;
	begin(NSEC_PER_SEC, 0);
	add(1, 1);
	vec__init(&held, sizeof(struct kept_window *));
	assert_int_equal(kept__take(&web.kept, 1, 1, &held), 0);
	add(2, 4);
	w = *(struct kept_window **)vec__at(&held, 0);
	assert_int_equal(w->seq, 1);
	assert_int_equal(w->profile->tasks_len, 2);
	kept__release(&web.kept, &held);
	assert_int_equal(kept__take(&web.kept, 1, 1, &held), 0);
	assert_int_equal(held.len, 0);
	kept__release(&web.kept, &held);
}

static void test_kept__wait_ends(void **state)
{
	u64 soon_ns = clock_mono_ns() + NSEC_PER_MSEC;

	(void)state;
	begin(0, 0);
	assert_int_equal(kept__wait(&web.kept, 0, 0, soon_ns).last_seq, 0);
	add(1, 1);
	assert_int_equal(kept__wait(&web.kept, 0, 0, ~0ULL >> 2).last_seq, 1);
	web__end(&web, "over");
	assert_int_equal(kept__wait(&web.kept, 1, 0, ~0ULL >> 2).news, 1);
	web__close(&web);
	assert_true(kept__wait(&web.kept, 1, 1, ~0ULL >> 2).closed);
}

static const char fine[] =
	"arch x86_64\nsides user kernel\nboot b\nhost h\nwindow 1s\nintervals 4 250ms\n"
	"task 10/10 web group=web on=100ms\n"
	"  wait S sys=futex blocked=30ms runq=1ms each=0,21ms,0,10ms\n    u main\n"
	"    k futex_wait\n"
	"  wait D blocked=5ms each=0,0,5ms\n    u main\n    k io_schedule\n";

static void check_json(const struct vec *windows)
{
	struct sink out;
	json_t *doc, *of;

	sink__init_mem(&out);
	windows_json_put("id", 0, windows, &out);
	assert_int_equal(sink__finish(&out, NULL), 0);
	doc = json_loadb(out.buf, out.len, 0, NULL);
	of = json_array_get(json_object_get(doc, "intervals"), 0);
	assert_int_equal(json_array_size(json_object_get(of, "length_ns")), 4);
	of = json_array_get(json_object_get(of, "ns"), 2);
	assert_int_equal(json_array_size(of), 2);
	assert_int_equal(json_integer_value(json_array_get(of, 0)) +
				 json_integer_value(json_array_get(of, 1)),
			 5 * NSEC_PER_MSEC);
	json_decref(doc);
	sink__done(&out);
}

/* What the heat map shows; the profile itself goes on with one interval. */
static void test_web__windows_have_their_intervals(void **state)
{
	const struct kept_window *w;
	struct vec held;

	(void)state;
	begin(0, 0);
	assert_int_equal(web__add(&web, lit(fine), NULL), 0);
	vec__init(&held, sizeof(struct kept_window *));
	assert_int_equal(kept__take(&web.kept, 1, 1, &held), 0);
	w = *(struct kept_window **)vec__at(&held, 0);
	assert_int_equal(w->sums.intervals_len, 4);
	assert_int_equal(w->profile->intervals_len, 1);
	assert_int_equal(w->profile->intervals[0].length_ns, NSEC_PER_SEC);
	assert_int_equal(w->profile->replicates_len, 2);
	assert_int_equal(w->profile->replicates[0].ns, 31 * NSEC_PER_MSEC);
	assert_int_equal(profile__check(w->profile, NULL), 0);
	check_json(&held);
	kept__release(&web.kept, &held);
}

static void *enter(void *ret)
{
	*(int *)ret = web__enter(&web, NULL);
	return NULL;
}

/* Whoever waits for its turn, or comes later, must not delay the end of the server. */
static void test_web__close_ends_those_who_wait_for_their_turn(void **state)
{
	pthread_t thread;
	int waited = 0;

	(void)state;
	begin(0, 0);
	assert_int_equal(web__enter(&web, NULL), 0);
	assert_int_equal(web__enter(&web, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, enter, &waited), 0);
	web__close(&web);
	pthread_join(thread, NULL);
	assert_int_equal(waited, -ECANCELED);
	web__leave(&web);
	assert_int_equal(web__enter(&web, NULL), -ECANCELED);
	assert_int_equal(web.refused[WEB_REFUSED_BUSY], 0);
}

static int windows_left;

static bool is_over(void)
{
	return !windows_left--;
}

static void test_web__read_recording_can_be_ended(void **state)
{
	(void)state;
	options = (struct web_options){
		.mode = WEB_RECORDING,
		.path = "tests/golden/recording/format1.6.coldspot",
	};
	assert_int_equal(web__init(&web, &options, NULL), 0);
	windows_left = 0;
	assert_int_equal(web__read_recording(&web, is_over, NULL), -ECANCELED);
	assert_int_equal(kept__span(&web.kept).last_seq, 0);
	windows_left = 1000;
	assert_int_equal(web__read_recording(&web, is_over, NULL), 0);
	assert_int_not_equal(kept__span(&web.kept).last_seq, 0);
}

static u64 blocked_ns(const struct profile *p)
{
	u64 ns = 0;
	u32 i;

	for (i = 1; i < p->waits_len; i++)
		ns += p->waits[i].blocked_ns;
	return ns;
}

static u64 picked_ns(u64 from, u64 to, u64 last, int *ret_error)
{
	const struct pick pick = { .range = { from, to }, .last = last };
	struct picked picked;
	u64 ns;

	*ret_error = picked__init(&picked, &web, &pick, NULL);
	ns = *ret_error ? 0 : blocked_ns(picked.p);
	picked__done(&picked);
	return ns;
}

static void test_picked__is_the_sum(void **state)
{
	const u64 one_ns = 35 * NSEC_PER_MSEC, all = ~0ULL >> 1;
	int r;

	(void)state;
	begin(0, 0);
	assert_int_equal(picked_ns(1, all, 0, &r), 0);
	assert_int_equal(r, -ENOENT);
	add(1, 6);
	assert_int_equal(picked_ns(1, all, 0, &r), 6 * one_ns);
	assert_int_equal(picked_ns(3, 3, 0, &r), one_ns);
	assert_int_equal(picked_ns(5, all, 0, &r), 2 * one_ns);
	assert_int_equal(picked_ns(1, all, 4, &r), 4 * one_ns);
	assert_int_equal(picked_ns(1, 5, 9, &r), 5 * one_ns);
	assert_int_equal(picked_ns(7, all, 0, &r), 0);
	assert_int_equal(r, -ENOENT);
}

static void test_totals__have_every_name(void **state)
{
	const struct totals *t = &web.totals;
	u64 on_ns;
	u32 i;

	(void)state;
	begin(0, 0);
	for (i = 0; i < TOTALS_MAX_COMMS + 20; i++) {
		char text[200];

		snprintf(text, sizeof(text),
			 "arch x86_64\nwindow 1s\ntask %u/%u c group=c%u on=1ms\n", i + 1, i + 1,
			 i);
		assert_int_equal(web__add(&web, lit(text), NULL), 0);
	}
	assert_int_equal(t->comms_len, TOTALS_MAX_COMMS);
	for (on_ns = t->other.on_ns, i = 0; i < t->comms_len; i++)
		on_ns += t->comms[i].on_ns;
	assert_int_equal(t->other.on_ns, 20 * NSEC_PER_MSEC);
	assert_int_equal(on_ns, t->on_ns);
}

static const struct book *only_book(struct vec *books)
{
	books->len = 0;
	assert_int_equal(shelf__list(&web.shelf, ~0ULL, books, NULL), 0);
	assert_int_equal(books->len, 1);
	return vec__at(books, 0);
}

static void test_shelf__leaves_a_file_to_the_list_that_reads_it(void **state)
{
	char dir[] = "/tmp/coldspot-shelf-XXXXXX", path[64];
	struct vec books;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.coldspot", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	options = (struct web_options){ .mode = WEB_DIRECTORY, .path = dir };
	assert_int_equal(web__init(&web, &options, NULL), 0);
	vec__init(&books, sizeof(struct book));
	assert_int_equal(shelf__list(&web.shelf, 0, &books, NULL), 0);
	((struct book *)vec__at(&web.shelf.books, 0))->in_reading = true;
	assert_false(only_book(&books)->is_read);
	((struct book *)vec__at(&web.shelf.books, 0))->in_reading = false;
	assert_true(only_book(&books)->is_read);
	assert_string_not_equal(only_book(&books)->error, "");
	assert_false(only_book(&books)->in_reading);
	vec__done(&books);
	unlink(path);
	rmdir(dir);
}

static void lose(u64 waits, u64 ns)
{
	struct profile *p = profile_at(1);

	p->losses[LOSS_WAITS_FULL] = (struct profile_loss){ waits, ns };
	assert_int_equal(web__add(&web, p, NULL), 0);
}

static void test_status__has_the_losses_of_all_windows(void **state)
{
	struct sink out;
	json_t *doc, *loss;

	(void)state;
	begin(0, 0);
	lose(10, 20 * NSEC_PER_MSEC);
	lose(2, 5 * NSEC_PER_MSEC);
	sink__init_mem(&out);
	status_json_put(&web, &out);
	assert_int_equal(sink__finish(&out, NULL), 0);
	doc = json_loadb(out.buf, out.len, 0, NULL);
	loss = json_array_get(json_object_get(json_object_get(doc, "health"), "losses"), 0);
	assert_int_equal(json_integer_value(json_object_get(loss, "events")), 12);
	assert_string_equal(json_string_value(json_object_get(loss, "text")),
			    "12 waits not listed: wait table full (25.0 ms)");
	json_decref(doc);
	sink__done(&out);
}

/* Routes and docs/openapi.json name the same paths and methods. */
static void test_routes__are_described(void **state)
{
	json_t *doc = json_load_file("docs/openapi.json", 0, NULL), *paths, *of;
	const struct route *r;
	size_t len = 0;

	(void)state;
	assert_non_null(doc);
	paths = json_object_get(doc, "paths");
	for (r = web_routes; r->path; r++, len++) {
		of = json_object_get(paths, r->path);
		if (!of)
			fail_msg("%s is not described", r->path);
		assert_int_equal(json_object_get(of, "get") != NULL,
				 (r->methods & METHOD_GET) != 0);
		assert_int_equal(json_object_get(of, "post") != NULL,
				 (r->methods & METHOD_POST) != 0);
		of = json_object_get(json_object_get(of, "get"), "security");
		assert_int_equal(of != NULL, r->open);
	}
	assert_int_equal(json_object_size(paths), len);
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_kept__drops_what_is_too_old, end),
		cmocka_unit_test_teardown(test_kept__drops_what_is_too_much_but_the_last, end),
		cmocka_unit_test_teardown(test_kept__counts_instants, end),
		cmocka_unit_test_teardown(test_kept__window_lives_while_somebody_has_it, end),
		cmocka_unit_test_teardown(test_kept__wait_ends, end),
		cmocka_unit_test_teardown(test_web__windows_have_their_intervals, end),
		cmocka_unit_test_teardown(test_web__close_ends_those_who_wait_for_their_turn, end),
		cmocka_unit_test_teardown(test_web__read_recording_can_be_ended, end),
		cmocka_unit_test_teardown(test_picked__is_the_sum, end),
		cmocka_unit_test_teardown(test_totals__have_every_name, end),
		cmocka_unit_test_teardown(test_shelf__leaves_a_file_to_the_list_that_reads_it, end),
		cmocka_unit_test_teardown(test_status__has_the_losses_of_all_windows, end),
		cmocka_unit_test(test_routes__are_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
