/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function optimised with a profile is split in two. Both pieces have an entry in the sorted
 * index of .eh_frame, but only the jumps between them show that they belong together. So the code
 * is searched for near jumps with a 32-bit distance, without decoding the instructions around them.
 * Bytes that only look like a jump lead anywhere in 4 GiB. The other piece is therefore the entry
 * that is hit many times, and inside rather than at its start (where tail calls go).
 */
#include "elf/lookup.h"

#include <dwarf.h>
#include <elf.h>
#include <gelf.h>

#include "base/mem.h"

#define INDEX_MAX_SZ (64UL << 20)
/* Ten times the largest of interest; each jump in it costs a lookup in the file. */
#define FUNCTION_MAX_SZ (1UL << 20)
/* Fewer jumps into a piece are considered chance. */
#define JUMPS_MIN 4

/* Pairs of (start of the code, its entry), both relative to `base`, sorted. */
struct frame_index {
	const u8 *table;
	u64 base;
	u32 len;
};

static bool find_index(const struct image *img, struct view *ret, u64 *ret_vaddr)
{
	size_t i, n;

	if (elf_getphdrnum(img->elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(img->elf, (int)i, &ph) || ph.p_type != PT_GNU_EH_FRAME)
			continue;
		*ret_vaddr = ph.p_vaddr;
		return ph.p_filesz <= INDEX_MAX_SZ &&
		       lookup_bytes(img, ph.p_vaddr, ph.p_filesz, ret);
	}
	return false;
}

static bool read_index(const struct image *img, struct frame_index *ret)
{
	struct view v;
	u32 encodings;

	if (!find_index(img, &v, &ret->base))
		return false;
	encodings = view__u32(&v);
	/* Version 1 and the encodings that every linker writes. */
	if (encodings != (1U | (DW_EH_PE_pcrel | DW_EH_PE_sdata4) << 8 | DW_EH_PE_udata4 << 16 |
			  (u32)(DW_EH_PE_datarel | DW_EH_PE_sdata4) << 24))
		return false;
	view__u32(&v);
	ret->len = view__u32(&v);
	if (v.bad || !ret->len || ret->len > view__left(&v) / 8)
		return false;
	ret->table = view__bytes(&v, 8UL * ret->len);
	return true;
}

static u64 index_word(const struct frame_index *idx, u32 i, u32 word)
{
	struct view v = view__of(idx->table + 8UL * i + 4UL * word, 4);

	return idx->base + (u64)(s64)(s32)view__u32(&v);
}

/* The last entry that begins at or before `vaddr`; false if there is none. */
static bool index_find(const struct frame_index *idx, u64 vaddr, u32 *ret)
{
	u32 lo = 0, hi = idx->len;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (index_word(idx, mid, 0) <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	*ret = lo - 1;
	return lo > 0;
}

/* Where the code of an entry ends: its description (FDE) contains the length. */
static u64 piece_end(const struct image *img, const struct frame_index *idx, u32 i)
{
	u64 start = index_word(idx, i, 0), fde = index_word(idx, i, 1), at;
	struct view v;

	/* length, pointer to the CIE, distance from here to the start, bytes of code */
	if (!lookup_bytes(img, fde, 16, &v))
		return start;
	view__u64(&v);
	at = fde + 8 + (u64)(s64)(s32)view__u32(&v);
	return at == start ? start + view__u32(&v) : start;
}

/* Length of the instruction if it looks like a jump with a distance of 32 bits, else 0. */
static size_t jump_len(const u8 *p, size_t left)
{
	if (left >= 6 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80)
		return 6; /* jcc */
	return left >= 5 && p[0] == 0xe9 ? 5 : 0; /* jmp */
}

/* Counts jumps from the code at `start` into other entries. */
static void count_jumps(const struct image *img, const struct frame_index *idx,
			const struct view *code, u64 start, u32 *hits)
{
	size_t sz = view__left(code), i, len;
	u32 entry;

	for (i = 0; i < sz; i++) {
		struct view v;
		u64 to;

		len = jump_len(code->p + i, sz - i);
		if (!len)
			continue;
		v = view__sub(code, i + len - 4, 4);
		to = start + i + len + (u64)(s64)(s32)view__u32(&v);
		if (to - start >= sz && index_find(idx, to, &entry) &&
		    to > index_word(idx, entry, 0) && to < piece_end(img, idx, entry))
			hits[entry]++;
	}
}

bool lookup_cold_piece(const struct image *img, u64 start, u64 end, struct lookup_piece *ret)
{
	struct frame_index idx;
	struct view code;
	u32 *hits, best = 0, i;
	bool found;

	if (img->machine != EM_X86_64 || end <= start || end - start > FUNCTION_MAX_SZ ||
	    !read_index(img, &idx) || !lookup_bytes(img, start, end - start, &code))
		return false;
	hits = mem_array(idx.len, sizeof(*hits));
	if (!hits)
		return false;
	count_jumps(img, &idx, &code, start, hits);
	for (i = 1; i < idx.len; i++) {
		if (hits[i] > hits[best])
			best = i;
	}
	found = hits[best] >= JUMPS_MIN;
	if (found) {
		ret->start = index_word(&idx, best, 0);
		ret->end = piece_end(img, &idx, best);
		found = ret->end > ret->start;
	}
	mem_free(hits);
	return found;
}
