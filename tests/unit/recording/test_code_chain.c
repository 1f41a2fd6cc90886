/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of a store that share their code: read in any order they are what was written, a chain
 * ends where it should, and a damaged block costs the stacks of the windows that need it, and never
 * makes wrong ones.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profile/builder.h"
#include "recorded.h"
#include "recording/check.h"
#include "recording/code_chain.h"
#include "recording/block/code_row.h"
#include "recording/reader_priv.h"

#define DAMAGES 500

static struct workdir dir;

/* Windows with code in common, and with some of their own. */
static const char *const texts[] = {
	recorded_text,
	recorded_text,
	"window 1s\nmodule libc elf /usr/lib/libc.so.6 build=ab12cd\n"
	"task 4/4 main start=7 on=1s S=2s\n"
	"wait S sys=202 blocked=1s count=1\n u other\n u @libc 0xcf545 +0x65 pthread_cond_wait\n"
	"wait S sys=203 blocked=1s count=1\n u main\n u @libc 0xcf545 +0x65 pthread_cond_wait\n",
	"window 1s\ntask 5/5 idle start=8 on=1s\n",
	recorded_text,
};

static struct profile *window_of(size_t idx)
{
	return lit(texts[idx % ARRAY_LEN(texts)]);
}

static struct recorder *create(const char *name)
{
	struct recorder *rec = NULL;
	struct err err = { 0 };

	if (recorder__create_lean(workdir__path(&dir, name), &rec, &err))
		fail_msg("%s", err.msg);
	return rec;
}

static void add(struct recorder *rec, size_t idx)
{
	struct profile *p = window_of(idx);

	record(rec, p);
	profile__free(p);
}

static void finish(struct recorder *rec)
{
	assert_int_equal(recorder__finish(rec, NULL), 0);
	recorder__free(rec);
}

static void write_windows(const char *name, size_t from, size_t len)
{
	struct recorder *rec = create(name);
	size_t i;

	for (i = from; i < from + len; i++)
		add(rec, i);
	finish(rec);
}

static void assert_window(struct recording *rec, size_t idx, size_t text)
{
	struct profile *p = read_window(rec, idx), *want = window_of(text);

	assert_true(recorded_equal(p, want));
	assert_null(recording__damage(rec, 0));
	profile__free(p);
	profile__free(want);
}

/* 1: the code block adds to others; 0: it is complete. *ret_sz: its bytes. */
static int base_of(struct recording *rec, u32 window, struct code_base *ret, size_t *ret_sz)
{
	size_t stored_sz, sz;
	u8 *stored, *data;
	int r;

	assert_int_equal(database__block(&rec->d, window, BLOCK_CODE, &stored, &stored_sz), 1);
	assert_int_equal(block_open(view__of(stored, stored_sz), &data, &sz), 0);
	r = code_base_read(view__of(data, sz), ret);
	*ret_sz = stored_sz;
	mem_free(data);
	mem_free(stored);
	return r;
}

static void test_code_chain__is_read_in_any_order(void **state)
{
	static const size_t order[] = { 0, 1, 2, 3, 4, 4, 2, 0, 3, 1 };
	struct recording *rec;
	size_t i;

	(void)state;
	write_windows("order", 0, 5);
	rec = open_recording(workdir__path(&dir, "order"));
	for (i = 0; i < ARRAY_LEN(order); i++)
		assert_window(rec, order[i], order[i]);
	recording__close(rec);
	for (i = 0; i < 5; i++) {
		rec = open_recording(workdir__path(&dir, "order"));
		assert_window(rec, i, i);
		recording__close(rec);
	}
}

static void count_fault(void *ctx, const char *sentence)
{
	(void)ctx;
	fail_msg("%s", sentence);
}

