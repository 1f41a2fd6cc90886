/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

/*
 * The integer names used everywhere. They are the kernel's own types, so that a struct shared with
 * the BPF side has one spelling, and a u64 is always `unsigned long long` ("%llu").
 */
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define NSEC_PER_USEC 1000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC 1000000000ULL

#endif
