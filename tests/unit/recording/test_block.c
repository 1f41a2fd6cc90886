/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "recording/block/block.h"
#include "recording/block/crc32c.h"

static const char text[] =
	"__libc_start_main g_main_context_iterate qemu_main_loop ZSTD_compressBlock_doubleFast "
	"std::__future_base::_State_baseV2::_M_do_set postgres::BackgroundWriterMain LockBuffer "
	"tokio::runtime::park::Inner::park java.util.concurrent.LinkedBlockingQueue.take "
	"runtime.gopark netpollblock entry_SYSCALL_64_after_hwframe do_epoll_wait schedule";

static struct view view_of(const struct vec *v)
{
	return view__of(v->data, v->len);
}

static struct vec sealed(enum block_kind kind)
{
	struct block b = { .kind = kind, .window = 7 };
	struct vec out;

	vec__init(&out, 1);
	assert_int_equal(block_seal(&b, view__of_str(text), &out), 0);
	return out;
}

static void assert_opens(const struct vec *stored)
{
	size_t sz;
	u8 *data;

	assert_int_equal(block_open(view_of(stored), &data, &sz), 0);
	assert_int_equal(sz, strlen(text));
	assert_memory_equal(data, text, sz);
	mem_free(data);
}

static int peek(const struct vec *stored, enum block_kind kind, u32 window)
{
	const struct block b = { .kind = kind, .window = window };

	return block_peek(view_of(stored), &b);
}

static void test_block_open_gives_what_was_sealed(void **state)
{
	enum block_kind kind;

	(void)state;
	for (kind = 0; kind < BLOCK_KIND_CNT; kind++) {
		struct vec out = sealed(kind);

		assert_int_equal(peek(&out, kind, 7), 0);
		assert_opens(&out);
		/* only the head is as it was */
		assert_int_equal(out.len == BLOCK_HEAD_SZ + strlen(text), kind == BLOCK_HEAD);
		vec__done(&out);
	}
}

static void test_block_peek_sees_every_flipped_bit(void **state)
{
	struct vec out = sealed(BLOCK_WAITS);
	const struct block b = { .kind = BLOCK_WAITS, .window = 7 };
	size_t i;

	(void)state;
	for (i = 0; i < out.len * 8; i++) {
		((u8 *)out.data)[i / 8] ^= (u8)(1 << i % 8);
		assert_int_equal(peek(&out, BLOCK_WAITS, 7), -EBADMSG);
		((u8 *)out.data)[i / 8] ^= (u8)(1 << i % 8);
	}
	for (i = 0; i < out.len; i++)
		assert_int_equal(block_peek(view__of(out.data, i), &b), -EBADMSG);
	assert_int_equal(peek(&out, BLOCK_WAITS, 7), 0);
	vec__done(&out);
}

static void test_block_peek_takes_no_other_block(void **state)
{
	struct vec out = sealed(BLOCK_WAITS);

	(void)state;
	assert_int_equal(peek(&out, BLOCK_CODE, 7), -EBADMSG);
	assert_int_equal(peek(&out, BLOCK_WAITS, 8), -EBADMSG);
	vec__done(&out);
}

/* With the checksum made right. */
static int peek_changed(struct vec *out, size_t at, u8 value)
{
	u8 *p = out->data, was = p[at];
	u32 crc, i;
	int r;

	p[at] = value;
	crc = crc32c(crc32c(0, p, 24), p + BLOCK_HEAD_SZ, out->len - BLOCK_HEAD_SZ);
	for (i = 0; i < 4; i++)
		p[24 + i] = (u8)(crc >> 8 * i);
	r = peek(out, BLOCK_WAITS, 7);
	p[at] = was;
	return r;
}

static void test_block_peek_knows_a_newer_version(void **state)
{
	struct vec out = sealed(BLOCK_WAITS);

	(void)state;
	assert_int_equal(peek_changed(&out, 3, '1'), 0);
	assert_int_equal(peek_changed(&out, 3, '2'), -EOPNOTSUPP);
	assert_int_equal(peek_changed(&out, 5, 2), -EOPNOTSUPP);
	assert_int_equal(peek_changed(&out, 6, 1), -EOPNOTSUPP);
	assert_int_equal(peek_changed(&out, 12, 1), -EOPNOTSUPP);
	assert_int_equal(peek_changed(&out, 0, 'X'), -EBADMSG);
	/* larger than any */
	assert_int_equal(peek_changed(&out, 19, 0xff), -EBADMSG);
	vec__done(&out);
}

static void test_block_seal_reports_every_allocation_that_fails(void **state)
{
	struct block b = { .kind = BLOCK_HEAD, .window = 1 };
	struct vec out;
	u64 nth;
	int r = -ENOMEM;

	(void)state;
	for (nth = 1; r; nth++) {
		assert_true(nth < 20);
		vec__init(&out, 1);
		mem_fail_nth(nth);
		r = block_seal(&b, view__of_str(text), &out);
		assert_int_equal(r, mem_fail_fired() ? -ENOMEM : 0);
		mem_fail_nth(0);
		vec__done(&out);
	}
	assert_true(nth > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_block_open_gives_what_was_sealed),
		cmocka_unit_test(test_block_peek_sees_every_flipped_bit),
		cmocka_unit_test(test_block_peek_takes_no_other_block),
		cmocka_unit_test(test_block_peek_knows_a_newer_version),
		cmocka_unit_test(test_block_seal_reports_every_allocation_that_fails),
	};

	return cmocka_run_group_tests_name("recording/block", tests, NULL, NULL);
}
