/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_CODE_H
#define PROFILE_CODE_H

#include "base/file_id.h"
#include "base/types.h"

/*
 * Code locations in a profile: modules, frames in them, and stacks of frames. Strings are ids into
 * the strings of the profile.
 */

enum module_kind {
	MODULE_NONE = 0, /* no mapping for the address */
	MODULE_KERNEL = 1,
	MODULE_ELF = 2, /* a mapped file */
	MODULE_VDSO = 3,
	MODULE_ANON = 4, /* memory without a file: JIT-compiled code */
	MODULE_CODE = 5, /* functions of an interpreter in one program, which have no address */
	/*
	 * No address: what a runtime says that its task waits for, "[select]"; with a file, a
	 * function of a task that does not run.
	 */
	MODULE_NOTE = 6,
};

/* Notes of tasks that would run, as far as their runtime knows, but whose thread does not. */
#define NOTE_TASK_STOPPED "[running]" /* the thread is blocked */
#define NOTE_TASK_STALLED "[no CPU]"

/* A file that contains code, or its substitute. */
struct profile_module {
	u32 kind; /* enum module_kind */
	u32 path; /* as the process saw it, without " (deleted)"; "[kernel]", "[vdso]", "[anon]" */
	u32 build_id; /* lower-case hex, or 0 */
	u32 tgid; /* MODULE_ANON, MODULE_CODE: the process; else 0 */
	u64 dev; /* MODULE_ELF: device and inode of the file; MODULE_CODE: dev is the image */
	u64 ino;
	u32 generation; /* MODULE_ELF: of the inode; 0: unknown, see base/file_id.h */
	/*
	 * MODULE_ELF, set by the resolver: the difference between link-time address and offset in
	 * its code, if it is the same for all code. A debug file does not contain it.
	 */
	u32 has_bias;
	u64 bias;
};

/* The file of a MODULE_ELF. */
struct file_id profile_module__file(const struct profile_module *m);

/* Why a frame has no name. Append only. */
enum frame_reason {
	FRAME_NAMED = 0,
	FRAME_NOT_TRIED,
	FRAME_NO_MAPPING, /* address in no mapping of the process */
	FRAME_PROCESS_GONE, /* it exited before its mappings were read */
	FRAME_FILE_GONE, /* file deleted or replaced */
	FRAME_FILE_BAD, /* not an ELF file that we can read */
	FRAME_NO_SYMBOL, /* the file's tables have no symbol for it: stripped */
	FRAME_ANON, /* JIT-compiled code without a perf map */
	FRAME_KERNEL_HIDDEN, /* kptr_restrict or no CAP_SYSLOG: kallsyms holds zeros */
	FRAME_CODE_UNREAD, /* an interpreted function that could not be read */
	FRAME_NO_MEMORY, /* the file's symbols do not fit into our memory limit */
	FRAME_REASON_CNT,
};

const char *frame_reason_sentence(enum frame_reason reason);

/*
 * One code location. Equal (module, addr, flags) are one frame, except with FRAME_INLINED, and
 * except where names differ because profiles were merged.
 */
struct profile_frame {
	/*
	 * Kernel: absolute; ELF: file offset of the byte; anon and none: absolute; MODULE_CODE:
	 * abi/stack.h's cs_pc_code(); FRAME_TRUNCATED: enum stack_end.
	 */
	u64 addr;
	u32 module; /* 0: no mapping */
	u32 flags; /* enum profile_frame_flag */
	/* set by the resolver: */
	u32 name; /* without offset; 0: none */
	/* on request only: the source line of the location, or of the call of the next frame */
	u32 file; /* path, as the compiler wrote it; 0: not known */
	u32 line; /* 0: not known */
	u32 reason; /* enum frame_reason */
	u64 name_off; /* addr minus start of the symbol */
};

enum profile_frame_flag {
	FRAME_KERNEL = 1,
	FRAME_RETURN = 2, /* a return address: the call is at addr - 1 */
	/*
	 * Not code: it stands at the root of a user stack whose root side is missing, or, with
	 * STACK_END_GAP, between two frames where callers may be missing, there and further out.
	 * Its module is the file in which the walk ended or became uncertain, or 0. It is named
	 * when it is created.
	 */
	FRAME_TRUNCATED = 4,
	/*
	 * A function that the compiler inlined at this address: it is below (towards the leaf of)
	 * the frame of the function that contains the address, or of another inlined one.
	 */
	FRAME_INLINED = 8,
	/* Only in a view (wake_view.h): not code, but a word between stacks or behind them. */
	FRAME_NOTE = 16,
};

/* Why the root side of a user stack is missing. Append only; the values are abi/stack.h's. */
enum stack_end {
	STACK_END_ROOT = 0, /* it is not missing */
	STACK_END_DEPTH,
	STACK_END_FAULT,
	STACK_END_NO_MAPPING,
	STACK_END_NO_TABLE,
	STACK_END_NO_CFI,
	STACK_END_UNSUPPORTED,
	STACK_END_REGISTER,
	STACK_END_FP,
	STACK_END_EXEC,
	STACK_END_32BIT,
	STACK_END_NO_REGS,
	STACK_END_NO_CODE,
	STACK_END_GAP, /* not at the root: between two frames, callers may be missing */
	STACK_END_CNT,
};

/* The stable short name, for JSON: "no_cfi". */
const char *stack_end_name(enum stack_end end);
/*
 * A description, followed by "in libfoo.so" if the file in which the walk ended is useful. `path`
 * may be "".
 */
void stack_end_describe(enum stack_end end, const char *path, char *buf, size_t sz);
/*
 * False also where nothing can be missing: a program inside execve has no stack. Everything that
 * counts incomplete stacks uses this.
 */
bool stack_end_is_loss(enum stack_end end);

/* A node of the trie of stacks; the stack is the node and its parents, leaf first. */
struct profile_stack {
	u32 parent; /* towards the root; 0: this is the root */
	u32 frame;
	u32 depth; /* 1 at the root */
	u32 flags; /* enum profile_stack_flag, only on a node that ends a truncated stack */
};

enum profile_stack_flag {
	STACK_CUT = 1, /* kernel stacks: the root side is missing, depth limit */
	STACK_WAKER = 2, /* only in a view (wake_view.h): a frame behind the stack of a wait */
};

#endif
