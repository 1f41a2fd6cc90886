/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries come in sequence: a common part (CIE) with an alignment, an encoding and the first
 * instructions, then entries for ranges of code (FDE) that refer back to it. .debug_frame and
 * .eh_frame differ in how they refer and in what a CIE contains.
 *
 *	length  reference  start  range  [n, n bytes of augmentation]  instructions
 *
 * An entry is bounded by its length before anything in it is read. Invalid entries are skipped: a
 * wrong length ends the section, any other error costs only that entry.
 */
#include "elf/cfi_priv.h"

#include <errno.h>
#include <string.h>

/* Linkers leave a few, or one per object file if they do not merge equal ones. */
#define CIES_MAX (1UL << 20)

/* DW_EH_PE_*: how an address is encoded, and relative to what. */
#define PE_FORMAT 0x0f
#define PE_UNSIGNED 0x07
#define PE_BASE 0x70
#define PE_INDIRECT 0x80
#define PE_OMIT 0xff

enum pe_format {
	PE_ABSPTR = 0x0,
	PE_ULEB = 0x1,
	PE_UDATA2 = 0x2,
	PE_UDATA4 = 0x3,
	PE_UDATA8 = 0x4,
	PE_SLEB = 0x9,
	PE_SDATA2 = 0xa,
	PE_SDATA4 = 0xb,
	PE_SDATA8 = 0xc,
};

enum pe_base { PE_ABSOLUTE = 0x00, PE_PCREL = 0x10, PE_ALIGNED = 0x50 };

static u64 number(struct view *v, u8 format, bool *ok)
{
	switch (format) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return view__u64(v);
	case PE_ULEB:
		return view__uleb(v);
	case PE_UDATA2:
		return view__u16(v);
	case PE_UDATA4:
		return view__u32(v);
	case PE_SLEB:
		return (u64)view__sleb(v);
	case PE_SDATA2:
		return (u64)(s64)(__s16)view__u16(v);
	case PE_SDATA4:
		return (u64)(s64)(s32)view__u32(v);
	default:
		*ok = false;
		return 0;
	}
}

/* The address of the byte at the cursor. */
static u64 vaddr_of(const struct cfi_section *s, const struct view *v)
{
	return s->vaddr + (u64)(v->p - s->bytes.p);
}

bool cfi_pointer(const struct cfi_section *s, struct view *v, u8 encoding, u64 *ret)
{
	u64 at = vaddr_of(s, v);
	u8 base = encoding & PE_BASE;
	bool ok = true;

	if (encoding & PE_INDIRECT)
		return false;
	if (base == PE_ALIGNED) {
		view__bytes(v, (size_t)(-at & 7));
		*ret = view__u64(v);
		return !v->bad;
	}
	if (base != PE_ABSOLUTE && base != PE_PCREL)
		return false;
	*ret = number(v, encoding & PE_FORMAT, &ok);
	if (base == PE_PCREL)
		*ret += at;
	return ok && !v->bad;
}

/* Skips an address that is not needed, whatever it is relative to. */
static bool skip_pointer(const struct cfi_section *s, struct view *v, u8 encoding)
{
	bool ok = true;

	if (encoding == PE_OMIT)
		return true;
	if ((encoding & PE_BASE) == PE_ALIGNED)
		return cfi_pointer(s, v, PE_ALIGNED, &(u64){ 0 });
	number(v, encoding & PE_FORMAT, &ok);
	return ok && !v->bad;
}

/* The letters after the 'z'. False if one is unknown before the encoding is known. */
static bool read_augmentation(const struct cfi_section *s, struct cfi_cie *cie, const char *letters,
			      struct view *v)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R': /* encoding of addresses */
			cie->pointers = view__u8(v);
			break;
		case 'P': /* the personality routine */
			if (!skip_pointer(s, v, view__u8(v)))
				return false;
			break;
		case 'L': /* encoding of its data */
			view__u8(v);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* arm64: return addresses are signed with key B */
		case 'G': /* arm64: the frame has tagged memory */
			break;
		default:
			return strchr(letters, 'R') == NULL;
		}
	}
	return !v->bad;
}

static bool read_cie_head(const struct cfi_section *s, struct cfi_cie *cie, struct view *v)
{
	u8 version = view__u8(v);
	const char *letters = view__cstr(v);
	u64 ra;

	if (!letters || (version != 1 && version != 3 && version != 4))
		return false;
	if (strcmp(letters, "eh") == 0) { /* gcc 2 */
		view__u64(v);
		letters = "";
	}
	/* sizes of an address and of a segment selector */
	if (version == 4 && (view__u8(v) != 8 || view__u8(v) != 0))
		return false;
	cie->code_align = view__uleb(v);
	cie->data_align = view__sleb(v);
	ra = version == 1 ? view__u8(v) : view__uleb(v);
	cie->ra = ra < CFI_NO_REG ? (u8)ra : CFI_NO_REG;
	if (*letters == 'z') {
		u64 sz = view__uleb(v);
		struct view data = view__sub(v, 0, sz);

		cie->sized = true;
		view__bytes(v, (size_t)sz);
		return !v->bad && read_augmentation(s, cie, letters + 1, &data);
	}
	return !*letters && !v->bad;
}

