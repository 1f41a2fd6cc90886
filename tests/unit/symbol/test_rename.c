/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "lib/workdir.h"
#include "profile/builder.h"
#include "symbol/rename.h"

/* Any hex digits are a build ID. */
#define BUILD_ID "00112233445566778899aabbccddeeff00112233"
#define SOURCE                                                                                     \
	"int work(int a) { return a * 2; }\\n"                                                     \
	"int main(void) { return work(3); }\\n"

static struct workdir dir;
static char debug_dir[512];

/* A program, its debug file below debug/, and nothing of it under the path of the module. */
static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	snprintf(debug_dir, sizeof(debug_dir), "%s", workdir__path(&dir, "debug"));
	if (!workdir__run(&dir, "printf '" SOURCE "' > a.c && $CC -no-pie -g -O0 "
				"-Wl,--build-id=0x" BUILD_ID " a.c -o a && "
				"mkdir -p debug/.build-id/00 && objcopy --only-keep-debug a "
				"debug/.build-id/00/112233445566778899aabbccddeeff00112233.debug"))
		return -1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

struct spec {
	const char *build_id;
	u64 addr;
	u32 flags;
	bool has_bias;
};

static struct profile *with_frame(const struct spec *s)
{
	struct builder *b = builder__new();
	struct profile_module m = { .kind = MODULE_ELF, .dev = 1, .ino = 2 };
	struct profile_wait w = { .sysno = -1, .state = 1, .count = 1, .samples = 1 };
	struct profile *p = NULL;
	u32 frame;

	assert_non_null(b);
	builder__str(b, "/nonexistent/a", &m.path);
	builder__str(b, s->build_id, &m.build_id);
	m.has_bias = s->has_bias;
	m.bias = s->has_bias ? 0x400000 : 0;
	builder__module(b, &m, &frame);
	builder__frame(b, frame, s->addr, s->flags, FRAME_FILE_GONE, &frame);
	builder__stack(b, 0, frame, &w.ustack);
	w.blocked_ns = w.max_ns = 5;
	w.hist[0] = 1;
	builder__wait(b, &w);
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	builder__free(b);
	profile__count_unnamed(p);
	return p;
}

static u64 offset_of_work(void)
{
	u64 addr = workdir__addr_of(&dir, "a", "work");

	assert_true(addr > 0x400000);
	return addr - 0x400000;
}

static void assert_name(const struct spec *s, const char *name, u64 off)
{
	const struct resolver_options opt = { .debug_dir = debug_dir };
	struct profile *p = with_frame(s);
	u32 named;

	assert_int_equal(rename_profile(p, &opt, &named, NULL), 0);
	assert_int_equal(named, *name != '\0');
	assert_string_equal(profile__str(p, p->frames[1].name), name);
	assert_int_equal(p->frames[1].name_off, off);
	assert_int_equal(p->frames[1].reason, *name ? FRAME_NAMED : FRAME_FILE_GONE);
	assert_int_equal(p->losses[LOSS_UNNAMED].events, !*name);
	assert_int_equal(profile__check(p, NULL), 0);
	profile__free(p);
}

static void test_rename_profile__finds_the_debug_file_by_build_id(void **state)
{
	u64 work = offset_of_work();

	(void)state;
	assert_name(&(struct spec){ BUILD_ID, work + 4, 0, true }, "work", 4);
	/* the call is the byte before */
	assert_name(&(struct spec){ BUILD_ID, work + 4, FRAME_RETURN, true }, "work", 4);
	assert_name(&(struct spec){ BUILD_ID, work - 0x800, 0, true }, "", 0);
}

static void test_rename_profile__takes_no_other_build(void **state)
{
	(void)state;
	assert_name(&(struct spec){ "0011223344", offset_of_work(), 0, true }, "", 0);
	assert_name(&(struct spec){ "", offset_of_work(), 0, true }, "", 0);
	assert_name(&(struct spec){ "00", offset_of_work(), 0, true }, "", 0);
	/* the file is at the place of this ID, and is not it */
	assert_true(workdir__run(&dir, "mkdir -p debug/.build-id/ff && cp debug/.build-id/00/* "
				       "debug/.build-id/ff/aabb.debug"));
	assert_name(&(struct spec){ "ffaabb", offset_of_work(), 0, true }, "", 0);
}

static void test_rename_profile__guesses_no_address(void **state)
{
	(void)state;
	/* a debug file has no headers that lead from an offset to an address */
	assert_name(&(struct spec){ BUILD_ID, offset_of_work(), 0, false }, "", 0);
	/* the whole program has */
	assert_true(workdir__run(&dir, "cp a debug/.build-id/00/"
				       "112233445566778899aabbccddeeff00112233.debug"));
	assert_name(&(struct spec){ BUILD_ID, offset_of_work(), 0, false }, "work", 0);
}

static void test_rename_profile__keeps_names(void **state)
{
	const struct resolver_options opt = { .debug_dir = debug_dir };
	struct profile *p = with_frame(&(struct spec){ BUILD_ID, offset_of_work(), 0, true });
	u32 named;

	(void)state;
	assert_int_equal(profile__name_frame(p, 1, "mine", 3, FRAME_NAMED), 0);
	assert_int_equal(rename_profile(p, &opt, &named, NULL), 0);
	assert_int_equal(named, 0);
	assert_string_equal(profile__str(p, p->frames[1].name), "mine");
	profile__free(p);
}

static void test_rename_profile__survives_every_failed_allocation(void **state)
{
	const struct resolver_options opt = { .debug_dir = debug_dir };
	struct profile *p;
	u64 nth;
	u32 named;
	int r;

	(void)state;
	for (nth = 1;; nth++) {
		p = with_frame(&(struct spec){ BUILD_ID, offset_of_work(), 0, true });
		mem_fail_nth(nth);
		r = rename_profile(p, &opt, &named, NULL);
		profile__free(p);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rename_profile__finds_the_debug_file_by_build_id),
		cmocka_unit_test(test_rename_profile__takes_no_other_build),
		cmocka_unit_test(test_rename_profile__guesses_no_address),
		cmocka_unit_test(test_rename_profile__keeps_names),
		cmocka_unit_test(test_rename_profile__survives_every_failed_allocation),
	};

	if (!workdir_have("objcopy nm")) {
		printf("1..0 # SKIP no objcopy or nm\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
