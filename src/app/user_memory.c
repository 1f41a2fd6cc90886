/* SPDX-License-Identifier: Apache-2.0 */
#include "app/user_memory.h"

#include <errno.h>
#include <unistd.h>

#include "base/self_memory.h"

#define DEFAULT_BYTES (1ULL << 30)

static u64 default_bytes(void)
{
	u64 machine = (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE);
	u64 bytes = machine / 4 < DEFAULT_BYTES ? machine / 4 : DEFAULT_BYTES;

	return bytes > USER_MEMORY_MIN_BYTES ? bytes : USER_MEMORY_MIN_BYTES;
}

u64 user_memory_bytes(u64 wanted)
{
	return wanted ? wanted : default_bytes();
}

int user_memory_limit(u64 wanted, struct err *err)
{
	u64 bytes = user_memory_bytes(wanted);
	int r = self_memory_limit(bytes);

	if (r == -ENOSPC && !wanted)
		return 0;
	return r ? err__set(err, r, "cannot limit our own memory to %llu bytes: %s",
			    (unsigned long long)bytes, err_str(r)) :
		   0;
}
