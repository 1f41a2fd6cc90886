/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/view.h"
#include "capture/runtime/hotspot.h"

/* As in the fuzzer, whose seeds have this form too. */
#define BASE 0x10000ULL
/* From here on, every word of memory is the address of one text: tables without an end. */
#define ENDLESS 0x100000000ULL
#define SEED "tests/fuzz/corpus/hotspot/valid"
#define CODE_START 0x7f1234560000ULL
#define CODE_SZ 0x20000U

struct field {
	const char *type;
	const char *name;
	u64 offset;
	u32 is_static;
};

static const struct field good_fields[] = {
	{ "Klass", "_name", 24, 0 },
	{ "Klass", "_super", 32, 0 },
	{ "ConstantPool", "_tags", 8, 0 },
	{ "ConstantPool", "_pool_holder", 16, 0 },
	{ "ConstMethod", "_constants", 8, 0 },
	{ "ConstMethod", "_name_index", 34, 0 },
	{ "ConstMethod", "_signature_index", 36, 0 },
	{ "Method", "_constMethod", 8, 0 },
	{ "Symbol", "_length", 4, 0 },
	{ "Symbol", "_body", 6, 0 },
	{ "AbstractInterpreter", "_code", 0, 1 },
	{ "StubQueue", "_stub_buffer", 8, 0 },
	{ "StubQueue", "_buffer_limit", 20, 0 },
	{ "StubQueueOther", "_stub_buffer", 999, 0 },
	{ "Symbol", "_lengthy", 999, 0 },
};

#define FIELDS ARRAY_LEN(good_fields)
enum { FIELD_CONSTANTS = 4, FIELD_BODY = 9, FIELD_CODE, FIELD_STUB_BUFFER, FIELD_LIMIT };

/* A process; what is not as usual is set between scene__init() and scene__tables(). */
struct scene {
	struct field fields[FIELDS];
	const char *pool_type;
	u64 pool_sz;
	u64 code_start;
	u32 limit;
	bool no_queue;

	u8 bytes[16 << 10];
	size_t sz;
	u64 lost_at; /* [lost_at, lost_end) cannot be read */
	u64 lost_end;
	u64 endless; /* the word there is */
	u64 reads;
	struct hotspot_memory mem;
	struct hotspot h;
	u64 queue;

	u64 klass;
	u64 pool;
	u64 method; /* ConstMethod */
};

static bool read_scene(void *arg, u64 addr, void *dst, size_t sz)
{
	struct scene *s = arg;
	size_t i;

	s->reads++;
	if (addr >= ENDLESS && s->endless) {
		for (i = 0; i < sz; i++)
			((u8 *)dst)[i] = (u8)(s->endless >> (addr + i) % 8 * 8);
		return true;
	}
	if (addr < BASE || addr - BASE > s->sz || sz > s->sz - (addr - BASE))
		return false;
	if (addr < s->lost_end && addr + sz > s->lost_at)
		return false;
	memcpy(dst, s->bytes + (addr - BASE), sz);
	return true;
}

static u64 put(struct scene *s, const void *data, size_t sz)
{
	u64 at = BASE + s->sz;

	assert_true(s->sz + sz + 8 <= sizeof(s->bytes));
	memcpy(s->bytes + s->sz, data, sz);
	s->sz += sz;
	return at;
}

static void align(struct scene *s)
{
	s->sz = (s->sz + 7) & ~7UL;
}

static void poke(struct scene *s, u64 addr, u64 value, size_t sz)
{
	assert_true(addr >= BASE && addr - BASE + sz <= sizeof(s->bytes));
	memcpy(s->bytes + (addr - BASE), &value, sz);
}

static u64 put_text(struct scene *s, const char *text)
{
	return put(s, text, strlen(text) + 1);
}

static void scene__init(struct scene *s)
{
	const u64 heads[3] = { 0 };

	*s = (struct scene){ .pool_type = "ConstantPool",
			     .pool_sz = 72,
			     .code_start = CODE_START,
			     .limit = CODE_SZ };
	s->mem = (struct hotspot_memory){ .read = read_scene, .arg = s };
	memcpy(s->fields, good_fields, sizeof(good_fields));
	/* pointers to the tables and to a ConstMethod */
	put(s, heads, sizeof(heads));
}

