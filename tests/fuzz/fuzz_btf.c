/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/feature/btf_excerpt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = { "outer", "color", "btf_trace_x", NULL };
static const char *const *const lists[] = { names, NULL };

/* An excerpt of an excerpt is that excerpt again, byte for byte. */
static void check(const struct btf_excerpt *x)
{
	struct btf_excerpt again;
	struct vec bytes, twice;

	vec__init(&bytes, 1);
	vec__init(&twice, 1);
	if (btf_excerpt__write(x, &bytes) ||
	    btf_excerpt__init(&again, view__of(bytes.data, bytes.len), lists, NULL) ||
	    btf_excerpt__write(&again, &twice))
		abort();
	if (again.ids.len != x->ids.len || bytes.len != twice.len ||
	    memcmp(bytes.data, twice.data, bytes.len))
		abort();
	btf_excerpt__done(&again);
	vec__done(&bytes);
	vec__done(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf_excerpt x;

	if (btf_excerpt__init(&x, view__of(data, size), lists, NULL))
		return 0;
	for (u32 id = 0; id < x.ids.len + 1; id++)
		if (btf_excerpt__id(&x, id) >= x.types_cnt)
			abort();
	check(&x);
	btf_excerpt__done(&x);
	return 0;
}