static void test_code_chain__stores_once_what_windows_share(void **state)
{
	struct recording_checked sum;
	struct recording *rec;
	struct code_base base;
	size_t first, sz;
	u32 window;

	(void)state;
	write_windows("once", 0, 5);
	rec = open_recording(workdir__path(&dir, "once"));
	assert_int_equal(base_of(rec, 1, &base, &first), 0);
	for (window = 2; window <= 5; window++) {
		assert_int_equal(base_of(rec, window, &base, &sz), 1);
		assert_int_equal(base.root, 1);
		assert_true(sz < first / 2);
	}
	recording__close(rec);
	assert_int_equal(recording_check(workdir__path(&dir, "once"), count_fault, NULL, &sum,
					 NULL),
			 0);
	assert_int_equal(sum.windows, 5);
}

static void test_code_chain__begins_anew_after_an_hour(void **state)
{
	struct recording *rec;
	struct code_base base;
	size_t sz;

	(void)state;
	write_windows("hour", 0, CODE_CHAIN_WINDOWS + 2);
	rec = open_recording(workdir__path(&dir, "hour"));
	assert_int_equal(base_of(rec, CODE_CHAIN_WINDOWS, &base, &sz), 1);
	assert_int_equal(base_of(rec, CODE_CHAIN_WINDOWS + 1, &base, &sz), 0);
	assert_int_equal(base_of(rec, CODE_CHAIN_WINDOWS + 2, &base, &sz), 1);
	assert_int_equal(base.root, CODE_CHAIN_WINDOWS + 1);
	assert_window(rec, CODE_CHAIN_WINDOWS + 1, CODE_CHAIN_WINDOWS + 1);
	assert_window(rec, CODE_CHAIN_WINDOWS - 1, CODE_CHAIN_WINDOWS - 1);
	recording__close(rec);
}

/* The tables of a writer that was killed are gone. */
static void test_code_chain__begins_anew_after_a_kill(void **state)
{
	struct recorder *rec = create("killed");
	struct recording *in;
	struct code_base base;
	size_t sz, i;

	(void)state;
	add(rec, 0);
	add(rec, 1);
	recorder__free(rec);
	assert_int_equal(recorder__continue(workdir__path(&dir, "killed"), &rec, NULL), 0);
	add(rec, 2);
	add(rec, 3);
	finish(rec);
	in = open_recording(workdir__path(&dir, "killed"));
	assert_int_equal(base_of(in, 3, &base, &sz), 0);
	assert_int_equal(base_of(in, 4, &base, &sz), 1);
	assert_int_equal(base.root, 3);
	for (i = 0; i < 4; i++)
		assert_window(in, i, i);
	recording__close(in);
}

/* A window that could not be written is nothing to add to. */
static void test_code_chain__ends_with_a_window_that_fails(void **state)
{
	struct recorder *rec = create("failed");
	struct profile *p = window_of(2);
	struct recording_cause wrong = { .name = "none" };
	struct recording *in;

	(void)state;
	add(rec, 0);
	assert_int_equal(recorder__add(rec, p, &wrong, 1, NULL, NULL), -EINVAL);
	profile__free(p);
	add(rec, 2);
	add(rec, 1);
	finish(rec);
	in = open_recording(workdir__path(&dir, "failed"));
	assert_window(in, 0, 0);
	assert_window(in, 2, 1);
	assert_window(in, 1, 2);
	recording__close(in);
}

/* Such windows may lack frames in the order of use, or have two that are equal. */
static struct profile *odd(bool twice)
{
	struct builder *b = builder__new();
	struct profile_frame inlined = { .addr = 16, .flags = FRAME_INLINED };
	struct profile *p = NULL;
	u32 a, c, d, stack;

	builder__str(b, "inner", &inlined.name);
	builder__frame(b, 0, 1, 0, FRAME_NO_SYMBOL, &a);
	builder__frame(b, 0, 2, 0, FRAME_NO_SYMBOL, &c);
	builder__inlined(b, &inlined, &d);
	builder__stack(b, 0, c, &stack);
	builder__stack(b, stack, a, &stack);
	builder__stack(b, stack, d, &stack);
	builder__header(b)->window_ns = 1000;
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	builder__free(b);
	if (twice)
		p->frames[2] = p->frames[1];
	return p;
}

static int encode_after(struct code_chain *c, const struct profile *p, u32 window,
			struct code_base *base)
{
	struct vec sections;
	int r;

