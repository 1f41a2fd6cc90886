/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The functions that gcc and clang call for -fsanitize=thread, of which there are many with one
 * sense: a load or a store of so many bytes. They have no argument that could say which model is
 * meant: that is `model`.
 */
#include "lib/line_model.h"

#include <string.h>

#include "base/mem.h"
#include "base/types.h"

struct line {
	u64 holders; /* CPUs that have it */
	u64 lost; /* CPUs that had it and lost it to a store of another */
	u64 writers; /* CPUs that have ever written to it */
	bool dirty; /* what memory has is older */
};

struct region {
	const char *name;
	u64 begin;
	u64 end;
	struct line *lines;
	struct line_count count;
};

static struct {
	struct region regions[MODEL_REGIONS];
	u32 regions_len;
	u64 cpu; /* its bit */
} model;

void line_model__begin(void)
{
	memset(&model, 0, sizeof(model));
	model.cpu = 1;
}

void line_model__add(const char *name, const volatile void *mem, u64 sz)
{
	struct region *r = &model.regions[model.regions_len];
	u64 first = (u64)mem / MODEL_LINE, last = ((u64)mem + sz - 1) / MODEL_LINE;

	if (model.regions_len == MODEL_REGIONS)
		return;
	r->lines = mem_array(last - first + 1, sizeof(*r->lines));
	if (!r->lines)
		return;
	r->name = name;
	r->begin = (u64)mem;
	r->end = (u64)mem + sz;
	model.regions_len++;
}

void line_model__end(void)
{
	u32 i;

	for (i = 0; i < model.regions_len; i++)
		mem_free(model.regions[i].lines);
	model.regions_len = 0;
}

void line_model__run_on(u32 cpu)
{
	model.cpu = 1ULL << cpu;
}

void line_model__reset_counts(void)
{
	u32 i;

	for (i = 0; i < model.regions_len; i++)
		memset(&model.regions[i].count, 0, sizeof(model.regions[i].count));
}

static u64 lines_of_many(const struct region *r)
{
	u64 i, n = r->end / MODEL_LINE - r->begin / MODEL_LINE, cnt = 0;

	for (i = 0; i < n; i++)
		cnt += !!(r->lines[i].writers & (r->lines[i].writers - 1));
	return cnt;
}

struct line_count line_model__count(const char *name)
{
	struct line_count none = { 0 };
	u32 i;

	for (i = 0; i < model.regions_len; i++)
		if (!strcmp(model.regions[i].name, name)) {
			model.regions[i].count.lines_written = lines_of_many(&model.regions[i]);
			return model.regions[i].count;
		}
	return none;
}

static void load_line(struct line *line, struct line_count *count)
{
	if (line->holders & model.cpu)
		return;
	count->transfers += line->dirty || line->lost & model.cpu;
	line->dirty = false;
	line->lost &= ~model.cpu;
	line->holders |= model.cpu;
}

static void store_line(struct line *line, struct line_count *count)
{
	u64 others = line->holders & ~model.cpu;

	if (others || line->lost & model.cpu) {
		count->transfers++;
		count->written++;
	}
	line->lost = (line->lost | others) & ~model.cpu;
	line->holders = model.cpu;
	line->writers |= model.cpu;
	line->dirty = true;
}

static void access(const volatile void *mem, u64 sz, bool store, bool atomic)
{
	u64 addr = (u64)mem, at;
	struct region *r;
	u32 i;

	for (i = 0; i < model.regions_len; i++) {
		r = &model.regions[i];
		if (addr < r->begin || addr >= r->end)
			continue;
		r->count.accesses++;
		r->count.atomics += atomic;
		for (at = addr / MODEL_LINE; at <= (addr + sz - 1) / MODEL_LINE; at++) {
			struct line *line = &r->lines[at - r->begin / MODEL_LINE];

			if (store)
				store_line(line, &r->count);
			else
				load_line(line, &r->count);
		}
		return;
	}
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
	(void)caller;
}

