/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_CRC32C_H
#define RECORDING_CRC32C_H

#include "base/types.h"

/*
 * CRC-32C (Castagnoli), as iSCSI and ext4 have it: crc32c(0, "123456789", 9) is 0xe3069283. Begins
 * with 0 and goes on with the value of the bytes before.
 */
u32 crc32c(u32 crc, const void *data, size_t sz);

#endif
