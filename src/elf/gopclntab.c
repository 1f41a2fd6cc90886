/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table, four versions. Each has an array of pairs (address, offset of the function's record),
 * one more address for the end of the last function, and for each function its name and three small
 * programs that give the file and line of each instruction, and the size of the frame there:
 *
 *	1.2    everything is relative to the start of the table
 *	1.16   names, files, programs and functions have separate tables; offsets in the header
 *	1.18   addresses are 32 bits, relative to the start of the code, which the header gives
 *	1.20   the record of a function has one more field
 *
 * Only the header is checked as a whole. Every other offset is looked up when needed, within the
 * bounds of the bytes at hand, so a damaged table costs nothing more.
 */
#include "elf/gopclntab.h"

#include <errno.h>
#include <stdint.h>

#include "base/mem.h"
#include "elf/gopclntab_priv.h"

#define FUNCS_MAX (8UL << 20)
/* Limit for the name of a function or a file, and for the rows of a function. */
#define STRING_MAX_SZ (64UL << 10)
#define ROWS_MAX (1UL << 20)
/* A stack of Go has at most 1 GB. */
#define FRAME_MAX_SZ (1L << 30)

enum go_age {
	GO_1_2,
	GO_1_16,
	GO_1_18,
	GO_1_20,
};

struct gopclntab {
	enum go_age age;
	u32 quantum; /* of code addresses */
	u32 ptr_sz;
	u64 funcs_len;
	u64 text; /* addresses are relative to this; 0 before 1.18 */
	struct view names;
	struct view units; /* of numbers of files */
	struct view files;
	struct view programs;
	struct view funcs; /* the pairs, and what their second halves are relative to */
	struct view pairs;
};

static u64 take_ptr(const struct gopclntab *gp, struct view *v)
{
	return gp->ptr_sz == 8 ? view__u64(v) : view__u32(v);
}

/* Everything from `off` on. */
static struct view from(const struct view *v, u64 off)
{
	struct view rest = view__sub(v, off, 0);

	if (!rest.bad)
		rest.end = v->end;
	return rest;
}

/* The string that begins at `off`, or NULL. */
static const char *string_at(const struct view *v, u64 off)
{
	struct view rest = from(v, off);

	if (rest.bad)
		return NULL;
	if (view__left(&rest) > STRING_MAX_SZ)
		rest.end = rest.p + STRING_MAX_SZ;
	return view__cstr(&rest);
}

static u32 address_sz(const struct gopclntab *gp)
{
	return gp->age >= GO_1_18 ? 4 : gp->ptr_sz;
}

static u64 take_address(const struct gopclntab *gp, struct view *v)
{
	return gp->age >= GO_1_18 ? view__u32(v) : take_ptr(gp, v);
}

/* The start of function `idx`, or its end if `idx` is one past the last. */
static bool start_of(const struct gopclntab *gp, size_t idx, u64 *ret)
{
	struct view v = from(&gp->pairs, (u64)idx * 2 * address_sz(gp));

	*ret = gp->text + take_address(gp, &v);
	return !v.bad;
}

/* The record of a function, after its first field, which repeats its address. */
static struct view record_of(const struct gopclntab *gp, size_t idx)
{
	struct view v = from(&gp->pairs, ((u64)idx * 2 + 1) * address_sz(gp));
	struct view record = from(&gp->funcs, take_address(gp, &v));

	view__bytes(&record, address_sz(gp));
	return record;
}

/* A header of offsets, from 1.16 on. */
static bool read_places(struct gopclntab *gp, const struct view *bytes, struct view *head,
			u64 *ret_text)
{
	gp->funcs_len = take_ptr(gp, head);
	take_ptr(gp, head); /* files */
	if (gp->age >= GO_1_18)
		*ret_text = take_ptr(gp, head);
	gp->names = from(bytes, take_ptr(gp, head));
	gp->units = from(bytes, take_ptr(gp, head));
	gp->files = from(bytes, take_ptr(gp, head));
	gp->programs = from(bytes, take_ptr(gp, head));
	gp->funcs = from(bytes, take_ptr(gp, head));
	gp->pairs = gp->funcs;
	return !head->bad && !gp->names.bad && !gp->units.bad && !gp->files.bad &&
	       !gp->programs.bad && !gp->funcs.bad;
}

/* Before 1.16: the pairs follow, and after them the offset of the files. */
static bool read_places_1_2(struct gopclntab *gp, const struct view *bytes, struct view *head)
{
	struct view files;

	gp->funcs_len = take_ptr(gp, head);
	gp->pairs = *head;
	if (head->bad || gp->funcs_len > FUNCS_MAX)
		return false;
	files = from(head, (2 * gp->funcs_len + 1) * gp->ptr_sz);
	gp->names = *bytes;
	gp->files = *bytes;
	gp->programs = *bytes;
	gp->funcs = *bytes;
	gp->units = from(bytes, view__u32(&files));
	return !files.bad && !gp->units.bad;
}

static bool read_header(struct gopclntab *gp, const struct view *bytes, u64 *ret_text)
{
	struct view head = *bytes;
	const u8 *first = view__bytes(&head, GO_HEAD_SZ);

	*ret_text = 0;
	if (!first || !go_head_is_known(first))
		return false;
	gp->age = first[0] == 0xfb ? GO_1_2 :
		  first[0] == 0xfa ? GO_1_16 :
		  first[0] == 0xf0 ? GO_1_18 :
				     GO_1_20;
	gp->quantum = first[6];
	gp->ptr_sz = first[7];
	return gp->age == GO_1_2 ? read_places_1_2(gp, bytes, &head) :
				   read_places(gp, bytes, &head, ret_text);
}

/* All starts are there and in order; otherwise it is no table, or one not yet relocated. */
static bool check_order(const struct gopclntab *gp)
{
	u64 addr, last = 0;
	size_t i;

	if (!gp->funcs_len || gp->funcs_len > FUNCS_MAX)
		return false;
	for (i = 0; i <= gp->funcs_len; i++) {
		if (!start_of(gp, i, &addr) || addr < last)
			return false;
		last = addr;
	}
	return last > gp->text;
}

static int open_table(struct gopclntab *gp, const struct go_table *table, const struct image *img,
		      u64 text)
{
	u64 said;

	if (!read_header(gp, &table->bytes, &said))
		return -EINVAL;
	if (gp->age >= GO_1_18) {
		/* the dynamic linker may have to write it, and newer ones omit it */
		u64 field = table->vaddr + GO_HEAD_SZ + 2ULL * gp->ptr_sz;

		if (!said &&
		    !(img && (go_relocated(img, field, &said) || go_text_start(img, &said))))
			said = text;
		gp->text = said;
	}
	return check_order(gp) ? 0 : -EINVAL;
}

struct candidate {
	struct gopclntab *gp;
	const struct image *img;
};

static int try_table(void *arg, const struct go_table *table)
{
	const struct candidate *c = arg;
	u64 start;
	int r;

	*c->gp = (struct gopclntab){ 0 };
	r = open_table(c->gp, table, c->img, 0);
	if (!r && (!start_of(c->gp, 0, &start) || !image__segment_at(c->img, start)))
		return -EINVAL;
	return r;
}

static int finish(struct gopclntab *gp, int r, struct gopclntab **ret, struct err *err)
{
	if (!r) {
		*ret = gp;
		return 0;
	}
	gopclntab__free(gp);
	return err__set(err, r, r == -ENOENT ? "no Go program" : "its .gopclntab cannot be read");
}

int gopclntab__open(const struct image *img, struct gopclntab **ret, struct err *err)
{
	struct gopclntab *gp = mem_alloc(sizeof(*gp));
	struct candidate c = { gp, img };

	return gp ? finish(gp, go_table_search(img, try_table, &c), ret, err) : err__nomem(err);
}

int gopclntab__open_mem(struct view bytes, u64 vaddr, u64 text, struct gopclntab **ret,
			struct err *err)
{
	struct gopclntab *gp = mem_alloc(sizeof(*gp));
	struct go_table table = { bytes, vaddr };

	return gp ? finish(gp, open_table(gp, &table, NULL, text), ret, err) : err__nomem(err);
}

void gopclntab__free(struct gopclntab *gp)
{
	mem_free(gp);
}

size_t gopclntab__len(const struct gopclntab *gp)
{
	return gp->funcs_len;
}

bool gopclntab__func(const struct gopclntab *gp, size_t idx, u64 *ret_start, u64 *ret_end,
		     const char **ret_name)
{
	struct view record;

	if (idx >= gp->funcs_len || !start_of(gp, idx, ret_start) ||
	    !start_of(gp, idx + 1, ret_end))
		return false;
	record = record_of(gp, idx);
	*ret_name = string_at(&gp->names, view__u32(&record));
	return !record.bad && *ret_name && **ret_name;
}

bool gopclntab__find(const struct gopclntab *gp, u64 vaddr, size_t *ret_idx)
{
	size_t lo = 0, hi = gp->funcs_len;
	u64 start;

	/* the first function that begins above it */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (start_of(gp, mid, &start) && start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || !start_of(gp, lo, &start) || vaddr >= start)
		return false;
	*ret_idx = lo - 1;
	return true;
}

/*
 * Runs a program: pairs of LEB128 numbers, how much the value changes (zigzag) and for how much
 * code it then applies. The first change may be zero, a later zero is the end.
 */
static bool run_program(const struct gopclntab *gp, u32 off, u64 pc, u64 target, s64 *ret)
{
	struct view v = from(&gp->programs, off);
	s64 value = -1;
	u32 row;

	if (!off)
		return false;
	for (row = 0; row < ROWS_MAX && !v.bad && view__left(&v); row++) {
		u32 change = (u32)view__uleb(&v);

		if (!change && row)
			return false;
		value += change & 1 ? -(s64)(change >> 1) - 1 : (s64)(change >> 1);
		pc += view__uleb(&v) * gp->quantum;
		if (!v.bad && target < pc) {
			*ret = value;
			return true;
		}
	}
	return false;
}

bool gopclntab__frame(const struct gopclntab *gp, u64 vaddr, u32 *ret_sz, const char **ret_name)
{
	struct view record;
	u64 start;
	size_t idx;
	s64 sz;

	if (!gopclntab__find(gp, vaddr, &idx) || !start_of(gp, idx, &start))
		return false;
	record = record_of(gp, idx);
	*ret_name = string_at(&gp->names, view__u32(&record));
	view__bytes(&record, 8); /* arguments, deferred return or frame */
	if (!run_program(gp, view__u32(&record), start, vaddr, &sz) || record.bad || !*ret_name ||
	    sz < 0 || sz > FRAME_MAX_SZ || sz % gp->ptr_sz)
		return false;
	*ret_sz = (u32)sz;
	return true;
}

static const char *file_name(const struct gopclntab *gp, u32 unit, s64 number)
{
	struct view v;
	u32 off;

	if (number < 0 || number > UINT32_MAX)
		return NULL;
	v = from(&gp->units, 4 * ((u64)unit + (u64)number));
	off = view__u32(&v);
	return v.bad || off == UINT32_MAX ? NULL : string_at(&gp->files, off);
}

/* Which of the programs after a record says whether code was inlined; the same since Go 1.13. */
#define PROGRAM_INLINED 2

/* `record` is after the file's unit number; `programs` is their number. */
static bool is_inlined(const struct gopclntab *gp, struct view record, u32 programs, u64 start,
		       u64 vaddr)
{
	s64 index;
	u32 i;

	if (programs <= PROGRAM_INLINED)
		return false;
	if (gp->age == GO_1_20)
		view__u32(&record); /* first line */
	view__u32(&record); /* kind of function, flags, number of further data */
	for (i = 0; i < PROGRAM_INLINED; i++)
		view__u32(&record);
	return run_program(gp, view__u32(&record), start, vaddr, &index) && index >= 0;
}

bool gopclntab__line(const struct gopclntab *gp, u64 vaddr, const char **ret_file, u32 *ret_line)
{
	u32 file_program, line_program, programs, unit = 0;
	struct view record;
	s64 file, line;
	size_t idx;
	u64 start;

	if (!gopclntab__find(gp, vaddr, &idx) || !start_of(gp, idx, &start))
		return false;
	record = record_of(gp, idx);
	view__bytes(&record, 16); /* name, arguments, deferred return or frame, stack program */
	file_program = view__u32(&record);
	line_program = view__u32(&record);
	programs = view__u32(&record);
	if (gp->age != GO_1_2)
		unit = view__u32(&record);
	/* the line would be that of another function, whose name is not available */
	if (gp->age != GO_1_2 && is_inlined(gp, record, programs, start, vaddr))
		return false;
	if (record.bad || !run_program(gp, file_program, start, vaddr, &file) ||
	    !run_program(gp, line_program, start, vaddr, &line) || line < 0 || line > INT32_MAX)
		return false;
	*ret_file = file_name(gp, unit, file);
	*ret_line = (u32)line;
	return *ret_file && **ret_file;
}
