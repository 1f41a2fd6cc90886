/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the bytes of the call frame information. Sections come first, because they give its end. A
 * program whose section headers were stripped still has a program header for the run-time unwinder,
 * PT_GNU_EH_FRAME: it leads to .eh_frame_hdr, which begins with the address of .eh_frame. The
 * sorted table after that is not needed: entries are sorted here anyway.
 */
#include "elf/cfi_priv.h"

#include <elf.h>
#include <stdint.h>

#include "elf/image_priv.h"

/* libclang-cpp, one of the largest files of a system, has 6 MB. */
#define CFI_MAX_SZ (128UL << 20)
/* Version, three encodings and the first address. */
#define HDR_SZ 12

static bool take(struct cfi_section *s, const Elf_Data *data, u64 vaddr)
{
	if (!data || !data->d_buf || !data->d_size)
		return false;
	s->bytes = view__of(data->d_buf, data->d_size);
	s->vaddr = vaddr;
	return true;
}

static bool find_program_header(const struct image *img, u32 type, u64 vaddr, GElf_Phdr *ret)
{
	size_t i, n;

	if (elf_getphdrnum(img->elf, &n))
		return false;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(img->elf, (int)i, ret) && ret->p_type == type &&
		    (type != PT_LOAD ||
		     (vaddr >= ret->p_vaddr && vaddr - ret->p_vaddr < ret->p_filesz)))
			return true;
	return false;
}

static Elf_Data *chunk(const struct image *img, u64 off, u64 sz)
{
	if (off > INT64_MAX)
		return NULL;
	return elf_getdata_rawchunk(img->elf, (s64)off, sz < CFI_MAX_SZ ? sz : CFI_MAX_SZ,
				    ELF_T_BYTE);
}

static void find_by_program_header(struct cfi_section *s, const struct image *img)
{
	struct cfi_section hdr = { 0 };
	GElf_Phdr ph;
	u8 encoding;
	u64 vaddr;

	if (!find_program_header(img, PT_GNU_EH_FRAME, 0, &ph) || ph.p_filesz < HDR_SZ ||
	    !take(&hdr, chunk(img, ph.p_offset, HDR_SZ), ph.p_vaddr))
		return;
	if (view__u8(&hdr.bytes) != 1)
		return;
	encoding = view__u8(&hdr.bytes);
	view__bytes(&hdr.bytes, 2); /* how the table is encoded */
	hdr.vaddr += 4;
	if (!cfi_pointer(&hdr, &hdr.bytes, encoding, &vaddr) ||
	    !find_program_header(img, PT_LOAD, vaddr, &ph))
		return;
	vaddr -= ph.p_vaddr;
	if (vaddr <= UINT64_MAX - ph.p_offset)
		s->open = take(s, chunk(img, ph.p_offset + vaddr, ph.p_filesz - vaddr),
			       ph.p_vaddr + vaddr);
}

void cfi_section__find_eh(struct cfi_section *s, const struct image *img)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image__next_section(img, NULL, ".eh_frame", &sh);

	*s = (struct cfi_section){ .bytes = view__of(NULL, 0) };
	/* a debug file has the section header, but not the bytes */
	if (scn && (sh.sh_type == SHT_NOBITS || sh.sh_size > CFI_MAX_SZ))
		return;
	if (!scn || !take(s, elf_rawdata(scn, NULL), sh.sh_addr))
		find_by_program_header(s, img);
}

/* Go's linker compresses it, others do on request. libelf limits the output. */
static const Elf_Data *uncompressed(Elf_Scn *scn, const GElf_Shdr *sh)
{
	GElf_Chdr ch;

	if (!(sh->sh_flags & SHF_COMPRESSED))
		return elf_rawdata(scn, NULL);
	if (!gelf_getchdr(scn, &ch) || ch.ch_size > CFI_MAX_SZ || elf_compress(scn, 0, 0) != 1)
		return NULL;
	return elf_getdata(scn, NULL);
}

void cfi_section__find_debug(struct cfi_section *s, const struct image *img)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image__next_section(img, NULL, ".debug_frame", &sh);

	*s = (struct cfi_section){ .bytes = view__of(NULL, 0), .debug = true };
	if (scn && sh.sh_type != SHT_NOBITS && sh.sh_size <= CFI_MAX_SZ)
		take(s, uncompressed(scn, &sh), 0);
}
