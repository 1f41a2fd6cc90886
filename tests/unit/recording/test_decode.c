/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a window that are made to leave what a number can hold. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "recorded.h"
#include "recording/block/column.h"

/* A window of the profile above, whose waits will be corrupted. */
struct window {
	struct profile *p;
	struct window_head head;
	struct vec blocks[BLOCK_KIND_CNT];
};

static void window__init(struct window *w)
{
	u32 kind;

	w->p = lit(recorded_text);
	for (kind = 0; kind < BLOCK_KIND_CNT; kind++)
		vec__init(&w->blocks[kind], 1);
	window_head__of(&w->head, w->p);
	assert_int_equal(encode_tasks(w->p, &w->blocks[BLOCK_TASKS]), 0);
	assert_int_equal(encode_code(w->p, &w->blocks[BLOCK_CODE]), 0);
}

static void window__done(struct window *w)
{
	u32 kind;

	for (kind = 0; kind < BLOCK_KIND_CNT; kind++)
		vec__done(&w->blocks[kind]);
	profile__free(w->p);
}

static int decode(struct window *w, bool waits, struct err *err)
{
	struct window_sections in = { .has = { [BLOCK_TASKS] = true, [BLOCK_CODE] = true } };
	struct profile *p = NULL;
	u32 kind;
	int r;

	in.has[BLOCK_WAITS] = waits;
	for (kind = 0; kind < BLOCK_KIND_CNT; kind++)
		in.at[kind] = view__of(w->blocks[kind].data, w->blocks[kind].len);
	r = decode_profile(&w->head, &in, &p, err);
	profile__free(p);
	return r;
}

/*
 * Two rows of ones in column `full` and zeros elsewhere, except column `far`: 1, and from there as
 * far as can be.
 */
static void put_far_section(struct vec *block, u32 tag, u32 cols, u32 far, u32 full)
{
	struct section_out out;
	u32 row, col;

	section_out__init(&out, tag, cols, SECTION_NEEDED);
	for (row = 0; row < 2; row++) {
		for (col = 0; col < cols; col++)
			section_out__zigzag(&out, col,
					    col != far ? col == full :
					    row	       ? INT64_MAX :
							 1);
		out.rows++;
	}
	assert_int_equal(section_out__append(&out, block), 0);
	section_out__done(&out);
}

static void assert_far_is_refused(u32 tag, u32 cols, u32 far, u32 full)
{
	enum block_kind kind = tag == SECTION_BINS ? BLOCK_TASKS : BLOCK_WAITS;
	struct err err = { 0 };
	struct window w;

	window__init(&w);
	put_far_section(&w.blocks[kind], tag, cols, far, full);
	assert_int_equal(decode(&w, true, &err), -EBADMSG);
	assert_non_null(strstr(err.msg, "not of the form"));
	window__done(&w);
}

static void test_decode__refuses_steps_out_of_64_bits(void **state)
{
	(void)state;
	assert_far_is_refused(SECTION_WAITS, WAITS_COLUMNS, WAITS_TASK, WAITS_BLOCKED);
	assert_far_is_refused(SECTION_WAITS, WAITS_COLUMNS, WAITS_USTACK, WAITS_BLOCKED);
	assert_far_is_refused(SECTION_HOTS, HOTS_COLUMNS, HOTS_TASK, HOTS_ON);
	assert_far_is_refused(SECTION_HOTS, HOTS_COLUMNS, HOTS_USTACK, HOTS_TASK);
	assert_far_is_refused(SECTION_BINS, BINS_COLUMNS, BINS_TASK, BINS_COUNT);
}

static void test_decode__refuses_lost_waits_whose_times_wrap(void **state)
{
	struct err err = { 0 };
	struct window w;

	(void)state;
	window__init(&w);
	assert_int_equal(decode(&w, false, &err), 0);
	w.head.listed_blocked_ns = UINT64_MAX;
	w.head.listed_runq_ns = 2;
	assert_int_equal(decode(&w, false, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "more than a number can hold"));
	window__done(&w);
}

