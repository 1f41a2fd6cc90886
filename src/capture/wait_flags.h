/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_WAIT_FLAGS_H
#define CAPTURE_WAIT_FLAGS_H

#include "base/types.h"

/*
 * Converts the flags of a key (enum cs_wait_flag) to those of a listed wait (enum
 * profile_wait_flag). They are numbered separately: recordings store the latter, and the former are
 * packed into a key. A flag that describes the row rather than the wait is dropped; so is an
 * unknown bit.
 */
u32 wait_flags(u32 key_flags);

#endif
