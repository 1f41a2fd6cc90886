/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four bits per step, from a small table: the data is compressed and therefore small, so speed does
 * not matter here.
 */
#include "recording/block/crc32c.h"

static const u32 steps[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
	0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

u32 crc32c(u32 crc, const void *data, size_t sz)
{
	const u8 *p = data;

	crc = ~crc;
	while (sz--) {
		crc ^= *p++;
		crc = crc >> 4 ^ steps[crc & 15];
		crc = crc >> 4 ^ steps[crc & 15];
	}
	return ~crc;
}
