/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "elf/srcline.h"
#include "elf/srcline_priv.h"
#include "lib/elf_dir.h"

/* `place` lies in inner(), inlined in middle(), inlined in outer(); `plain` in a function alone. */
static const char source[] = "#define INLINE static inline __attribute__((always_inline))\n"
			     "#line 100 \"dir/inner.h\"\n"
			     "INLINE void inner(void) {\n"
			     "__asm__ volatile(\".globl place\\nplace: nop\");\n"
			     "}\n"
			     "#line 200 \"dir/middle.h\"\n"
			     "INLINE void middle(void) {\n"
			     "inner();\n"
			     "}\n"
			     "#line 300 \"outer.c\"\n"
			     "void outer(void) {\n"
			     "{ volatile int block = 1; (void)block; middle(); }\n"
			     "}\n"
			     "#line 400 \"outer.c\"\n"
			     "void alone(void) {\n"
			     "__asm__ volatile(\".globl plain\\nplain: nop\");\n"
			     "}\n";

static u64 addrs[2]; /* of place and plain */

static int setup(void **state)
{
	(void)state;
	return elf_dir_setup(source);
}

static void build(const char *flags)
{
	elf_dir_build("$CC -O1 -shared -nostdlib -Wl,--build-id=0x0123456789 %s -o p p.c", flags);
}

static void look_up(void)
{
	addrs[0] = workdir__addr_of(&dir, "p", "place");
	addrs[1] = workdir__addr_of(&dir, "p", "plain");
	assert_true(addrs[0] && addrs[1] > addrs[0]);
}

/* What was said, as text: "name file:line < name file:line; ..." by address. */
struct said {
	char of[2][512];
	int fail_with;
	u32 times;
};

static int hear(void *arg, size_t idx, const struct srcline_call *calls, size_t len)
{
	struct said *said = arg;
	char *buf = said->of[idx];
	size_t used = 0, i;

	assert_true(idx < 2);
	said->times++;
	for (i = 0; i < len; i++) {
		const char *slash = strrchr(calls[i].file, '/');

		used += (size_t)snprintf(buf + used, sizeof(said->of[0]) - used, "%s%s %s:%u",
					 i ? " > " : "", calls[i].name,
					 slash ? slash + 1 : calls[i].file, calls[i].line);
	}
	return said->fail_with;
}

static int read_places(const struct srcline_want *wanted, struct said *said, struct err *err)
{
	struct srcline_want want = *wanted;
	struct symtab_options opt = { .path = workdir__path(&dir, "p"), .debug_dir = "/nowhere" };
	struct srcline_file file;
	struct image *img;
	int r, fd = workdir__open(&dir, "p");

	want.tell = hear;
	want.arg = said;
	r = image__open(fd, "p", &img, NULL);
	close(fd);
	if (r)
		return r;
	r = srcline_file__open(img, &opt, &file);
	if (!r)
		r = srcline_read(&file, addrs, 2, &want, err);
	srcline_file__done(&file);
	image__free(img);
	/* no child is left behind */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return r;
}

static const struct srcline_want both = {
	.lines = true,
	.inlines = true,
	.limit_ns = 20 * NSEC_PER_SEC,
};

#define ALL_OF_PLACE " outer.c:301 > middle middle.h:201 > inner inner.h:101"

static void check_all(void)
{
	struct said said = { 0 };
	struct err err = { 0 };

	look_up();
	if (read_places(&both, &said, &err))
		fail_msg("%s", err.msg);
	assert_string_equal(said.of[0], ALL_OF_PLACE);
	assert_string_equal(said.of[1], " outer.c:401");
}

static void test_srcline_read_tells_lines_and_inlined_calls(void **state)
{
	static const char *const flags[] = {
		"-gdwarf-4",	  "-gdwarf-5", "-gdwarf-5 -gz", "-gdwarf-4 -fdebug-types-section",
		"-g -flto -fPIC",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		build(flags[i]);
		check_all();
	}
}

static void test_srcline_read_does_not_need_aranges(void **state)
{
	(void)state;
	build("-g");
	assert_true(workdir__run(&dir, "objcopy -R .debug_aranges p"));
	check_all();
}