/* A row is left out when its type is "". */
static u64 put_structs(struct scene *s, u64 code)
{
	u64 rows[FIELDS + 1][6] = { 0 }, type = 0;
	size_t i, n = 0;

	for (i = 0; i < FIELDS; i++) {
		const struct field *f = &s->fields[i];

		if (!*f->type)
			continue;
		/* as compilers do it: one text for the rows of a type */
		if (!i || strcmp(f->type, s->fields[i - 1].type) != 0)
			type = put_text(s, f->type);
		rows[n][0] = type;
		rows[n][1] = put_text(s, f->name);
		rows[n][3] = f->is_static;
		rows[n][4] = f->offset;
		rows[n++][5] = f->is_static ? code : 0;
	}
	align(s);
	return put(s, rows, (n + 1) * sizeof(rows[0]));
}

static u64 put_types(struct scene *s)
{
	u64 rows[4][5] = { 0 };

	rows[0][0] = put_text(s, "Constant");
	rows[1][0] = put_text(s, "ConstantPoolCache");
	rows[2][0] = put_text(s, s->pool_type);
	rows[2][4] = s->pool_sz;
	align(s);
	return put(s, rows, sizeof(rows));
}

/* The last byte is one that is needed. */
static void scene__tables(struct scene *s)
{
	u8 queue[24] = { 0 };
	u64 code, zero = 0;

	code = put(s, &zero, sizeof(zero));
	poke(s, BASE, put_structs(s, code), 8);
	poke(s, BASE + 8, put_types(s), 8);
	memcpy(queue + 8, &s->code_start, 8);
	memcpy(queue + 20, &s->limit, 4);
	s->queue = put(s, queue, sizeof(queue));
	if (!s->no_queue)
		poke(s, code, s->queue, 8);
}

static int scene__read(struct scene *s)
{
	const struct hotspot_symbols at = { .structs = BASE, .types = BASE + 8 };

	return hotspot__read(&s->h, &at, &s->mem);
}

static u64 put_symbol(struct scene *s, const char *text)
{
	u16 head[3] = { 0xaaaa, 0xaaaa, (u16)strlen(text) };
	u64 at;

	align(s);
	at = put(s, head, sizeof(head));
	put(s, text, strlen(text));
	return at;
}

/* Behind what is there, so that its last byte is the last one of the signature. */
static void scene__method(struct scene *s, const char *holder, const char *name,
			  const char *signature)
{
	u8 zero[128] = { 0 };

	align(s);
	s->klass = put(s, zero, 40);
	s->pool = put(s, zero, 72 + 8 * 6);
	s->method = put(s, zero, 40);
	poke(s, BASE + 16, s->method, 8);
	poke(s, s->method + 8, s->pool, 8);
	poke(s, s->method + 34, 3, 2);
	poke(s, s->method + 36, 5, 2);
	poke(s, s->pool + 16, s->klass, 8);
	poke(s, s->klass + 24, put_symbol(s, holder), 8);
	poke(s, s->pool + 72 + 8 * 3, put_symbol(s, name), 8);
	poke(s, s->pool + 72 + 8 * 5, put_symbol(s, signature), 8);
}

static void scene__with_method(struct scene *s, const char *holder, const char *name,
			       const char *signature)
{
	scene__init(s);
	scene__tables(s);
	assert_int_equal(scene__read(s), 0);
	scene__method(s, holder, name, signature);
}

static void test_hotspot__read_finds_the_layout(void **state)
{
	const struct hotspot want = {
		.code_start = CODE_START,
		.code_end = CODE_START + CODE_SZ,
		.code = BASE + 24,
		.stub_buffer = 8,
		.stub_limit = 20,
		.method_const = 8,
		.const_pool = 8,
		.const_name = 34,
		.const_signature = 36,
		.pool_holder = 16,
		.pool_entries = 72,
		.klass_name = 24,
		.symbol_len = 4,
		.symbol_body = 6,
	};
	struct scene s;

	(void)state;
	scene__init(&s);
	scene__tables(&s);
	assert_int_equal(scene__read(&s), 0);
	assert_memory_equal(&s.h, &want, offsetof(struct hotspot, symbol_body) + sizeof(u16));
	/* the older name of the last one */
	scene__init(&s);
	s.fields[FIELD_BODY].name = "_body[0]";
	scene__tables(&s);
	assert_int_equal(scene__read(&s), 0);
	assert_memory_equal(&s.h, &want, offsetof(struct hotspot, symbol_body) + sizeof(u16));
}

