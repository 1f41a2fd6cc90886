/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_FEATURE_CALL_KINDS_H
#define CAPTURE_FEATURE_CALL_KINDS_H

#include "abi/object.h"
#include "base/types.h"

/* enum cs_call by number of the system call on this machine. */
void call_kinds_fill(u8 ret_kinds[CS_CALLS_LEN]);
/* enum cs_socket_call, likewise. */
void socket_calls_fill(u8 ret_calls[CS_CALLS_LEN]);

#endif
