/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows come from elf/cfi sorted, by way of go_ends.c, and are cut here into pages: each page begins
 * with a row of its own, so that the walker needs two lookups and never leaves a page. A row that
 * says the same as the one before is dropped, which takes a fifth of them away.
 */
#include "unwind/table.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "elf/cfi.h"
#include "unwind/go_ends.h"

#define PAGE_SZ (1U << CS_UNWIND_PAGE_BITS)

struct building {
	struct table *table;
	struct rules *rules;
	struct cs_unwind_rule rule; /* the last one, and its number: neighbours are often equal */
	u16 number;
	u16 open; /* what holds at `end` */
	u64 end; /* file offset that the rows have come to; page-aligned between rows of pages */
	bool begun;
};

static bool fits16(s32 n)
{
	return n >= SHRT_MIN && n <= SHRT_MAX;
}

/* Where a register lies; the offset goes to `off`. */
static u8 convert_saved(const struct cfi_saved *saved, __s16 *off)
{
	*off = 0;
	switch (saved->how) {
	case CFI_SAME:
		return CS_SAVED_SAME;
	case CFI_AT_CFA:
	case CFI_AT_FP:
		if (!fits16(saved->off))
			return CS_SAVED_UNKNOWN;
		*off = (__s16)saved->off;
		return saved->how == CFI_AT_CFA ? CS_SAVED_CFA : CS_SAVED_FP;
	default:
		return CS_SAVED_UNKNOWN;
	}
}

/*
 * A function that aligned its stack finds what it saved by its frame pointer, and gcc goes on to
 * say so at the return instruction, where all of it was restored and the frame pointer is the
 * caller's. There the CFA counts from sp, as it does nowhere else in such a function.
 */
static u8 convert_held(const struct cfi_rule *in, const struct cfi_saved *saved, __s16 *off)
{
	static const struct cfi_saved same = { .how = CFI_SAME };
	bool restored = saved->how == CFI_AT_FP && in->cfa == CFI_CFA_REG &&
			in->base == CFI_BASE_SP;

	return convert_saved(restored ? &same : saved, off);
}

/* The CFA; false when it cannot be said. Registers as in enum cs_cfa: sp and fp by name. */
static bool convert_cfa(const struct cfi_rule *in, struct cs_unwind_rule *out)
{
	bool deref = in->cfa == CFI_CFA_DEREF;

	if (!fits16(in->off2))
		return false;
	out->cfa_off = in->off;
	out->cfa_off2 = (__s16)in->off2;
	switch (in->base) {
	case CFI_BASE_SP:
		out->cfa = deref ? CS_CFA_SP_DEREF : CS_CFA_SP;
		break;
	case CFI_BASE_FP:
		out->cfa = deref ? CS_CFA_FP_DEREF : CS_CFA_FP;
		break;
	default:
		out->cfa = CS_CFA_REG;
		out->reg = in->reg;
		return !deref;
	}
	if (in->cfa == CFI_CFA_PLT)
		out->cfa = CS_CFA_PLT;
	return true;
}

static bool convert_ra(const struct cfi_rule *in, struct cs_unwind_rule *out)
{
	if (in->ra.how == CFI_IN_REG) {
		if (out->cfa == CS_CFA_REG && out->reg != in->ra.reg)
			return false;
		out->ra = CS_SAVED_REG;
		out->reg = in->ra.reg;
		return true;
	}
	out->ra = convert_saved(&in->ra, &out->ra_off);
	return out->ra == CS_SAVED_CFA || out->ra == CS_SAVED_SAME;
}

/* A rule that says all by its kind. */
static struct cs_unwind_rule bare(enum cs_cfa cfa)
{
	return (struct cs_unwind_rule){ .cfa = (u8)cfa };
}

static struct cs_unwind_rule convert(const struct cfi_rule *in)
{
	struct cs_unwind_rule out = { 0 };
	u8 fp, bx;

	switch (in->cfa) {
	case CFI_CFA_NONE:
		return out;
	case CFI_CFA_SIGNAL:
		return bare(CS_CFA_SIGNAL);
	case CFI_CFA_END:
		return bare(CS_CFA_END);
	case CFI_CFA_UNSUPPORTED:
		return bare(CS_CFA_UNSUPPORTED);
	}
	if (!convert_cfa(in, &out) || !convert_ra(in, &out))
		return bare(CS_CFA_UNSUPPORTED);
	fp = convert_held(in, &in->fp, &out.fp_off);
	bx = convert_held(in, &in->bx, &out.bx_off);
	out.fp_bx = (u8)(fp | bx << 4);
	return out;
}

/*
 * The same as `*to = *from`, in words. The fields of `from` were written a moment ago, one by one,
 * and are in registers; a copy or a comparison of the whole would wait for all of them to be in
 * memory, which took a sixth of the time.
 */
