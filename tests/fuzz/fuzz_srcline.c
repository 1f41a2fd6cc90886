/* SPDX-License-Identifier: Apache-2.0 */
/* What comes from the process that reads debug information. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/srcline_priv.h"

#define ADDRS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int tell(void *arg, size_t idx, const struct srcline_call *calls, size_t len)
{
	size_t i, *total = arg;

	if (idx >= ADDRS || !len || len > SRCLINE_CALLS_MAX)
		abort();
	for (i = 0; i < len; i++)
		*total += strlen(calls[i].name) + strlen(calls[i].file);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t total = 0;

	srcline_parse(view__of(data, size), ADDRS, tell, &total);
	if (total > size)
		abort();
	return 0;
}
