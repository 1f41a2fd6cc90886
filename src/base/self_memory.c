/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RLIMIT_DATA counts private writable memory: the heap and thread stacks. RLIMIT_AS would also
 * count files mapped for reading, whose memory the kernel can reclaim at any time.
 */
#include "base/self_memory.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define SHORT_SHARE 8

/* ~0: none. */
static u64 limit_bytes(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_DATA, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return ~0ULL;
	return limit.rlim_cur;
}

/* Numbers of statm, in bytes; 0 if /proc is not available. */
struct statm {
	u64 resident;
	u64 data; /* what the limit counts, plus the stack */
};

static struct statm read_statm(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	u64 page = (u64)sysconf(_SC_PAGESIZE), resident = 0, data = 0;

	if (!f)
		return (struct statm){ 0 };
	if (fscanf(f, "%*u %llu %*u %*u %*u %llu", &resident, &data) != 2)
		resident = data = 0;
	fclose(f);
	return (struct statm){ resident * page, data * page };
}

static u64 data_bytes(void)
{
	return read_statm().data;
}

u64 self_memory_resident(void)
{
	return read_statm().resident;
}

int self_memory_limit(u64 bytes)
{
	const struct rlimit limit = { .rlim_cur = bytes, .rlim_max = bytes };

	if (limit_bytes() <= bytes)
		return 0;
	if (data_bytes() > bytes)
		return -ENOSPC;
	return setrlimit(RLIMIT_DATA, &limit) ? -errno : 0;
}

static u64 room_below(u64 limit)
{
	u64 data;

	if (limit == ~0ULL)
		return limit;
	data = data_bytes();
	return data < limit ? limit - data : 0;
}

u64 self_memory_room(void)
{
	return room_below(limit_bytes());
}

bool self_memory_allows(u64 bytes)
{
	return !bytes || bytes <= self_memory_room() / 2;
}

bool self_memory_is_short(void)
{
	u64 limit = limit_bytes();

	return limit != ~0ULL && room_below(limit) < limit / SHORT_SHARE;
}