	vec__init(&sections, 1);
	assert_int_equal(code_chain__encode(c, p, window, &sections), 0);
	code_chain__took(c, 0);
	r = code_base_read(view__of(sections.data, sections.len), base);
	vec__done(&sections);
	return r;
}

static void test_code_chain__ends_with_equal_frames(void **state)
{
	struct profile *same = odd(true), *p = odd(false);
	struct code_chain c = { 0 };
	struct code_base base;

	(void)state;
	assert_int_equal(encode_after(&c, p, 1, &base), 0);
	assert_int_equal(encode_after(&c, p, 2, &base), 1);
	assert_int_equal(encode_after(&c, same, 3, &base), 0);
	assert_int_equal(encode_after(&c, p, 4, &base), 0);
	assert_int_equal(encode_after(&c, p, 5, &base), 1);
	assert_int_equal(base.root, 4);
	code_chain__end(&c);
	profile__free(same);
	profile__free(p);
}

/* Memory has a limit, also between two full hours. */
static void test_code_chain__ends_when_it_is_large(void **state)
{
	struct builder *b = builder__new();
	struct profile_module m = { .kind = MODULE_ELF };
	const size_t sz = 9U << 20;
	char *name = mem_alloc(sz + 1);
	struct code_chain c = { 0 };
	struct profile *p = NULL, *small = odd(false);
	struct code_base base;
	u32 id;

	(void)state;
	memset(name, 'x', sz);
	builder__str(b, name, &m.path);
	builder__module(b, &m, &id);
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	builder__free(b);
	mem_free(name);
	assert_int_equal(encode_after(&c, small, 1, &base), 0);
	assert_int_equal(encode_after(&c, p, 2, &base), 1);
	assert_int_equal(encode_after(&c, small, 3, &base), 0);
	assert_int_equal(encode_after(&c, small, 4, &base), 1);
	assert_int_equal(base.root, 3);
	code_chain__end(&c);
	profile__free(p);
	profile__free(small);
}

static void test_code_chain__keeps_the_order_of_frames(void **state)
{
	struct recorder *rec = create("frames");
	struct profile *p = odd(false), *q;
	struct recording *in;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++)
		record(rec, p);
	finish(rec);
	in = open_recording(workdir__path(&dir, "frames"));
	for (i = 0; i < 3; i++) {
		q = read_window(in, i);
		assert_true(recorded_equal(p, q));
		profile__free(q);
	}
	recording__close(in);
	profile__free(p);
}

static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Without the stacks that are lost: what is left must be of the window all the same. */
static bool is_part(const struct profile *p, const struct profile *want)
{
	u64 ns = 0, want_ns = 0;
	u32 i;

	for (i = 1; i < p->tasks_len; i++)
		ns += p->tasks[i].wall_ns;
	for (i = 1; i < want->tasks_len; i++)
		want_ns += want->tasks[i].wall_ns;
	return p->losses[LOSS_DAMAGED].events && ns == want_ns &&
	       (p->stacks_len == 1 || p->stacks_len == want->stacks_len);
}

/* Windows that are whole; a damaged one must say so. */
static size_t count_whole(const char *path)
{
	struct recording *rec = NULL;
	size_t i, whole = 0;

	if (recording__open(path, &rec, NULL))
		return 0;
	for (i = 0; i < recording__windows_len(rec); i++) {
		struct profile *want = window_of(recording__window(rec, i)->id - 1), *p = NULL;

		if (!recording__read(rec, i, &p, NULL)) {
			if (recorded_equal(p, want))
				whole++;
			else if (!is_part(p, want))
				fail_msg("window %zu is wrong", i);
			else
				assert_non_null(recording__damage(rec, 0));
		}
		profile__free(p);
		profile__free(want);
	}
	recording__close(rec);
	return whole;
}