static void test_hotspot__read_says_that_it_is_too_early(void **state)
{
	struct scene s;

	(void)state;
	scene__init(&s);
	s.no_queue = true;
	scene__tables(&s);
	assert_int_equal(scene__read(&s), -EAGAIN);
	scene__init(&s);
	s.code_start = 0;
	scene__tables(&s);
	assert_int_equal(scene__read(&s), -EAGAIN);
	/* mapped, not relocated */
	scene__init(&s);
	scene__tables(&s);
	poke(&s, BASE, 0, 8);
	assert_int_equal(scene__read(&s), -EAGAIN);
	scene__init(&s);
	scene__tables(&s);
	poke(&s, BASE + 8, 0, 8);
	assert_int_equal(scene__read(&s), -EAGAIN);
}

static bool is_needed(const struct field *f)
{
	return strcmp(f->name, "_super") != 0 && strcmp(f->name, "_tags") != 0 && f->offset != 999;
}

static int read_with(size_t i, struct field f)
{
	struct scene s;

	scene__init(&s);
	s.fields[i] = f;
	scene__tables(&s);
	return scene__read(&s);
}

static void test_hotspot__read_needs_every_field(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < FIELDS; i++) {
		const int want = is_needed(&good_fields[i]) ? -ENOTSUP : 0;
		struct field f = good_fields[i];

		assert_int_equal(read_with(i, (struct field){ .type = "" }), want);
		/* static where it is not, and the other way round */
		f.is_static = !f.is_static;
		assert_int_equal(read_with(i, f), want);
		f = good_fields[i];
		f.offset = 1ULL << 16;
		assert_int_equal(read_with(i, f), want);
		f.offset = ~0ULL;
		assert_int_equal(read_with(i, f), want);
	}
}

static void check_pool(const char *type, u64 sz, int want)
{
	struct scene s;

	scene__init(&s);
	s.pool_type = type;
	s.pool_sz = sz;
	scene__tables(&s);
	assert_int_equal(scene__read(&s), want);
}

static void test_hotspot__read_needs_the_size_of_a_pool(void **state)
{
	(void)state;
	check_pool("ConstantPool", 65535, 0);
	check_pool("ConstantPool", 65536, -ENOTSUP);
	check_pool("ConstantPool", 65536 + 72, -ENOTSUP);
	check_pool("ConstantPool", 0, -ENOTSUP);
	check_pool("ConstantPoo", 72, -ENOTSUP);
	check_pool("ConstantPools", 72, -ENOTSUP);
}

static void check_code(u64 start, u32 limit, int want)
{
	struct scene s;

	scene__init(&s);
	s.code_start = start;
	s.limit = limit;
	scene__tables(&s);
	assert_int_equal(scene__read(&s), want);
}

static void test_hotspot__read_refuses_absurd_code(void **state)
{
	struct scene s;

	(void)state;
	check_code(CODE_START, (1U << 30) - 1, 0);
	check_code(CODE_START, 1U << 30, -ENOTSUP);
	check_code(CODE_START, ~0U, -ENOTSUP);
	check_code(CODE_START, 0, -ENOTSUP);
	check_code(~0ULL - 15, 16, -ENOTSUP);
	check_code(~0ULL - 15, 15, 0);
	/* a static field at no address */
	scene__init(&s);
	poke(&s, BASE, put_structs(&s, 0), 8);
	poke(&s, BASE + 8, put_types(&s), 8);
	assert_int_equal(scene__read(&s), -ENOTSUP);
}

