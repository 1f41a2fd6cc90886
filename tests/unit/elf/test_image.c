/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/image.h"
#include "lib/workdir.h"

/* Bytes that say where in the file a symbol lies, without asking any ELF reader. */
#define MARKER "COLDSPOT-MARKER!"

static const char source[] = "__asm__(\".text; .globl marker; marker: .ascii \\\"" MARKER
			     "\\\"\");\n"
			     "int main(void) { return 0; }\n"
			     "void _start(void) { for (;;) ; }\n";

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	if (!workdir_have("cc nm objcopy strip"))
		return 0;
	workdir__write(&dir, "p.c", source, sizeof(source) - 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* Compiles into "p"; skips the test where that cannot be. */
static void compile(const char *flags)
{
	if (!workdir_have("cc nm"))
		skip();
	if (workdir__run(&dir, "$CC -w -nostdlib -nostartfiles %s -o p p.c 2>/dev/null", flags))
		return;
	print_error("SKIPPED: the compiler cannot do %s\n", flags);
	skip();
}

static struct image *open_image(const char *name)
{
	int fd = workdir__open(&dir, name);
	struct image *img = NULL;
	struct err err = { 0 };

	if (image__open(fd, name, &img, &err))
		fail_msg("%s", err.msg);
	close(fd);
	return img;
}

static u64 marker_off(const char *name)
{
	size_t sz;
	char *data = workdir__read(&dir, name, &sz);
	char *at = memmem(data, sz, MARKER, strlen(MARKER));
	u64 off = (u64)(at - data);

	assert_non_null(at);
	mem_free(data);
	return off;
}

static void check_addresses(const char *flags, enum image_type type)
{
	struct image *img;
	u64 off, vaddr = 0, want;

	compile(flags);
	img = open_image("p");
	off = marker_off("p");
	want = workdir__addr_of(&dir, "p", "marker");
	assert_int_equal(img->type, type);
	assert_true(img->segments_len >= 1);
	assert_true(want != 0);
	assert_true(image__vaddr_of_offset(img, off, &vaddr));
	assert_true(vaddr == want);
	assert_non_null(image__segment_at(img, vaddr));
	/* the ELF header is in no executable segment with -z separate-code */
	image__release(img);
	assert_true(image__vaddr_of_offset(img, off + 1, &vaddr));
	assert_true(vaddr == want + 1);
	image__free(img);
}

static void test_image__vaddr_of_offset_in_a_pie(void **state)
{
	(void)state;
	check_addresses("-fPIE -pie", IMAGE_DYN);
}

static void test_image__vaddr_of_offset_in_a_fixed_program(void **state)
{
	(void)state;
	check_addresses("-fno-pie -no-pie", IMAGE_EXEC);
}

static void test_image__vaddr_of_offset_in_a_shared_object(void **state)
{
	(void)state;
	check_addresses("-fPIC -shared", IMAGE_DYN);
}

static void test_image__vaddr_of_offset_when_text_lies_elsewhere(void **state)
{
	(void)state;
	check_addresses("-fno-pie -no-pie -Wl,-Ttext-segment=0x10000000", IMAGE_EXEC);
	check_addresses("-fPIC -shared -Wl,-Ttext-segment=0x7000000", IMAGE_DYN);
	check_addresses("-fno-pie -no-pie -Wl,-Ttext=0x12345000", IMAGE_EXEC);
}

static void test_image__vaddr_of_offset_without_separate_code(void **state)
{
	(void)state;
	check_addresses("-fPIE -pie -Wl,-z,noseparate-code", IMAGE_DYN);
	check_addresses("-fPIE -pie -Wl,-z,max-page-size=0x200000", IMAGE_DYN);
}

static void test_image__vaddr_of_offset_in_a_32_bit_program(void **state)
{
	(void)state;
#if defined(__x86_64__)
	check_addresses("-m32 -fno-pie -no-pie", IMAGE_EXEC);
#else
	skip();
#endif
}

static void test_image__vaddr_of_offset_refuses_data(void **state)
{
	struct image *img;
	u64 vaddr;

	(void)state;
	compile("-fPIE -pie -Wl,-z,separate-code");
	img = open_image("p");
	assert_false(image__vaddr_of_offset(img, 0, &vaddr));
	assert_false(image__vaddr_of_offset(img, img->segments[0].off - 1, &vaddr));
	assert_true(image__vaddr_of_offset(img, img->segments[0].off, &vaddr));
	assert_false(image__vaddr_of_offset(img, img->segments[0].off + img->segments[0].file_sz,
					    &vaddr));
	assert_false(image__vaddr_of_offset(img, UINT64_MAX, &vaddr));
	assert_null(image__segment_at(img, UINT64_MAX));
	image__free(img);
}

static void test_image__open_reads_the_build_id(void **state)
{
	struct image *img;

	(void)state;
	compile("-Wl,--build-id=0xdeadbeef01");
	img = open_image("p");
	assert_string_equal(img->build_id, "deadbeef01");
	image__free(img);
	compile("-Wl,--build-id=none");
	img = open_image("p");
	assert_string_equal(img->build_id, "");
	image__free(img);
}

static void test_image__open_reads_the_build_id_without_sections(void **state)
{
	Elf64_Ehdr *head;
	struct image *img;
	size_t sz;
	char *data;

	(void)state;
	compile("-Wl,--build-id=0xdeadbeef02");
	data = workdir__read(&dir, "p", &sz);
	head = (Elf64_Ehdr *)data;
	head->e_shoff = 0;
	head->e_shnum = 0;
	head->e_shstrndx = 0;
	workdir__write(&dir, "bare", data, sz);
	mem_free(data);
	img = open_image("bare");
	assert_string_equal(img->build_id, "deadbeef02");
	image__free(img);
}

static void test_image__open_reads_the_build_id_of_a_debug_file(void **state)
{
	struct image *img;
	Elf64_Ehdr *head;
	Elf64_Phdr *ph;
	size_t sz, i;
	char *data;

	(void)state;
	compile("-Wl,--build-id=0xdeadbeef03");
	assert_true(workdir__run(&dir, "objcopy --only-keep-debug p p.debug"));
	img = open_image("p.debug");
	assert_string_equal(img->build_id, "deadbeef03");
	image__free(img);
	/* its segments may name places that now hold other bytes */
	data = workdir__read(&dir, "p.debug", &sz);
	head = (Elf64_Ehdr *)data;
	ph = (Elf64_Phdr *)(data + head->e_phoff);
	for (i = 0; i < head->e_phnum; i++)
		ph[i].p_offset = 0;
	workdir__write(&dir, "p.debug", data, sz);
	mem_free(data);
	img = open_image("p.debug");
	assert_string_equal(img->build_id, "deadbeef03");
	image__free(img);
}

static void test_image__section_finds_bytes(void **state)
{
	struct image *img;
	struct view v;

	(void)state;
	compile("");
	assert_true(workdir__run(&dir, "printf hello >h && objcopy --add-section .greeting=h p"));
	img = open_image("p");
	assert_true(image__section(img, ".greeting", 100, &v));
	assert_true(view__eq(&v, "hello"));
	assert_false(image__section(img, ".greeting", 4, &v));
	assert_false(image__section(img, ".absent", 100, &v));
	image__free(img);
}

/* What image__open_mem() says to `data` with `len` bytes at `off` replaced. */
static int refuse(const char *data, size_t sz, size_t off, const void *bytes, size_t len)
{
	struct image *img = NULL;
	struct err err = { 0 };
	char *copy = mem_alloc(sz);
	int r;

	memcpy(copy, data, sz);
	memcpy(copy + off, bytes, len);
	r = image__open_mem(copy, sz, "the file", &img, &err);
	image__free(img);
	mem_free(copy);
	if (r)
		assert_non_null(strstr(err.msg, "the file"));
	return r;
}

static void test_image__open_refuses_other_kinds(void **state)
{
	size_t sz;
	char *data;

	(void)state;
	compile("");
	data = workdir__read(&dir, "p", &sz);
	assert_int_equal(refuse(data, sz, 0, "", 0), 0);
	assert_int_equal(refuse(data, sz, 0, "MZ", 2), -EINVAL);
	assert_int_equal(refuse(data, sz, EI_CLASS, "\3", 1), -EINVAL);
	assert_int_equal(refuse(data, sz, EI_DATA, "\2", 1), -EINVAL);
	/* object file, core file */
	assert_int_equal(refuse(data, sz, 16, "\1\0", 2), -EINVAL);
	assert_int_equal(refuse(data, sz, 16, "\4\0", 2), -EINVAL);
	/* "look in section 0": 65,535 segments, any number of sections */
	assert_int_equal(refuse(data, sz, 56, "\xff\xff", 2), -EINVAL);
	assert_int_equal(refuse(data, sz, 60, "\0\0", 2), -EINVAL);
	mem_free(data);
}

static void test_image__open_refuses_a_short_file(void **state)
{
	struct image *img = NULL;
	struct err err = { 0 };
	size_t sz, cut;
	char *data;

	(void)state;
	compile("");
	data = workdir__read(&dir, "p", &sz);
	for (cut = 0; cut < 62; cut++)
		assert_int_equal(image__open_mem(data, cut, "p", &img, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "ends inside"));
	mem_free(data);
}

static void test_image__open_survives_any_damage_after_the_header(void **state)
{
	size_t sz, i;
	char *data;
	u64 vaddr;

	(void)state;
	compile("-Wl,--build-id=0xdeadbeef04");
	data = workdir__read(&dir, "p", &sz);
	for (i = 64; i < sz; i++) {
		struct image *img = NULL;
		char byte = data[i];

		data[i] = (char)0xff;
		if (!image__open_mem(data, sz, "p", &img, NULL))
			image__vaddr_of_offset(img, 0x1000, &vaddr);
		image__free(img);
		img = NULL;
		if (!image__open_mem(data, i, "p", &img, NULL))
			image__vaddr_of_offset(img, 0x1000, &vaddr);
		image__free(img);
		data[i] = byte;
	}
	mem_free(data);
}

static void test_image__open_says_what_cannot_be_read(void **state)
{
	struct image *img;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(image__open(-1, "p", &img, &err), -EBADF);
	assert_non_null(strstr(err.msg, "'p'"));
	image__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image__vaddr_of_offset_in_a_pie),
		cmocka_unit_test(test_image__vaddr_of_offset_in_a_fixed_program),
		cmocka_unit_test(test_image__vaddr_of_offset_in_a_shared_object),
		cmocka_unit_test(test_image__vaddr_of_offset_when_text_lies_elsewhere),
		cmocka_unit_test(test_image__vaddr_of_offset_without_separate_code),
		cmocka_unit_test(test_image__vaddr_of_offset_in_a_32_bit_program),
		cmocka_unit_test(test_image__vaddr_of_offset_refuses_data),
		cmocka_unit_test(test_image__open_reads_the_build_id),
		cmocka_unit_test(test_image__open_reads_the_build_id_without_sections),
		cmocka_unit_test(test_image__open_reads_the_build_id_of_a_debug_file),
		cmocka_unit_test(test_image__section_finds_bytes),
		cmocka_unit_test(test_image__open_refuses_other_kinds),
		cmocka_unit_test(test_image__open_refuses_a_short_file),
		cmocka_unit_test(test_image__open_survives_any_damage_after_the_header),
		cmocka_unit_test(test_image__open_says_what_cannot_be_read),
	};

	return cmocka_run_group_tests_name("image", tests, setup, teardown);
}