static void test_code_chain__finds_flipped_bits(void **state)
{
	size_t sz, i, hit = 0;
	u64 random = 88172645463325252ULL;
	char *bytes;

	(void)state;
	write_windows("flips", 0, 5);
	bytes = workdir__read(&dir, "flips", &sz);
	for (i = 0; i < DAMAGES; i++) {
		size_t at = next_random(&random) % sz;
		char bit = (char)(1 << next_random(&random) % 8);

		bytes[at] ^= bit;
		workdir__write(&dir, "flipped", bytes, sz);
		hit += count_whole(workdir__path(&dir, "flipped")) < 5;
		bytes[at] ^= bit;
	}
	assert_true(hit > 10);
	mem_free(bytes);
}

static void test_code_chain__finds_a_cut_file(void **state)
{
	size_t sz, i;
	char *bytes;

	(void)state;
	write_windows("cuts", 0, 5);
	bytes = workdir__read(&dir, "cuts", &sz);
	for (i = 1; i <= DAMAGES; i++) {
		workdir__write(&dir, "cut", bytes, sz - sz * i / (DAMAGES + 1));
		count_whole(workdir__path(&dir, "cut"));
	}
	assert_int_equal(count_whole(workdir__path(&dir, "cuts")), 5);
	mem_free(bytes);
}

/* The code of window `window`, with a bit flipped, or that of another file. */
static void test_code_chain__loses_stacks_from_the_damage_on(void **state)
{
	struct recording *rec;
	struct profile *p;
	size_t i;

	(void)state;
	write_windows("lost", 0, CODE_CHAIN_WINDOWS + 1);
	assert_true(workdir__run(&dir, "sqlite3 lost \"UPDATE blocks SET data ="
				       " CAST(substr(data, 1, 40) || X'00' || substr(data, 42)"
				       " AS BLOB) WHERE window = 3 AND kind = 'code'\""));
	rec = open_recording(workdir__path(&dir, "lost"));
	assert_window(rec, CODE_CHAIN_WINDOWS, CODE_CHAIN_WINDOWS);
	assert_window(rec, 0, 0);
	assert_window(rec, 1, 1);
	for (i = 2; i < CODE_CHAIN_WINDOWS; i++) {
		struct profile *want = window_of(i);

		p = read_window(rec, i);
		assert_true(is_part(p, want) || want->waits_len == 1);
		assert_int_equal(p->stacks_len, 1);
		profile__free(p);
		profile__free(want);
	}
	assert_non_null(recording__damage(rec, 0));
	assert_non_null(strstr(recording__damage(rec, 1), "they need those of windows before it"));
	recording__close(rec);
}

/* Puts the code of the first window of file "two" into file "one". */
static void swap_code(void)
{
	assert_true(workdir__run(&dir, "sqlite3 one \"ATTACH 'two' AS two; UPDATE blocks SET data ="
				       " (SELECT data FROM two.blocks b WHERE b.id = blocks.id)"
				       " WHERE window = 1 AND kind = 'code'\""));
}

/* Each block is sound, and has as many of everything, and yet they do not belong together. */
static void test_code_chain__takes_no_block_of_another_file(void **state)
{
	char other[sizeof(recorded_text)];
	struct recording *rec;
	struct profile *p, *want;

	(void)state;
	write_windows("one", 0, 3);
	write_windows("two", 1, 1);
	swap_code();
	rec = open_recording(workdir__path(&dir, "one"));
	assert_window(rec, 1, 1);
	recording__close(rec);
	memcpy(other, recorded_text, sizeof(other));
	memcpy(strstr(other, "pthread_cond_wait"), "pthread_cond_take", 17);
	record_file(&dir, "three", (const char *[]){ other, NULL });
	assert_true(workdir__run(&dir, "mv three two"));
	swap_code();
	rec = open_recording(workdir__path(&dir, "one"));
	p = read_window(rec, 1);
	want = window_of(1);
	assert_true(is_part(p, want));
	assert_int_equal(p->stacks_len, 1);
	profile__free(p);
	profile__free(want);
	recording__close(rec);
}

