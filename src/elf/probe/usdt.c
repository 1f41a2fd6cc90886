/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of a note are those of the link. Prelink moves a file without mending its notes, so a
 * note has the address of the section .stapsdt.base too: by so much as that has moved, all have.
 */
#include "elf/probe/usdt.h"

#include <string.h>

#include "elf/image_priv.h"

/* The largest known, of databases and language run times, have some 100 KiB. */
#define NOTES_MAX_SZ (16UL << 20)
#define NOTES ".note.stapsdt"
#define BASE ".stapsdt.base"
#define OWNER "stapsdt"
#define TYPE 3

static u64 read_addr(struct view *v, size_t addr_sz)
{
	return addr_sz == 8 ? view__u64(v) : view__u32(v);
}

static bool read_note(struct view *desc, size_t addr_sz, struct usdt_note *ret)
{
	ret->pc = read_addr(desc, addr_sz);
	ret->base = read_addr(desc, addr_sz);
	ret->semaphore = read_addr(desc, addr_sz);
	ret->provider = view__cstr(desc);
	ret->name = view__cstr(desc);
	return !desc->bad && *ret->provider && *ret->name;
}

/* Names and descriptions are padded to 4 bytes; the last one may lack it. */
static const void *read_padded(struct view *v, u32 sz)
{
	const void *bytes = view__bytes(v, sz);
	size_t pad = -sz & 3;

	view__bytes(v, pad < view__left(v) ? pad : view__left(v));
	return bytes;
}

void usdt_notes(struct view v, size_t addr_sz, usdt_note_fn fn, void *arg)
{
	while (view__left(&v)) {
		u32 name_sz = view__u32(&v), desc_sz = view__u32(&v), type = view__u32(&v);
		const char *owner = read_padded(&v, name_sz);
		const void *bytes = read_padded(&v, desc_sz);
		struct view desc = view__of(bytes, bytes ? desc_sz : 0);
		struct usdt_note note;

		if (v.bad)
			return;
		if (type != TYPE || name_sz != sizeof(OWNER) ||
		    memcmp(owner, OWNER, sizeof(OWNER)) != 0)
			continue;
		if (read_note(&desc, addr_sz, &note) && !fn(arg, &note))
			return;
	}
}

struct finding {
	const struct image *img;
	const char *provider;
	const char *name;
	u64 base; /* where it is now; 0: it was not found */
	usdt_place_fn fn;
	void *arg;
};

/* The offset of a byte that a segment loads, of code or of data; 0: none does. */
static u64 offset_of(const struct image *img, u64 vaddr)
{
	size_t n, i;

	if (elf_getphdrnum(img->elf, &n))
		return 0;
	for (i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(img->elf, (int)i, &ph) && ph.p_type == PT_LOAD &&
		    vaddr >= ph.p_vaddr && vaddr - ph.p_vaddr < ph.p_filesz)
			return vaddr - ph.p_vaddr + ph.p_offset;
	}
	return 0;
}

static bool see_note(void *arg, const struct usdt_note *note)
{
	const struct finding *f = arg;
	u64 moved = f->base && note->base ? f->base - note->base : 0;
	const struct image_segment *seg;
	struct usdt_place place = { 0 };

	if (strcmp(note->provider, f->provider) != 0 || strcmp(note->name, f->name) != 0)
		return true;
	seg = image__segment_at(f->img, note->pc + moved);
	if (!seg)
		return true;
	place.off = note->pc + moved - seg->vaddr + seg->off;
	if (note->semaphore) {
		place.semaphore_off = offset_of(f->img, note->semaphore + moved);
		if (!place.semaphore_off)
			return true; /* nobody could switch it on */
	}
	return f->fn(f->arg, &place);
}

void usdt_find(const struct image *img, const char *provider, const char *name, usdt_place_fn fn,
	       void *arg)
{
	struct finding f = { .img = img, .provider = provider, .name = name, .fn = fn, .arg = arg };
	GElf_Shdr base;
	struct view notes;

	if (!image__section(img, NOTES, NOTES_MAX_SZ, &notes))
		return;
	if (image__next_section(img, NULL, BASE, &base))
		f.base = base.sh_addr;
	usdt_notes(notes, gelf_getclass(img->elf) == ELFCLASS32 ? 4 : 8, see_note, &f);
}
