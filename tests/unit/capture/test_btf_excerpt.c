/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <bpf/btf.h>

#include "base/mem.h"
#include "capture/feature/btf_excerpt.h"

/* A small kernel, made by libbpf, and what is taken of it, read by libbpf. */
struct kernel {
	struct btf *whole;
	struct btf_excerpt x;
	struct btf *part;
};

static int take_from(const void *data, size_t sz, struct btf_excerpt *x, const char *name)
{
	const char *const names[] = { name, NULL };
	const char *const *const lists[] = { names, NULL };

	return btf_excerpt__init(x, view__of(data, sz), lists, NULL);
}

static void kernel__take(struct kernel *k, const char *name)
{
	u32 sz;
	const void *data = btf__raw_data(k->whole, &sz);
	struct vec bytes;

	assert_int_equal(take_from(data, sz, &k->x, name), 0);
	vec__init(&bytes, 1);
	assert_int_equal(btf_excerpt__write(&k->x, &bytes), 0);
	k->part = btf__new(bytes.data, (u32)bytes.len);
	assert_non_null(k->part);
	assert_int_equal(btf__type_cnt(k->part), k->x.ids.len);
	vec__done(&bytes);
}

static void kernel__done(struct kernel *k)
{
	btf__free(k->part);
	btf__free(k->whole);
	btf_excerpt__done(&k->x);
}

/*
 * struct inner { int n; };
 * typedef struct inner inner_t;
 * struct other { int o; };
 * struct outer { const inner_t in[2]; struct other *far; struct { int a : 3; }; };
 */
static void add_structs(struct btf *btf)
{
	int word = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), inner, other, nameless, array;

	inner = btf__add_struct(btf, "inner", 4);
	btf__add_field(btf, "n", word, 0, 0);
	other = btf__add_struct(btf, "other", 4);
	btf__add_field(btf, "o", word, 0, 0);
	nameless = btf__add_struct(btf, NULL, 4);
	btf__add_field(btf, "a", word, 0, 3);
	inner = btf__add_const(btf, btf__add_typedef(btf, "inner_t", inner));
	array = btf__add_array(btf, word, inner, 2);
	other = btf__add_ptr(btf, other);
	btf__add_struct(btf, "outer", 24);
	btf__add_field(btf, "in", array, 0, 0);
	btf__add_field(btf, "far", other, 64, 0);
	btf__add_field(btf, NULL, nameless, 128, 0);
}

static void kernel__init(struct kernel *k, const char *name)
{
	k->whole = btf__new_empty();
	assert_non_null(k->whole);
	btf__add_enum(k->whole, "color", 4);
	btf__add_enum_value(k->whole, "RED", 1);
	btf__add_enum_value(k->whole, "BLUE", 7);
	add_structs(k->whole);
	kernel__take(k, name);
}

static const struct btf_type *find(const struct kernel *k, const char *name, u32 kind)
{
	s32 id = btf__find_by_name_kind(k->part, name, kind);

	return id < 0 ? NULL : btf__type_by_id(k->part, (u32)id);
}

static void test_btf_excerpt__init_takes_what_lies_inside(void **state)
{
	const struct btf_type *outer, *array, *inner;
	struct kernel k;

	(void)state;
	kernel__init(&k, "outer");
	outer = find(&k, "outer", BTF_KIND_STRUCT);
	assert_non_null(outer);
	assert_int_equal(outer->size, 24);
	assert_int_equal(btf_vlen(outer), 3);
	assert_string_equal(btf__name_by_offset(k.part, btf_members(outer)[1].name_off), "far");
	assert_int_equal(btf_member_bit_offset(outer, 2), 128);
	array = btf__type_by_id(k.part, btf_members(outer)[0].type);
	assert_int_equal(btf_array(array)->nelems, 2);
	assert_int_equal(btf__resolve_size(k.part, btf_members(outer)[0].type), 8);
	inner = find(&k, "inner", BTF_KIND_STRUCT);
	assert_string_equal(btf__name_by_offset(k.part, btf_members(inner)->name_off), "n");
	kernel__done(&k);
}

