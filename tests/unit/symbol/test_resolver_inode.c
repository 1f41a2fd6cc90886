/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "lib/workdir.h"
#include "profile/builder.h"
#include "symbol/resolver.h"

/* Two programs that differ in nothing but the name of their function. */
static const char source[] = "int exported(void) { return 1; }\n";

static struct workdir dir;
static u64 exported;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	workdir__write(&dir, "p.c", source, sizeof(source) - 1);
	if (!workdir_have("cc nm"))
		return 0;
	if (!workdir__run(&dir, "$CC -shared -nostdlib -Wl,--build-id=0xdeadbeef -o lib p.c &&"
				" sed s/exported/imported/ p.c >q.c &&"
				" $CC -shared -nostdlib -Wl,--build-id=0xcafe -o lib2 q.c"))
		return -1;
	exported = workdir__addr_of(&dir, "lib", "exported");
	return workdir__addr_of(&dir, "lib2", "imported") == exported ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* A profile under construction, and the resolver that names it. */
struct scene {
	struct builder *b;
	struct profile *p;
	struct resolver *r;
};

static void scene__init(struct scene *s)
{
	struct resolver_options opt = { .debug_dir = "" };

	if (!exported)
		skip();
	*s = (struct scene){ .b = builder__new() };
	assert_non_null(s->b);
	assert_int_equal(resolver__new(&opt, NULL, &s->r, NULL), 0);
}

static void scene__done(struct scene *s)
{
	builder__free(s->b);
	profile__free(s->p);
	resolver__free(s->r);
}

/* A frame in a file; returns its id. */
static u32 scene__frame(struct scene *s, const char *path, const struct file_id *file)
{
	struct profile_module m = { .kind = MODULE_ELF };
	u32 module, frame;

	m.dev = file->dev;
	m.ino = file->ino;
	m.generation = file->generation;
	assert_int_equal(builder__str(s->b, path, &m.path), 0);
	assert_int_equal(builder__module(s->b, &m, &module), 0);
	assert_int_equal(builder__frame(s->b, module, exported, 0, FRAME_NOT_TRIED, &frame), 0);
	return frame;
}

static void scene__name(struct scene *s)
{
	assert_int_equal(builder__freeze(s->b, &s->p, NULL), 0);
	assert_int_equal(resolver__name_profile(s->r, s->p, NULL), 0);
}

static const char *name_of(const struct scene *s, u32 frame)
{
	return profile__str(s->p, s->p->frames[frame].name);
}

static void test_resolver__name_profile_keeps_reused_inodes_apart(void **state)
{
	struct file_id old = { .dev = 5, .ino = 6, .generation = 1 };
	struct file_id young = { .dev = 5, .ino = 6, .generation = 2 };
	struct file_id lost = { .dev = 5, .ino = 6, .generation = 3 };
	struct file_id unknown = { .dev = 5, .ino = 6 };
	struct scene s;
	u32 at_old, at_young, at_lost, at_unknown;

	(void)state;
	scene__init(&s);
	assert_int_equal(resolver__give_file(s.r, &old, workdir__open(&dir, "lib")), 0);
	assert_int_equal(resolver__give_file(s.r, &young, workdir__open(&dir, "lib2")), 0);
	assert_string_equal(resolver__build_id(s.r, &old), "deadbeef");
	assert_string_equal(resolver__build_id(s.r, &young), "cafe");
	assert_string_equal(resolver__build_id(s.r, &lost), "");
	assert_string_equal(resolver__build_id(s.r, &unknown), "");
	at_young = scene__frame(&s, "/gone", &young);
	at_old = scene__frame(&s, "/gone", &old);
	at_lost = scene__frame(&s, "/gone", &lost);
	at_unknown = scene__frame(&s, "/gone", &unknown);
	scene__name(&s);
	assert_string_equal(name_of(&s, at_old), "exported");
	assert_string_equal(name_of(&s, at_young), "imported");
	assert_int_equal(s.p->frames[at_lost].reason, FRAME_FILE_GONE);
	assert_int_equal(s.p->frames[at_unknown].reason, FRAME_FILE_GONE);
	scene__done(&s);
}

/* What names a file of unknown generation gets from its path, by the begin of the trace. */
static enum frame_reason reason_with_begin(u64 begin_wall_ns, const struct stat *st)
{
	struct file_id file = { .dev = st->st_dev, .ino = st->st_ino };
	enum frame_reason reason;
	struct scene s;
	u32 frame;

	scene__init(&s);
	builder__header(s.b)->begin_wall_ns = begin_wall_ns;
	frame = scene__frame(&s, workdir__path(&dir, "lib"), &file);
	scene__name(&s);
	reason = (enum frame_reason)s.p->frames[frame].reason;
	scene__done(&s);
	return reason;
}

static void test_resolver__name_profile_opens_no_file_made_in_the_trace(void **state)
{
	struct stat st;
	u64 made_ns;

	(void)state;
	if (!exported)
		skip();
	assert_int_equal(stat(workdir__path(&dir, "lib"), &st), 0);
	made_ns = (u64)st.st_ctim.tv_sec * NSEC_PER_SEC + (u64)st.st_ctim.tv_nsec;
	assert_int_equal(reason_with_begin(made_ns - 1, &st), FRAME_FILE_GONE);
	assert_int_equal(reason_with_begin(made_ns + NSEC_PER_SEC, &st), FRAME_NAMED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolver__name_profile_keeps_reused_inodes_apart),
		cmocka_unit_test(test_resolver__name_profile_opens_no_file_made_in_the_trace),
	};

	return cmocka_run_group_tests_name("resolver_inode", tests, setup, teardown);
}
