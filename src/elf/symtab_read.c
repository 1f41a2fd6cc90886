/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what counts as a function, where it ends, and which of its names is the best.
 *
 * A symbol with a size gives its end. Functions written in assembler often have no size: such a
 * label extends to the next symbol or the end of its section, but only if no sized symbol covers
 * the address, and only if a table with local functions was read. Among exported names alone the
 * next symbol is too far away, and the label would cover functions that are not its own.
 *
 * An address often has several names: read, __read, __libc_read. People use the one without
 * underscores, whether the library made it weak or not; local ones come last.
 */
#include "elf/symtab_priv.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Limits for the bytes of a table and of its strings. */
#define TABLE_MAX_SZ (256UL << 20)
/* Bytes of names to read: a hostile table may refer to the same bytes a million times. */
#define NAMES_MAX_SZ (1UL << 30)

/* Most significant first; the bits in between contain numbers. */
#define RANK_SIZED SYMTAB_RANK_SIZED /* bit 50 */
#define RANK_FUNC (1ULL << 49)
#define RANK_EXTERN (1ULL << 48) /* global or weak */
#define RANK_UNDERSCORES_SHIFT 40 /* 8 bits: the fewer the better */
#define RANK_GLOBAL (1ULL << 39)
#define RANK_LEN_SHIFT 8 /* 31 bits: the shorter the better */
#define RANK_SYMTAB (1ULL << 0)

struct reader {
	struct collection *to;
	const struct image *from;
	enum symbol_table table;
	Elf_Data *syms;
	struct view strings;
	u64 bias; /* to add to addresses of `from` */
	u64 left; /* of NAMES_MAX_SZ */
};

void collection__init(struct collection *c, const struct image *img, struct spans *names)
{
	*c = (struct collection){ .img = img, .names = names };
	vec__init(&c->ranges, sizeof(struct span));
}

void collection__done(struct collection *c)
{
	vec__done(&c->ranges);
}

static u64 rank_of(const GElf_Sym *sym, const char *name, size_t len, enum symbol_table table)
{
	u32 bind = GELF_ST_BIND(sym->st_info), type = GELF_ST_TYPE(sym->st_info);
	size_t underscores = strspn(name, "_");
	u64 rank = 0;

	if (sym->st_size)
		rank |= RANK_SIZED;
	if (type != STT_NOTYPE)
		rank |= RANK_FUNC;
	if (bind != STB_LOCAL)
		rank |= RANK_EXTERN;
	rank |= (u64)(255 - (underscores < 255 ? underscores : 255)) << RANK_UNDERSCORES_SHIFT;
	if (bind != STB_LOCAL && bind != STB_WEAK)
		rank |= RANK_GLOBAL;
	rank |= (u64)(INT32_MAX - (len < INT32_MAX ? len : INT32_MAX)) << RANK_LEN_SHIFT;
	if (table == TABLE_SYMTAB)
		rank |= RANK_SYMTAB;
	return rank;
}

/* The section of a symbol, if it contains code. */
static bool code_section_of(const struct image *from, const GElf_Sym *sym, GElf_Shdr *ret)
{
	Elf_Scn *scn;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return false;
	scn = elf_getscn(from->elf, sym->st_shndx);
	return scn && gelf_getshdr(scn, ret) && (ret->sh_flags & SHF_EXECINSTR) &&
	       sym->st_value >= ret->sh_addr && sym->st_value - ret->sh_addr < ret->sh_size;
}

/* Bytes that a symbol may cover; 0: not a function of ours. */
static u64 reach_of(const struct reader *rd, const GElf_Sym *sym)
{
	u32 type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr section;

	if (sym->st_shndx == SHN_UNDEF)
		return 0;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	if (type != STT_NOTYPE && sym->st_size)
		return sym->st_size;
	if (!code_section_of(rd->from, sym, &section))
		return 0;
	return sym->st_size ? sym->st_size : section.sh_size - (sym->st_value - section.sh_addr);
}

