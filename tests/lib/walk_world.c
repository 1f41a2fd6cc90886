/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf/unwind.bpf.c over a stopped child. Its memory is recorded while the first walk reads it;
 * later walks see the record only, so that each of their reads can be made to fail, and tables and
 * memory can be damaged. What the walker calls has no argument to say which world it is in: that
 * is `walked`.
 */
#include "lib/walk_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "lib/host_bpf.h"

static struct walk_world *walked;

static u8 *page_of(u64 addr)
{
	u64 idx;
	u8 *page;

	if (map64__get(&walked->pages, addr & ~(WORLD_PAGE_SZ - 1), &idx))
		return vec__at(&walked->memory, idx);
	if (!walked->live)
		return NULL;
	page = vec__push(&walked->memory);
	assert_non_null(page);
	if (traced__read(&walked->child, page, WORLD_PAGE_SZ, addr & ~(WORLD_PAGE_SZ - 1))) {
		walked->memory.len--;
		return NULL;
	}
	map64__set(&walked->pages, addr & ~(WORLD_PAGE_SZ - 1), walked->memory.len - 1);
	return page;
}

static int host_read_user(void *dst, u32 sz, u64 addr)
{
	u8 *to = dst;

	walked->reads++;
	if (walked->fail_at && walked->reads >= walked->fail_at &&
	    walked->reads - walked->fail_at < walked->fail_cnt)
		return -EFAULT;
	while (sz) {
		u64 in_page = addr & (WORLD_PAGE_SZ - 1);
		u32 n = sz < WORLD_PAGE_SZ - in_page ? sz : (u32)(WORLD_PAGE_SZ - in_page);
		const u8 *page = page_of(addr);

		if (!page)
			return -EFAULT;
		memcpy(to, page + in_page, n);
		to += n;
		addr += n;
		sz -= n;
	}
	return 0;
}

static void *host_lookup(void *map, u32 key)
{
	size_t i;

	if (map == &rules)
		return key < CS_RULES_MAX ? &walked->dictionary[key] : NULL;
	if (map == &segments)
		return key < WORLD_SEGMENTS && walked->segment[key] ? &walked->segment[key] : NULL;
	for (i = 0; i < WORLD_SEGMENTS; i++)
		if (map == &walked->segment[i] && !key)
			return walked->segment[i];
	return NULL;
}

/* As bpf/mapping.bpf.c does it; mappings that are not executable are unknown here. */
int walk_find_map(struct user_walk *w, u64 addr)
{
	const struct map_range *range = maps__find(&walked->maps, addr);
	u32 i;

	memset(&w->map, 0, sizeof(w->map));
	w->map.start = addr & ~(WORLD_PAGE_SZ - 1);
	w->map.end = w->map.start + WORLD_PAGE_SZ;
	if (!range)
		return 0;
	w->map.start = range->start;
	w->map.end = range->end;
	w->map.off = map_range__is_vdso(range) ? 0 : range->off;
	w->map.exec = range->exec;
	for (i = 1; i < walked->modules_len; i++) {
		const struct walk_module *m = &walked->modules[i];

		if (strcmp(m->path, range->path) != 0)
			continue;
		w->map.module = i;
		w->map.state = (u16)m->state;
		w->map.index = m->place.index;
		w->map.first_page = m->place.first_page;
		w->map.pages = m->place.pages;
	}
	return 0;
}

static void begin_walk(struct user_walk *w, bool sleeping)
{
	memset(w, 0xa5, sizeof(*w));
	w->stack.len = 0;
	w->stack.flags = CS_STACK_USER;
	w->stack.end = CS_END_ROOT;
	memcpy(w->reg, walked->regs, sizeof(w->reg));
	w->ip = walked->regs[16];
	w->sp = walked->regs[7];
	w->fp = walked->regs[6];
	w->bx = walked->regs[3];
	w->bx_known = 1;
	w->full = 1;
	w->ret = 0;
	w->placed = 0;
	w->by_fp = 0;
	w->limit = CS_STACK_MAX;
	memset(&w->map, 0, sizeof(w->map));
	w->sleeping = sleeping;
	w->need_failed = 0;
	w->words = 0;
	w->chunk_len = 0;
	w->chunk_addr = 0;
}

/* As bpf/iter.bpf.c fetches it. */
static void fetch(struct user_walk *w)
{
	u64 addr = w->need_addr;
	u32 sz = WALK_CHUNK;

	w->chunk_len = 0;
	if (host_read_user(w->chunk, sz, addr)) {
		sz = (u32)(WORLD_PAGE_SZ - (addr & (WORLD_PAGE_SZ - 1)));
		sz = sz < WALK_CHUNK ? sz : WALK_CHUNK;
		if (sz < 8 || host_read_user(w->chunk, sz, addr)) {
			w->need_failed = 1;
			return;
		}
	}
	w->chunk_addr = addr;
	w->chunk_len = sz;
}

