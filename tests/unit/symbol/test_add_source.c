/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/image.h"
#include "lib/elf_dir.h"
#include "profile/builder.h"
#include "symbol/resolver.h"

/* `place` is in inner(), inlined in outer(), which calls callee() at line 302. */
static const char source[] = "#define INLINE static inline __attribute__((always_inline))\n"
			     "#line 100 \"dir/inner.h\"\n"
			     "INLINE int inner(int n) {\n"
			     "__asm__ volatile(\".globl place\\nplace: nop\");\n"
			     "return n + 1;\n"
			     "}\n"
			     "extern __attribute__((noinline)) int callee(int);\n"
			     "#line 300 \"outer.c\"\n"
			     "int outer(int n) {\n"
			     "n = inner(n);\n"
			     "n = callee(n); __asm__ volatile(\".globl after\\nafter: nop\");\n"
			     "return n;\n"
			     "}\n"
			     "#line 400 \"outer.c\"\n"
			     "int callee(int n) {\n"
			     "__asm__ volatile(\".globl plain\\nplain: nop\"); return n + 1;\n"
			     "}\n";

static struct stat prog;

static int setup(void **state)
{
	(void)state;
	return elf_dir_setup(source);
}

static void build(const char *flags)
{
	elf_dir_build("rm -f p p.debug && $CC -O1 -fno-optimize-sibling-calls -shared"
		      " -nostdlib -Wl,--build-id=0x0123456789 %s -o p p.c",
		      flags);
}

/* The offset in the file: text of this little program lies where its address says. */
static u64 offset_of(const char *symbol)
{
	u64 addr = workdir__addr_of(&dir, "p", symbol);

	assert_true(addr);
	return addr;
}

struct scene {
	struct profile *p;
	struct resolver *r;
};

/* One stack: after (a return address into outer), then plain; and a second one: place. */
static void scene__init(struct scene *s, u64 after, u64 plain, u64 place)
{
	struct profile_module m = { .kind = MODULE_ELF };
	struct profile_wait w = { .sysno = -1, .state = 1 };
	struct builder *b = builder__new();
	u32 module, frames[3], node, leaf, other;

	assert_non_null(b);
	assert_int_equal(stat(workdir__path(&dir, "p"), &prog), 0);
	m.dev = prog.st_dev;
	m.ino = prog.st_ino;
	builder__str(b, workdir__path(&dir, "p"), &m.path);
	builder__module(b, &m, &module);
	builder__frame(b, module, after, FRAME_RETURN, FRAME_NOT_TRIED, &frames[0]);
	builder__frame(b, module, plain, 0, FRAME_NOT_TRIED, &frames[1]);
	builder__frame(b, module, place, 0, FRAME_NOT_TRIED, &frames[2]);
	builder__stack(b, 0, frames[0], &node);
	builder__stack(b, node, frames[1], &leaf);
	builder__stack(b, 0, frames[2], &other);
	w.count = w.samples = w.hist[0] = 1;
	w.ustack = leaf;
	builder__wait(b, &w);
	w.ustack = other;
	builder__wait(b, &w);
	assert_int_equal(builder__freeze(b, &s->p, NULL), 0);
	builder__free(b);
}

static void scene__name(struct scene *s, bool lines, bool inlines)
{
	struct resolver_options opt = { .debug_dir = "/nowhere" };
	struct err err = { 0 };

	opt.lines = lines;
	opt.inlines = inlines;
	assert_int_equal(resolver__new(&opt, NULL, &s->r, NULL), 0);
	assert_int_equal(resolver__name_profile(s->r, s->p, NULL), 0);
	if (profile__check(s->p, &err))
		fail_msg("%s", err.msg);
}

static void scene__done(struct scene *s)
{
	resolver__free(s->r);
	profile__free(s->p);
}

/* The stack of a wait, leaf first: "inner'inner.h:101 outer:outer.c:301" */
static void check_stack(const struct profile *p, u32 wait, const char *want)
{
	char buf[512] = "";
	size_t len = 0;
	u32 at;

	for (at = p->waits[wait].ustack; at; at = p->stacks[at].parent) {
		const struct profile_frame *f = &p->frames[p->stacks[at].frame];
		const char *file = profile__str(p, f->file), *slash = strrchr(file, '/');

		len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%s%s", len ? " " : "",
					profile__str(p, f->name),
					f->flags & FRAME_INLINED ? "'" : "");
		if (f->file)
			len += (size_t)snprintf(buf + len, sizeof(buf) - len, "@%s:%u",
						slash ? slash + 1 : file, f->line);
	}
	assert_string_equal(buf, want);
}

