/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_CODE_H
#define PROFILE_CODE_H

#include "base/types.h"

/*
 * Places in code, as a profile holds them: modules, frames in them, and stacks of frames. Strings
 * are ids into the strings of the profile.
 */

enum module_kind {
	MODULE_NONE = 0, /* no mapping for the address */
	MODULE_KERNEL = 1,
	MODULE_ELF = 2, /* a mapped file */
	MODULE_VDSO = 3,
	MODULE_ANON = 4, /* memory without a file: code made at run time */
};

/* A file, or what stands for one, that code came from. */
struct profile_module {
	u32 kind; /* enum module_kind */
	u32 path; /* as the process saw it, without " (deleted)"; "[kernel]", "[vdso]", "[anon]" */
	u32 build_id; /* lower-case hex, or 0 */
	u32 tgid; /* MODULE_ANON: the process; else 0 */
	u64 dev; /* MODULE_ELF: device and inode of the mapped file */
	u64 ino;
};

/* Why a frame has no name. Append only. */
enum frame_reason {
	FRAME_NAMED = 0,
	FRAME_NOT_TRIED,
	FRAME_NO_MAPPING, /* address in no mapping of the process */
	FRAME_PROCESS_GONE, /* it ended before its mappings were read */
	FRAME_FILE_GONE, /* file deleted or replaced, and not to be had */
	FRAME_FILE_BAD, /* not an ELF file we can read */
	FRAME_NO_SYMBOL, /* the file's tables have no symbol there: stripped */
	FRAME_ANON, /* run-time code without a perf map */
	FRAME_KERNEL_HIDDEN, /* kptr_restrict or no CAP_SYSLOG: kallsyms holds zeros */
	FRAME_REASON_CNT,
};

const char *frame_reason_sentence(enum frame_reason reason);

/* One place in code. Equal (module, addr, flags) are one frame. */
struct profile_frame {
	u64 addr; /* kernel: absolute; ELF: file offset of the byte; anon and none: absolute */
	u32 module; /* 0: no mapping */
	u32 flags; /* enum profile_frame_flag */
	/* set by the resolver: */
	u32 name; /* without offset; 0: none */
	u32 reason; /* enum frame_reason */
	u64 name_off; /* addr minus start of the symbol */
};

enum profile_frame_flag {
	FRAME_KERNEL = 1,
	FRAME_RETURN = 2, /* a return address: the call is at addr - 1 */
};

/* A node of the trie of stacks; the stack is the node and its parents, leaf first. */
struct profile_stack {
	u32 parent; /* towards the root; 0: this is the root */
	u32 frame;
	u32 depth; /* 1 at the root */
	u32 flags; /* enum profile_stack_flag, only on a node that ends a stack cut off there */
};

enum profile_stack_flag {
	STACK_CUT = 1, /* its root side is missing: depth limit */
	STACK_FAULT = 2, /* its root side is missing: memory could not be read */
};

#endif
