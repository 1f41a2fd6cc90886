/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/mapping/mapped.h"
#include "lib/workdir.h"
#include "proc/mapfile.h"

/* No process has this number: all that is left of a file is its path. */
#define GONE 0x7fffffffU

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* Without a kernel side: updates of the programs go nowhere, and no table has room. */
static const struct readers no_readers;

struct scene {
	struct segments segments;
	struct mapped m;
	u32 tables_gen;
	u32 next_id;
	struct stat st; /* of the file */
	u32 generation;
};

static void scene__look(struct scene *s, const char *name)
{
	int fd = workdir__open(&dir, name);

	assert_int_equal(fstat(fd, &s->st), 0);
	s->generation = module_file_generation(fd);
	close(fd);
}

static void scene__init(struct scene *s, const char *name)
{
	struct mapped_maps maps = {
		.segments = &s->segments,
		.modules_fd = -1,
		.readers = &no_readers,
		.tables_gen = &s->tables_gen,
		.next_id = &s->next_id,
	};

	*s = (struct scene){ .next_id = CS_MODULE_ID_FIRST };
	s->segments.rules = mem_array(CS_RULES_MAX, sizeof(*s->segments.rules));
	assert_non_null(s->segments.rules);
	workdir__write(&dir, name, "the first", 9);
	scene__look(s, name);
	/* older than the trace, by more than a tick of the clock that stamps files */
	usleep(30000);
	assert_int_equal(mapped__init(&s->m, &maps, 0, NULL), 0);
}

static void scene__done(struct scene *s)
{
	mapped__done(&s->m);
	mem_free(s->segments.rules);
}

/* What the programs tell of a file that they met in a process that is gone by now. */
static const struct mapped_file *see_as(struct scene *s, const char *name, u32 id)
{
	struct cs_module_event *ev = mem_alloc(sizeof(*ev));
	const char *path = workdir__path(&dir, name), *end = path + strlen(path);

	assert_non_null(ev);
	ev->id = id;
	ev->tgid = GONE;
	ev->key.ino = s->st.st_ino;
	ev->key.dev = (u32)(major(s->st.st_dev) << 20 | minor(s->st.st_dev));
	ev->key.generation = s->generation;
	/* components, leaf first */
	while (end > path) {
		const char *slash = memrchr(path, '/', (size_t)(end - path));
		size_t n = (size_t)(end - slash - 1);

		memcpy(ev->path + ev->path_len, slash + 1, n);
		ev->path_len += (u32)n + 1;
		end = slash;
	}
	assert_int_equal(mapped__see(&s->m, ev), 0);
	mem_free(ev);
	assert_string_equal(mapped__at(&s->m, id)->path, path);
	return mapped__at(&s->m, id);
}

static const struct mapped_file *see(struct scene *s, const char *name)
{
	return see_as(s, name, s->next_id++);
}

static void replace(struct scene *s, const char *name)
{
	u64 ino = s->st.st_ino;
	int i;

	for (i = 0; i < 50; i++) {
		assert_int_equal(unlink(workdir__path(&dir, name)), 0);
		workdir__write(&dir, name, "the second", 10);
		scene__look(s, name);
		if (s->st.st_ino == ino)
			return;
	}
	/* Others make files there too. */
	scene__done(s);
	skip();
}

static void test_mapped__see_knows_a_file_by_its_generation(void **state)
{
	const struct mapped_file *f;
	struct scene s;

	(void)state;
	scene__init(&s, "made");
	if (!s.generation) {
		scene__done(&s);
		skip();
	}
	f = see(&s, "made");
	assert_true(f->fd >= 0);
	assert_true(f->file.dev == s.st.st_dev);
	assert_true(f->file.ino == s.st.st_ino);
	assert_int_equal(f->file.generation, s.generation);
	scene__done(&s);
}

static void test_mapped__see_opens_no_file_that_came_later(void **state)
{
	u32 first;
	struct scene s;
	u32 id;

	(void)state;
	scene__init(&s, "again");
	first = s.generation;
	replace(&s, "again");
	if (!first) {
		scene__done(&s);
		skip();
	}
	assert_true(s.generation != first);
	/* the first one was met, but the news are read after it was replaced */
	s.generation = first;
	id = see(&s, "again")->id;
	assert_int_equal(mapped__at(&s.m, id)->fd, -1);
	assert_int_equal(mapped__at(&s.m, id)->file.generation, first);
	/* and then the second */
	scene__look(&s, "again");
	id = see(&s, "again")->id;
	assert_true(mapped__at(&s.m, id)->fd >= 0);
	assert_int_equal(mapped__at(&s.m, id)->file.generation, s.generation);
	scene__done(&s);
}

/* The process that it was met in first was gone too soon; a later one is not. */
static void test_mapped__see_takes_a_lost_file_when_it_is_met_again(void **state)
{
	const struct mapped_file *f;
	struct scene s;

	(void)state;
	scene__init(&s, "late");
	if (!s.generation) {
		scene__done(&s);
		skip();
	}
	f = see_as(&s, "elsewhere", 5);
	assert_int_equal(f->fd, -1);
	assert_int_equal(f->state, CS_MODULE_GONE);
	f = see_as(&s, "late", 5);
	assert_true(f->fd >= 0);
	assert_int_equal(f->state, CS_MODULE_NO_CFI);
	assert_int_equal(f->id, 5);
	scene__done(&s);
}