static void check_all(bool lines, bool inlines, const char *first, const char *second)
{
	struct scene s;

	scene__init(&s, offset_of("after"), offset_of("plain"), offset_of("place"));
	scene__name(&s, lines, inlines);
	check_stack(s.p, 1, first);
	check_stack(s.p, 2, second);
	/* again: nothing is added twice */
	assert_int_equal(resolver__name_profile(s.r, s.p, NULL), 0);
	check_stack(s.p, 2, second);
	scene__done(&s);
}

static void test_resolver__name_profile_adds_requested_details(void **state)
{
	(void)state;
	build("-g");
	check_all(false, false, "callee outer", "outer");
	check_all(true, false, "callee@outer.c:401 outer@outer.c:302", "outer@inner.h:101");
	check_all(false, true, "callee outer", "inner' outer");
	check_all(true, true, "callee@outer.c:401 outer@outer.c:302",
		  "inner'@inner.h:101 outer@outer.c:301");
}

static void test_resolver__name_profile_reads_lines_of_separate_files(void **state)
{
	u64 after, plain, place;
	struct scene s;

	(void)state;
	build("-g");
	after = offset_of("after");
	plain = offset_of("plain");
	place = offset_of("place");
	assert_true(workdir__run(&dir, "objcopy --only-keep-debug p p.debug && strip p &&"
				       " objcopy --add-gnu-debuglink=p.debug p"));
	scene__init(&s, after, plain, place);
	scene__name(&s, true, true);
	check_stack(s.p, 1, "callee@outer.c:401 outer@outer.c:302");
	check_stack(s.p, 2, "inner'@inner.h:101 outer@outer.c:301");
	scene__done(&s);
}

static void test_resolver__name_profile_does_without_debug_info(void **state)
{
	(void)state;
	build("-g0");
	check_all(true, true, "callee outer", "outer");
	/* places that are in no segment, and the same place twice */
	{
		struct scene s;

		build("-g");
		scene__init(&s, ~0ULL, offset_of("plain"), 1ULL << 40);
		scene__name(&s, true, true);
		check_stack(s.p, 1, "callee@outer.c:401 ");
		check_stack(s.p, 2, "");
		scene__done(&s);
		scene__init(&s, offset_of("place") + 1, offset_of("place"), offset_of("place"));
		scene__name(&s, true, true);
		check_stack(s.p, 1,
			    "inner'@inner.h:101 outer@outer.c:301"
			    " inner'@inner.h:101 outer@outer.c:301");
		scene__done(&s);
	}
}

static void test_resolver__name_profile_survives_every_failed_allocation(void **state)
{
	u64 after, plain, place, nth;
	u32 quiet = 0;

	(void)state;
	build("-g");
	after = offset_of("after");
	plain = offset_of("plain");
	place = offset_of("place");
	/* the reading process may have met the failure: then we do not see it, and have no lines */
	for (nth = 1; quiet < 10; nth++) {
		struct resolver_options opt = { .debug_dir = "", .lines = true, .inlines = true };
		struct scene s = { 0 };
		int r;

		scene__init(&s, after, plain, place);
		mem_fail_nth(nth);
		r = resolver__new(&opt, NULL, &s.r, NULL);
		if (!r)
			r = resolver__name_profile(s.r, s.p, NULL);
		quiet += !mem_fail_fired();
		mem_fail_nth(0);
		assert_true(r == 0 || r == -ENOMEM);
		assert_int_equal(profile__check(s.p, NULL), 0);
		if (quiet == 10)
			check_stack(s.p, 2, "inner'@inner.h:101 outer@outer.c:301");
		scene__done(&s);
	}
	assert_true(nth > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolver__name_profile_adds_requested_details),
		cmocka_unit_test(test_resolver__name_profile_reads_lines_of_separate_files),
		cmocka_unit_test(test_resolver__name_profile_does_without_debug_info),
		cmocka_unit_test(test_resolver__name_profile_survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("add_source", tests, setup, elf_dir_teardown);
}
