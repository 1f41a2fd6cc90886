/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_KERNEL_DEV_H
#define CAPTURE_MAPPING_KERNEL_DEV_H

#include "base/types.h"

/*
 * The kernel's internal encoding of a device number, which no system call reports:
 * include/linux/kdev_t.h.
 */
#define KERNEL_DEV_MINOR_BITS 20

static inline u32 kernel_dev_major(u64 dev)
{
	return (u32)(dev >> KERNEL_DEV_MINOR_BITS);
}

static inline u32 kernel_dev_minor(u64 dev)
{
	return (u32)dev & ((1U << KERNEL_DEV_MINOR_BITS) - 1);
}

static inline u32 kernel_dev_make(u32 major, u32 minor)
{
	return major << KERNEL_DEV_MINOR_BITS | minor;
}

#endif
