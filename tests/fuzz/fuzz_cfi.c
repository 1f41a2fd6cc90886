/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information into a table. The input is a byte that chooses the machine and the
 * section, and the content of that section; the program around it is made here, with 1 MiB of code
 * on both sides of the section, so that most addresses that are tried lie in it.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/table.h"

#define CODE 0x1000
#define CODE_SZ 0x100000
#define SECTION_AT 0x80000
#define MAX 60000
#define BUDGET (2U << 20)

struct file {
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	Elf64_Shdr sh[3];
	char names[32];
	uint8_t bytes[MAX];
};

static struct cs_unwind_rule dictionary[CS_RULES_MAX];
static uint8_t memory[BUDGET] __attribute__((aligned(8)));
static struct file file;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_file(uint8_t kind, const uint8_t *bytes, size_t sz)
{
	const char *name = kind & 2 ? ".debug_frame" : ".eh_frame";

	memset(&file, 0, offsetof(struct file, bytes));
	memcpy(file.eh.e_ident, "\177ELF\2\1\1", 7);
	file.eh.e_type = ET_DYN;
	file.eh.e_machine = kind & 1 ? EM_AARCH64 : EM_X86_64;
	file.eh.e_version = EV_CURRENT;
	file.eh.e_ehsize = sizeof(file.eh);
	file.eh.e_phoff = offsetof(struct file, ph);
	file.eh.e_phentsize = sizeof(file.ph);
	file.eh.e_phnum = 1;
	file.eh.e_shoff = offsetof(struct file, sh);
	file.eh.e_shentsize = sizeof(file.sh[0]);
	file.eh.e_shnum = 3;
	file.eh.e_shstrndx = 2;
	file.ph = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = CODE,
		.p_vaddr = CODE,
		.p_filesz = CODE_SZ,
		.p_memsz = CODE_SZ,
	};
	memcpy(file.names + 1, name, strlen(name));
	file.sh[1] = (Elf64_Shdr){
		.sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_addr = SECTION_AT,
		.sh_offset = offsetof(struct file, bytes),
		.sh_size = sz,
	};
	file.sh[2] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct file, names),
		.sh_size = sizeof(file.names),
	};
	memcpy(file.bytes, bytes, sz);
}

static u8 *segment(void *arg, u32 segno)
{
	(void)arg;
	return memory + (size_t)segno * CS_SEGMENT_SZ;
}

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static void check_page(const struct rules *rules, const struct space *s, u32 at)
{
	struct cs_unwind_page page;
	struct cs_unwind_row row;
	u32 i, last = 0;

	memcpy(&page, space__at(s, at), sizeof(page));
	for (i = 0; i < page.len; i++) {
		memcpy(&row, space__at(s, page.rows + i * (u32)sizeof(row)), sizeof(row));
		expect(row.rule < rules->len && row.off < 4096);
		expect(i ? row.off > last : row.off == 0);
		last = row.off;
	}
	expect(!page.len ||
	       page.rows >> CS_SEGMENT_BITS == (page.rows + (page.len - 1) * 4) >> CS_SEGMENT_BITS);
}

static void check_placed(const struct table *t, const struct rules *rules)
{
	struct place place;
	struct space s;
	u32 i;

	expect(!space__init(&s, BUDGET, segment, NULL));
	if (!table__place(t, &s, &place, NULL)) {
		expect(place__bytes(&place) == s.used && s.used >= table__bytes(t));
		for (i = 0; i < place.pages; i++)
			check_page(rules, &s, place.index + i * 8);
		place__free(&place, &s);
	}
	expect(!s.used && s.holes.len == 1);
	space__done(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table *t = NULL;
	struct rules rules;

	if (size < 1 || size > MAX)
		return 0;
	make_file(data[0], data + 1, size - 1);
	memset(dictionary, 0, sizeof(dictionary));
	expect(!rules__init(&rules, dictionary));
	if (!table__build_mem(&file, offsetof(struct file, bytes) + size - 1, "input", &rules, &t,
			      NULL)) {
		check_placed(t, &rules);
		table__free(t);
	}
	rules__done(&rules);
	return 0;
}
