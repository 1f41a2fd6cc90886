/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two passes: the first collects all entries of a file, the second runs their programs in the order
 * of the code, so that rows come out sorted and need no memory here. Linkers write entries in
 * nearly that order, so most files need no sorting.
 *
 * Entries may overlap: identical functions folded by the linker, damaged files, and .debug_frame
 * repeating .eh_frame. An entry ends where the next one begins. Of several with the same start, the
 * longest wins. Entries of .debug_frame apply only where no other does.
 */
#include "elf/cfi.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "elf/cfi_priv.h"

/*
 * Functions are aligned to 16 bytes, so a smaller gap is padding, which is never executed, or the
 * end of a function that hides its last instructions from unwinders, such as clone(). A larger one
 * may hold a function without an entry.
 */
#define GAP_MIN 16
/* Four times the largest file seen; 64 MiB of rows. */
#define ROWS_MAX (16UL << 20)

static const struct cfi_machine x86_64 = {
	.sp = 7,
	.fp = 6,
	.bx = 3,
	.ra = 16,
	.ra_in_memory = true,
};

static const struct cfi_machine arm64 = {
	.sp = 31,
	.fp = 29,
	.bx = CFI_NO_REG,
	.ra = 30,
};

struct reading {
	struct cfi_entries *entries;
	cfi_row_fn fn;
	void *arg;
	u64 rows;
	u64 early; /* the row at this offset begins a byte before it */
};

static int emit(void *arg, u64 off, const struct cfi_rule *rule)
{
	struct reading *rd = arg;

	if (off == rd->early)
		off--;
	return ++rd->rows > ROWS_MAX ? -E2BIG : rd->fn(rd->arg, off, rule);
}

static int emit_none(struct reading *rd, u64 off)
{
	static const struct cfi_rule none = { .cfa = CFI_CFA_NONE };

	return emit(rd, off, &none);
}

static bool is_debug(const struct cfi_fde *fde)
{
	return fde->cie & CFI_FDE_DEBUG;
}

static u64 end_of(const struct cfi_fde *fde)
{
	return fde->off + fde->len;
}

/* One pass: by the byte of the offset at `shift`, otherwise stable. */
static void sort_by_byte(const struct cfi_fde *from, struct cfi_fde *to, size_t len, u32 shift)
{
	size_t starts[257] = { 0 };
	size_t i;

	for (i = 0; i < len; i++)
		starts[(from[i].off >> shift & 0xff) + 1]++;
	for (i = 1; i < 256; i++)
		starts[i] += starts[i - 1];
	for (i = 0; i < len; i++)
		to[starts[from[i].off >> shift & 0xff]++] = from[i];
}

static bool is_sorted(const struct cfi_fde *f, size_t len, u64 *ret_max)
{
	bool sorted = true;
	size_t i;

	*ret_max = 0;
	for (i = 0; i < len; i++) {
		sorted = sorted && f[i].off >= *ret_max;
		if (f[i].off > *ret_max)
			*ret_max = f[i].off;
	}
	return sorted;
}

/*
 * By offset; equal ones stay in the order in which they were read, .eh_frame first. A radix sort
 * takes a tenth of the time of qsort(), which was a tenth of the total.
 */
static int sort(struct vec *fdes)
{
	struct cfi_fde *to, *from = fdes->data;
	u32 shift;
	u64 max;

	if (is_sorted(from, fdes->len, &max))
		return 0;
	to = mem_array(fdes->len, sizeof(*to));
	if (!to)
		return -ENOMEM;
	for (shift = 0; shift < 64 && max >> shift; shift += 8) {
		struct cfi_fde *t = from;

		sort_by_byte(from, to, fdes->len, shift);
		from = to;
		to = t;
	}
	if (from != fdes->data) {
		memcpy(fdes->data, from, fdes->len * sizeof(*from));
		to = from;
	}
	mem_free(to);
	return 0;
}

