/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_USER_MEMORY_H
#define APP_USER_MEMORY_H

#include "base/err.h"
#include "base/types.h"

/* What the smallest recording needs, with some reserve. */
#define USER_MEMORY_MIN_BYTES (48ULL << 20)

/* What the limit is if `wanted` bytes are asked for; 0 means the default. */
u64 user_memory_bytes(u64 wanted);
/*
 * Limits our own memory to `wanted` bytes; 0 means the default: 1 GiB, or a quarter of the
 * machine's memory. Call it after a command was started, because the limit is not for the command.
 * An error of self_memory_limit(), with a message.
 */
int user_memory_limit(u64 wanted, struct err *err);

#endif
