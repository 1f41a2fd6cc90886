/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_UNWIND_H
#define ABI_UNWIND_H

#include <linux/types.h>

/*
 * Unwind tables as the walk reads them.
 *
 * Table memory is one space of 32-bit addresses, divided into segments of CS_SEGMENT_SZ bytes. Each
 * segment is a BPF array that user space maps. Each file has an index: one struct cs_unwind_page
 * per page (4 KiB of file offset, whatever the page size of the machine) from the first with code
 * to the last. It refers to the rows of that page, sorted by offset. The first row of a page has
 * offset 0, so a search never leaves its page. An index entry and the rows of one page never cross
 * a segment boundary. Everything is found by file offset, not by address, so a walk needs only the
 * mapping.
 */
#define CS_SEGMENT_BITS 20
#define CS_SEGMENT_SZ (1U << CS_SEGMENT_BITS)
#define CS_SEGMENTS_MAX 1024
#define CS_UNWIND_PAGE_BITS 12
#define CS_RULES_MAX 16384

/* From this byte of the page up to the next row, `rule` finds the caller. */
struct cs_unwind_row {
	__u16 off;
	__u16 rule;
};

struct cs_unwind_page {
	__u32 rows; /* table address of the first row */
	__u32 len; /* number of rows; 0: no code here */
};

/* How to compute the canonical frame address (CFA). Append only. */
enum cs_cfa {
	CS_CFA_NONE = 0, /* no unwind information: try the frame pointer. Rule 0 is this one */
	CS_CFA_SP, /* sp + cfa_off */
	CS_CFA_FP, /* fp + cfa_off */
	CS_CFA_REG, /* register `reg` + cfa_off */
	CS_CFA_FP_DEREF, /* *(fp + cfa_off) + cfa_off2 */
	CS_CFA_SP_DEREF, /* *(sp + cfa_off) + cfa_off2 */
	CS_CFA_PLT, /* sp + cfa_off + ((ip & 15) >= cfa_off2 ? 8 : 0) */
	CS_CFA_SIGNAL, /* a signal frame: the kernel put the registers at sp */
	CS_CFA_END, /* the outermost frame */
	CS_CFA_UNSUPPORTED,
};

/* Where a register of the caller is. Append only. */
enum cs_saved {
	CS_SAVED_SAME = 0, /* still in the register */
	CS_SAVED_CFA, /* in memory at CFA + its _off */
	CS_SAVED_REG, /* return address only: in register `reg` (which the CFA does not use then) */
	CS_SAVED_UNKNOWN, /* undefined, or a rule that we do not support */
	CS_SAVED_FP, /* in memory at fp of this frame + its _off; not for the return address */
};

/*
 * A rule to find a caller; all files share one dictionary of rules. Registers have DWARF numbers.
 * x86-64: fp is rbp, bx is rbx, and the return address is nearly always at CFA - 8. arm64: fp is
 * x29, bx is not used, the return address is x30's.
 */
struct cs_unwind_rule {
	__s32 cfa_off;
	__s16 cfa_off2;
	__s16 ra_off;
	__s16 fp_off;
	__s16 bx_off;
	__u8 cfa; /* enum cs_cfa */
	__u8 reg; /* for CS_CFA_REG or CS_SAVED_REG */
	__u8 ra; /* enum cs_saved */
	__u8 fp_bx; /* enum cs_saved of fp, and of bx << 4 */
};

/*
 * A mapped file as the kernel identifies it: inode number and inode->i_sb->s_dev (major << 20 |
 * minor). The vDSO, which is not a file, is {0, 0}.
 */
struct cs_module_key {
	__u64 ino;
	__u32 dev;
	__u32 generation; /* inode->i_generation: a reused inode number is another file */
};

enum cs_module_state {
	CS_MODULE_WANTED = 0, /* requested from user space; there is no table yet */
	CS_MODULE_READY,
	CS_MODULE_NO_CFI, /* the file has no unwind information, or is not an ELF file */
	CS_MODULE_EVICTED, /* the table was evicted; it is not requested again */
	CS_MODULE_GONE, /* the file could not be opened; requested again once a second */
};

enum cs_module_flag {
	CS_MODULE_PYTHON = 1, /* holds a CPython interpreter; the map `pythons` has its facts */
	CS_MODULE_JAVA = 2, /* not a file: memory of a program that is in the map `jvms` */
	CS_MODULE_FP = 4, /* code without a row keeps frame pointers: Go, or not an ELF file */
};

struct cs_module {
	__u32 id; /* 1 and up; unique in a trace */
	__u16 state; /* enum cs_module_state */
	__u16 flags; /* enum cs_module_flag */
	__u32 index; /* table address of the index */
	__u32 first_page; /* page of the file with which the index begins */
	__u32 pages;
	__u32 used_s; /* CLOCK_MONOTONIC, seconds: when a walk last used it */
};

/* Executable mappings of one program, if BPF cannot look them up itself. */
#define CS_IMAGE_MAPS_BITS 8
#define CS_IMAGE_MAPS_MAX (1 << CS_IMAGE_MAPS_BITS)

struct cs_image_map {
	__u64 start; /* [start, end) */
	__u64 end;
	__u64 off; /* file offset of `start` */
	__u32 file; /* `key` has the file; 0: memory without a file */
	__u32 pad;
	struct cs_module_key key;
};

struct cs_image_maps {
	__u32 len; /* sorted by start */
	__u32 asked; /* an address was in none of them: user space was asked to read them again */
	struct cs_image_map map[CS_IMAGE_MAPS_MAX];
};

/* The module id of the vDSO. */
#define CS_MODULE_ID_VDSO 1
#define CS_MODULE_ID_FIRST 2
/* Module ids are below this: a frame has 23 bits for one. */
#define CS_MODULE_ID_END (1U << 23)

_Static_assert(sizeof(struct cs_unwind_row) == 4, "");
_Static_assert(sizeof(struct cs_unwind_page) == 8, "");
_Static_assert(sizeof(struct cs_unwind_rule) == 16, "");
_Static_assert(sizeof(struct cs_module_key) == 16, "");
_Static_assert(sizeof(struct cs_module) == 24, "");

#endif
