/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table has its own section, under another name in position-independent programs, where the
 * dynamic linker must write to it. strip keeps both. Tools that also remove section headers do not;
 * then the table's first bytes are searched in the data segments. They are only eight and may occur
 * by chance, so the caller tries each place.
 */
#include "elf/gopclntab_priv.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>

#include "elf/image_priv.h"

/* The largest Go programs have tables of some 100 MiB. */
#define TABLE_MAX_SZ (256UL << 20)
#define RELA_MAX_SZ (256UL << 20)
/* The linker aligns it to 32, and never to less than this. */
#define TABLE_ALIGN 8
/* Places that look like a table by chance; each may take a walk through a table. */
#define TRIES_MAX 16

bool go_head_is_known(const u8 *head)
{
	u32 magic = head[0] | (u32)head[1] << 8 | (u32)head[2] << 16 | (u32)head[3] << 24;

	if (magic != 0xfffffffb && magic != 0xfffffffa && magic != 0xfffffff0 &&
	    magic != 0xfffffff1)
		return false;
	return !head[4] && !head[5] && (head[6] == 1 || head[6] == 2 || head[6] == 4) &&
	       (head[7] == 4 || head[7] == 8);
}

static bool section_table(const struct image *img, const char *name, struct go_table *ret)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image__next_section(img, NULL, name, &sh);
	Elf_Data *data;

	if (!scn || sh.sh_type != SHT_PROGBITS || sh.sh_size < GO_HEAD_SZ ||
	    sh.sh_size > TABLE_MAX_SZ)
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return false;
	ret->bytes = view__of(data->d_buf, data->d_size);
	ret->vaddr = sh.sh_addr;
	return true;
}

/* Limits on the work for one file. */
struct search {
	go_table_fn take;
	void *arg;
	u64 left; /* bytes to read: segments may be many, and the same bytes */
	u32 tries;
};

/* Tries each place in a segment that looks like the start of a table. */
static int search_segment(struct search *s, const struct image *img, const GElf_Phdr *ph)
{
	Elf_Data *data;
	size_t off;
	int r = -ENOENT;

	if (ph->p_filesz < GO_HEAD_SZ || ph->p_filesz > s->left || ph->p_offset > INT64_MAX)
		return -ENOENT;
	s->left -= ph->p_filesz;
	data = elf_getdata_rawchunk(img->elf, (int64_t)ph->p_offset, ph->p_filesz, ELF_T_BYTE);
	if (!data || !data->d_buf)
		return -ENOENT;
	for (off = 0; s->tries && off + GO_HEAD_SZ <= data->d_size; off += TABLE_ALIGN) {
		const u8 *head = (const u8 *)data->d_buf + off;
		struct go_table table = { view__of(head, data->d_size - off), ph->p_vaddr + off };

		if (head[0] < 0xf0 || !go_head_is_known(head))
			continue;
		s->tries--;
		r = s->take(s->arg, &table);
		if (r != -EINVAL)
			break;
	}
	return r;
}

static int search_segments(struct search *s, const struct image *img)
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
		tried = search_segment(s, img, &ph);
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
	struct search s = { take, arg, TABLE_MAX_SZ, TRIES_MAX };
	struct go_table table;
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		if (section_table(img, names[i], &table))
			return take(arg, &table);
	}
	/* it has sections but none of these, so it is not a Go program: skip the search */
	return has_sections(img) ? -ENOENT : search_segments(&s, img);
}

bool go_relocated(const struct image *img, u64 vaddr, u64 *ret)
{
	u64 left = RELA_MAX_SZ; /* for all of them: libelf keeps what it read */
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Rela rela;
	int i;

	while ((scn = elf_nextscn(img->elf, scn))) {
		bool is_rela = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA &&
			       sh.sh_size <= left;
		Elf_Data *data = is_rela ? elf_getdata(scn, NULL) : NULL;

		left -= is_rela ? sh.sh_size : 0;
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

	if (!image__next_section(img, NULL, ".text", &sh) || sh.sh_type != SHT_PROGBITS)
		return false;
	*ret = sh.sh_addr;
	return true;
}
