/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol tables are read in place: a caller that needs three names does not need a sorted copy. */
#include "elf/lookup.h"

#include <gelf.h>
#include <libelf.h>
#include <stdint.h>

#include "base/view.h"

/* Limit for the bytes of a table and of its strings. */
#define TABLE_MAX_SZ (256UL << 20)
/* Bytes of names to read: a hostile table may refer to the same bytes a million times. */
#define NAMES_MAX_SZ (1UL << 30)

static bool read_section(const struct image *img, size_t idx, struct view *ret)
{
	Elf_Scn *scn = elf_getscn(img->elf, idx);
	Elf_Data *data;
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS ||
	    sh.sh_size > TABLE_MAX_SZ)
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return false;
	*ret = view__of(data->d_buf, data->d_size);
	return true;
}

/* Subtracts what it read from *left. */
static const char *string_at(const struct view *strings, u64 off, u64 *left)
{
	struct view v = view__sub(strings, off, 0);
	const char *s;
	u64 seen;

	if (v.bad)
		return NULL;
	v.end = strings->end;
	seen = view__left(&v);
	s = view__cstr(&v);
	seen -= view__left(&v);
	*left -= seen < *left ? seen : *left;
	return s;
}

static void read_table(Elf_Data *syms, const struct view *strings, lookup_fn fn, void *arg)
{
	u64 left = NAMES_MAX_SZ;
	GElf_Sym sym;
	int i;

	for (i = 0; left && gelf_getsym(syms, i, &sym); i++) {
		const char *name = string_at(strings, sym.st_name, &left);

		if (sym.st_shndx == SHN_UNDEF || !name || !*name)
			continue;
		if (!fn(arg, name, sym.st_value, sym.st_size))
			return;
	}
}

void lookup_symbols(const struct image *img, enum lookup_table table, lookup_fn fn, void *arg)
{
	const u32 type = table == LOOKUP_SYMTAB ? SHT_SYMTAB : SHT_DYNSYM;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(img->elf, scn))) {
		struct view strings;
		Elf_Data *syms;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type || sh.sh_size > TABLE_MAX_SZ ||
		    !read_section(img, sh.sh_link, &strings))
			continue;
		syms = elf_getdata(scn, NULL);
		if (syms && syms->d_buf)
			read_table(syms, &strings, fn, arg);
		return;
	}
}

bool lookup_bytes(const struct image *img, u64 vaddr, u64 sz, struct view *ret)
{
	size_t i, n;

	if (elf_getphdrnum(img->elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		Elf_Data *data;
		GElf_Phdr ph;
		u64 at;

		if (!gelf_getphdr(img->elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    vaddr < ph.p_vaddr || vaddr - ph.p_vaddr >= ph.p_filesz ||
		    sz > ph.p_filesz - (vaddr - ph.p_vaddr))
			continue;
		at = ph.p_offset + (vaddr - ph.p_vaddr);
		if (at > INT64_MAX)
			return false;
		data = elf_getdata_rawchunk(img->elf, (s64)at, sz, ELF_T_BYTE);
		if (!data || !data->d_buf || data->d_size < sz)
			return false;
		*ret = view__of(data->d_buf, sz);
		return true;
	}
	return false;
}