static int read_cie(struct cfi_entries *e, const struct cfi_section *s, u64 off, struct view *v)
{
	struct cfi_cie *cie = e->cies.len < CIES_MAX ? vec__push(&e->cies) : NULL;
	struct cfi_run run = { .entries = e, .cie = cie, .section = s, .end = 1 };

	if (!cie)
		return e->cies.len < CIES_MAX ? -ENOMEM : 0;
	cie->off = off;
	cie->pointers = PE_ABSPTR;
	cie->bad = !read_cie_head(s, cie, v);
	if (e->machine.ra_in_memory)
		cie->state.rule.ra.how = CFI_UNKNOWN;
	if (!cie->bad)
		cfi_run__program(&run, *v, &cie->state);
	return 0;
}

/* The index of the CIE at `off`, among those from `first` on, which have rising offsets. */
static bool find_cie(const struct cfi_entries *e, size_t first, u64 off, size_t *ret_idx)
{
	const struct cfi_cie *cies = e->cies.data;
	size_t lo = first, hi = e->cies.len;

	if (hi > first && cies[hi - 1].off == off) {
		*ret_idx = hi - 1;
		return !cies[hi - 1].bad;
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cies[mid].off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	*ret_idx = lo;
	return lo < e->cies.len && cies[lo].off == off && !cies[lo].bad;
}

/*
 * The bytes [start, start + len) of the address space as bytes of the file, cut at the end of the
 * segment.
 */
static bool place_code(const struct image *img, u64 start, u64 len, struct cfi_fde *fde)
{
	const struct image_segment *seg = image__segment_at(img, start);
	u64 left;

	/* code that the linker dropped begins at address 0 */
	if (!seg || !start || !len || start - seg->vaddr >= seg->file_sz)
		return false;
	if (seg->off > (1ULL << 62) || seg->file_sz > (1ULL << 62))
		return false;
	left = seg->file_sz - (start - seg->vaddr);
	len = len < left ? len : left;
	fde->off = seg->off + (start - seg->vaddr);
	fde->len = len < 0xffffffff ? (u32)len : 0xffffffff;
	return true;
}

static int read_fde(struct cfi_entries *e, const struct cfi_section *s, size_t first_cie,
		    u64 cie_off, struct view *v)
{
	const struct cfi_cie *cie;
	struct cfi_fde fde, *kept;
	u64 start, len;
	bool ok = true;
	size_t idx;

	if (!find_cie(e, first_cie, cie_off, &idx))
		return 0;
	cie = vec__at(&e->cies, idx);
	if (!cfi_pointer(s, v, cie->pointers, &start))
		return 0;
	len = number(v, cie->pointers & PE_UNSIGNED, &ok);
	if (cie->sized)
		view__bytes(v, (size_t)view__uleb(v));
	if (!ok || v->bad || !place_code(e->img, start, len, &fde))
		return 0;
	fde.program = (u32)(v->p - s->bytes.p);
	fde.program_len = (u32)view__left(v);
	fde.cie = (u32)idx | (s->debug ? CFI_FDE_DEBUG : 0);
	kept = vec__push(&e->fdes);
	if (!kept)
		return -ENOMEM;
	*kept = fde;
	return 0;
}

/* One entry; `v` is after its length. */
static int read_entry(struct cfi_entries *e, const struct cfi_section *s, size_t first_cie,
		      bool wide, u64 off, struct view *v)
{
	/* in .eh_frame a reference has 4 bytes, whatever the size of the length */
	u64 at = (u64)(v->p - s->bytes.p);
	u64 ref = wide && s->debug ? view__u64(v) : view__u32(v);

	if (v->bad)
		return 0;
	if (!s->debug)
		return ref ? read_fde(e, s, first_cie, at - ref, v) : read_cie(e, s, off, v);
	if (ref == (wide ? ~0ULL : 0xffffffffULL))
		return read_cie(e, s, off, v);
	return read_fde(e, s, first_cie, ref, v);
}

int cfi_entries__scan(struct cfi_entries *e, u32 which)
{
	const struct cfi_section *s = &e->sections[which];
	size_t first_cie = e->cies.len;
	struct view v = s->bytes;
	int r = 0;

	while (!r && view__left(&v) >= 4) {
		u64 off = (u64)(v.p - s->bytes.p);
		u64 len = view__u32(&v);
		bool wide = len == 0xffffffff;
		struct view entry;

		if (wide)
			len = view__u64(&v);
		if (!len && s->open)
			break;
		entry = view__sub(&v, 0, len);
		view__bytes(&v, (size_t)len);
		if (v.bad)
			break;
		if (len)
			r = read_entry(e, s, first_cie, wide, off, &entry);
	}
	return r;
}