static void test_srcline_read_reads_what_other_compilers_write(void **state)
{
	(void)state;
	if (!workdir_have("clang-16 objcopy strip nm"))
		skip();
	assert_true(workdir__run(&dir, "clang-16 -O1 -g -shared -nostdlib -o p p.c"));
	check_all();
}

/* Functions in namespaces and classes are not below the unit itself. */
static void test_srcline_read_finds_functions_of_classes(void **state)
{
	static const char cxx[] =
		"#define INLINE inline __attribute__((always_inline))\n"
		"#line 100 \"inner.h\"\n"
		"namespace app { namespace { template <typename T> INLINE void inner() {\n"
		"__asm__ volatile(\".globl place\\nplace: nop\"); } }\n"
		"#line 200 \"middle.h\"\n"
		"struct pool { static INLINE void middle() {\n"
		"inner<int>(); }\n"
		"#line 300 \"outer.cc\"\n"
		"__attribute__((noinline, used)) static void outer() {\n"
		"middle(); } }; }\n"
		"#line 400 \"outer.cc\"\n"
		"void alone() { app::pool::outer();\n"
		"__asm__ volatile(\".globl plain\\nplain: nop\"); }\n";
	struct said said = { 0 };

	(void)state;
	if (!workdir_have("g++ nm"))
		skip();
	workdir__write(&dir, "q.cc", cxx, sizeof(cxx) - 1);
	assert_true(workdir__run(&dir, "g++ -O1 -g -fPIC -shared -nostdlib -o p q.cc"));
	addrs[0] = workdir__addr_of(&dir, "p", "place");
	addrs[1] = workdir__addr_of(&dir, "p", "plain");
	if (addrs[0] > addrs[1]) {
		u64 first = addrs[1];

		addrs[1] = addrs[0];
		addrs[0] = first;
	}
	assert_int_equal(read_places(&both, &said, NULL), 0);
	assert_string_equal(said.of[0], " outer.cc:401");
	assert_string_equal(said.of[1], " outer.cc:301 > _ZN3app4pool6middleEv middle.h:201"
					" > inner<int> inner.h:101");
}

static void test_srcline_read_reports_only_requested_lines(void **state)
{
	struct srcline_want want = both;
	struct said said = { 0 };

	(void)state;
	build("-g");
	look_up();
	want.inlines = false;
	assert_int_equal(read_places(&want, &said, NULL), 0);
	assert_string_equal(said.of[0], " inner.h:101");
	want = both;
	want.lines = false;
	said = (struct said){ 0 };
	assert_int_equal(read_places(&want, &said, NULL), 0);
	assert_string_equal(said.of[0], " :0 > middle :0 > inner :0");
	/* nothing is known of it then */
	assert_string_equal(said.of[1], "");
	assert_int_equal(said.times, 1);
}

static void test_srcline_file__open_finds_separate_files(void **state)
{
	(void)state;
	build("-g");
	look_up();
	assert_true(workdir__run(&dir, "objcopy --only-keep-debug p p.debug && strip p &&"
				       " objcopy --add-gnu-debuglink=p.debug p"));
	{
		struct said said = { 0 };

		assert_int_equal(read_places(&both, &said, NULL), 0);
		assert_string_equal(said.of[0], ALL_OF_PLACE);
	}
}

static void test_srcline_file__open_wants_debug_info(void **state)
{
	struct said said = { 0 };

	(void)state;
	build("-g0");
	look_up();
	assert_int_equal(read_places(&both, &said, NULL), -ENOENT);
}

static void test_srcline_read_hands_on_errors_of_the_hearer(void **state)
{
	struct said said = { .fail_with = -ENOSPC };

	(void)state;
	build("-g");
	look_up();
	assert_int_equal(read_places(&both, &said, NULL), -ENOSPC);
	assert_int_equal(said.times, 1);
}

static void test_srcline_read_ends_in_time(void **state)
{
	struct srcline_want want = both;
	struct said said = { 0 };
	struct err err = { 0 };

	(void)state;
	build("-g");
	look_up();
	want.limit_ns = 0;
	assert_int_equal(read_places(&want, &said, &err), -ETIME);
	assert_string_equal(err.msg, "it takes too long");
}

