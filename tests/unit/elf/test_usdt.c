/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of static probes, and where they are in a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/lookup.h"
#include "elf/probe/usdt.h"

struct notes {
	u8 bytes[512];
	size_t len;
};

static void put(struct notes *n, u64 value, size_t sz)
{
	while (sz--) {
		n->bytes[n->len++] = (u8)value;
		value >>= 8;
	}
}

static void put_str(struct notes *n, const char *s)
{
	put(n, 0, strlen(s) + 1);
	memcpy(&n->bytes[n->len - strlen(s) - 1], s, strlen(s));
}

static void pad(struct notes *n)
{
	while (n->len & 3)
		put(n, 0, 1);
}

static void put_note(struct notes *n, const char *owner, u32 type, size_t addr_sz, const char *name)
{
	u32 sz = (u32)(3 * addr_sz + sizeof("shop") + strlen(name) + 1 + sizeof("4@%eax"));

	put(n, strlen(owner) + 1, 4);
	put(n, sz, 4);
	put(n, type, 4);
	put_str(n, owner);
	pad(n);
	put(n, 0x1000, addr_sz);
	put(n, 0x2000, addr_sz);
	put(n, 0x3000, addr_sz);
	put_str(n, "shop");
	put_str(n, name);
	put_str(n, "4@%eax");
	pad(n);
}

struct seen {
	u32 len;
	u32 most;
	char names[64];
	struct usdt_note last;
};

static bool see(void *arg, const struct usdt_note *note)
{
	struct seen *s = arg;

	strcat(s->names, note->name);
	strcat(s->names, " ");
	s->last = *note;
	return ++s->len < s->most;
}

static void test_notes_are_read(void **state)
{
	struct notes n = { .len = 0 };
	struct seen s = { .most = 9 };

	(void)state;
	put_note(&n, "stapsdt", 3, 8, "begin");
	put_note(&n, "GNU", 3, 8, "other");
	put_note(&n, "stapsdt", 4, 8, "newer");
	put_note(&n, "stapsdt", 3, 8, "done");
	usdt_notes(view__of(n.bytes, n.len), 8, see, &s);
	assert_string_equal(s.names, "begin done ");
	assert_string_equal(s.last.provider, "shop");
	assert_true(s.last.pc == 0x1000 && s.last.base == 0x2000 && s.last.semaphore == 0x3000);
	s = (struct seen){ .most = 1 };
	usdt_notes(view__of(n.bytes, n.len), 8, see, &s);
	assert_string_equal(s.names, "begin ");
}

static void test_addresses_of_32_bits(void **state)
{
	struct notes n = { .len = 0 };
	struct seen s = { .most = 9 };

	(void)state;
	put_note(&n, "stapsdt", 3, 4, "begin");
	usdt_notes(view__of(n.bytes, n.len), 4, see, &s);
	assert_string_equal(s.names, "begin ");
	assert_true(s.last.semaphore == 0x3000);
}

/* Wherever the section ends, only whole notes are seen. */
static void test_notes_that_are_cut(void **state)
{
	struct notes n = { .len = 0 };

	(void)state;
	put_note(&n, "stapsdt", 3, 8, "begin");
	for (size_t len = 0; len < n.len; len++) {
		struct seen s = { .most = 9 };

		usdt_notes(view__of(n.bytes, len), 8, see, &s);
		assert_true(s.len <= (len + 3 >= n.len));
	}
	n.bytes[4] = 26; /* the description ends within the names */
	usdt_notes(view__of(n.bytes, n.len), 8, see, &(struct seen){ .most = 0 });
}

/* A static probe of this program, as <sys/sdt.h> writes it. */
__extension__ unsigned short test_usdt_semaphore __attribute__((section(".probes"), used));
static const char marker[] = "test_usdt_probed";

__attribute__((noinline, used)) static void test_usdt_probed(void)
{
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n"
			 ".balign 4\n"
			 ".4byte 992f-991f, 994f-993f, 3\n"
			 "991: .asciz \"stapsdt\"\n"
			 "992: .balign 4\n"
			 "993: .8byte 990b\n"
			 ".8byte 0\n"
			 ".8byte test_usdt_semaphore\n"
			 ".asciz \"coldspot\"\n"
			 ".asciz \"probed\"\n"
			 ".asciz \"\"\n"
			 "994: .balign 4\n"
			 ".popsection\n");
}

struct own {
	u64 func; /* offset of the function in the file */
	u64 func_sz;
	u32 places;
	u64 semaphore_off;
	bool inside;
};

static bool see_own(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct own *own = arg;

	if (strcmp(name, marker) != 0)
		return true;
	own->func = vaddr;
	own->func_sz = sz;
	return false;
}

static bool see_place(void *arg, const struct usdt_place *place)
{
	struct own *own = arg;

	own->places++;
	own->semaphore_off = place->semaphore_off;
	own->inside = place->off >= own->func && place->off < own->func + own->func_sz;
	return true;
}

static void test_a_probe_of_a_file_is_found(void **state)
{
	struct image *img;
	struct own own = { 0 };
	const struct image_segment *seg;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	test_usdt_probed();
	assert_true(fd >= 0);
	assert_int_equal(image__open(fd, "self", &img, NULL), 0);
	close(fd);
	lookup_symbols(img, LOOKUP_SYMTAB, see_own, &own);
	seg = image__segment_at(img, own.func);
	assert_non_null(seg);
	own.func = own.func - seg->vaddr + seg->off;
	usdt_find(img, "coldspot", "probed", see_place, &own);
	assert_int_equal(own.places, 1);
	assert_true(own.inside);
	assert_true(own.semaphore_off);
	usdt_find(img, "coldspot", "probe", see_place, &own);
	usdt_find(img, "cold", "probed", see_place, &own);
	assert_int_equal(own.places, 1);
	image__free(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes_are_read),
		cmocka_unit_test(test_addresses_of_32_bits),
		cmocka_unit_test(test_notes_that_are_cut),
		cmocka_unit_test(test_a_probe_of_a_file_is_found),
	};

	return cmocka_run_group_tests_name("usdt", tests, NULL, NULL);
}
