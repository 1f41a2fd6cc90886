/* SPDX-License-Identifier: Apache-2.0 */

/*
 * First sights of mapped files, on files that this program maps: what is sent, once, and what
 * happens when there is no room for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/event.h"
#include "abi/stats.h"
#include "base/types.h"

/* As mappings.bpf.c has it. */
struct mapcall {
	u64 addr;
	u64 image;
	u64 now_ns;
	u32 nested;
	u32 module;
	u32 state;
	u32 marked;
};

#include "gen/mappings.skel.h"
#include "stats_total.h"

#define PAGE 4096UL
#define IMAGE 7

struct scene {
	struct mappings *skel;
	struct ring_buffer *ring;
	struct cs_module_event told; /* the last one */
	u32 told_cnt;
	char *at; /* where all files are mapped */
};

static int on_event(void *arg, void *data, size_t sz)
{
	struct scene *s = arg;

	if (sz >= sizeof(s->told) && *(u32 *)data == CS_EVENT_MODULE) {
		memcpy(&s->told, data, sizeof(s->told));
		s->told_cnt++;
	}
	return 0;
}

static void scene__init(struct scene *s, u32 modules, u32 ring_bytes)
{
	struct bpf_program *prog;
	cpu_set_t one;

	/* a cache for each CPU */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	*s = (struct scene){ .skel = mappings__open() };
	assert_non_null(s->skel);
	bpf_object__for_each_program(prog, s->skel->obj) {
		bpf_program__set_autoload(prog, prog == s->skel->progs.find_map);
	}
	s->skel->rodata->cfg.mm_walk = 1;
	s->skel->rodata->cfg.page_bits = 12;
	bpf_map__set_max_entries(s->skel->maps.modules, modules);
	bpf_map__set_max_entries(s->skel->maps.events, ring_bytes);
	assert_int_equal(mappings__load(s->skel), 0);
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.events), on_event, s, NULL);
	assert_non_null(s->ring);
	s->at = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(s->at != MAP_FAILED);
}

static void scene__done(struct scene *s)
{
	munmap(s->at, PAGE);
	ring_buffer__free(s->ring);
	mappings__destroy(s->skel);
}

/* Another file in the place of the last one. */
static void map_new_file(struct scene *s)
{
	char name[] = "/tmp/coldspot-mapping-XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)PAGE), 0);
	assert_true(mmap(s->at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) ==
		    s->at);
	close(fd);
	unlink(name);
}

/* With room for all that a test does, and a file to find. */
static void scene__init_with_file(struct scene *s)
{
	scene__init(s, 64, 1 << 16);
	map_new_file(s);
}

static struct mapcall *find(struct scene *s, u64 image, u64 now_ns)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct mapcall *call = &s->skel->bss->mapcall;

	call->addr = (u64)(uintptr_t)s->at;
	call->image = image;
	call->now_ns = now_ns;
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(s->skel->progs.find_map), &opts),
			 0);
	assert_int_equal(opts.retval, 0);
	return call;
}

static u64 stat_of(const struct scene *s, size_t off)
{
	return stats_total(s->skel->maps.stats, off);
}

static u64 searches_of(const struct scene *s)
{
	return stat_of(s, offsetof(struct cs_stats, map_walks));
}

static void test_find__tells_a_file_once(void **state)
{
	struct mapcall *call;
	struct scene s;
	u32 id;

	(void)state;
	scene__init_with_file(&s);
	id = find(&s, IMAGE, 1)->module;
	assert_true(id >= CS_MODULE_ID_FIRST);
	call = find(&s, IMAGE, 500 * NSEC_PER_MSEC);
	assert_int_equal(call->module, id);
	assert_int_equal(call->state, CS_MODULE_WANTED);
	ring_buffer__consume(s.ring);
	assert_int_equal(s.told_cnt, 1);
	assert_int_equal(s.told.id, id);
	assert_int_equal(s.told.tgid, getpid());
	assert_true(s.told.vm_start == (u64)(uintptr_t)s.at);
	scene__done(&s);
}

/* The memory of a struct mm_struct soon is that of the next program's. */
static void test_find__believes_no_mapping_of_another_program(void **state)
{
	struct scene s;
	u64 searches;
	u32 id;

	(void)state;
	scene__init_with_file(&s);
	id = find(&s, IMAGE, 1)->module;
	searches = searches_of(&s);
	find(&s, IMAGE, 2);
	assert_int_equal(searches_of(&s), searches); /* for a moment */
	map_new_file(&s);
	assert_int_not_equal(find(&s, IMAGE + 1, 3)->module, id);
	assert_int_equal(searches_of(&s), searches + 1);
	scene__done(&s);
}

/* A library that is opened again elsewhere, or another one of the same size in its place. */
static void test_find__sees_at_once_what_took_a_place(void **state)
{
	struct scene s;
	u32 id;

	(void)state;
	scene__init_with_file(&s);
	id = find(&s, IMAGE, 1)->module;
	if (!s.skel->bss->mapcall.marked) {
		scene__done(&s);
		print_message("this kernel does not mark what is no mapping any more (6.4)\n");
		skip();
	}
	map_new_file(&s);
	assert_int_not_equal(find(&s, IMAGE, 2)->module, id);
	scene__done(&s);
}

static void test_find__does_not_search_again_because_of_another_mapping(void **state)
{
	struct scene s;
	u64 searches;

	(void)state;
	scene__init_with_file(&s);
	find(&s, IMAGE, 1);
	searches = searches_of(&s);
	munmap(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), PAGE);
	find(&s, IMAGE, 2);
	assert_int_equal(searches_of(&s), searches);
	scene__done(&s);
}