u32 walk_world__walk(struct walk_world *world, bool sleeping, struct cs_stack *ret)
{
	struct user_walk w;
	u32 turns = 0;
	int r = WALK_ON;

	walked = world;
	begin_walk(&w, sleeping);
	world->reads = 0;
	if (!sleeping) {
		walk_all(&w);
	} else {
		for (; turns < WORLD_TURNS && r != WALK_DONE; turns++) {
			r = walk_step(&w);
			assert_in_range(r, WALK_ON, WALK_NEED);
			if (r == WALK_NEED)
				fetch(&w);
		}
	}
	assert_in_range(w.stack.len, 0, CS_STACK_MAX);
	assert_in_range(w.stack.end, 0, CS_END_CNT - 1);
	*ret = w.stack;
	return turns;
}

static void forget_memory(struct walk_world *world)
{
	map64__done(&world->pages);
	map64__init(&world->pages);
	vec__reset(&world->memory);
}

void walk_world__record(struct walk_world *world, struct cs_stack *ret)
{
	forget_memory(world);
	assert_true(traced__regs(&world->child, world->regs));
	world->live = true;
	walk_world__walk(world, false, ret);
	world->live = false;
}

u64 walk_world__address(const struct walk_world *world, u64 pc)
{
	u64 off = cs_pc_off(pc);
	size_t i;

	if (!(pc & CS_PC_MODULE))
		return pc;
	for (i = 0; i < world->maps.len; i++) {
		const struct map_range *r = &world->maps.ranges[i];
		u64 start = map_range__is_vdso(r) ? 0 : r->off;

		if (strcmp(r->path, world->modules[cs_pc_module_id(pc)].path) == 0 &&
		    off >= start && off - start < r->end - r->start)
			return r->start + off - start;
	}
	return 0;
}

static u8 *segment(void *arg, u32 segno)
{
	struct walk_world *world = arg;

	assert_in_range(segno, 0, WORLD_SEGMENTS - 1);
	world->segment[segno] = calloc(1, CS_SEGMENT_SZ);
	return world->segment[segno];
}

static int build(struct walk_world *world, const struct map_range *range, struct table **ret)
{
	size_t sz = range->end - range->start;
	struct err err = { 0 };
	int fd, r;

	if (map_range__is_vdso(range)) {
		u8 *bytes = mem_alloc(sz);

		assert_int_equal(traced__read(&world->child, bytes, sz, range->start), 0);
		r = table__build_mem(bytes, sz, "vdso", &world->rules, ret, &err);
		mem_free(bytes);
		return r;
	}
	fd = open(range->path, O_RDONLY | O_CLOEXEC);
	r = table__build_fd(fd, range->path, &world->rules, ret, &err);
	close(fd);
	return r;
}

static void add_module(struct walk_world *world, const struct map_range *range)
{
	struct table *t = NULL;
	struct walk_module *m;
	u32 i;

	for (i = 1; i < world->modules_len; i++)
		if (strcmp(world->modules[i].path, range->path) == 0)
			return;
	if (!map_range__is_file(range) && !map_range__is_vdso(range))
		return;
	assert_in_range(world->modules_len, 1, WORLD_MODULES_MAX - 1);
	m = &world->modules[world->modules_len++];
	m->path = range->path;
	m->state = CS_MODULE_NO_CFI;
	if (build(world, range, &t))
		return;
	m->state = CS_MODULE_READY;
	assert_int_equal(table__place(t, &world->space, &m->place, NULL), 0);
	table__free(t);
}

void walk_world__init(struct walk_world *world, const char *what)
{
	const char *built = getenv("COLDSPOT_BUILD");
	char path[512];
	size_t i;

#if !defined(__x86_64__)
	print_error("SKIPPED: registers are read on x86-64 only\n");
	skip();
#endif
	snprintf(path, sizeof(path), "%s/tests/replay/stacks", built ? built : "build");
	if (!traced__start(&world->child, path, what))
		fail_msg("'%s %s' did not stop: %s", path, what, strerror(errno));
	world->dictionary = calloc(CS_RULES_MAX, sizeof(*world->dictionary));
	assert_int_equal(rules__init(&world->rules, world->dictionary), 0);
	assert_int_equal(space__init(&world->space, (u64)WORLD_SEGMENTS * CS_SEGMENT_SZ, segment,
				     world),
			 0);
	map64__init(&world->pages);
	vec__init(&world->memory, WORLD_PAGE_SZ);
	assert_int_equal(maps__read(&world->maps, (u32)world->child.pid, NULL), 0);
	world->modules_len = 1;
	for (i = 0; i < world->maps.len; i++)
		add_module(world, &world->maps.ranges[i]);
	cfg.unwind_tables = 1;
	assert_true(traced__regs(&world->child, world->regs));
}

void walk_world__done(struct walk_world *world)
{
	u32 i;

	for (i = 0; i < world->modules_len; i++)
		place__free(&world->modules[i].place, &world->space);
	for (i = 0; i < WORLD_SEGMENTS; i++)
		free(world->segment[i]);
	free(world->dictionary);
	rules__done(&world->rules);
	space__done(&world->space);
	map64__done(&world->pages);
	vec__done(&world->memory);
	maps__done(&world->maps);
	traced__done(&world->child);
	memset(world, 0, sizeof(*world));
}

int walk_world_set_up(void **state)
{
	*state = calloc(1, sizeof(struct walk_world));
	return *state ? 0 : -1;
}

int walk_world_tear_down(void **state)
{
	walk_world__done(*state);
	free(*state);
	return 0;
}
