/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_import.h"
#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_import("perfetto", data, size);
}