/* Without a generation the programs would look for another file than the one that was reported. */
static void test_mapped__take_gives_the_key_that_the_programs_know(void **state)
{
	struct cs_module_key key;
	struct map_range range;
	struct scene s;

	(void)state;
	scene__init(&s, "known");
	if (!s.generation) {
		scene__done(&s);
		skip();
	}
	see(&s, "known");
	range = (struct map_range){ .start = 4096,
				    .end = 8192,
				    .dev = s.st.st_dev,
				    .ino = s.st.st_ino,
				    .path = workdir__path(&dir, "known") };
	assert_int_equal(mapped__take(&s.m, GONE, &range, &key), 0);
	assert_int_equal(key.generation, s.generation);
	assert_int_equal(s.next_id, CS_MODULE_ID_FIRST + 1);
	scene__done(&s);
}

static void test_mapped__take_asks_an_open_file_for_its_generation(void **state)
{
	struct cs_module_key key;
	struct map_range range;
	struct scene s;

	(void)state;
	scene__init(&s, "taken");
	range = (struct map_range){ .start = 4096,
				    .end = 8192,
				    .dev = s.st.st_dev,
				    .ino = s.st.st_ino,
				    .path = workdir__path(&dir, "taken") };
	assert_int_equal(mapped__take(&s.m, GONE, &range, &key), 0);
	assert_true(key.ino == s.st.st_ino);
	/* the programs cannot know it there */
	assert_int_equal(key.generation, 0);
	assert_true(mapped__at(&s.m, CS_MODULE_ID_FIRST)->fd >= 0);
	assert_int_equal(mapped__at(&s.m, CS_MODULE_ID_FIRST)->file.generation, s.generation);
	/* once is enough, as the inode cannot be used again while we have it */
	assert_int_equal(mapped__take(&s.m, GONE, &range, &key), 0);
	assert_int_equal(s.next_id, CS_MODULE_ID_FIRST + 1);
	scene__done(&s);
}

static void test_mapped__take_keeps_a_lost_file_apart_from_the_next(void **state)
{
	const struct mapped_file *lost, *found;
	struct cs_module_key key;
	struct map_range range;
	struct scene s;

	(void)state;
	scene__init(&s, "next");
	range = (struct map_range){ .start = 4096,
				    .end = 8192,
				    .dev = s.st.st_dev,
				    .ino = s.st.st_ino,
				    .path = "/no/such/file" };
	assert_int_equal(mapped__take(&s.m, GONE, &range, &key), 0);
	/* as long as it cannot be opened, it is one file */
	assert_int_equal(mapped__take(&s.m, GONE, &range, &key), 0);
	assert_int_equal(s.next_id, CS_MODULE_ID_FIRST + 1);
	range.path = workdir__path(&dir, "next");
	assert_int_equal(mapped__take(&s.m, GONE, &range, &key), 0);
	assert_int_equal(mapped__take(&s.m, GONE, &range, &key), 0);
	assert_int_equal(s.next_id, CS_MODULE_ID_FIRST + 2);
	lost = mapped__at(&s.m, CS_MODULE_ID_FIRST);
	found = mapped__at(&s.m, CS_MODULE_ID_FIRST + 1);
	assert_int_equal(lost->fd, -1);
	assert_int_equal(lost->file.generation, 0);
	assert_true(found->fd >= 0);
	assert_int_equal(found->file.generation, s.generation);
	scene__done(&s);
}

static void test_mapped__see_puts_tables_off_when_told_to(void **state)
{
	const struct mapped_file *f;
	struct scene s;
	u32 gen;

	(void)state;
	scene__init(&s, "later");
	s.m.hold = true;
	gen = s.tables_gen;
	f = see(&s, "later");
	assert_true(f->fd >= 0);
	assert_int_equal(f->state, CS_MODULE_WANTED);
	assert_int_equal(s.tables_gen, gen);
	assert_int_equal(mapped__waiting(&s.m), 1);
	/* asked for again by somebody else */
	see_as(&s, "later", f->id);
	assert_int_equal(mapped__waiting(&s.m), 1);
	assert_int_equal(mapped__build(&s.m), 0);
	assert_int_equal(mapped__waiting(&s.m), 0);
	assert_int_equal(mapped__at(&s.m, s.next_id - 1)->state, CS_MODULE_NO_CFI);
	assert_int_equal(s.tables_gen, gen + 1);
	scene__done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mapped__see_knows_a_file_by_its_generation),
		cmocka_unit_test(test_mapped__see_opens_no_file_that_came_later),
		cmocka_unit_test(test_mapped__see_takes_a_lost_file_when_it_is_met_again),
		cmocka_unit_test(test_mapped__take_gives_the_key_that_the_programs_know),
		cmocka_unit_test(test_mapped__take_asks_an_open_file_for_its_generation),
		cmocka_unit_test(test_mapped__take_keeps_a_lost_file_apart_from_the_next),
		cmocka_unit_test(test_mapped__see_puts_tables_off_when_told_to),
	};

	return cmocka_run_group_tests_name("mapped", tests, setup, teardown);
}
