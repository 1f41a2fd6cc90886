/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "elf/lookup.h"

/* x86-64, of GCC: functions bad and f, and f.cold, to which six jumps of f lead. */
#define SMALL "tests/fuzz/corpus/lookup/01"

static const char marker[] = "to be found in the file of this very program";

struct wanted {
	const char *name;
	u64 vaddr;
	u64 sz;
	u32 seen;
	u32 calls;
	u32 enough; /* calls */
};

static bool take(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct wanted *w = arg;

	if (strcmp(name, w->name) == 0) {
		w->vaddr = vaddr;
		w->sz = sz;
		w->seen++;
	}
	return ++w->calls != w->enough;
}

static struct image *open_image(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct image *img = NULL;

	assert_true(fd >= 0);
	assert_int_equal(image__open(fd, path, &img, NULL), 0);
	close(fd);
	return img;
}

static struct wanted look(const struct image *img, enum lookup_table table, const char *name)
{
	struct wanted w = { .name = name };

	lookup_symbols(img, table, take, &w);
	return w;
}

static void test_lookup__symbols_of_each_table(void **state)
{
	struct image *img = open_image(SMALL);
	struct wanted w;

	(void)state;
	w = look(img, LOOKUP_SYMTAB, "f.cold");
	assert_int_equal(w.seen, 1);
	assert_true(w.vaddr == 0x29b && w.sz == 0x93);
	assert_int_equal(look(img, LOOKUP_DYNSYM, "f.cold").seen, 0);
	w = look(img, LOOKUP_DYNSYM, "f");
	assert_int_equal(w.seen, 1);
	assert_true(w.vaddr == 0x330 && w.sz == 0x44);
	/* used, not defined */
	assert_int_equal(look(img, LOOKUP_DYNSYM, "abort").seen, 0);
	image__free(img);
}

static void test_lookup__symbols_end_when_it_is_enough(void **state)
{
	struct image *img = open_image(SMALL);
	struct wanted w = { .name = "", .enough = 2 };

	(void)state;
	lookup_symbols(img, LOOKUP_SYMTAB, take, &w);
	assert_int_equal(w.calls, 2);
	image__free(img);
}

static void test_lookup__bytes_are_those_in_memory(void **state)
{
	struct image *img = open_image("/proc/self/exe");
	struct wanted w = look(img, LOOKUP_SYMTAB, "marker");
	struct view v;

	(void)state;
	if (!w.seen) {
		image__free(img);
		skip(); /* stripped, or the compiler gave it no symbol */
	}
	assert_true(lookup_bytes(img, w.vaddr, sizeof(marker), &v));
	assert_int_equal(view__left(&v), sizeof(marker));
	assert_memory_equal(v.p, marker, sizeof(marker));
	image__free(img);
}

static void test_lookup__bytes_stay_in_their_segment(void **state)
{
	struct image *img = open_image(SMALL);
	struct view v;

	(void)state;
	assert_true(lookup_bytes(img, 0, 4, &v));
	assert_memory_equal(v.p,
			    "\x7f"
			    "ELF",
			    4);
	assert_false(lookup_bytes(img, 0, 1UL << 30, &v));
	assert_false(lookup_bytes(img, 0, ~0ULL, &v));
	assert_false(lookup_bytes(img, ~0ULL, 1, &v));
	assert_false(lookup_bytes(img, 1UL << 40, 1, &v));
	image__free(img);
}

static void test_lookup__cold_piece_is_where_jumps_lead(void **state)
{
	struct image *img = open_image(SMALL);
	struct wanted f = look(img, LOOKUP_SYMTAB, "f");
	struct wanted bad = look(img, LOOKUP_SYMTAB, "bad");
	struct wanted cold = look(img, LOOKUP_SYMTAB, "f.cold");
	struct lookup_piece piece = { 0 };

	(void)state;
	assert_true(lookup_cold_piece(img, f.vaddr, f.vaddr + f.sz, &piece));
	assert_true(piece.start == cold.vaddr);
	assert_true(piece.end == cold.vaddr + cold.sz);
	/* without jumps, without bytes, and with bytes that are not there */
	assert_false(lookup_cold_piece(img, bad.vaddr, bad.vaddr + bad.sz, &piece));
	assert_false(lookup_cold_piece(img, f.vaddr, f.vaddr, &piece));
	assert_false(lookup_cold_piece(img, f.vaddr, f.vaddr + (1UL << 20), &piece));
	image__free(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lookup__symbols_of_each_table),
		cmocka_unit_test(test_lookup__symbols_end_when_it_is_enough),
		cmocka_unit_test(test_lookup__bytes_are_those_in_memory),
		cmocka_unit_test(test_lookup__bytes_stay_in_their_segment),
		cmocka_unit_test(test_lookup__cold_piece_is_where_jumps_lead),
	};

	return cmocka_run_group_tests_name("lookup", tests, NULL, NULL);
}