/* What a sample interrupts may be in the middle of a line of the cache. */
static void test_find__nested_keeps_away_from_the_cache(void **state)
{
	struct scene s;
	u64 searches;
	u32 id;

	(void)state;
	scene__init_with_file(&s);
	s.skel->bss->mapcall.nested = 1;
	id = find(&s, IMAGE, 1)->module;
	assert_true(id >= CS_MODULE_ID_FIRST);
	searches = searches_of(&s);
	s.skel->bss->mapcall.nested = 0;
	assert_int_equal(find(&s, IMAGE, 2)->module, id);
	assert_int_equal(searches_of(&s), searches + 1); /* nothing was left there */
	s.skel->bss->mapcall.nested = 1;
	assert_int_equal(find(&s, IMAGE, 3)->module, id);
	assert_int_equal(searches_of(&s), searches + 2); /* nothing was taken */
	scene__done(&s);
}

static void test_find__full_table_costs_no_numbers(void **state)
{
	volatile struct cs_control *control;
	struct scene s;
	u32 next, i;

	(void)state;
	scene__init(&s, 2, 1 << 16);
	control = &s.skel->data->control;
	for (i = 0; i < 3; i++) {
		map_new_file(&s);
		find(&s, IMAGE + i, 1);
	}
	assert_int_equal(s.skel->bss->mapcall.module, 0);
	assert_int_equal(stat_of(&s, offsetof(struct cs_stats, modules_lost)), 1);
	next = control->next_module_id;
	for (i = 0; i < 10; i++)
		assert_int_equal(find(&s, IMAGE + 10 + i, 1)->module, 0);
	assert_int_equal(stat_of(&s, offsetof(struct cs_stats, modules_lost)), 11);
	assert_int_equal(control->next_module_id, next);
	ring_buffer__consume(s.ring);
	assert_int_equal(s.told_cnt, 2);
	scene__done(&s);
}

/* More numbers than a frame has bits for would be those of other files. */
static void test_find__number_that_has_no_room_is_not_given(void **state)
{
	volatile struct cs_control *control;
	struct scene s;

	(void)state;
	scene__init(&s, 64, 1 << 16);
	control = &s.skel->data->control;
	control->next_module_id = CS_MODULE_ID_END - 1;
	map_new_file(&s);
	assert_int_equal(find(&s, IMAGE, 1)->module, CS_MODULE_ID_END - 1);
	map_new_file(&s);
	assert_int_equal(find(&s, IMAGE + 1, 1)->module, 0);
	assert_int_equal(stat_of(&s, offsetof(struct cs_stats, modules_lost)), 1);
	scene__done(&s);
}

static void test_find__file_that_found_a_full_ring_is_told_later(void **state)
{
	volatile struct cs_control *control;
	struct scene s;
	u32 i, next, found = 1;

	(void)state;
	scene__init(&s, 64, PAGE);
	control = &s.skel->data->control;
	for (i = 0; i < 20 && found; i++) {
		map_new_file(&s);
		found = find(&s, IMAGE + i, 1)->module;
	}
	assert_int_equal(found, 0);
	next = control->next_module_id;
	assert_int_equal(find(&s, IMAGE + 30, 1)->module, 0);
	assert_int_equal(control->next_module_id, next);
	assert_int_equal(stat_of(&s, offsetof(struct cs_stats, module_event_lost)), 2);
	ring_buffer__consume(s.ring);
	s.told_cnt = 0;
	found = find(&s, IMAGE + 31, 1)->module;
	assert_int_equal(found, next);
	ring_buffer__consume(s.ring);
	assert_int_equal(s.told_cnt, 1);
	assert_int_equal(s.told.id, found);
	scene__done(&s);
}

/* The process that it was met in first was gone too soon. */
static void test_find__lost_file_is_asked_for_again(void **state)
{
	struct cs_module value;
	struct scene s;
	int modules;
	u32 id;

	(void)state;
	scene__init(&s, 64, 1 << 16);
	modules = bpf_map__fd(s.skel->maps.modules);
	map_new_file(&s);
	id = find(&s, IMAGE, 1)->module;
	ring_buffer__consume(s.ring);
	assert_int_equal(bpf_map_lookup_elem(modules, &s.told.key, &value), 0);
	value.state = CS_MODULE_GONE;
	value.used_s = 0;
	assert_int_equal(bpf_map_update_elem(modules, &s.told.key, &value, BPF_EXIST), 0);
	s.told_cnt = 0;
	assert_int_equal(find(&s, IMAGE + 1, 1)->module, id);
	ring_buffer__consume(s.ring);
	assert_int_equal(s.told_cnt, 1);
	assert_int_equal(s.told.id, id);
	value.state = CS_MODULE_READY;
	assert_int_equal(bpf_map_update_elem(modules, &s.told.key, &value, BPF_EXIST), 0);
	assert_int_equal(find(&s, IMAGE + 2, 1)->state, CS_MODULE_READY);
	ring_buffer__consume(s.ring);
	assert_int_equal(s.told_cnt, 1);
	scene__done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find__tells_a_file_once),
		cmocka_unit_test(test_find__believes_no_mapping_of_another_program),
		cmocka_unit_test(test_find__sees_at_once_what_took_a_place),
		cmocka_unit_test(test_find__does_not_search_again_because_of_another_mapping),
		cmocka_unit_test(test_find__nested_keeps_away_from_the_cache),
		cmocka_unit_test(test_find__full_table_costs_no_numbers),
		cmocka_unit_test(test_find__number_that_has_no_room_is_not_given),
		cmocka_unit_test(test_find__file_that_found_a_full_ring_is_told_later),
		cmocka_unit_test(test_find__lost_file_is_asked_for_again),
	};

	return cmocka_run_group_tests_name("mappings", tests, NULL, NULL);
}