/* Drops overridden entries, so that no two of the rest begin at the same offset. */
static void drop_doubles(struct vec *fdes)
{
	struct cfi_fde *f = fdes->data;
	u64 covered = 0; /* by .eh_frame, up to here */
	size_t i, kept = 0;

	for (i = 0; i < fdes->len; i++) {
		const struct cfi_fde *next = i + 1 < fdes->len ? &f[i + 1] : NULL;

		if (kept && f[kept - 1].off == f[i].off) {
			if (is_debug(&f[kept - 1]) == is_debug(&f[i]) && f[i].len > f[kept - 1].len)
				f[kept - 1] = f[i];
			continue;
		}
		if (is_debug(&f[i])) {
			if (f[i].off < covered)
				continue;
			if (next && !is_debug(next) && next->off < end_of(&f[i]))
				continue;
		} else if (end_of(&f[i]) > covered) {
			covered = end_of(&f[i]);
		}
		f[kept++] = f[i];
	}
	fdes->len = kept;
}

static int run(struct reading *rd, const struct cfi_fde *fde, u64 end)
{
	const struct cfi_entries *e = rd->entries;
	const struct cfi_section *s = &e->sections[is_debug(fde)];
	const struct cfi_cie *cie = vec__at(&e->cies, fde->cie & ~CFI_FDE_DEBUG);
	struct cfi_state st = cie->state;
	struct cfi_run r = {
		.entries = e,
		.cie = cie,
		.section = s,
		.start = fde->off,
		.end = end,
		.fn = emit,
		.arg = rd,
	};

	image__vaddr_of_offset(e->img, fde->off, &r.vaddr);
	return cfi_run__program(&r, view__sub(&s->bytes, fde->program, fde->program_len), &st);
}

/*
 * Return addresses are looked up one byte earlier, where the call is. The address of a function
 * itself is a return address only if it was put on the stack by hand, as makecontext() does. So if
 * no other function ends just before it, a function owns that byte too.
 */
static u64 early_start(const struct cfi_fde *fde, u64 end_before)
{
	return end_before < fde->off ? fde->off : UINT64_MAX;
}

static int run_all(struct reading *rd)
{
	const struct vec *fdes = &rd->entries->fdes;
	const struct cfi_fde *f = fdes->data;
	u64 end = UINT64_MAX;
	size_t i;
	int r;

	for (i = 0; i < fdes->len; i++) {
		bool last = i + 1 == fdes->len;

		rd->early = early_start(&f[i], end);
		end = end_of(&f[i]);
		if (!last && f[i + 1].off < end)
			end = f[i + 1].off;
		r = run(rd, &f[i], end);
		if (!r && (last || f[i + 1].off - end >= GAP_MIN))
			r = emit_none(rd, end);
		if (r)
			return r;
	}
	return 0;
}

static bool choose_machine(const struct image *img, struct cfi_machine *ret)
{
	*ret = img->machine == EM_AARCH64 ? arm64 : x86_64;
	return gelf_getclass(img->elf) == ELFCLASS64 &&
	       (img->machine == EM_X86_64 || img->machine == EM_AARCH64);
}

static int scan(struct cfi_entries *e)
{
	int r;

	cfi_section__find_eh(&e->sections[0], e->img);
	r = cfi_entries__scan(e, 0);
	if (r)
		return r;
	cfi_section__find_debug(&e->sections[1], e->img);
	return cfi_entries__scan(e, 1);
}

int cfi_read(const struct image *img, const char *name, cfi_row_fn fn, void *arg, struct err *err)
{
	struct cfi_entries e = { .img = img };
	struct reading rd = { .entries = &e, .fn = fn, .arg = arg };
	int r;

	if (!choose_machine(img, &e.machine))
		return err__set(err, -ENODATA, "'%s' is not for x86-64 or arm64", name);
	vec__init(&e.cies, sizeof(struct cfi_cie));
	vec__init(&e.fdes, sizeof(struct cfi_fde));
	r = scan(&e);
	r = r ? r : sort(&e.fdes);
	if (r) {
		err__nomem(err);
		goto out;
	}
	drop_doubles(&e.fdes);
	r = e.fdes.len ? run_all(&rd) : -ENODATA;
	if (r == -ENODATA && !e.fdes.len)
		err__set(err, r, "'%s' has no call frame information", name);
	else if (rd.rows > ROWS_MAX)
		err__set(err, r, "'%s' has more call frame information than any program", name);
out:
	vec__done(&e.cies);
	vec__done(&e.fdes);
	return r;
}
