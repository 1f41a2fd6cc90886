/* SPDX-License-Identifier: Apache-2.0 */

/* When the programs see the memory of unwind tables: their map of maps says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/bpf.h>

#include "capture/mapping/segments.h"

struct scene {
	struct segments segments;
	int outer_fd;
	int rules_fd;
};

static void scene__init(struct scene *s)
{
	LIBBPF_OPTS(bpf_map_create_opts, mapped, .map_flags = BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_map_create_opts, outer);
	int inner_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "inner", 4, CS_SEGMENT_SZ, 1, &mapped);

	assert_true(inner_fd >= 0);
	outer.inner_map_fd = (u32)inner_fd;
	s->outer_fd =
		bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "outer", 4, 4, CS_SEGMENTS_MAX, &outer);
	close(inner_fd);
	s->rules_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rules", 4, sizeof(struct cs_unwind_rule),
				     CS_RULES_MAX, &mapped);
	assert_true(s->outer_fd >= 0 && s->rules_fd >= 0);
	assert_int_equal(segments__init(&s->segments, s->outer_fd, s->rules_fd, NULL), 0);
}

static void scene__done(struct scene *s)
{
	segments__done(&s->segments);
	close(s->outer_fd);
	close(s->rules_fd);
}

static bool is_seen(const struct scene *s, u32 segno)
{
	u32 id;

	return !bpf_map_lookup_elem(s->outer_fd, &segno, &id);
}

/* Each takes a grace period of the kernel: none is waited for before all are begun. */
static void test_segments__are_put_meanwhile_until_settled(void **state)
{
	struct scene s;

	(void)state;
	scene__init(&s);
	for (u32 i = 0; i < 8; i++)
		assert_non_null(segments__make(&s.segments, i));
	assert_int_equal(s.segments.putting.len, 8);
	assert_int_equal(segments__settle(&s.segments, NULL), 0);
	for (u32 i = 0; i < 8; i++)
		assert_true(is_seen(&s, i));
	scene__done(&s);
}

static void test_segments__are_seen_at_once_when_settled(void **state)
{
	struct scene s;

	(void)state;
	scene__init(&s);
	assert_int_equal(segments__settle(&s.segments, NULL), 0);
	assert_non_null(segments__make(&s.segments, 3));
	assert_true(is_seen(&s, 3));
	assert_int_equal(s.segments.putting.len, 0);
	scene__done(&s);
}

static void test_segments__that_cannot_be_put_are_an_error(void **state)
{
	struct err err = { 0 };
	struct scene s;

	(void)state;
	scene__init(&s);
	s.segments.outer_fd = -1;
	assert_non_null(segments__make(&s.segments, 0));
	assert_int_not_equal(segments__settle(&s.segments, &err), 0);
	assert_true(*err.msg);
	scene__done(&s);
}

/* A trace that cannot begin is over before they are there. */
static void test_segments__done_waits_for_what_is_begun(void **state)
{
	struct scene s;

	(void)state;
	scene__init(&s);
	assert_non_null(segments__make(&s.segments, 5));
	segments__done(&s.segments);
	assert_true(is_seen(&s, 5));
	close(s.outer_fd);
	close(s.rules_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_segments__are_put_meanwhile_until_settled),
		cmocka_unit_test(test_segments__are_seen_at_once_when_settled),
		cmocka_unit_test(test_segments__that_cannot_be_put_are_an_error),
		cmocka_unit_test(test_segments__done_waits_for_what_is_begun),
	};

	return cmocka_run_group_tests_name("segments", tests, NULL, NULL);
}
