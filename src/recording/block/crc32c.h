/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_BLOCK_CRC32C_H
#define RECORDING_BLOCK_CRC32C_H

#include "base/types.h"

/*
 * CRC-32C (Castagnoli), as in iSCSI and ext4: crc32c(0, "123456789", 9) is 0xe3069283. Start with
 * 0, continue with the previous result.
 */
u32 crc32c(u32 crc, const void *data, size_t sz);

#endif
