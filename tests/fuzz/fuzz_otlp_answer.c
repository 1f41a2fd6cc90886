/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "push/otlp_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct otlp_answer a;

	(void)otlp_answer__parse(&a, view__of(data, size));
	if (strnlen(a.message, sizeof(a.message)) >= sizeof(a.message))
		abort();
	return 0;
}