static void test_hotspot__read_ends_in_endless_tables(void **state)
{
	struct scene s;

	(void)state;
	scene__init(&s);
	scene__tables(&s);
	s.endless = put_text(&s, "Symbol");
	poke(&s, BASE + 8, ENDLESS, 8);
	assert_int_equal(scene__read(&s), -ENOTSUP);
	poke(&s, BASE, ENDLESS, 8);
	assert_int_equal(scene__read(&s), -ENOTSUP);
	assert_true(s.reads < 1U << 20);
	/* the end of all addresses */
	poke(&s, BASE, ~0ULL - 47, 8);
	s.endless = 0;
	assert_int_equal(scene__read(&s), -EFAULT);
}

static void test_hotspot__read_survives_every_cut(void **state)
{
	struct scene s;
	size_t full;
	int r;

	(void)state;
	scene__init(&s);
	scene__tables(&s);
	for (full = s.sz; s.sz--;)
		assert_int_equal(scene__read(&s), -EFAULT);
	/* a hole of one byte: in a text it hides a field, in what is not needed it is nothing */
	s.sz = full;
	for (s.lost_at = BASE; s.lost_at < BASE + full; s.lost_at++) {
		s.lost_end = s.lost_at + 1;
		r = scene__read(&s);
		assert_true(r == -EFAULT || r == -ENOTSUP || r == 0);
		if (s.lost_at >= s.queue + 8 && s.lost_at < s.queue + 16)
			assert_int_equal(r, -EFAULT);
		if (r == 0)
			assert_true(s.h.code_start == CODE_START && s.h.symbol_body == 6);
	}
}

static void check_name(const char *holder, const char *name, const char *signature,
		       const char *want)
{
	struct scene s;
	char *got = NULL;

	scene__with_method(&s, holder, name, signature);
	assert_int_equal(hotspot__name(&s.h, s.method, &s.mem, &got), 0);
	assert_string_equal(got, want);
	mem_free(got);
}

static void test_hotspot__name_is_that_of_perf_maps(void **state)
{
	(void)state;
	check_name("java/util/concurrent/locks/LockSupport", "park", "(Ljava/lang/Object;)V",
		   "void java.util.concurrent.locks.LockSupport.park(java.lang.Object)");
	check_name("A", "f", "()V", "void A.f()");
	check_name("A", "f", "(BCDFIJSZ)V",
		   "void A.f(byte, char, double, float, int, long, short, boolean)");
	check_name("A", "f", "([ILjava/lang/String;J[[La/b$C;)[[Z",
		   "boolean[][] A.f(int[], java.lang.String, long, a.b$C[][])");
	check_name("a/B", "<init>", "(I)V", "void a.B.<init>(int)");
	check_name("a/B", "<clinit>", "()V", "void a.B.<clinit>()");
	check_name("a/B$$Lambda+0x00007f0c", "run", "()Ljava/lang/Object;",
		   "java.lang.Object a.B$$Lambda/0x00007f0c.run()");
	/* only a method's own name may not have '/', and nothing changes it */
	check_name("A", "a+b c", "()I", "int A.a+b c()");
	/* Kotlin lets names have parentheses */
	check_name("A", "f", "(La)b;)Lc/d(e)$1;", "c.d(e)$1 A.f(a)b)");
}

static void test_hotspot__name_of_damaged_descriptors(void **state)
{
	(void)state;
	check_name("A", "f", "(", "? A.f()");
	check_name("A", "f", "()", "? A.f()");
	check_name("A", "f", "(I", "? A.f(int)");
	check_name("A", "f", "([", "? A.f(?[])");
	check_name("A", "f", "(L", "? A.f()");
	check_name("A", "f", "(Ljava/lang/St", "? A.f(java.lang.St)");
	check_name("A", "f", "(ILjava/util/List;)[Ljava/lang/St",
		   "java.lang.St[] A.f(int, java.util.List)");
	check_name("A", "f", "(Q)V", "void A.f(?)");
	check_name("A", "f", "(V)Q", "? A.f(void)");
}