static void store(struct cs_unwind_rule *to, const struct cs_unwind_rule *from)
{
	const u64 words[2] = {
		(u32)from->cfa_off | (u64)(u16)from->cfa_off2 << 32 | (u64)(u16)from->ra_off << 48,
		(u16)from->fp_off | (u32)(u16)from->bx_off << 16 | (u64)from->cfa << 32 |
			(u64)from->reg << 40 | (u64)from->ra << 48 | (u64)from->fp_bx << 56,
	};

	memcpy(to, words, sizeof(words));
}

static int add_row(struct building *b, u32 off, u16 rule)
{
	struct cs_unwind_row *row = vec__push(&b->table->rows);

	if (!row)
		return -ENOMEM;
	*row = (struct cs_unwind_row){ .off = (u16)off, .rule = rule };
	return 0;
}

/* Begins the page at `b->end` with what holds there. */
static int begin_page(struct building *b, u16 rule)
{
	u32 *first = vec__push(&b->table->pages);

	if (!first)
		return -ENOMEM;
	if (b->table->pages.len > TABLE_PAGES_MAX)
		return -E2BIG;
	*first = (u32)b->table->rows.len;
	/* a page without any code has no rows */
	return rule == RULES_NONE ? 0 : add_row(b, 0, rule);
}

/* Brings the pages up to the one of `off`, which is new or the present one. */
static int reach_page(struct building *b, u64 off)
{
	int r = 0;

	for (; !r && b->end <= off; b->end += PAGE_SZ)
		r = begin_page(b, b->end == off ? RULES_NONE : b->open);
	return r;
}

/* The row of the page's first byte, when the page began without one. */
static int begin_rows(struct building *b, u32 off)
{
	const u32 *first = vec__at(&b->table->pages, b->table->pages.len - 1);

	return off && *first == b->table->rows.len ? add_row(b, 0, RULES_NONE) : 0;
}

static int take_row(void *arg, u64 off, const struct cfi_rule *in)
{
	struct building *b = arg;
	struct cs_unwind_rule rule;
	u32 in_page = (u32)off & (PAGE_SZ - 1);
	int r;

	if (!b->begun) {
		b->begun = true;
		b->end = off - in_page;
		if (b->end >> CS_UNWIND_PAGE_BITS > UINT_MAX)
			return -E2BIG;
		b->table->first_page = (u32)(b->end >> CS_UNWIND_PAGE_BITS);
	}
	rule = convert(in);
	store(&b->rule, &rule);
	b->number = rules__number(b->rules, &b->rule);
	if (b->number == b->open)
		return 0;
	r = reach_page(b, off);
	if (!r)
		r = begin_rows(b, in_page);
	/* that a page has no code is said by no row at all */
	if (!r && (in_page || b->number != RULES_NONE))
		r = add_row(b, in_page, b->number);
	b->open = b->number;
	return r;
}

static int build(const struct image *img, const char *name, struct building *b, struct err *err)
{
	struct table *t = b->table;
	struct go_ends ends;
	u32 *end;
	int r = go_ends__read(&ends, img);

	r = r ? r : go_ends__cfi_read(&ends, img, name, take_row, b, err);
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r == -E2BIG)
		return err__set(err, r, "'%s' has more code than any program", name);
	if (r)
		return r;
	end = vec__push(&t->pages);
	if (!end)
		return err__nomem(err);
	*end = (u32)t->rows.len;
	memcpy(t->build_id, img->build_id, sizeof(t->build_id));
	return 0;
}

int table__build(const struct image *img, const char *name, struct rules *rules, struct table **ret,
		 struct err *err)
{
	struct building b = { .rules = rules };
	int r;

	b.table = mem_alloc(sizeof(*b.table));
	if (!b.table)
		return err__nomem(err);
	vec__init(&b.table->rows, sizeof(struct cs_unwind_row));
	vec__init(&b.table->pages, sizeof(u32));
	r = build(img, name, &b, err);
	if (r) {
		table__free(b.table);
		return r;
	}
	*ret = b.table;
	return 0;
}

static int build_and_free(struct image *img, const char *name, struct rules *rules,
			  struct table **ret, struct err *err)
{
	int r = table__build(img, name, rules, ret, err);

	image__free(img);
	return r;
}

int table__build_fd(int fd, const char *name, struct rules *rules, struct table **ret,
		    struct err *err)
{
	struct image *img = NULL;
	int r = image__open(fd, name, &img, err);

	return r ? r : build_and_free(img, name, rules, ret, err);
}

int table__build_mem(const void *data, size_t sz, const char *name, struct rules *rules,
		     struct table **ret, struct err *err)
{
	struct image *img = NULL;
	int r = image__open_mem(data, sz, name, &img, err);

	return r ? r : build_and_free(img, name, rules, ret, err);
}

void table__free(struct table *t)
{
	if (!t)
		return;
	vec__done(&t->rows);
	vec__done(&t->pages);
	mem_free(t);
}

u32 table__page_cnt(const struct table *t)
{
	return (u32)t->pages.len - 1;
}

u64 table__bytes(const struct table *t)
{
	return t->rows.len * sizeof(struct cs_unwind_row) +
	       (u64)table__page_cnt(t) * sizeof(struct cs_unwind_page);
}
