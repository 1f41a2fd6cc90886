/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libelf knows the formats; this file decides how far an untrusted file is trusted. It is read with
 * pread(), not mapped: the owner may truncate a mapped file at any moment, and the next access
 * would kill us. The header is checked before libelf sees the file, because libelf allocates for as
 * many sections as the header claims. Claims that need "extended" numbering (65,280 sections and
 * more) are refused; no program has that many.
 */
#include "elf/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/view.h"
#include "elf/image_priv.h"

/* Notes have some hundred bytes, those of probes some hundred KiB; for a whole file. */
#define NOTES_MAX_SZ (4UL << 20)
/* Names of sections; the maximum of 65,279 names has a few MiB. */
#define NAMES_MAX_SZ (16UL << 20)

static int check_ident(struct view *head, const char *name, struct err *err)
{
	const u8 *ident = view__bytes(head, EI_NIDENT);

	if (!ident || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return err__set(err, -EINVAL, "'%s' is not an ELF file", name);
	if (ident[EI_CLASS] != ELFCLASS64 && ident[EI_CLASS] != ELFCLASS32)
		return err__set(err, -EINVAL, "'%s' is neither a 64-bit nor a 32-bit ELF file",
				name);
	if (ident[EI_DATA] != ELFDATA2LSB)
		return err__set(err, -EINVAL, "'%s' is not a little-endian ELF file", name);
	return 0;
}

/* Reads what decides whether libelf may open the file. */
static int check_header(struct image *img, const void *data, size_t sz, const char *name,
			struct err *err)
{
	struct view head = view__of(data, sz);
	bool wide = sz > EI_CLASS && ((const u8 *)data)[EI_CLASS] == ELFCLASS64;
	u64 shoff, type;
	u32 phnum, shnum;
	int r = check_ident(&head, name, err);

	if (r)
		return r;
	type = view__u16(&head);
	img->machine = view__u16(&head);
	view__u32(&head); /* version */
	img->entry = wide ? view__u64(&head) : view__u32(&head);
	view__bytes(&head, wide ? 8 : 4); /* phoff */
	shoff = wide ? view__u64(&head) : view__u32(&head);
	view__bytes(&head, 8); /* flags, ehsize, phentsize */
	phnum = view__u16(&head);
	view__u16(&head); /* shentsize */
	shnum = view__u16(&head);
	if (head.bad)
		return err__set(err, -EINVAL, "'%s' ends inside its ELF header", name);
	if (type != ET_EXEC && type != ET_DYN)
		return err__set(err, -EINVAL, "'%s' is neither a program nor a shared object",
				name);
	if (phnum == PN_XNUM || (!shnum && shoff))
		return err__set(err, -EINVAL, "'%s' has more headers than any program", name);
	img->type = type == ET_EXEC ? IMAGE_EXEC : IMAGE_DYN;
	return 0;
}

static void read_segments(struct image *img)
{
	size_t i, n;
	bool first = true;

	if (elf_getphdrnum(img->elf, &n))
		return;
	for (i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(img->elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (first)
			img->load_vaddr = ph.p_vaddr;
		first = false;
		if (!(ph.p_flags & PF_X) || img->segments_len == IMAGE_SEGMENTS_MAX)
			continue;
		img->segments[img->segments_len++] = (struct image_segment){
			.vaddr = ph.p_vaddr,
			.off = ph.p_offset,
			.file_sz = ph.p_filesz,
			.mem_sz = ph.p_memsz,
		};
	}
}

static size_t padding(size_t sz, u64 align)
{
	size_t unit = align == 8 ? 8 : 4;

	return (unit - sz % unit) % unit;
}

static void format_build_id(struct image *img, const u8 *id, size_t sz)
{
	size_t i;

	for (i = 0; i < sz; i++)
		snprintf(img->build_id + 2 * i, 3, "%02x", id[i]);
}

/*
 * Takes the build ID if it is among these notes. libelf could read them, but skips a last note
 * without its padding, as ld leaves it after an ID of odd length.
 */
static bool take_build_id(struct image *img, const Elf_Data *data, u64 align)
{
	struct view notes;

	if (!data || !data->d_buf)
		return false;
	notes = view__of(data->d_buf, data->d_size);
	while (view__left(&notes)) {
		u32 name_sz = view__u32(&notes), id_sz = view__u32(&notes);
		u32 type = view__u32(&notes);
		const char *name = view__bytes(&notes, name_sz);
		const u8 *id;

		view__bytes(&notes, padding(name_sz, align));
		id = view__bytes(&notes, id_sz);
		if (notes.bad)
			return false;
		if (type == NT_GNU_BUILD_ID && name_sz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(name, ELF_NOTE_GNU, name_sz) == 0 && id_sz &&
		    id_sz <= IMAGE_BUILD_ID_MAX) {
			format_build_id(img, id, id_sz);
			return true;
		}
		view__bytes(&notes, padding(id_sz, align));
	}
	return false;
}

/* False if less than that is left. */
static bool spend(u64 *left, u64 sz)
{
	if (sz > *left)
		return false;
	*left -= sz;
	return true;
}

/*
 * Sections first: in a debug file the segments still have the offsets they had in the program,
 * where this file has other bytes. libelf keeps all that it reads, and many sections may refer to
 * the same bytes, so there is a limit for all of them.
 */
static void read_build_id(struct image *img)
{
	u64 left = NOTES_MAX_SZ;
	Elf_Scn *scn = NULL;
	size_t i, n;

	while ((scn = elf_nextscn(img->elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE && spend(&left, sh.sh_size) &&
		    take_build_id(img, elf_rawdata(scn, NULL), sh.sh_addralign))
			return;
	}
	if (elf_getphdrnum(img->elf, &n))
		return;
	for (i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(img->elf, (int)i, &ph) && ph.p_type == PT_NOTE &&
		    ph.p_offset <= INT64_MAX && spend(&left, ph.p_filesz) &&
		    take_build_id(img,
				  elf_getdata_rawchunk(img->elf, (int64_t)ph.p_offset, ph.p_filesz,
						       ELF_T_BYTE),
				  ph.p_align))
			return;
	}
}

/*
 * When asked for a name, libelf reads all names, whatever size they claim to have, and scans to the
 * end each time if there is no NUL.
 */
static size_t find_names(const struct image *img)
{
	Elf_Data *names;
	GElf_Shdr sh;
	Elf_Scn *scn;
	size_t idx;

	if (elf_getshdrstrndx(img->elf, &idx) || !idx)
		return 0;
	scn = elf_getscn(img->elf, idx);
	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != SHT_STRTAB || !sh.sh_size ||
	    sh.sh_size > NAMES_MAX_SZ)
		return 0;
	names = elf_rawdata(scn, NULL);
	if (!names || !names->d_buf || names->d_size != sh.sh_size)
		return 0;
	return ((const char *)names->d_buf)[sh.sh_size - 1] ? 0 : idx;
}

/* Common end of both ways to open; `elf` may be NULL. */
static int begin(struct image *img, Elf *elf, const char *name, struct err *err)
{
	img->elf = elf;
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return err__set(err, -EINVAL, "'%s' is a damaged ELF file: %s", name,
				elf_errmsg(-1) ? elf_errmsg(-1) : "wrong kind");
	read_segments(img);
	read_build_id(img);
	img->names = find_names(img);
	return 0;
}

static int open_fd(struct image *img, int fd, const char *name, struct err *err)
{
	u8 head[sizeof(Elf64_Ehdr)];
	ssize_t n;
	int r;

	img->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	n = img->fd < 0 ? -1 : pread(img->fd, head, sizeof(head), 0);
	if (n < 0) {
		r = -errno;
		return err__set(err, r, "cannot read '%s': %s", name, err_str(r));
	}
	r = check_header(img, head, (size_t)n, name, err);
	return r ? r : begin(img, elf_begin(img->fd, ELF_C_READ, NULL), name, err);
}

static int open_mem(struct image *img, const void *data, size_t sz, const char *name,
		    struct err *err)
{
	int r = check_header(img, data, sz, name, err);

	/* libelf does not write to the memory, but its parameter type is char * */
	return r ? r : begin(img, elf_memory((char *)(uintptr_t)data, sz), name, err);
}

static struct image *new_image(void)
{
	struct image *img = mem_alloc(sizeof(*img));

	if (img)
		img->fd = -1;
	elf_version(EV_CURRENT);
	return img;
}

static int finish(struct image *img, int r, struct image **ret)
{
	if (r)
		image__free(img);
	else
		*ret = img;
	return r;
}

int image__open(int fd, const char *name, struct image **ret, struct err *err)
{
	struct image *img = new_image();

	return img ? finish(img, open_fd(img, fd, name, err), ret) : err__nomem(err);
}

int image__open_mem(const void *data, size_t sz, const char *name, struct image **ret,
		    struct err *err)
{
	struct image *img = new_image();

	return img ? finish(img, open_mem(img, data, sz, name, err), ret) : err__nomem(err);
}

void image__release(struct image *img)
{
	elf_end(img->elf);
	img->elf = NULL;
	if (img->fd >= 0)
		close(img->fd);
	img->fd = -1;
}

void image__free(struct image *img)
{
	if (!img)
		return;
	image__release(img);
	mem_free(img);
}

bool image__vaddr_of_offset(const struct image *img, u64 off, u64 *ret_vaddr)
{
	size_t i;

	for (i = 0; i < img->segments_len; i++) {
		const struct image_segment *s = &img->segments[i];

		if (off < s->off || off - s->off >= s->file_sz)
			continue;
		*ret_vaddr = s->vaddr + (off - s->off);
		return *ret_vaddr >= s->vaddr;
	}
	return false;
}

bool image__bias(const struct image *img, u64 *ret_bias)
{
	size_t i;

	for (i = 0; i < img->segments_len; i++) {
		u64 bias = img->segments[i].vaddr - img->segments[i].off;

		if (i && bias != *ret_bias)
			return false;
		*ret_bias = bias;
	}
	return img->segments_len;
}

const struct image_segment *image__segment_at(const struct image *img, u64 vaddr)
{
	size_t i;

	for (i = 0; i < img->segments_len; i++) {
		const struct image_segment *s = &img->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->mem_sz)
			return s;
	}
	return NULL;
}

Elf_Scn *image__next_section(const struct image *img, Elf_Scn *scn, const char *name,
			     GElf_Shdr *ret_sh)
{
	while (img->names && (scn = elf_nextscn(img->elf, scn))) {
		const char *its_name;

		if (!gelf_getshdr(scn, ret_sh))
			continue;
		its_name = elf_strptr(img->elf, img->names, ret_sh->sh_name);
		if (its_name && strcmp(its_name, name) == 0)
			return scn;
	}
	return NULL;
}

bool image__section(const struct image *img, const char *name, size_t max_sz, struct view *ret)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image__next_section(img, NULL, name, &sh);
	Elf_Data *data;

	if (!scn || sh.sh_type == SHT_NOBITS || !sh.sh_size || sh.sh_size > max_sz)
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return false;
	*ret = view__of(data->d_buf, data->d_size);
	return true;
}