void __tsan_func_exit(void)
{
}

#define PLAIN(sz)                                                                                  \
	void __tsan_read##sz(void *p)                                                              \
	{                                                                                          \
		access(p, sz, false, false);                                                       \
	}                                                                                          \
	void __tsan_write##sz(void *p)                                                             \
	{                                                                                          \
		access(p, sz, true, false);                                                        \
	}                                                                                          \
	void __tsan_unaligned_read##sz(void *p)                                                    \
	{                                                                                          \
		access(p, sz, false, false);                                                       \
	}                                                                                          \
	void __tsan_unaligned_write##sz(void *p)                                                   \
	{                                                                                          \
		access(p, sz, true, false);                                                        \
	}                                                                                          \
	void __tsan_read_write##sz(void *p)                                                        \
	{                                                                                          \
		access(p, sz, true, false);                                                        \
	}                                                                                          \
	void __tsan_unaligned_read_write##sz(void *p)                                              \
	{                                                                                          \
		access(p, sz, true, false);                                                        \
	}

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *p, unsigned long sz)
{
	access(p, sz, false, false);
}

void __tsan_write_range(void *p, unsigned long sz)
{
	access(p, sz, true, false);
}

void *__tsan_memcpy(void *dst, const void *src, unsigned long sz)
{
	access(src, sz, false, false);
	access(dst, sz, true, false);
	return memcpy(dst, src, sz);
}

void *__tsan_memset(void *dst, int byte, unsigned long sz)
{
	access(dst, sz, true, false);
	return memset(dst, byte, sz);
}

/* One thread plays all CPUs: the plain operation is as good. */
#define ATOMIC_FETCH(bits, type, name, result)                                                     \
	type __tsan_atomic##bits##_fetch_##name(volatile type *p, type v, int order)               \
	{                                                                                          \
		type old = *p;                                                                     \
		(void)order;                                                                       \
		access(p, sizeof(*p), true, true);                                                 \
		*p = result;                                                                       \
		return old;                                                                        \
	}
#define ATOMIC(bits, type)                                                                         \
	type __tsan_atomic##bits##_load(const volatile type *p, int order)                         \
	{                                                                                          \
		(void)order;                                                                       \
		access(p, sizeof(*p), false, true);                                                \
		return *p;                                                                         \
	}                                                                                          \
	void __tsan_atomic##bits##_store(volatile type *p, type v, int order)                      \
	{                                                                                          \
		(void)order;                                                                       \
		access(p, sizeof(*p), true, true);                                                 \
		*p = v;                                                                            \
	}                                                                                          \
	type __tsan_atomic##bits##_exchange(volatile type *p, type v, int order)                   \
	{                                                                                          \
		type old = *p;                                                                     \
		(void)order;                                                                       \
		access(p, sizeof(*p), true, true);                                                 \
		*p = v;                                                                            \
		return old;                                                                        \
	}                                                                                          \
	ATOMIC_FETCH(bits, type, add, old + v)                                                     \
	ATOMIC_FETCH(bits, type, sub, old - v)                                                     \
	ATOMIC_FETCH(bits, type, or, old | v)                                                      \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type old, type v,        \
							int order, int fail_order)                 \
	{                                                                                          \
		type was = *p;                                                                     \
		(void)order;                                                                       \
		(void)fail_order;                                                                  \
		access(p, sizeof(*p), true, true);                                                 \
		if (was == old)                                                                    \
			*p = v;                                                                    \
		return was;                                                                        \
	}                                                                                          \
	int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *old, type v,     \
							  int order, int fail_order)               \
	{                                                                                          \
		type was =                                                                         \
			__tsan_atomic##bits##_compare_exchange_val(p, *old, v, order, fail_order); \
		int same = was == *old;                                                            \
		*old = was;                                                                        \
		return same;                                                                       \
	}

ATOMIC(32, u32)
ATOMIC(64, u64)