static void test_hotspot__name_refuses_invalid_descriptors(void **state)
{
	static const char *const no[] = { "", "V", "I", ")V", "java/lang/Object", "Ljava/lang/A;" };
	struct scene s;
	char *got;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(no); i++) {
		scene__with_method(&s, "A", "f", no[i]);
		assert_int_equal(hotspot__name(&s.h, s.method, &s.mem, &got), -EFAULT);
	}
	scene__with_method(&s, "A", "", "()V");
	assert_int_equal(hotspot__name(&s.h, s.method, &s.mem, &got), -EFAULT);
	scene__with_method(&s, "", "f", "()V");
	assert_int_equal(hotspot__name(&s.h, s.method, &s.mem, &got), -EFAULT);
}

static void test_hotspot__name_cuts_long_symbols(void **state)
{
	char holder[1500], want[5 * 1024 + 1500], signature[1500];
	size_t i, len;

	(void)state;
	memset(holder, 'x', sizeof(holder) - 1);
	holder[sizeof(holder) - 1] = '\0';
	snprintf(want, sizeof(want), "void %.1024s.f()", holder);
	check_name(holder, "f", "()V", want);
	snprintf(want, sizeof(want), "void A.%.1024s()", holder);
	check_name("A", holder, "()V", want);
	/* 1,023 arguments are left, and what comes back is not known */
	memset(signature, 'I', sizeof(signature));
	memcpy(signature + sizeof(signature) - 3, ")V", 3);
	signature[0] = '(';
	len = (size_t)snprintf(want, sizeof(want), "? A.f(int");
	for (i = 1; i < 1023; i++)
		len += (size_t)snprintf(want + len, sizeof(want) - len, ", int");
	snprintf(want + len, sizeof(want) - len, ")");
	check_name("A", "f", signature, want);
	/* the JVM allows 255 dimensions */
	memset(signature + 1, '[', 255);
	strcpy(signature + 256, "J)V");
	len = (size_t)snprintf(want, sizeof(want), "void A.f(long");
	for (i = 0; i < 255; i++)
		len += (size_t)snprintf(want + len, sizeof(want) - len, "[]");
	snprintf(want + len, sizeof(want) - len, ")");
	check_name("A", "f", signature, want);
}

/* What lies behind the part that is used need not be there. */
static void test_hotspot__name_reads_no_more_of_a_symbol_than_it_uses(void **state)
{
	char signature[1025];
	struct scene s;
	char *got = NULL;

	(void)state;
	memset(signature, 'J', sizeof(signature));
	signature[0] = '(';
	signature[1024] = '\0';
	scene__with_method(&s, "A", "f", signature);
	poke(&s, BASE + s.sz - 1024 - 2, 65535, 2);
	assert_int_equal(hotspot__name(&s.h, s.method, &s.mem, &got), 0);
	assert_memory_equal(got, "? A.f(long, long", 16);
	mem_free(got);
}

static void test_hotspot_texts__refuse_a_zero_byte(void **state)
{
	const struct hotspot_texts good = { view__of("A", 1), view__of("f", 1),
					    view__of("()V", 3) };
	struct hotspot_texts bad[3] = { good, good, good };
	char *got;

	(void)state;
	bad[0].holder = view__of("A\0B", 3);
	bad[1].name = view__of("\0f", 2);
	bad[2].signature = view__of("()L\0;", 5);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(hotspot_texts__join(&bad[i], &got), -EFAULT);
	assert_int_equal(hotspot_texts__join(&good, &got), 0);
	assert_string_equal(got, "void A.f()");
	mem_free(got);
}

static void check_zeroed(size_t from_pool, size_t from_klass, size_t from_method)
{
	struct scene s;
	char *got;

	scene__with_method(&s, "A", "f", "()V");
	if (from_pool)
		poke(&s, s.pool + from_pool, 0, 8);
	if (from_klass)
		poke(&s, s.klass + from_klass, 0, 8);
	if (from_method)
		poke(&s, s.method + from_method, 0, 8);
	assert_int_equal(hotspot__name(&s.h, s.method, &s.mem, &got), -EFAULT);
}

