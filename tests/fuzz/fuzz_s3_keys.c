/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "push/s3_keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted can be a line of a header. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct s3_keys keys;

	if (!s3_keys__parse(&keys, view__of(data, size)))
		return 0;
	if (strpbrk(keys.key_id, " \r\n\t") || strpbrk(keys.secret, " \r\n\t") ||
	    strpbrk(keys.token, " \r\n\t"))
		abort();
	return 0;
}