/* Each byte of the debug information wrong once would take long: every 131st, in turn. */
static void test_srcline_read_survives_broken_files(void **state)
{
	struct srcline_want want = both;
	char *good;
	size_t sz, i;

	(void)state;
	build("-g");
	look_up();
	good = workdir__read(&dir, "p", &sz);
	want.limit_ns = NSEC_PER_SEC / 5;
	for (i = 600; i < sz; i += 131) {
		struct said said = { 0 };
		char keep = good[i];

		good[i] = (char)~good[i];
		workdir__write(&dir, "p", good, sz);
		read_places(&want, &said, NULL);
		good[i] = keep;
	}
	mem_free(good);
}

static void test_srcline_read_survives_a_file_cut_short(void **state)
{
	struct said said = { 0 };

	(void)state;
	build("-g");
	look_up();
	workdir__write(&dir, "empty", "", 0);
	{
		/* the file is mapped in the child: touching what is gone kills it, and only it */
		struct srcline_file file = { .fd = workdir__open(&dir, "empty"), .alt_fd = -1 };
		struct srcline_want want = both;
		u64 vaddr = 1;

		want.tell = hear;
		want.arg = &said;
		assert_int_equal(srcline_read(&file, &vaddr, 1, &want, NULL), -EINVAL);
		srcline_file__done(&file);
	}
	assert_int_equal(said.times, 0);
}

static void test_srcline_read_survives_every_failed_allocation(void **state)
{
	bool fired = true;
	u64 nth;

	(void)state;
	build("-g");
	look_up();
	for (nth = 1; fired; nth++) {
		struct said said = { 0 };
		int r;

		mem_fail_nth(nth);
		r = read_places(&both, &said, NULL);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		if (fired && r != -ENOMEM)
			assert_string_equal(said.of[0], ALL_OF_PLACE);
	}
	assert_true(nth > 2);
}

static void test_srcline_parse_takes_whole_records_only(void **state)
{
	const struct srcline_call calls[] = { { "", "a.c", 1 }, { "f", "b.c", 2 } };
	struct said said;
	struct sink out;
	size_t sz, i;
	char *data;

	(void)state;
	sink__init_mem(&out);
	srcline_put(&out, 1, calls, 2);
	sink__finish(&out, NULL);
	data = sink__steal(&out, &sz);
	for (i = 0; i < sz; i++) {
		said = (struct said){ 0 };
		assert_int_equal(srcline_parse(view__of(data, i), 2, hear, &said), 0);
		assert_int_equal(said.times, 0);
	}
	said = (struct said){ 0 };
	assert_int_equal(srcline_parse(view__of(data, sz), 2, hear, &said), 0);
	assert_string_equal(said.of[1], " a.c:1 > f b.c:2");
	/* an address that was not asked about, and calls without end */
	assert_int_equal(srcline_parse(view__of(data, sz), 1, hear, &said), -EINVAL);
	data[4] = SRCLINE_CALLS_MAX + 1;
	assert_int_equal(srcline_parse(view__of(data, sz), 2, hear, &said), -EINVAL);
	data[4] = 0;
	assert_int_equal(srcline_parse(view__of(data, sz), 2, hear, &said), -EINVAL);
	mem_free(data);
	sink__done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_srcline_read_tells_lines_and_inlined_calls),
		cmocka_unit_test(test_srcline_read_does_not_need_aranges),
		cmocka_unit_test(test_srcline_read_reads_what_other_compilers_write),
		cmocka_unit_test(test_srcline_read_finds_functions_of_classes),
		cmocka_unit_test(test_srcline_read_reports_only_requested_lines),
		cmocka_unit_test(test_srcline_file__open_finds_separate_files),
		cmocka_unit_test(test_srcline_file__open_wants_debug_info),
		cmocka_unit_test(test_srcline_read_hands_on_errors_of_the_hearer),
		cmocka_unit_test(test_srcline_read_ends_in_time),
		cmocka_unit_test(test_srcline_read_survives_broken_files),
		cmocka_unit_test(test_srcline_read_survives_a_file_cut_short),
		cmocka_unit_test(test_srcline_read_survives_every_failed_allocation),
		cmocka_unit_test(test_srcline_parse_takes_whole_records_only),
	};

	return cmocka_run_group_tests_name("srcline", tests, setup, elf_dir_teardown);
}