static void test_hotspot__name_follows_no_null(void **state)
{
	struct scene s;
	char *got;

	(void)state;
	check_zeroed(0, 0, 8);
	check_zeroed(16, 0, 0);
	check_zeroed(0, 24, 0);
	check_zeroed(72 + 8 * 3, 0, 0);
	check_zeroed(72 + 8 * 5, 0, 0);
	/* indices 0 */
	check_zeroed(0, 0, 32);
	scene__with_method(&s, "A", "f", "()V");
	assert_int_equal(hotspot__name(&s.h, 0, &s.mem, &got), -EFAULT);
	assert_int_equal(hotspot__name(&s.h, ~0ULL, &s.mem, &got), -EFAULT);
	/* indices far behind the pool */
	poke(&s, s.method + 34, ~0U, 4);
	assert_int_equal(hotspot__name(&s.h, s.method, &s.mem, &got), -EFAULT);
}

static void test_hotspot__name_survives_every_cut(void **state)
{
	struct scene s;
	size_t full;
	char *got;
	int r;

	(void)state;
	scene__with_method(&s, "a/B", "f", "(I)V");
	for (full = s.sz; s.sz--;)
		assert_int_equal(hotspot__name(&s.h, s.method, &s.mem, &got), -EFAULT);
	s.sz = full;
	for (s.lost_at = s.klass; s.lost_at < BASE + full; s.lost_at++) {
		s.lost_end = s.lost_at + 1;
		r = hotspot__name(&s.h, s.method, &s.mem, &got);
		if (r == 0) {
			assert_string_equal(got, "void a.B.f(int)");
			mem_free(got);
			continue;
		}
		assert_int_equal(r, -EFAULT);
	}
}

static void test_hotspot__name_survives_every_failed_allocation(void **state)
{
	struct scene s;
	char *got;
	u64 nth;
	int r;

	(void)state;
	scene__with_method(&s, "a/B", "f", "(I)V");
	for (nth = 1;; nth++) {
		got = NULL;
		mem_fail_nth(nth);
		r = hotspot__name(&s.h, s.method, &s.mem, &got);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 1);
	mem_free(got);
}

/* Otherwise the fuzzer would begin with nothing, and nobody would see it. */
static void test_hotspot__seed_of_the_fuzzer_is_good(void **state)
{
	const struct hotspot_symbols at = { .structs = BASE, .types = BASE + 8 };
	struct scene s;
	FILE *f = fopen(SEED, "re");
	char *got = NULL;

	(void)state;
	assert_non_null(f);
	scene__init(&s);
	s.sz = fread(s.bytes, 1, sizeof(s.bytes), f);
	fclose(f);
	memcpy(&s.method, s.bytes + 16, sizeof(s.method));
	assert_int_equal(hotspot__read(&s.h, &at, &s.mem), 0);
	assert_int_equal(hotspot__name(&s.h, s.method, &s.mem, &got), 0);
	assert_string_equal(got, "boolean[] a.B.f(int, java.lang.Object)");
	mem_free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hotspot__read_finds_the_layout),
		cmocka_unit_test(test_hotspot__read_says_that_it_is_too_early),
		cmocka_unit_test(test_hotspot__read_needs_every_field),
		cmocka_unit_test(test_hotspot__read_needs_the_size_of_a_pool),
		cmocka_unit_test(test_hotspot__read_refuses_absurd_code),
		cmocka_unit_test(test_hotspot__read_ends_in_endless_tables),
		cmocka_unit_test(test_hotspot__read_survives_every_cut),
		cmocka_unit_test(test_hotspot__name_is_that_of_perf_maps),
		cmocka_unit_test(test_hotspot__name_of_damaged_descriptors),
		cmocka_unit_test(test_hotspot__name_refuses_invalid_descriptors),
		cmocka_unit_test(test_hotspot__name_cuts_long_symbols),
		cmocka_unit_test(test_hotspot__name_reads_no_more_of_a_symbol_than_it_uses),
		cmocka_unit_test(test_hotspot_texts__refuse_a_zero_byte),
		cmocka_unit_test(test_hotspot__name_follows_no_null),
		cmocka_unit_test(test_hotspot__name_survives_every_cut),
		cmocka_unit_test(test_hotspot__name_survives_every_failed_allocation),
		cmocka_unit_test(test_hotspot__seed_of_the_fuzzer_is_good),
	};

	return cmocka_run_group_tests_name("hotspot", tests, NULL, NULL);
}
