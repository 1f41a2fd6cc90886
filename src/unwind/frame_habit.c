/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some stripped programs are built without CFI but with frame pointers: Chromium, the builtins of
 * V8. No symbol shows where their functions begin, but the frequency of "push %rbp; mov %rsp,%rbp"
 * shows how they were compiled.
 */
#include "unwind/frame_habit.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "base/view.h"
#include "elf/lookup.h"

#define HOLE_MIN_SZ 4096
#define SAMPLE_SZ (64UL << 10)
#define SAMPLES 8 /* per hole */
#define BYTES_PER_PROLOGUE 2048

static void keep_hole(struct frame_habit *h, u64 off, u64 sz)
{
	u32 least = 0;

	if (sz < HOLE_MIN_SZ)
		return;
	if (h->len < FRAME_HABIT_HOLES) {
		least = h->len++;
		h->hole[least].sz = 0;
	}
	for (u32 i = 0; i < h->len; i++)
		if (h->hole[i].sz < h->hole[least].sz)
			least = i;
	if (h->hole[least].sz >= sz)
		return;
	h->hole[least].off = off;
	h->hole[least].sz = sz;
}

void frame_habit__see(struct frame_habit *h, u64 off, const struct cfi_rule *rule)
{
	if (h->open)
		keep_hole(h, h->last_off, off - h->last_off);
	if (!h->begun)
		h->first_off = off;
	h->begun = true;
	h->open = rule->cfa == CFI_CFA_NONE;
	h->last_off = off;
}

static u64 count_prologues(const struct view *code)
{
	static const u8 prologue[] = { 0x55, 0x48, 0x89, 0xe5 };
	const u8 *p = code->p;
	u64 n = 0;

	while ((p = memmem(p, (size_t)(code->end - p), prologue, sizeof(prologue)))) {
		p += sizeof(prologue);
		n++;
	}
	return n;
}

struct sampled {
	u64 bytes;
	u64 prologues;
};

/* At even distances, to avoid reading all of a large file. */
static void sample(const struct image *img, u64 vaddr, u64 sz, struct sampled *s)
{
	u64 step = sz / SAMPLES > SAMPLE_SZ ? sz / SAMPLES : SAMPLE_SZ;

	for (u64 at = 0; at < sz; at += step) {
		u64 len = sz - at < SAMPLE_SZ ? sz - at : SAMPLE_SZ;
		struct view code;

		if (!lookup_bytes(img, vaddr + at, len, &code))
			return;
		s->bytes += len;
		s->prologues += count_prologues(&code);
	}
}

/* Segments and holes may be split; the part of a hole outside all segments is not code. */
static void sample_hole(const struct image *img, u64 off, u64 sz, struct sampled *s)
{
	for (size_t i = 0; i < img->segments_len; i++) {
		const struct image_segment *seg = &img->segments[i];
		u64 begin = off > seg->off ? off : seg->off, end = seg->off + seg->file_sz;

		if (end > off + sz)
			end = off + sz;
		if (begin < end)
			sample(img, seg->vaddr + (begin - seg->off), end - begin, s);
	}
}

bool frame_habit__keeps_fp(const struct frame_habit *h, const struct image *img)
{
	struct sampled s = { 0 };

	if (img->machine != EM_X86_64)
		return true; /* required by the arm64 ABI */
	for (u32 i = 0; i < h->len; i++)
		sample_hole(img, h->hole[i].off, h->hole[i].sz, &s);
	/* There may also be code before the first row and after the last one. */
	sample_hole(img, 0, h->begun ? h->first_off : UINT64_MAX, &s);
	if (h->begun)
		sample_hole(img, h->last_off, UINT64_MAX - h->last_off, &s);
	return s.prologues >= s.bytes / BYTES_PER_PROLOGUE && s.prologues;
}