/* Its name without "@VERSION"; *ret_len is 0 if it has none. */
static const char *name_of(struct reader *rd, const GElf_Sym *sym, size_t *ret_len)
{
	struct view v = view__sub(&rd->strings, sym->st_name, 0);
	const char *name, *at;
	u64 seen;

	*ret_len = 0;
	if (v.bad)
		return NULL;
	v.end = rd->strings.end;
	seen = view__left(&v);
	name = view__cstr(&v);
	seen -= view__left(&v);
	rd->left -= seen < rd->left ? seen : rd->left;
	if (!name || !*name)
		return NULL;
	/* labels of the assembler that mark data in code, on arm */
	if (*name == '$' && GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		return NULL;
	at = strchr(name + 1, '@');
	*ret_len = at ? (size_t)(at - name) : strlen(name);
	return name;
}

static int add_symbol(struct reader *rd, const GElf_Sym *sym)
{
	u64 reach = reach_of(rd, sym), start = sym->st_value + rd->bias, room;
	const struct image_segment *segment;
	struct span *range;
	const char *name;
	size_t len;
	u32 name_off;
	int r;

	segment = reach ? image__segment_at(rd->to->img, start) : NULL;
	if (!segment)
		return 0;
	name = name_of(rd, sym, &len);
	if (!len)
		return 0;
	r = spans__name(rd->to->names, name, len, &name_off);
	if (r)
		return r;
	range = vec__push(&rd->to->ranges);
	if (!range)
		return -ENOMEM;
	room = segment->mem_sz - (start - segment->vaddr);
	if (reach > room)
		reach = room;
	range->start = start;
	range->end = start + reach < start ? UINT64_MAX : start + reach;
	range->rank = rank_of(sym, name, len, rd->table);
	range->name = name_off;
	range->name_len = (u32)len;
	return 0;
}

/* Finds the table and its strings; false if they are missing or broken. */
static bool find_table(struct reader *rd)
{
	u32 type = rd->table == TABLE_SYMTAB ? SHT_SYMTAB : SHT_DYNSYM;
	Elf_Scn *scn = NULL, *str_scn;
	GElf_Shdr sh, str_sh;
	Elf_Data *strings;

	do {
		scn = elf_nextscn(rd->from->elf, scn);
		if (!scn)
			return false;
	} while (!gelf_getshdr(scn, &sh) || sh.sh_type != type);
	str_scn = elf_getscn(rd->from->elf, sh.sh_link);
	if (sh.sh_size > TABLE_MAX_SZ || !str_scn || !gelf_getshdr(str_scn, &str_sh) ||
	    str_sh.sh_type == SHT_NOBITS || str_sh.sh_size > TABLE_MAX_SZ)
		return false;
	rd->syms = elf_getdata(scn, NULL);
	strings = elf_rawdata(str_scn, NULL);
	if (!rd->syms || !rd->syms->d_buf || !strings || !strings->d_buf)
		return false;
	rd->strings = view__of(strings->d_buf, strings->d_size);
	return true;
}

int collection__add(struct collection *c, const struct image *from, enum symbol_table table)
{
	struct reader rd = { .to = c, .from = from, .table = table, .left = NAMES_MAX_SZ };
	size_t i, n, sz;
	int r = 0;

	if (!find_table(&rd))
		return 0;
	/* a prelinked program was moved after its debug file was made: the difference */
	rd.bias = c->img->load_vaddr - from->load_vaddr;
	sz = gelf_fsize(from->elf, ELF_T_SYM, 1, EV_CURRENT);
	n = sz ? rd.syms->d_size / sz : 0;
	for (i = 1; i < n && i <= INT32_MAX && !r && rd.left; i++) {
		GElf_Sym sym;

		if (gelf_getsym(rd.syms, (int)i, &sym))
			r = add_symbol(&rd, &sym);
	}
	if (table == TABLE_SYMTAB && n > 1)
		c->complete = true;
	/* more names than any program has: keep those that were read */
	return r == -E2BIG ? 0 : r;
}

static int compare_ranges(const void *a, const void *b, void *names)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	/* so that the result does not depend on the order in the file */
	return strcmp(spans__name_at(names, y->name), spans__name_at(names, x->name));
}

void collection__settle(struct collection *c)
{
	struct span *ranges = c->ranges.data;
	size_t i, first, next, len = c->ranges.len;
	u64 sized_end = 0;

	if (len)
		qsort_r(ranges, len, sizeof(*ranges), compare_ranges, c->names);
	for (first = 0; first < len; first = next) {
		u64 start = ranges[first].start;
		bool labels_count = c->complete && start >= sized_end;

		for (next = first; next < len && ranges[next].start == start; next++) {
			struct span *range = &ranges[next];

			if (range->rank & RANK_SIZED) {
				labels_count = false;
				sized_end = range->end > sized_end ? range->end : sized_end;
			}
		}
		for (i = first; i < next; i++) {
			bool label = !(ranges[i].rank & RANK_SIZED);

			if (label && !labels_count)
				ranges[i].end = start;
			else if (label && next < len && ranges[next].start < ranges[i].end)
				ranges[i].end = ranges[next].start;
			ranges[i].rank = i;
		}
	}
}
