/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of /proc/PID/net: addresses of unix sockets are whatever their owners like. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proc/sockets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct socket_line s;

	for (int file = SOCKETS_TCP; file <= SOCKETS_UNIX; file++) {
		struct view text = view__of(data, size);

		while (socket_line__next(&text, (enum socket_file)file, &s))
			if (!s.ino || strlen(s.path) >= sizeof(s.path))
				abort();
	}
	return 0;
}
