/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_VARIABLE_THREAD_VARIABLE_H
#define ELF_VARIABLE_THREAD_VARIABLE_H

#include "elf/image.h"

/*
 * How code of a file reaches a thread-local variable: U. Drepper, "ELF Handling For Thread-Local
 * Storage", and the psABI of x86-64. A word is one of 8 bytes that the dynamic linker fills in.
 */
enum thread_variable_way {
	THREAD_VARIABLE_NONE,
	/* `value` is its offset from the thread pointer: it is a variable of the program itself */
	THREAD_VARIABLE_PROGRAM,
	/* the word at `place` is that offset */
	THREAD_VARIABLE_OFFSET,
	/*
	 * the word behind the one at `place` is that offset if it is negative, and else, with
	 * glibc, the address of two words as below
	 */
	THREAD_VARIABLE_DESCRIPTOR,
	/* two words at `place`: the number of its module, and its offset in the module's block */
	THREAD_VARIABLE_MODULE,
	/* the word at `place` is that number, and `value` its offset in the block */
	THREAD_VARIABLE_OWN_MODULE,
};

struct thread_variable {
	enum thread_variable_way way;
	u64 place; /* link-time address */
	s64 value;
};

/*
 * Looks for the variable in .dynsym and in the relocations that refer to it; the file may define
 * it, or only use it. Files of x86-64 only. False if there is nothing that says where it is. The
 * image must not have been released.
 */
bool thread_variable_find(const struct image *img, const char *name, struct thread_variable *ret);

#endif
