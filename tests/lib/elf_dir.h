/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_ELF_DIR_H
#define TESTS_LIB_ELF_DIR_H

#include <string.h>

#include "lib/workdir.h"

/*
 * A directory with a C source, "p.c", and the ELF files that a cmocka test builds from it. Include
 * <cmocka.h> and its requirements first; pass elf_dir_teardown() to cmocka.
 */
static struct workdir dir;

static inline int elf_dir_setup(const char *source)
{
	workdir__init(&dir);
	workdir__write(&dir, "p.c", source, strlen(source));
	return 0;
}

static inline int elf_dir_teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* Runs a command that builds; the test is skipped if compiler or binutils are missing. */
#define elf_dir_build(...)                                                                         \
	do {                                                                                       \
		if (!workdir_have("cc nm objcopy strip"))                                          \
			skip();                                                                    \
		assert_true(workdir__run(&dir, __VA_ARGS__));                                      \
	} while (0)

#endif