static void test_btf_excerpt__init_keeps_bitfields(void **state)
{
	const struct btf_type *outer, *nameless;
	struct kernel k;

	(void)state;
	kernel__init(&k, "outer");
	outer = find(&k, "outer", BTF_KIND_STRUCT);
	nameless = btf__type_by_id(k.part, btf_members(outer)[2].type);
	assert_int_equal(nameless->name_off, 0);
	assert_int_equal(btf_member_bitfield_size(nameless, 0), 3);
	kernel__done(&k);
}

static void test_btf_excerpt__init_leaves_out_pointed_to_types(void **state)
{
	const struct btf_type *outer, *pointer;
	struct kernel k;

	(void)state;
	kernel__init(&k, "outer");
	outer = find(&k, "outer", BTF_KIND_STRUCT);
	pointer = btf__type_by_id(k.part, btf_members(outer)[1].type);
	assert_true(btf_is_ptr(pointer));
	assert_int_equal(pointer->type, 0);
	assert_null(find(&k, "other", BTF_KIND_STRUCT));
	assert_null(find(&k, "color", BTF_KIND_ENUM));
	kernel__done(&k);
}

static void test_btf_excerpt__init_takes_all_types_with_a_name(void **state)
{
	struct kernel k = { .whole = btf__new_empty() };

	(void)state;
	btf__add_struct(k.whole, "twin", 4);
	btf__add_struct(k.whole, "other", 4);
	btf__add_struct(k.whole, "twin", 8);
	kernel__take(&k, "twin");
	assert_int_equal(k.x.ids.len, 3);
	assert_int_equal(btf_excerpt__id(&k.x, 1), 1);
	assert_int_equal(btf_excerpt__id(&k.x, 2), 3);
	assert_int_equal(btf__type_by_id(k.part, 2)->size, 8);
	kernel__done(&k);
}

/* Whatever the length of a name is beside the eight letters that are compared first. */
static void test_btf_excerpt__init_compares_whole_names(void **state)
{
	struct kernel k = { .whole = btf__new_empty() };

	(void)state;
	btf__add_struct(k.whole, "eight_le", 1);
	btf__add_struct(k.whole, "eight_letters", 2);
	btf__add_struct(k.whole, "eight_letters_and", 3);
	btf__add_struct(k.whole, "e", 4);
	kernel__take(&k, "eight_letters");
	assert_int_equal(k.x.ids.len, 2);
	assert_int_equal(btf__type_by_id(k.part, 1)->size, 2);
	kernel__done(&k);
	k = (struct kernel){ .whole = btf__new_empty() };
	btf__add_struct(k.whole, "ee", 1);
	btf__add_struct(k.whole, "e", 4);
	kernel__take(&k, "e");
	assert_int_equal(k.x.ids.len, 2);
	assert_int_equal(btf__type_by_id(k.part, 1)->size, 4);
	kernel__done(&k);
}

static void test_btf_excerpt__init_keeps_values_of_enums(void **state)
{
	const struct btf_type *color;
	struct kernel k;

	(void)state;
	kernel__init(&k, "color");
	color = find(&k, "color", BTF_KIND_ENUM);
	assert_int_equal(btf_vlen(color), 2);
	assert_int_equal(btf_enum(color)[1].val, 7);
	assert_string_equal(btf__name_by_offset(k.part, btf_enum(color)[1].name_off), "BLUE");
	kernel__done(&k);
}

/* A tracepoint: the number of its arguments is asked for. */
static void test_btf_excerpt__init_keeps_prototypes(void **state)
{
	struct kernel k = { .whole = btf__new_empty() };
	int word = btf__add_int(k.whole, "int", 4, 0), proto = btf__add_func_proto(k.whole, word);
	const struct btf_type *t;

	(void)state;
	btf__add_func_param(k.whole, "a", word);
	btf__add_func_param(k.whole, "b", word);
	btf__add_typedef(k.whole, "btf_trace_x", btf__add_ptr(k.whole, proto));
	btf__add_func(k.whole, "do_x", BTF_FUNC_GLOBAL, proto);
	kernel__take(&k, "btf_trace_x");
	t = find(&k, "btf_trace_x", BTF_KIND_TYPEDEF);
	t = btf__type_by_id(k.part, btf__type_by_id(k.part, t->type)->type);
	assert_true(btf_is_func_proto(t));
	assert_int_equal(btf_vlen(t), 2);
	assert_null(find(&k, "int", BTF_KIND_INT));
	kernel__done(&k);
}

