/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that defines the variable may be loaded with its block at a fixed distance from the
 * thread pointer, or with a block that each thread has elsewhere. The file does not say which: the
 * dynamic linker decides, and writes it into the words that the library's own code reads. So does
 * an outside reader: relocations say where those words are. Several may be there; the first way of
 * the enum needs least.
 */
#include "elf/variable/thread_variable.h"

#include <elf.h>
#include <string.h>

#include "elf/image_priv.h"

/* Of all tables together: they are copied, and may overlap in the file. */
#define TABLES_MAX_SZ (256UL << 20)

struct search {
	const struct image *img;
	size_t table; /* section of the symbols */
	size_t idx; /* of the symbol in it */
	GElf_Sym sym;
	size_t left; /* of TABLES_MAX_SZ */
	struct thread_variable *ret;
};

static Elf_Data *data_of(struct search *s, Elf_Scn *scn, GElf_Shdr *ret_sh)
{
	Elf_Data *data;

	if (!scn || !gelf_getshdr(scn, ret_sh) || ret_sh->sh_type == SHT_NOBITS ||
	    ret_sh->sh_size > s->left)
		return NULL;
	s->left -= ret_sh->sh_size;
	data = elf_getdata(scn, NULL);
	return data && data->d_buf ? data : NULL;
}

static bool is_named(const Elf_Data *names, u32 at, const char *name)
{
	size_t sz = strlen(name) + 1;

	return at < names->d_size && names->d_size - at >= sz &&
	       !memcmp((const char *)names->d_buf + at, name, sz);
}

static bool find_symbol(struct search *s, const char *name)
{
	Elf_Data *symbols, *names;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh, names_sh;
	int i;

	while ((scn = elf_nextscn(s->img->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNSYM)
			break;
	symbols = data_of(s, scn, &sh);
	names = symbols ? data_of(s, elf_getscn(s->img->elf, sh.sh_link), &names_sh) : NULL;
	if (!names)
		return false;
	s->table = elf_ndxscn(scn);
	for (i = 1; gelf_getsym(symbols, i, &s->sym); i++) {
		if (GELF_ST_TYPE(s->sym.st_info) != STT_TLS ||
		    !is_named(names, s->sym.st_name, name))
			continue;
		s->idx = (size_t)i;
		return true;
	}
	return false;
}

/* A program that the kernel starts, and not a library; a static one may be either type of file. */
static bool is_program(struct search *s)
{
	const struct image *img = s->img;
	bool is_started = false;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Dyn dyn;
	GElf_Phdr ph;
	size_t n;
	int i;

	if (img->type == IMAGE_EXEC)
		return true;
	for (i = 0; !elf_getphdrnum(img->elf, &n) && (size_t)i < n; i++)
		if (gelf_getphdr(img->elf, i, &ph) && ph.p_type == PT_INTERP)
			is_started = true;
	while ((scn = elf_nextscn(img->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNAMIC)
			break;
	data = scn ? data_of(s, scn, &sh) : NULL;
	for (i = 0; data && gelf_getdyn(data, i, &dyn); i++) {
		/* some libraries can be started, too */
		if (dyn.d_tag == DT_SONAME)
			return false;
		if (dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE)
			is_started = true;
	}
	return is_started;
}

/* The block of the program ends at the thread pointer, or before it to be aligned. */
static bool find_in_program(struct search *s)
{
	GElf_Phdr ph;
	size_t n, i;

	if (s->sym.st_shndx == SHN_UNDEF || !is_program(s) || elf_getphdrnum(s->img->elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		u64 unit;

		if (!gelf_getphdr(s->img->elf, (int)i, &ph) || ph.p_type != PT_TLS)
			continue;
		unit = ph.p_align ? ph.p_align : 1;
		if (unit & (unit - 1) || s->sym.st_value >= ph.p_memsz)
			return false;
		s->ret->way = THREAD_VARIABLE_PROGRAM;
		s->ret->value = (s64)(s->sym.st_value - ph.p_memsz -
				      ((0 - ph.p_vaddr - ph.p_memsz) & (unit - 1)));
		return true;
	}
	return false;
}

/* A relocation without a symbol is of a variable of this file, which the addend names. */
static enum thread_variable_way way_of(const struct search *s, const GElf_Rela *rela)
{
	u64 symbol = GELF_R_SYM(rela->r_info);
	bool own = !symbol && s->sym.st_shndx != SHN_UNDEF;
	bool is_it = symbol == s->idx || (own && (u64)rela->r_addend == s->sym.st_value);

	switch (GELF_R_TYPE(rela->r_info)) {
	case R_X86_64_TPOFF64:
		return is_it ? THREAD_VARIABLE_OFFSET : THREAD_VARIABLE_NONE;
	case R_X86_64_TLSDESC:
		return is_it ? THREAD_VARIABLE_DESCRIPTOR : THREAD_VARIABLE_NONE;
	case R_X86_64_DTPMOD64:
		return symbol == s->idx ? THREAD_VARIABLE_MODULE :
		       own		? THREAD_VARIABLE_OWN_MODULE :
					  THREAD_VARIABLE_NONE;
	default:
		return THREAD_VARIABLE_NONE;
	}
}

static void find_in_relocations(struct search *s)
{
	Elf_Scn *scn = NULL;
	GElf_Rela rela;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(s->img->elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA || sh.sh_link != s->table)
			continue;
		data = data_of(s, scn, &sh);
		for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
			enum thread_variable_way way = way_of(s, &rela);

			if (!way || (s->ret->way && s->ret->way <= way))
				continue;
			*s->ret = (struct thread_variable){ .way = way,
							    .place = rela.r_offset,
							    .value = (s64)s->sym.st_value };
		}
	}
}

bool thread_variable_find(const struct image *img, const char *name, struct thread_variable *ret)
{
	struct search s = { .img = img, .left = TABLES_MAX_SZ, .ret = ret };

	*ret = (struct thread_variable){ 0 };
	if (img->machine != EM_X86_64 || gelf_getclass(img->elf) != ELFCLASS64 ||
	    !find_symbol(&s, name))
		return false;
	if (!find_in_program(&s))
		find_in_relocations(&s);
	return ret->way != THREAD_VARIABLE_NONE;
}
