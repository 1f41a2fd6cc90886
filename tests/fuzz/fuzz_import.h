/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_FUZZ_IMPORT_H
#define TESTS_FUZZ_FUZZ_IMPORT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

/* For the fuzzers of imports: a profile that is sound, or a message. */

static inline s32 fuzz_call(const char *name)
{
	return strcmp(name, "futex") == 0 ? 202 : -1;
}

static inline int fuzz_import(const char *format, const uint8_t *data, size_t size)
{
	const struct import_options opt = {
		.name = "in",
		.format = format,
		/* the first byte is an option, too */
		.unit = size ? data[0] % 5 : IMPORT_UNIT_NONE,
		.period_ns = 10000000,
		.arch = "x86_64",
		.syscall_number = fuzz_call,
	};
	struct profile *p = NULL;
	struct err err = { 0 };
	int r = import_bytes(view__of(data, size), &opt, &p, &err);

	if (r ? p || !err.msg[0] : !p || profile__check(p, NULL))
		abort();
	profile__free(p);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
