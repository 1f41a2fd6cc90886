/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry of a stripped program. Every stack of its first thread ends there, below
 * __libc_start_main(), so without a name each of them would count as one with an unresolved frame.
 *
 * The header has the address, but not the size. Start-up code is short: 38 bytes on x86-64 and 52
 * on arm64 with glibc 2.36, 22 with musl. What follows within 64 bytes belongs to crtbegin.o, which
 * does not wait, or is the rest of musl's start-up code.
 */
#include <errno.h>
#include <string.h>

#include "elf/image_priv.h"
#include "elf/symtab_priv.h"

#define ENTRY_SZ 64
/* Programs have some hundred bytes. */
#define DYNAMIC_MAX_SZ (1UL << 20)

/*
 * Linkers mark programs that are position-independent (since binutils 2.26). Without the mark, a
 * shared object with an entry is a library that can be started, as libc.so.6 and the dynamic
 * linker.
 */
static bool is_program(const struct image *img)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Dyn dyn;
	int i;

	if (img->type == IMAGE_EXEC)
		return true;
	do {
		scn = elf_nextscn(img->elf, scn);
		if (!scn)
			return false;
	} while (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNAMIC);
	data = sh.sh_size <= DYNAMIC_MAX_SZ ? elf_getdata(scn, NULL) : NULL;
	for (i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (dyn.d_tag == DT_FLAGS_1)
			return dyn.d_un.d_val & DF_1_PIE;
	}
	return false;
}

/* Where the next function begins, at most `end`; 0 if the entry lies in a function. */
static u64 end_of_entry(const struct collection *c, u64 entry, u64 end)
{
	size_t i;

	for (i = 0; i < c->ranges.len; i++) {
		const struct span *range = vec__at(&c->ranges, i);

		if (!(range->rank & SYMTAB_RANK_SIZED))
			continue;
		if (range->start <= entry && entry < range->end)
			return 0;
		if (range->start > entry && range->start < end)
			end = range->start;
	}
	return end;
}

int collection__add_entry(struct collection *c)
{
	static const char name[] = "_start";
	const struct image_segment *segment = image__segment_at(c->img, c->img->entry);
	u64 entry = c->img->entry, room;
	struct span range = { .start = entry, .rank = SYMTAB_RANK_SIZED }, *copy;
	int r;

	/* a complete table has it */
	if (c->complete || !entry || !segment || !is_program(c->img))
		return 0;
	room = segment->mem_sz - (entry - segment->vaddr);
	range.end = end_of_entry(c, entry, entry + (room < ENTRY_SZ ? room : ENTRY_SZ));
	if (range.end <= entry)
		return 0;
	range.name_len = (u32)strlen(name);
	r = spans__name(c->names, name, range.name_len, &range.name);
	if (r)
		return r == -E2BIG ? 0 : r;
	copy = vec__push(&c->ranges);
	if (!copy)
		return -ENOMEM;
	*copy = range;
	return 0;
}
