/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table has a section of its own, under another name in position-independent programs, where
 * the dynamic linker must write into it. strip leaves both; tools that remove the section headers
 * too do not, and then the first bytes of the table are looked for in the segments with data. They
 * are eight and may occur by chance, so whoever asked tries each place.
 */
#include "elf/gopclntab_priv.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <string.h>

/* The largest Go programs have tables of some 100 MiB. */
#define TABLE_MAX_SZ (256UL << 20)
#define RELA_MAX_SZ (256UL << 20)
/* The linker aligns it to 32, and never to less than this. */
#define TABLE_ALIGN 8

bool go_head_is_known(const u8 *head)
{
	u32 magic = head[0] | (u32)head[1] << 8 | (u32)head[2] << 16 | (u32)head[3] << 24;

	if (magic != 0xfffffffb && magic != 0xfffffffa && magic != 0xfffffff0 &&
	    magic != 0xfffffff1)
		return false;
	return !head[4] && !head[5] && (head[6] == 1 || head[6] == 2 || head[6] == 4) &&
	       (head[7] == 4 || head[7] == 8);
}

/* The next section of that name or type; NULL name: any. */
static Elf_Scn *next_section(const struct image *img, Elf_Scn *scn, const char *name, u32 type,
			     GElf_Shdr *ret)
{
	size_t names;

	if (elf_getshdrstrndx(img->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(img->elf, scn))) {
		const char *its_name;

		if (!gelf_getshdr(scn, ret) || ret->sh_type != type)
			continue;
		its_name = elf_strptr(img->elf, names, ret->sh_name);
		if (!name || (its_name && strcmp(its_name, name) == 0))
			return scn;
	}
	return NULL;
}

static bool section_table(const struct image *img, const char *name, struct go_table *ret)
{
	GElf_Shdr sh;
	Elf_Scn *scn = next_section(img, NULL, name, SHT_PROGBITS, &sh);
	Elf_Data *data;

	if (!scn || sh.sh_size < GO_HEAD_SZ || sh.sh_size > TABLE_MAX_SZ)
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return false;
	ret->bytes = view__of(data->d_buf, data->d_size);
	ret->vaddr = sh.sh_addr;
	return true;
}

/* Tries each place in a segment that looks like the head of a table. */
static int search_segment(const struct image *img, const GElf_Phdr *ph, go_table_fn take, void *arg)
{
	Elf_Data *data;
	size_t off;
	int r = -ENOENT;

	if (ph->p_filesz < GO_HEAD_SZ || ph->p_filesz > TABLE_MAX_SZ || ph->p_offset > INT64_MAX)
		return -ENOENT;
	data = elf_getdata_rawchunk(img->elf, (int64_t)ph->p_offset, ph->p_filesz, ELF_T_BYTE);
	if (!data || !data->d_buf)
		return -ENOENT;
	for (off = 0; off + GO_HEAD_SZ <= data->d_size; off += TABLE_ALIGN) {
		const u8 *head = (const u8 *)data->d_buf + off;
		struct go_table table = { view__of(head, data->d_size - off), ph->p_vaddr + off };

		if (head[0] < 0xf0 || !go_head_is_known(head))
			continue;
		r = take(arg, &table);
		if (r != -EINVAL)
			break;
	}
	return r;
}

static int search_segments(const struct image *img, go_table_fn take, void *arg)
{
	size_t i, n;
	int r = -ENOENT, tried;

	if (elf_getphdrnum(img->elf, &n))
		return -ENOENT;
	for (i = 0; i < n && i <= INT32_MAX; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(img->elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    ph.p_flags & PF_X)
			continue;
		tried = search_segment(img, &ph, take, arg);
		if (tried != -ENOENT && tried != -EINVAL)
			return tried;
		if (tried == -EINVAL)
			r = tried;
	}
	return r;
}

static bool has_sections(const struct image *img)
{
	return elf_nextscn(img->elf, NULL);
}

int go_table_search(const struct image *img, go_table_fn take, void *arg)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	struct go_table table;
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		if (section_table(img, names[i], &table))
			return take(arg, &table);
	}
	/* with sections but none of those it is no Go program: spare the search */
	return has_sections(img) ? -ENOENT : search_segments(img, take, arg);
}

bool go_relocated(const struct image *img, u64 vaddr, u64 *ret)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Rela rela;
	int i;

	while ((scn = next_section(img, scn, NULL, SHT_RELA, &sh))) {
		Elf_Data *data = sh.sh_size <= RELA_MAX_SZ ? elf_getdata(scn, NULL) : NULL;

		for (i = 0; data && gelf_getrela(data, i, &rela); i++) {
			u64 type = GELF_R_TYPE(rela.r_info);

			if (rela.r_offset != vaddr ||
			    (type != R_X86_64_RELATIVE && type != R_AARCH64_RELATIVE))
				continue;
			*ret = (u64)rela.r_addend;
			return true;
		}
	}
	return false;
}

bool go_text_start(const struct image *img, u64 *ret)
{
	GElf_Shdr sh;

	if (!next_section(img, NULL, ".text", SHT_PROGBITS, &sh))
		return false;
	*ret = sh.sh_addr;
	return true;
}
