/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables are looked up so rarely, one for each of a program's own locks, that no table of them
 * is kept: the file's symbol tables are searched.
 */
#include "elf/variable/variable.h"

#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

#define TABLE_MAX_SZ (256UL << 20)

/* Its link-time address. */
static bool address_of(const struct image *img, u64 off, u64 *ret_vaddr)
{
	size_t i, n;
	GElf_Phdr ph;

	if (elf_getphdrnum(img->elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(img->elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_W))
			continue;
		if (off >= ph.p_offset && off - ph.p_offset < ph.p_memsz) {
			*ret_vaddr = ph.p_vaddr + (off - ph.p_offset);
			return true;
		}
	}
	return false;
}

static bool data_of(const struct image *img, size_t section, Elf_Data **ret, GElf_Shdr *ret_sh)
{
	Elf_Scn *scn = elf_getscn(img->elf, section);

	if (!scn || !gelf_getshdr(scn, ret_sh) || ret_sh->sh_type == SHT_NOBITS ||
	    ret_sh->sh_size > TABLE_MAX_SZ)
		return false;
	*ret = elf_getdata(scn, NULL);
	return *ret && (*ret)->d_buf;
}

/* False if the name is not inside the table, or empty. */
static bool copy_name(const Elf_Data *names, u32 at, char *buf, size_t sz)
{
	const char *begin = names->d_buf;
	const char *at_sign;
	size_t len;

	if (at >= names->d_size)
		return false;
	len = strnlen(begin + at, names->d_size - at);
	at_sign = memchr(begin + at, '@', len);
	if (at_sign)
		len = (size_t)(at_sign - (begin + at));
	snprintf(buf, sz, "%.*s", (int)(len < sz ? len : sz), begin + at);
	return len;
}

static bool find_in(const struct image *img, size_t section, u64 vaddr, char *buf, size_t sz,
		    u64 *ret_off)
{
	Elf_Data *symbols, *names;
	GElf_Shdr sh, names_sh;
	GElf_Sym sym;
	int i;

	if (!data_of(img, section, &symbols, &sh) || !data_of(img, sh.sh_link, &names, &names_sh))
		return false;
	for (i = 1; gelf_getsym(symbols, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) != STT_OBJECT || sym.st_shndx == SHN_UNDEF ||
		    vaddr < sym.st_value || vaddr - sym.st_value >= sym.st_size ||
		    !copy_name(names, sym.st_name, buf, sz))
			continue;
		*ret_off = vaddr - sym.st_value;
		return true;
	}
	return false;
}

/* The first section of that type. */
static bool find_in_type(const struct image *img, u32 type, u64 vaddr, char *buf, size_t sz,
			 u64 *ret_off)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(img->elf, scn))) {
		if (gelf_getshdr(scn, &sh) && sh.sh_type == type)
			return find_in(img, elf_ndxscn(scn), vaddr, buf, sz, ret_off);
	}
	return false;
}

bool variable_find(const struct image *img, u64 off, char *buf, size_t sz, u64 *ret_off)
{
	u64 vaddr;

	return address_of(img, off, &vaddr) &&
	       (find_in_type(img, SHT_SYMTAB, vaddr, buf, sz, ret_off) ||
		find_in_type(img, SHT_DYNSYM, vaddr, buf, sz, ret_off));
}
