/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code compiled without CFI (-fno-asynchronous-unwind-tables) may or may not keep frame pointers. A
 * frame pointer that the current function did not set up belongs to a caller further out, and a
 * step along it skips the callers in between. Such a step is therefore certain only in a function
 * that saves and sets the frame pointer first.
 */
#include "unwind/framed_code.h"

#include <elf.h>
#include <string.h>

#include "base/view.h"
#include "elf/lookup.h"

/* Files below this size are checked whatever CFI they have: it may be only that of crt1.o. */
#define SMALL_CODE_SZ (64UL << 10)
/* CFI is 5 to 20 % of the size of the code that it describes. */
#define CODE_PER_CFI 32
#define SEGMENT_MAX_SZ (256UL << 20)
#define CFI_MAX_SZ (1UL << 30)

/* The first bytes of a function, which set up its frame pointer. */
#define PROLOGUE_SZ 64

#define REG_FP 6

static const struct cfi_saved at_cfa_8 = { .how = CFI_AT_CFA, .off = -8 };
static const struct cfi_saved at_cfa_16 = { .how = CFI_AT_CFA, .off = -16 };
static const struct cfi_saved unknown = { .how = CFI_UNKNOWN };

struct reading {
	struct known_code *known;
	const struct image *img;
	struct view code[IMAGE_SEGMENTS_MAX];
	int error;
};

static struct cfi_rule from_sp(s32 off, struct cfi_saved fp)
{
	return (struct cfi_rule){ .cfa = CFI_CFA_REG,
				  .base = CFI_BASE_SP,
				  .off = off,
				  .ra = at_cfa_8,
				  .fp = fp,
				  .bx = unknown };
}

static struct cfi_rule from_fp(void)
{
	return (struct cfi_rule){ .cfa = CFI_CFA_REG,
				  .base = CFI_BASE_FP,
				  .reg = REG_FP,
				  .off = 16,
				  .ra = at_cfa_8,
				  .fp = at_cfa_16,
				  .bx = unknown };
}

static void add(struct reading *rd, u64 start, u64 end, struct cfi_rule rule)
{
	if (!rd->error && end > start)
		rd->error = known_code__add(rd->known, rd->img, start, end, &rule, true);
}

/* The body: by frame pointer, except for instructions that leave after the frame is gone. */
static void add_body(struct reading *rd, const u8 *p, u64 vaddr, u64 sz)
{
	const struct cfi_saved same = { .how = CFI_SAME };
	u64 begin = 0;

	for (u64 i = 1; i < sz; i++) {
		bool leaves = p[i] == 0xc3 || p[i] == 0xe9; /* ret, jmp */

		if (!leaves || (p[i - 1] != 0xc9 && p[i - 1] != 0x5d)) /* leave, pop %rbp */
			continue;
		add(rd, vaddr + begin, vaddr + i, from_fp());
		add(rd, vaddr + i, vaddr + i + 1, from_sp(8, same));
		begin = i + 1;
	}
	add(rd, vaddr + begin, vaddr + sz, from_fp());
}

/*
 * Where the body begins: after "mov %rsp,%rbp", preceded by "push %rbp". Compilers move other
 * instructions before and between them. 0: no frame pointer.
 */
static u64 body_of(const u8 *p, u64 sz)
{
	static const u8 set_fp[] = { 0x48, 0x89, 0xe5 };
	const u8 *set = memmem(p, sz < PROLOGUE_SZ ? sz : PROLOGUE_SZ, set_fp, sizeof(set_fp));

	if (!set || !memchr(p, 0x55, (size_t)(set - p)))
		return 0;
	return (u64)(set - p) + sizeof(set_fp);
}

static bool take_symbol(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct reading *rd = arg;

	(void)name;
	for (size_t i = 0; i < rd->img->segments_len; i++) {
		const struct image_segment *s = &rd->img->segments[i];
		u64 at = vaddr - s->vaddr, body;

		if (vaddr < s->vaddr || at >= view__left(&rd->code[i]))
			continue;
		if (sz > view__left(&rd->code[i]) - at)
			sz = view__left(&rd->code[i]) - at;
		body = body_of(rd->code[i].p + at, sz);
		if (body)
			add_body(rd, rd->code[i].p + at + body, vaddr + body, sz - body);
	}
	return !rd->error;
}

/* Whether there is so little CFI that much of the code cannot have any. */
static bool lacks_cfi(const struct image *img)
{
	static const char *const sections[] = { ".eh_frame", ".debug_frame" };
	u64 code = 0, cfi = 0;
	struct view bytes;

	for (size_t i = 0; i < img->segments_len; i++)
		code += img->segments[i].file_sz;
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (image__section(img, sections[i], CFI_MAX_SZ, &bytes))
			cfi += view__left(&bytes);
	return code < SMALL_CODE_SZ || cfi < code / CODE_PER_CFI;
}

int framed_code__add(struct known_code *k, const struct image *img)
{
	struct reading rd = { .known = k, .img = img };

	if (img->machine != EM_X86_64 || !lacks_cfi(img))
		return 0;
	for (size_t i = 0; i < img->segments_len; i++) {
		const struct image_segment *s = &img->segments[i];

		if (s->file_sz <= SEGMENT_MAX_SZ)
			lookup_bytes(img, s->vaddr, s->file_sz, &rd.code[i]);
	}
	lookup_symbols(img, LOOKUP_SYMTAB, take_symbol, &rd);
	if (!rd.error)
		lookup_symbols(img, LOOKUP_DYNSYM, take_symbol, &rd);
	return rd.error;
}