/* A section of one row of zeros, except column `col`. */
static void put_row(struct vec *bytes, u32 tag, u32 cols, u32 col, u64 value)
{
	struct section_out out;
	u32 i;

	section_out__init(&out, tag, cols, SECTION_NEEDED);
	out.rows = 1;
	for (i = 0; i < cols; i++)
		section_out__uleb(&out, i, i == col ? value : 0);
	assert_int_equal(section_out__append(&out, bytes), 0);
	section_out__done(&out);
}

/* To the tables of a window. */
static int add_row(u32 tag, u32 cols, u32 col, u64 value)
{
	struct profile *p = lit(recorded_text);
	struct code_tables t;
	struct vec bytes;
	int r;

	vec__init(&bytes, 1);
	assert_int_equal(code_tables__init(&t), 0);
	assert_int_equal(encode_code(p, &bytes), 0);
	assert_int_equal(code_tables__add(&t, view__of(bytes.data, bytes.len)), 0);
	vec__reset(&bytes);
	put_row(&bytes, tag, cols, col, value);
	r = code_tables__add(&t, view__of(bytes.data, bytes.len));
	vec__done(&bytes);
	code_tables__done(&t);
	profile__free(p);
	return r;
}

static void test_code_tables__add_refuses_what_does_not_follow(void **state)
{
	(void)state;
	assert_int_equal(add_row(SECTION_BASE, BASE_COLUMNS, BASE_STACKS, 1), -EBADMSG);
	assert_int_equal(add_row(SECTION_BASE, BASE_COLUMNS, BASE_ROOT, 1ULL << 32), -EBADMSG);
	assert_int_equal(add_row(SECTION_STRINGS, STRINGS_COLUMNS, STRINGS_SZ, 99), -EBADMSG);
	assert_int_equal(add_row(SECTION_MODULES, MODULES_COLUMNS, MODULES_INO, 77), 0);
	assert_int_equal(add_row(SECTION_MODULES, MODULES_COLUMNS, MODULES_PATH, 99999), -EBADMSG);
	assert_int_equal(add_row(SECTION_MODULES, MODULES_COLUMNS, MODULES_KIND, 99), -EOPNOTSUPP);
	assert_int_equal(add_row(SECTION_FRAMES, FRAMES_COLUMNS, FRAMES_LINE, 12345), 0);
	assert_int_equal(add_row(SECTION_FRAMES, FRAMES_COLUMNS, FRAMES_MODULE, 99), -EBADMSG);
	assert_int_equal(add_row(SECTION_FRAMES, FRAMES_COLUMNS, FRAMES_REASON, 99), -EOPNOTSUPP);
	/* its frame is the next one, which does not exist */
	assert_int_equal(add_row(SECTION_STACKS, STACKS_COLUMNS, STACKS_PARENT, 0), -EBADMSG);
	assert_int_equal(add_row(SECTION_STACKS, STACKS_COLUMNS, STACKS_PARENT, 99999), -EBADMSG);
}

/* A window that uses row `value` of one of the tables of recorded_text, behind what it has used. */
static int use_row(u32 tag, u64 value)
{
	struct window_sections in = { .has = { [BLOCK_TASKS] = true, [BLOCK_CODE] = true } };
	struct profile *p = lit(recorded_text), *q = NULL;
	struct code_tables t;
	struct window_head head;
	struct vec code, tasks;
	int r;

	vec__init(&code, 1);
	vec__init(&tasks, 1);
	window_head__of(&head, p);
	assert_int_equal(code_tables__init(&t), 0);
	assert_int_equal(encode_tasks(p, &tasks), 0);
	assert_int_equal(encode_code(p, &code), 0);
	assert_int_equal(code_tables__add(&t, view__of(code.data, code.len)), 0);
	vec__reset(&code);
	put_row(&code, SECTION_USED_MODULES, USED_COLUMNS, USED_NUMBER, 0);
	put_row(&code, tag, USED_COLUMNS, USED_NUMBER, value);
	in.at[BLOCK_TASKS] = view__of(tasks.data, tasks.len);
	in.at[BLOCK_CODE] = view__of(code.data, code.len);
	in.code = &t;
	r = decode_profile(&head, &in, &q, NULL);
	code_tables__done(&t);
	vec__done(&code);
	vec__done(&tasks);
	profile__free(q);
	profile__free(p);
	return r;
}