static void test_btf_excerpt__init_of_nothing_wanted_is_empty(void **state)
{
	struct kernel k;

	(void)state;
	kernel__init(&k, "nobody");
	assert_int_equal(k.x.ids.len, 1);
	assert_int_equal(k.x.types_cnt, btf__type_cnt(k.whole));
	assert_int_equal(btf_excerpt__id(&k.x, 0), 0);
	assert_int_equal(btf_excerpt__id(&k.x, 1), 0);
	kernel__done(&k);
}

static void test_btf_excerpt__init_takes_no_other_bytes(void **state)
{
	struct kernel k;
	struct btf_excerpt x;
	const void *data;
	u8 *copy;
	u32 sz;

	(void)state;
	kernel__init(&k, "outer");
	data = btf__raw_data(k.whole, &sz);
	copy = mem_alloc(sz);
	assert_non_null(copy);
	assert_int_equal(take_from("", 0, &x, "outer"), -EINVAL);
	for (u32 cut = 1; cut < sz; cut++)
		assert_int_equal(take_from(data, sz - cut, &x, "outer"), -EINVAL);
	memcpy(copy, data, sz);
	copy[2] = 2; /* version */
	assert_int_equal(take_from(copy, sz, &x, "outer"), -EINVAL);
	memcpy(copy, data, sz);
	copy[sizeof(struct btf_header) + 7] |= 0x1f; /* a kind that is not known */
	assert_int_equal(take_from(copy, sz, &x, "outer"), -EINVAL);
	mem_free(copy);
	kernel__done(&k);
}

static void test_btf_excerpt__init_refuses_types_that_are_not_there(void **state)
{
	struct kernel k = { .whole = btf__new_empty() };
	struct btf_excerpt x;
	const void *data;
	u32 sz;

	(void)state;
	btf__add_typedef(k.whole, "to_nowhere", 99);
	data = btf__raw_data(k.whole, &sz);
	assert_int_equal(take_from(data, sz, &x, "to_nowhere"), -EINVAL);
	assert_int_equal(take_from(data, sz, &x, "other"), 0);
	btf_excerpt__done(&x);
	btf__free(k.whole);
}

static void test_btf_excerpt__init_reports_failed_allocations(void **state)
{
	struct kernel k;
	struct btf_excerpt x;
	const void *data;
	u64 nth = 0;
	u32 sz;
	int r;

	(void)state;
	kernel__init(&k, "outer");
	data = btf__raw_data(k.whole, &sz);
	do {
		mem_fail_nth(++nth);
		r = take_from(data, sz, &x, "outer");
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	} while (nth < 100);
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 4);
	btf_excerpt__done(&x);
	kernel__done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_btf_excerpt__init_takes_what_lies_inside),
		cmocka_unit_test(test_btf_excerpt__init_keeps_bitfields),
		cmocka_unit_test(test_btf_excerpt__init_leaves_out_pointed_to_types),
		cmocka_unit_test(test_btf_excerpt__init_takes_all_types_with_a_name),
		cmocka_unit_test(test_btf_excerpt__init_compares_whole_names),
		cmocka_unit_test(test_btf_excerpt__init_keeps_values_of_enums),
		cmocka_unit_test(test_btf_excerpt__init_keeps_prototypes),
		cmocka_unit_test(test_btf_excerpt__init_of_nothing_wanted_is_empty),
		cmocka_unit_test(test_btf_excerpt__init_takes_no_other_bytes),
		cmocka_unit_test(test_btf_excerpt__init_refuses_types_that_are_not_there),
		cmocka_unit_test(test_btf_excerpt__init_reports_failed_allocations),
	};

	return cmocka_run_group_tests_name("btf_excerpt", tests, NULL, NULL);
}
