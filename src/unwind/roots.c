/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack is whole if its walk reached a function that nobody called. CFI marks such a function
 * with an undefined return address; glibc marks _start, clone and clone3. The functions here lack
 * the mark, and mostly have no CFI at all. In stripped files they are found by references to them
 * or by their code.
 */
#include "unwind/roots.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "base/view.h"
#include "elf/lookup.h"

/* The code of an entry: ld.so of glibc 2.36 has 52 bytes, musl 22. */
#define ENTRY_SZ 64
/* __start_context of glibc 2.31 to 2.41 has 20 to 80 bytes. */
#define START_CONTEXT_SZ 16
#define MAKECONTEXT_MAX_SZ 4096
#define DYNSTR_MAX_SZ (64UL << 20)
#define SEGMENT_MAX_SZ (64UL << 20)
#define INTERP_MAX_SZ 4096

static const struct cfi_rule root = { .cfa = CFI_CFA_END };

struct function {
	const char *name;
	u64 vaddr;
	u64 sz;
};

static bool take_function(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct function *f = arg;

	if (strcmp(name, f->name) != 0)
		return true;
	f->vaddr = vaddr;
	f->sz = sz;
	return false;
}

static bool find_function(const struct image *img, struct function *f)
{
	lookup_symbols(img, LOOKUP_DYNSYM, take_function, f);
	if (!f->vaddr)
		lookup_symbols(img, LOOKUP_SYMTAB, take_function, f);
	return f->vaddr;
}

/* Symbols are searched only if one of this name can be among them. */
static bool mentions(const struct image *img, const char *section, const char *name)
{
	struct view names;

	return image__section(img, section, DYNSTR_MAX_SZ, &names) &&
	       memmem(names.p, view__left(&names), name, strlen(name) + 1);
}

/* "lea DISP(%rip), REG" at `p`; its target, for code at `vaddr`. */
static bool lea_target(const u8 *p, u64 vaddr, u64 *ret)
{
	s32 disp;

	if ((p[0] & 0xf8) != 0x48 || p[1] != 0x8d || (p[2] & 0xc7) != 0x05)
		return false;
	memcpy(&disp, p + 3, sizeof(disp));
	*ret = vaddr + 7 + (u64)(s64)disp;
	return true;
}

/*
 * makecontext() stores the address of __start_context as the return address of the coroutine's
 * function. It is the only code address that it loads. Return addresses are looked up one byte
 * earlier, so the range begins there.
 */
static int add_start_context(struct known_code *k, const struct image *img)
{
	struct function f = { .name = "makecontext" };
	struct view code;
	u64 target;

	if ((!mentions(img, ".dynstr", f.name) && !mentions(img, ".strtab", f.name)) ||
	    !find_function(img, &f) || f.sz > MAKECONTEXT_MAX_SZ ||
	    !lookup_bytes(img, f.vaddr, f.sz, &code))
		return 0;
	for (u64 i = 0; i + 7 <= f.sz; i++) {
		if (lea_target(code.p + i, f.vaddr + i, &target) && target &&
		    image__segment_at(img, target))
			return known_code__add(k, img, target - 1, target + START_CONTEXT_SZ, &root,
					       false);
	}
	return 0;
}

/* The new thread of musl's __clone: it clears the frame pointer, calls, and exits. */
static const u8 musl_thread[] = {
	0x31, 0xed, /* xor %ebp,%ebp */
	0x5f, /* pop %rdi */
	0x41, 0xff, 0xd1, /* call *%r9 */
	0x89, 0xc7, /* mov %eax,%edi */
	0x31, 0xc0, 0xb0, 0x3c, /* SYS_exit */
	0x0f, 0x05, /* syscall */
};

static int add_musl_clone(struct known_code *k, const struct image *img)
{
	for (size_t i = 0; i < img->segments_len; i++) {
		const struct image_segment *s = &img->segments[i];
		const u8 *at;
		struct view code;
		u64 begin;

		if (s->file_sz > SEGMENT_MAX_SZ || !lookup_bytes(img, s->vaddr, s->file_sz, &code))
			continue;
		at = memmem(code.p, view__left(&code), musl_thread, sizeof(musl_thread));
		if (!at)
			continue;
		begin = s->vaddr + (u64)(at - code.p);
		return known_code__add(k, img, begin, begin + sizeof(musl_thread), &root, true);
	}
	return 0;
}

struct following {
	u64 entry;
	u64 next; /* the next symbol after it */
};

static bool take_following(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct following *f = arg;

	(void)name;
	(void)sz;
	if (vaddr > f->entry && vaddr < f->next)
		f->next = vaddr;
	return true;
}

/* ld.so's entry continues under a second label, where constructors are called. */
static bool is_interpreter(const struct image *img)
{
	struct view interp;

	return img->type == IMAGE_DYN && !image__section(img, ".interp", INTERP_MAX_SZ, &interp);
}

static int add_entry(struct known_code *k, const struct image *img)
{
	struct following f = { .entry = img->entry, .next = img->entry + ENTRY_SZ };

	if (!img->entry || img->entry > UINT64_MAX - ENTRY_SZ)
		return 0;
	if (!is_interpreter(img))
		lookup_symbols(img, LOOKUP_SYMTAB, take_following, &f);
	return known_code__add(k, img, f.entry, f.next, &root, true);
}

int roots__add(struct known_code *k, const struct image *img)
{
	int r;

	if (img->machine != EM_X86_64)
		return 0;
	r = add_entry(k, img);
	r = r ? r : add_start_context(k, img);
	return r ? r : add_musl_clone(k, img);
}