static void test_decode_used__refuses_what_does_not_exist(void **state)
{
	(void)state;
	/* module 1 twice, and numbers beyond the tables on both sides */
	assert_int_equal(use_row(SECTION_USED_MODULES, 0), -EBADMSG);
	assert_int_equal(use_row(SECTION_USED_MODULES, 2000), -EBADMSG);
	assert_int_equal(use_row(SECTION_USED_STACKS, 1), -EBADMSG);
	assert_int_equal(use_row(SECTION_USED_STACKS, 2000), -EBADMSG);
	assert_int_equal(use_row(SECTION_USED_STACKS, UINT64_MAX), -EBADMSG);
	assert_int_equal(use_row(SECTION_USED_FRAMES, 2000), -EBADMSG);
}

static bool fail_writing(u64 nth)
{
	struct profile *p = window_of(0), *q = window_of(2);
	struct recording_cause first = recorded_cause(p), second = recorded_cause(q);
	struct recorder *rec = NULL;
	struct recording *in;
	bool fired;
	int r;

	assert_true(workdir__run(&dir, "rm -f nomem nomem-wal nomem-shm"));
	rec = create("nomem");
	assert_int_equal(recorder__add(rec, p, &first, 1, NULL, NULL), 0);
	mem_fail_nth(nth);
	r = recorder__add(rec, q, &second, 1, NULL, NULL);
	fired = mem_fail_fired();
	mem_fail_nth(0);
	assert_true(!r || r == -ENOMEM);
	if (r)
		assert_int_equal(recorder__add(rec, q, &second, 1, NULL, NULL), 0);
	finish(rec);
	in = open_recording(workdir__path(&dir, "nomem"));
	assert_window(in, 1, 2);
	recording__close(in);
	profile__free(p);
	profile__free(q);
	return fired;
}

static bool fail_reading(u64 nth)
{
	struct recording *rec = open_recording(workdir__path(&dir, "nomem"));
	struct profile *p = NULL;
	bool fired;
	int r;

	mem_fail_nth(nth);
	r = recording__read(rec, 1, &p, NULL);
	fired = mem_fail_fired();
	mem_fail_nth(0);
	if (fired)
		assert_int_equal(r, -ENOMEM);
	profile__free(p);
	/* what failed is no part of what is kept */
	assert_window(rec, 1, 2);
	recording__close(rec);
	return fired;
}

static void test_code_chain__reports_every_allocation_that_fails(void **state)
{
	u64 nth = 1;

	(void)state;
	while (fail_writing(nth))
		nth++;
	assert_true(nth > 20);
	nth = 1;
	while (fail_reading(nth))
		nth++;
	assert_true(nth > 20);
}

static int set_up(void **state)
{
	(void)state;
	workdir__init(&dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_chain__is_read_in_any_order),
		cmocka_unit_test(test_code_chain__stores_once_what_windows_share),
		cmocka_unit_test(test_code_chain__begins_anew_after_an_hour),
		cmocka_unit_test(test_code_chain__begins_anew_after_a_kill),
		cmocka_unit_test(test_code_chain__ends_with_a_window_that_fails),
		cmocka_unit_test(test_code_chain__ends_with_equal_frames),
		cmocka_unit_test(test_code_chain__ends_when_it_is_large),
		cmocka_unit_test(test_code_chain__keeps_the_order_of_frames),
		cmocka_unit_test(test_code_chain__finds_flipped_bits),
		cmocka_unit_test(test_code_chain__finds_a_cut_file),
		cmocka_unit_test(test_code_chain__loses_stacks_from_the_damage_on),
		cmocka_unit_test(test_code_chain__takes_no_block_of_another_file),
		cmocka_unit_test(test_code_tables__add_refuses_what_does_not_follow),
		cmocka_unit_test(test_decode_used__refuses_what_does_not_exist),
		cmocka_unit_test(test_code_chain__reports_every_allocation_that_fails),
	};

	return cmocka_run_group_tests_name("code_chain", tests, set_up, tear_down);
}
