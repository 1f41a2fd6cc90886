/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which unwind table makes room for another one, with the kernel's tables but without programs: the
 * test says when a file was used last.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/bpf.h>

#include "base/mem.h"
#include "capture/mapping/mapped.h"
#include "lib/workdir.h"
#include "proc/mapfile.h"

/* No process has this number: all that is left of a file is its path. */
#define GONE 0x7fffffffU
#define BIG (16U << 20)

static struct workdir dir;

static const struct readers no_readers;

struct scene {
	struct segments segments;
	struct mapped m;
	int modules_fd;
	int segments_fd;
	int rules_fd;
	u32 tables_gen;
	u32 next_id;
};

static int make_outer(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, inner_opts, .map_flags = BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int fd, inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "inner", 4, CS_SEGMENT_SZ, 1,
				       &inner_opts);

	assert_true(inner >= 0);
	opts.inner_map_fd = (u32)inner;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "outer", 4, 4, CS_SEGMENTS_MAX, &opts);
	close(inner);
	assert_true(fd >= 0);
	return fd;
}

static void scene__init(struct scene *s, u64 budget)
{
	LIBBPF_OPTS(bpf_map_create_opts, hash, .map_flags = BPF_F_NO_PREALLOC);
	LIBBPF_OPTS(bpf_map_create_opts, array, .map_flags = BPF_F_MMAPABLE);
	struct mapped_maps maps = { .segments = &s->segments, .readers = &no_readers };
	const struct cs_module_key vdso_key = { 0 };
	struct cs_module vdso;

	*s = (struct scene){ .next_id = CS_MODULE_ID_FIRST };
	s->modules_fd = bpf_map_create(BPF_MAP_TYPE_HASH, "modules", sizeof(struct cs_module_key),
				       sizeof(struct cs_module), 64, &hash);
	s->rules_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rules", 4, sizeof(struct cs_unwind_rule),
				     CS_RULES_MAX, &array);
	s->segments_fd = make_outer();
	assert_true(s->modules_fd >= 0 && s->rules_fd >= 0);
	maps.modules_fd = s->modules_fd;
	maps.tables_gen = &s->tables_gen;
	maps.next_id = &s->next_id;
	assert_int_equal(segments__init(&s->segments, s->segments_fd, s->rules_fd, NULL), 0);
	assert_int_equal(segments__settle(&s->segments, NULL), 0);
	assert_int_equal(mapped__init(&s->m, &maps, budget, NULL), 0);
	/* it is in use by all */
	assert_int_equal(bpf_map_lookup_elem(s->modules_fd, &vdso_key, &vdso), 0);
	vdso.used_s = ~0U;
	assert_int_equal(bpf_map_update_elem(s->modules_fd, &vdso_key, &vdso, BPF_ANY), 0);
}

static void scene__done(struct scene *s)
{
	mapped__done(&s->m);
	segments__done(&s->segments);
	close(s->modules_fd);
	close(s->segments_fd);
	close(s->rules_fd);
}

static void copy(const char *from, const char *name)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(workdir__path(&dir, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	struct stat st;

	assert_true(in >= 0 && out >= 0);
	assert_int_equal(fstat(in, &st), 0);
	assert_true(sendfile(out, in, NULL, (size_t)st.st_size) == st.st_size);
	close(in);
	close(out);
}

/* A file that the programs met, which was used last at second `used_s`. */
static struct mapped_file *see(struct scene *s, const char *name, u32 used_s)
{
	struct cs_module_event *ev = mem_alloc(sizeof(*ev));
	const char *path = workdir__path(&dir, name), *end = path + strlen(path);
	int fd = workdir__open(&dir, name);
	struct mapped_file *f;
	struct cs_module value;
	struct stat st;

	assert_non_null(ev);
	assert_int_equal(fstat(fd, &st), 0);
	ev->id = s->next_id++;
	ev->tgid = GONE;
	ev->key.ino = st.st_ino;
	ev->key.dev = (u32)(major(st.st_dev) << 20 | minor(st.st_dev));
	ev->key.generation = module_file_generation(fd);
	close(fd);
	while (end > path) {
		const char *slash = memrchr(path, '/', (size_t)(end - path));
		size_t n = (size_t)(end - slash - 1);

		memcpy(ev->path + ev->path_len, slash + 1, n);
		ev->path_len += (u32)n + 1;
		end = slash;
	}
	assert_int_equal(mapped__see(&s->m, ev), 0);
	f = mapped__at(&s->m, ev->id);
	mem_free(ev);
	assert_int_equal(bpf_map_lookup_elem(s->modules_fd, &f->key, &value), 0);
	value.used_s = used_s;
	assert_int_equal(bpf_map_update_elem(s->modules_fd, &f->key, &value, BPF_ANY), 0);
	return f;
}

/* Its programs' side is what user space has. */
static void assert_state(const struct scene *s, u32 id, u32 state)
{
	const struct mapped_file *f = mapped__at(&s->m, id);
	struct cs_module value;

	assert_int_equal(f->state, state);
	assert_int_equal(bpf_map_lookup_elem(s->modules_fd, &f->key, &value), 0);
	assert_int_equal(value.state, state);
}

static u64 room_for_two(void)
{
	struct scene s;
	u64 used;

	scene__init(&s, BIG);
	see(&s, "first", 1);
	see(&s, "second", 1);
	used = s.m.space.used;
	scene__done(&s);
	return used;
}

/* What the copy of a file in another container uses is not old because the first one is. */
static void test_mapped__shared_table_is_as_young_as_its_last_use(void **state)
{
	u32 first, twin, second, third;
	struct scene s;

	(void)state;
	copy("/bin/ls", "first");
	copy("/bin/ls", "twin");
	copy("/bin/tar", "second");
	copy("/bin/cat", "third");
	usleep(30000);
	scene__init(&s, room_for_two());
	first = see(&s, "first", 10)->id;
	twin = see(&s, "twin", 1000)->id;
	second = see(&s, "second", 500)->id;
	assert_state(&s, first, CS_MODULE_READY);
	assert_state(&s, twin, CS_MODULE_READY);
	assert_state(&s, second, CS_MODULE_READY);
	third = see(&s, "third", 2000)->id;
	assert_state(&s, third, CS_MODULE_READY);
	assert_state(&s, second, CS_MODULE_EVICTED);
	assert_state(&s, first, CS_MODULE_READY);
	assert_state(&s, twin, CS_MODULE_READY);
	assert_int_equal(s.m.evicted, 1);
	scene__done(&s);
}

/* And when it goes, it goes for all of them. */
static void test_mapped__shared_table_goes_for_all(void **state)
{
	u32 first, twin, second;
	struct scene s;

	(void)state;
	scene__init(&s, room_for_two());
	first = see(&s, "first", 10)->id;
	twin = see(&s, "twin", 20)->id;
	second = see(&s, "second", 500)->id;
	see(&s, "third", 2000);
	assert_state(&s, first, CS_MODULE_EVICTED);
	assert_state(&s, twin, CS_MODULE_EVICTED);
	assert_state(&s, second, CS_MODULE_READY);
	scene__done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mapped__shared_table_is_as_young_as_its_last_use),
		cmocka_unit_test(test_mapped__shared_table_goes_for_all),
	};
	int r;

	workdir__init(&dir);
	r = cmocka_run_group_tests_name("mapped_tables", tests, NULL, NULL);
	workdir__done(&dir);
	return r;
}
