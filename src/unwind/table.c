/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows come from elf/cfi, sorted, through known_code.c, and are cut here into pages. Each page
 * begins with its own row, so the walk needs two lookups and never leaves a page. A row equal to
 * the previous one is dropped, which removes a fifth of them.
 */
#include "unwind/table.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "elf/cfi.h"
#include "unwind/frame_habit.h"
#include "unwind/framed_code.h"
#include "unwind/go_ends.h"
#include "unwind/known_code.h"
#include "unwind/roots.h"

#define PAGE_SZ (1U << CS_UNWIND_PAGE_BITS)

struct building {
	struct table *table;
	struct rules *rules;
	struct cs_unwind_rule rule; /* the last one, and its number: neighbours are often equal */
	u16 number;
	u16 open; /* the rule at `end` */
	u64 end; /* file offset reached so far; page-aligned between the rows of two pages */
	bool begun;
	struct frame_habit habit;
	struct table_pause pause;
	u32 rows; /* taken, up to the next pause */
};

/* About half a millisecond. */
#define ROWS_BETWEEN_PAUSES 8192

static const struct table_pause no_pause;

static bool fits16(s32 n)
{
	return n >= SHRT_MIN && n <= SHRT_MAX;
}

/* Where a register is saved; the offset goes to `off`. */
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
 * A function that aligned its stack finds saved registers through its frame pointer. gcc still says
 * so at the return instruction, where everything has been restored and the frame pointer is the
 * caller's. There the CFA is based on sp, unlike anywhere else in such a function.
 */
static u8 convert_held(const struct cfi_rule *in, const struct cfi_saved *saved, __s16 *off)
{
	static const struct cfi_saved same = { .how = CFI_SAME };
	bool restored = saved->how == CFI_AT_FP && in->cfa == CFI_CFA_REG &&
			in->base == CFI_BASE_SP;

	return convert_saved(restored ? &same : saved, off);
}

/* The CFA; false if it cannot be represented. Registers as in enum cs_cfa: sp and fp by name. */
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

/* A rule fully described by its kind. */
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
 * The same as `*to = *from`, field by field. The fields of `from` were just written one by one and
 * are in registers; copying or comparing the whole struct would wait until all of them are in
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

/* Begins the page at `b->end` with the current rule. */
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

/* Advances to the page of `off`, which is new or the current one. */
static int reach_page(struct building *b, u64 off)
{
	int r = 0;

	for (; !r && b->end <= off; b->end += PAGE_SZ)
		r = begin_page(b, b->end == off ? RULES_NONE : b->open);
	return r;
}

/* The row of the page's first byte, if the page began without one. */
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

	frame_habit__see(&b->habit, off, in);
	if (b->pause.fn && !(++b->rows % ROWS_BETWEEN_PAUSES))
		b->pause.fn(b->pause.arg);
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
	/* a page without code has no row at all */
	if (!r && (in_page || b->number != RULES_NONE))
		r = add_row(b, in_page, b->number);
	b->open = b->number;
	return r;
}

static int read_rows(const struct image *img, const char *name, struct building *b, struct err *err)
{
	struct known_code known;
	bool is_go;
	int r;

	known_code__init(&known);
	r = go_ends__add(&known, img, &is_go);
	if (!r && !is_go)
		r = roots__add(&known, img);
	if (!r && !is_go)
		r = framed_code__add(&known, img);
	r = r ? r : known_code__cfi_read(&known, img, name, take_row, b, err);
	b->table->keeps_fp = is_go || (!r && frame_habit__keeps_fp(&b->habit, img));
	known_code__done(&known);
	return r;
}

static int build(const struct image *img, const char *name, struct building *b, struct err *err)
{
	struct table *t = b->table;
	u32 *end;
	int r = read_rows(img, name, b, err);

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

static int build_image(const struct image *img, const char *name, struct rules *rules,
		       const struct table_pause *pause, struct table **ret, struct err *err)
{
	struct building b = { .rules = rules, .pause = *pause };
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

int table__build(const struct image *img, const char *name, struct rules *rules, struct table **ret,
		 struct err *err)
{
	return build_image(img, name, rules, &no_pause, ret, err);
}

int table__build_with_pauses(int fd, const char *name, struct rules *rules,
			     const struct table_pause *pause, struct table **ret, struct err *err)
{
	struct image *img = NULL;
	int r = image__open(fd, name, &img, err);

	if (!r)
		r = build_image(img, name, rules, pause, ret, err);
	image__free(img);
	return r;
}

int table__build_fd(int fd, const char *name, struct rules *rules, struct table **ret,
		    struct err *err)
{
	return table__build_with_pauses(fd, name, rules, &no_pause, ret, err);
}

int table__build_mem(const void *data, size_t sz, const char *name, struct rules *rules,
		     struct table **ret, struct err *err)
{
	struct image *img = NULL;
	int r = image__open_mem(data, sz, name, &img, err);

	if (!r)
		r = build_image(img, name, rules, &no_pause, ret, err);
	image__free(img);
	return r;
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
