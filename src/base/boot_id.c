/* SPDX-License-Identifier: Apache-2.0 */
#include "base/boot_id.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

bool boot_id_read(char buf[BOOT_ID_SZ])
{
	char *text;
	size_t sz;

	*buf = '\0';
	if (file_read("/proc/sys/kernel/random/boot_id", 256, &text, &sz, NULL))
		return false;
	text[strcspn(text, "\n")] = '\0';
	snprintf(buf, BOOT_ID_SZ, "%s", text);
	mem_free(text);
	return *buf;
}
