/* SPDX-License-Identifier: Apache-2.0 */
/* Measured waits, by where they were and who ended them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/view/measured_rows.h"
#include "base/mem.h"
#include "lib/lit.h"

/* Waits lend their stacks: 1 and 2 of one place, 3 of a worker, 4 and 5 of wakers. */
#define STACKS                                                                                     \
	"window 1s\nvisit_hz 19\nvisit_sources 4\nmodule n note [tasks]\ntask 1/1 main.serve\n"    \
	"wait S blocked=1ms count=0 samples=1 flags=visited\n"                                     \
	" u main.serve\n u main.get\n u runtime.chanrecv\n u @n 0x1 [chan receive]\n"              \
	"wait S blocked=1ms count=0 samples=1 flags=visited\n"                                     \
	" u main.serve\n u main.get\n u runtime.chanrecv1\n u @n 0x1 [chan receive]\n"             \
	"wait S blocked=1ms count=0 samples=1 flags=visited\n"                                     \
	" u main.worker\n u runtime.chanrecv1\n u @n 0x1 [chan receive]\n"                         \
	"wait S blocked=1ms count=0 samples=1 flags=visited\n u main.put\n u runtime.send\n"       \
	"wait S blocked=1ms count=0 samples=1 flags=visited\n u @n 0x2 [timer]\n"

static void measure(struct profile *p, const struct profile_measured *rows, u32 len)
{
	mem_free(p->measured);
	p->measured = mem_array(len + 1, sizeof(*rows));
	assert_non_null(p->measured);
	p->measured_len = len + 1;
	p->hdr.measured = 1;
	for (u32 i = 0; i < len; i++) {
		p->measured[i + 1] = rows[i];
		p->measured[i + 1].task = 1;
		p->measured[i + 1].ustack = p->waits[rows[i].ustack].ustack;
		p->measured[i + 1].waker_ustack = p->waits[rows[i].waker_ustack].ustack;
	}
}

static void test_rows__are_places_with_their_wakers(void **state)
{
	static const struct profile_measured measured[] = {
		{ .ustack = 1, .waker_ustack = 4, .count = 2, .total_ns = 60, .max_ns = 50 },
		{ .ustack = 2, .waker_ustack = 4, .count = 1, .total_ns = 70, .max_ns = 70 },
		{ .ustack = 2, .waker_ustack = 5, .count = 5, .total_ns = 20, .max_ns = 9 },
		{ .ustack = 3, .waker_ustack = 4, .count = 1, .total_ns = 900, .max_ns = 900 },
	};
	struct profile *p = lit(STACKS);
	struct measured_rows rows;
	struct arena a;

	(void)state;
	arena__init(&a);
	measure(p, measured, ARRAY_LEN(measured));
	assert_int_equal(measured_rows__build(p, NULL, &a, &rows), 0);
	assert_int_equal(rows.len, 2);
	assert_int_equal(rows.count, 9);
	assert_string_equal(rows.rows[0].comm, "main.serve");
	assert_string_equal(rows.rows[0].place, "main.get < main.serve");
	assert_string_equal(rows.rows[0].word, "[chan receive]");
	assert_int_equal(rows.rows[0].count, 8);
	assert_int_equal(rows.rows[0].total_ns, 150);
	assert_int_equal(rows.rows[0].max_ns, 70);
	assert_int_equal(rows.rows[0].wakers_len, 2);
	assert_string_equal(rows.rows[0].wakers[0].place, "main.put");
	assert_int_equal(rows.rows[0].wakers[0].count, 3);
	assert_string_equal(rows.rows[0].wakers[1].place, "[timer]");
	/* a wait for work comes last, however long it is */
	assert_false(rows.rows[0].is_idle);
	assert_string_equal(rows.rows[1].place, "main.worker");
	assert_true(rows.rows[1].is_idle);
	arena__done(&a);
	profile__free(p);
}

static void test_rows__may_be_none(void **state)
{
	struct profile *p = lit(STACKS);
	struct measured_rows rows;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(measured_rows__build(p, NULL, &a, &rows), 0);
	assert_int_equal(rows.len, 0);
	arena__done(&a);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows__are_places_with_their_wakers),
		cmocka_unit_test(test_rows__may_be_none),
	};

	return cmocka_run_group_tests_name("measured_rows", tests, NULL, NULL);
}
