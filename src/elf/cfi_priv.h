/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_CFI_PRIV_H
#define ELF_CFI_PRIV_H

#include "base/vec.h"
#include "base/view.h"
#include "elf/cfi.h"

/* Depth of remembered states; compilers need two. */
#define CFI_DEPTH_MAX 16
/* A register number that no machine has. */
#define CFI_NO_REG 0xff

/* The registers that matter, by their DWARF numbers. */
struct cfi_machine {
	u8 sp;
	u8 fp;
	u8 bx; /* or CFI_NO_REG */
	u8 ra;
	bool ra_in_memory; /* calls put it there: a rule that leaves it in its register is wrong */
};

/* enum cfi_base */
static inline u8 cfi_base(const struct cfi_machine *m, u64 reg)
{
	if (reg == m->sp)
		return CFI_BASE_SP;
	return reg == m->fp ? CFI_BASE_FP : CFI_BASE_REG;
}

/* The bytes of .eh_frame or .debug_frame. */
struct cfi_section {
	struct view bytes;
	u64 vaddr; /* of the first byte */
	bool debug; /* .debug_frame */
	bool open; /* its end is unknown: a zero word ends it */
};

/* The state while running an entry's instructions: a row, and the stack pointer. */
struct cfi_state {
	struct cfi_rule rule;
	struct cfi_saved sp;
};

struct cfi_cie {
	u64 off; /* in its section */
	u64 code_align;
	s64 data_align;
	u8 ra; /* register */
	u8 pointers; /* encoding of addresses */
	bool sized; /* entries have a length of augmentation data */
	bool signal;
	bool bad; /* entries that use it are skipped */
	struct cfi_state state; /* before the first instruction of an entry */
};

/* An entry for a range of code (FDE). */
struct cfi_fde {
	u64 off; /* of the code, in the file */
	u32 len;
	u32 program; /* its position in its section */
	u32 program_len;
	u32 cie; /* index; the highest bit: in .debug_frame */
};

#define CFI_FDE_DEBUG (1U << 31)

/* All entries of a file. */
struct cfi_entries {
	const struct image *img;
	struct cfi_machine machine;
	struct cfi_section sections[2]; /* [1]: .debug_frame */
	struct vec cies; /* of both sections, struct cfi_cie */
	struct vec fdes;
};

/* In cfi_section.c: finds the bytes; a missing section is empty. */
void cfi_section__find_eh(struct cfi_section *s, const struct image *img);
void cfi_section__find_debug(struct cfi_section *s, const struct image *img);

/* In cfi_entry.c: adds the entries of sections[which]. -ENOMEM or 0. */
int cfi_entries__scan(struct cfi_entries *e, u32 which);

/*
 * An address at the cursor, which is inside `s`. False if its encoding is invalid here, or needs
 * memory of the process.
 */
bool cfi_pointer(const struct cfi_section *s, struct view *v, u8 encoding, u64 *ret);

/* In cfi_program.c. Where a program's rows go. */
struct cfi_run {
	const struct cfi_entries *entries;
	const struct cfi_cie *cie;
	const struct cfi_section *section;
	u64 start; /* file offset of the code */
	u64 vaddr; /* its address, for DW_CFA_set_loc */
	u64 end; /* rows from here on are dropped */
	cfi_row_fn fn; /* NULL: only the state matters */
	void *arg;
};

/*
 * Runs the instructions on `st`, which holds the initial state. An invalid program is run up to the
 * error; the rest of its code gets CFI_CFA_UNSUPPORTED. Returns what `fn` returned, or 0.
 */
int cfi_run__program(const struct cfi_run *run, struct view program, struct cfi_state *st);

/* In cfi_expr.c. */

/* Recognises the CFA expressions that rules can represent; others are CFI_CFA_UNSUPPORTED. */
void cfi_expr__cfa(struct view expr, const struct cfi_machine *m, struct cfi_rule *rule);
/* The same for the location of a register: CFI_AT_FP or CFI_UNKNOWN. */
void cfi_expr__saved(struct view expr, const struct cfi_machine *m, struct cfi_saved *saved);

#endif
