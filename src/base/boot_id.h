/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BOOT_ID_H
#define BASE_BOOT_ID_H

#include "base/types.h"

#define BOOT_ID_SZ 64

/* The kernel's ID of this boot, as text. False: it cannot be read, and `buf` is "". */
bool boot_id_read(char buf[BOOT_ID_SZ]);

#endif
