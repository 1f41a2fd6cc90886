/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files that say they are large: many sections that are the same bytes, sparse files, names
 * without an end. What is looked at is the memory and the time that they cost us.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/gopclntab.h"
#include "elf/lookup.h"
#include "elf/symtab.h"
#include "lib/workdir.h"

#define MIB (1UL << 20)
#define CODE_VADDR 0x1000
#define TIME_MAX_NS (5 * NSEC_PER_SEC)

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

static u64 cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
}

/* Of the heap; 0 where a sanitizer has its own. */
static size_t heap_sz(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static int file_with(const void *data, size_t sz, u64 whole_sz)
{
	workdir__write(&dir, "p", data, sz);
	if (whole_sz)
		assert_int_equal(truncate(workdir__path(&dir, "p"), (off_t)whole_sz), 0);
	return workdir__open(&dir, "p");
}

static struct image *opened(int fd)
{
	struct image *img = NULL;
	struct err err = { 0 };

	if (image__open(fd, "p", &img, &err))
		fail_msg("%s", err.msg);
	close(fd);
	return img;
}

static Elf64_Ehdr header(u64 phnum, u64 shoff, u64 shnum, u64 names)
{
	return (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = phnum ? sizeof(Elf64_Ehdr) : 0,
		.e_shoff = shoff,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (u16)phnum,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (u16)shnum,
		.e_shstrndx = (u16)names,
	};
}

static Elf64_Phdr load(u32 flags, u64 off, u64 vaddr, u64 sz)
{
	return (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = flags,
		.p_offset = off,
		.p_vaddr = vaddr,
		.p_filesz = sz,
		.p_memsz = sz,
	};
}

#define NOTES 500

static void test_image__open_reads_the_same_notes_not_a_thousand_times(void **state)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Shdr sh[NOTES + 1];
	} f = { .eh = header(0, sizeof(Elf64_Ehdr), NOTES + 1, 0) };
	size_t before = heap_sz(), after;
	struct image *img;
	u64 i;

	(void)state;
	for (i = 1; i <= NOTES; i++)
		f.sh[i] = (Elf64_Shdr){ .sh_type = SHT_NOTE, .sh_offset = 4 * i, .sh_size = MIB };
	img = opened(file_with(&f, sizeof(f), 2 * MIB));
	after = heap_sz();
	assert_true(after < before + 16 * MIB);
	assert_string_equal(img->build_id, "");
	image__free(img);
}

static void test_image__section_reads_no_names_larger_than_any(void **state)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Shdr sh[3];
	} f = { .eh = header(0, sizeof(Elf64_Ehdr), 3, 1) };
	size_t before = heap_sz(), after;
	struct image *img;
	struct view v;

	(void)state;
	f.sh[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = 4096, .sh_size = 400 * MIB };
	f.sh[2] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_size = 16 };
	img = opened(file_with(&f, sizeof(f), 401 * MIB));
	assert_false(image__section(img, "x", 4096, &v));
	after = heap_sz();
	assert_true(after < before + 32 * MIB);
	image__free(img);
}

#define SEGMENTS 20

static void test_gopclntab__open_reads_the_same_segment_not_twice(void **state)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph[SEGMENTS];
	} f = { .eh = header(SEGMENTS, 0, 0, 0) };
	size_t before = heap_sz(), after;
	struct gopclntab *gp;
	struct image *img;
	u64 i;

	(void)state;
	f.ph[0] = load(PF_R | PF_X, 0, CODE_VADDR, 4096);
	for (i = 1; i < SEGMENTS; i++)
		f.ph[i] = load(PF_R, 8 * i, 1UL << 32, 60 * MIB);
	img = opened(file_with(&f, sizeof(f), 64 * MIB));
	assert_int_not_equal(gopclntab__open(img, &gp, NULL), 0);
	after = heap_sz();
	assert_true(after < before + 300 * MIB);
	image__free(img);
}

#define HEADS 4000UL
#define FUNCS 200000UL

struct head {
	u8 magic[8];
	u64 funcs, files, text, at[5];
};