/* Wakers 2 and 3 differ in their kernel stacks alone. */
static void test_decode__without_code_makes_wakers_one(void **state)
{
	struct window_sections in = { .has = { [BLOCK_TASKS] = true, [BLOCK_WAITS] = true } };
	struct profile *p = NULL;
	struct err err = { 0 };
	struct window w;
	u32 i;

	(void)state;
	window__init(&w);
	assert_int_equal(w.p->wakers_len, 5);
	assert_int_equal(encode_waits(w.p, &w.blocks[BLOCK_WAITS]), 0);
	in.at[BLOCK_TASKS] = view__of(w.blocks[BLOCK_TASKS].data, w.blocks[BLOCK_TASKS].len);
	in.at[BLOCK_WAITS] = view__of(w.blocks[BLOCK_WAITS].data, w.blocks[BLOCK_WAITS].len);
	if (decode_profile(&w.head, &in, &p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(p->wakers_len, 4);
	assert_int_equal(p->wakers[2].next, 1);
	assert_int_equal(p->wakers[3].tid, 9);
	assert_int_equal(p->wakes_len, w.p->wakes_len - 1);
	for (i = 1; i < p->wakes_len; i++)
		assert_false(p->wakes[i].ustack || p->wakes[i].did_kstack);
	profile__free(p);
	window__done(&w);
}

/* The waits of the window, and a section behind them: one row of zeros, except column `col`. */
static void assert_row_is_refused(u32 tag, u32 cols, u32 col, u64 value, int error)
{
	struct section_out out;
	struct err err = { 0 };
	struct window w;
	u32 i;

	window__init(&w);
	assert_int_equal(encode_waits(w.p, &w.blocks[BLOCK_WAITS]), 0);
	section_out__init(&out, tag, cols, 0);
	out.rows = 1;
	for (i = 0; i < cols; i++)
		section_out__uleb(&out, i, i == col ? value : 0);
	assert_int_equal(section_out__append(&out, &w.blocks[BLOCK_WAITS]), 0);
	section_out__done(&out);
	assert_int_equal(decode(&w, true, &err), error);
	window__done(&w);
}

static void test_decode__refuses_wakers_that_do_not_exist(void **state)
{
	(void)state;
	/* number 5 has four before it */
	assert_row_is_refused(SECTION_WAKERS, WAKERS_COLUMNS, WAKERS_NEXT, 5, -EBADMSG);
	assert_row_is_refused(SECTION_WAKERS, WAKERS_COLUMNS, WAKERS_COMM, 99, -EBADMSG);
	assert_row_is_refused(SECTION_WAKERS, WAKERS_COLUMNS, WAKERS_TASK, 1ULL << 32, -EBADMSG);
	assert_row_is_refused(SECTION_WAKERS, WAKERS_COLUMNS, WAKERS_TASK, 3, -EOPNOTSUPP);
	assert_row_is_refused(SECTION_WAKERS, WAKERS_COLUMNS, WAKERS_CONTEXT, WAKER_CONTEXTS,
			      -EOPNOTSUPP);
	assert_row_is_refused(SECTION_WAKES, WAKES_COLUMNS, WAKES_WAKER, 5, -EBADMSG);
	assert_row_is_refused(SECTION_WAKES, WAKES_COLUMNS, WAKES_WAKER, 0, -EOPNOTSUPP);
	assert_row_is_refused(SECTION_WAKES, WAKES_COLUMNS, WAKES_DID_OBJECT, 2, -EBADMSG);
	assert_row_is_refused(SECTION_WAKES, WAKES_COLUMNS, WAKES_DID_STATE, PROFILE_STATES,
			      -EOPNOTSUPP);
	/* a wait that does not exist */
	assert_row_is_refused(SECTION_WAKES, WAKES_COLUMNS, WAKES_WAKER, 1, -EOPNOTSUPP);
}

static void test_decode__refuses_singles_that_do_not_exist(void **state)
{
	(void)state;
	/* weight 1 where none is known, one beyond all, and a weight of 0 */
	assert_row_is_refused(SECTION_WAITS, WAITS_COLUMNS, WAITS_SINGLE, 3, -EBADMSG);
	assert_row_is_refused(SECTION_WAITS, WAITS_COLUMNS, WAITS_SINGLE, UINT64_MAX, -EBADMSG);
	assert_row_is_refused(SECTION_WAITS, WAITS_COLUMNS, WAITS_SINGLE, 2, -EBADMSG);
}

/* What is left of a header that was written, and read again. */
static int header_again(const struct profile_header *h, struct profile_header *ret)
{
	struct window_head head = { .hdr = *h }, again;
	struct arena arena;
	struct vec sections;
	u32 i;
	int r;

	for (i = 0; i < HEAD_STRINGS; i++)
		head.strings[i] = "";
	arena__init(&arena);
	vec__init(&sections, 1);
	assert_int_equal(encode_head(&head, &sections), 0);
	r = decode_head(view__of(sections.data, sections.len), &arena, &again);
	*ret = again.hdr;
	vec__done(&sections);
	arena__done(&arena);
	return r;
}

static void test_decode__knows_who_visited(void **state)
{
	struct profile_header h = { .visit_hz = 19, .visit_sources = VISITS_OF_BPF }, again;

	(void)state;
	assert_int_equal(header_again(&h, &again), 0);
	assert_false(profile_header__is_of_proc(&again));
	h.visit_sources = VISITS_OF_PROC;
	assert_int_equal(header_again(&h, &again), 0);
	assert_true(profile_header__is_of_proc(&again));
	h.visit_sources = VISIT_SOURCES_ALL + 1;
	assert_int_equal(header_again(&h, &again), -EOPNOTSUPP);
}

/* Older versions kept visits of /proc where those of switches are. */
static void test_decode__takes_old_visits_of_proc_for_visits(void **state)
{
	struct profile_header h = { .visit_hz = 19, .switches_seen = 7, .waits_chosen = 3 }, again;

	(void)state;
	assert_int_equal(header_again(&h, &again), 0);
	assert_true(profile_header__is_of_proc(&again));
	assert_int_equal(again.visits, 7);
	assert_int_equal(again.visits_changed, 3);
	assert_int_equal(again.switches_seen + again.waits_chosen, 0);
	h = (struct profile_header){ .visit_hz = 19, .visits = 7 };
	assert_int_equal(header_again(&h, &again), 0);
	assert_int_equal(again.visit_sources, VISITS_OF_BPF);
	assert_int_equal(again.visits, 7);
	h = (struct profile_header){ .switches_seen = 7 };
	assert_int_equal(header_again(&h, &again), 0);
	assert_int_equal(again.visit_sources, 0);
	assert_int_equal(again.switches_seen, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode__refuses_steps_out_of_64_bits),
		cmocka_unit_test(test_decode__refuses_lost_waits_whose_times_wrap),
		cmocka_unit_test(test_decode__without_code_makes_wakers_one),
		cmocka_unit_test(test_decode__refuses_wakers_that_do_not_exist),
		cmocka_unit_test(test_decode__refuses_singles_that_do_not_exist),
		cmocka_unit_test(test_decode__knows_who_visited),
		cmocka_unit_test(test_decode__takes_old_visits_of_proc_for_visits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