/* Each head looks like that of a table whose functions are all in order, except the last one. */
static void test_gopclntab__open_tries_few_of_many_heads(void **state)
{
	const size_t heads_sz = HEADS * sizeof(struct head);
	const size_t sz = 4096 + heads_sz + (2 * FUNCS + 1) * 4;
	u8 *data = mem_alloc(sz);
	Elf64_Ehdr eh = header(2, 0, 0, 0);
	Elf64_Phdr ph[2] = { load(PF_R | PF_X, 0, CODE_VADDR, 4096),
			     load(PF_R, 4096, 1UL << 32, sz - 4096) };
	struct gopclntab *gp;
	struct image *img;
	u64 i, begin;

	(void)state;
	assert_non_null(data);
	memcpy(data, &eh, sizeof(eh));
	memcpy(data + sizeof(eh), ph, sizeof(ph));
	for (i = 0; i < HEADS; i++) {
		struct head h = { .magic = { 0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8 }, .funcs = FUNCS };

		h.text = CODE_VADDR;
		h.at[4] = heads_sz - i * sizeof(h);
		memcpy(data + 4096 + i * sizeof(h), &h, sizeof(h));
	}
	img = opened(file_with(data, sz, 0));
	begin = cpu_ns();
	assert_int_not_equal(gopclntab__open(img, &gp, NULL), 0);
	assert_true(cpu_ns() - begin < TIME_MAX_NS);
	image__free(img);
	mem_free(data);
}

#define SYMS 100000UL

/* SYMS symbols, each with the same name of 4 MiB that never ends. */
static struct image *endless_names(u32 table)
{
	const size_t syms_sz = SYMS * sizeof(Elf64_Sym), head_sz = 8192;
	const size_t sz = head_sz + syms_sz + 4 * MIB;
	u8 *data = mem_alloc(sz);
	Elf64_Ehdr eh = header(1, 1024, 4, 0);
	Elf64_Phdr ph = load(PF_R | PF_X, 4096, CODE_VADDR, 4096);
	Elf64_Shdr sh[4] = {
		[1] = { .sh_type = table,
			.sh_offset = head_sz,
			.sh_size = syms_sz,
			.sh_link = 2,
			.sh_entsize = sizeof(Elf64_Sym) },
		[2] = { .sh_type = SHT_STRTAB, .sh_offset = head_sz + syms_sz, .sh_size = 4 * MIB },
		[3] = { .sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = CODE_VADDR,
			.sh_offset = 4096,
			.sh_size = 4096 },
	};
	struct image *img;
	size_t i;

	assert_non_null(data);
	memcpy(data, &eh, sizeof(eh));
	memcpy(data + sizeof(eh), &ph, sizeof(ph));
	memcpy(data + 1024, sh, sizeof(sh));
	for (i = 0; i < SYMS; i++) {
		Elf64_Sym sym = { .st_name = 1,
				  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				  .st_shndx = 3,
				  .st_value = CODE_VADDR,
				  .st_size = 16 };

		memcpy(data + head_sz + i * sizeof(sym), &sym, sizeof(sym));
	}
	memset(data + head_sz + syms_sz, 'a', 4 * MIB);
	img = opened(file_with(data, sz, 0));
	mem_free(data);
	return img;
}

static void test_symtab__load_gives_up_on_endless_names(void **state)
{
	const struct symtab_options none = { .debug_dir = "" };
	struct image *img = endless_names(SHT_SYMTAB);
	u64 begin = cpu_ns();
	struct symtab *st;

	(void)state;
	assert_int_equal(symtab__load(img, &none, &st, NULL), 0);
	assert_true(cpu_ns() - begin < TIME_MAX_NS);
	assert_int_equal(symtab__len(st), 0);
	symtab__free(st);
	image__free(img);
}

static bool take_none(void *arg, const char *name, u64 vaddr, u64 sz)
{
	(void)name, (void)vaddr, (void)sz;
	*(bool *)arg = true;
	return true;
}

static void test_lookup_symbols_gives_up_on_endless_names(void **state)
{
	struct image *img = endless_names(SHT_DYNSYM);
	u64 begin = cpu_ns();
	bool any = false;

	(void)state;
	lookup_symbols(img, LOOKUP_DYNSYM, take_none, &any);
	assert_true(cpu_ns() - begin < TIME_MAX_NS);
	assert_false(any);
	image__free(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image__open_reads_the_same_notes_not_a_thousand_times),
		cmocka_unit_test(test_image__section_reads_no_names_larger_than_any),
		cmocka_unit_test(test_gopclntab__open_reads_the_same_segment_not_twice),
		cmocka_unit_test(test_gopclntab__open_tries_few_of_many_heads),
		cmocka_unit_test(test_symtab__load_gives_up_on_endless_names),
		cmocka_unit_test(test_lookup_symbols_gives_up_on_endless_names),
	};

	return cmocka_run_group_tests_name("image hostile", tests, setup, teardown);
}
