/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_GO_GO_WAKER_H
#define ASYNC_GO_GO_WAKER_H

#include "abi/go_wait.h"
#include "base/types.h"
#include "unwind/host_walk.h"

/*
 * Stacks that probes in the Go runtime took (abi/go_wait.h), without what belongs to the runtime.
 * Sources: runtime/proc.go and asm_amd64.s of Go 1.18 to 1.26.
 */

/* The name of the function that contains an address of the process; NULL: not known. */
typedef const char *go_name_fn(void *arg, u64 addr);

/*
 * The stack of a goroutine that gave up its thread, as a reading of its struct has it: the leaf is
 * behind the call.
 */
void go_waker_parked(const struct cs_go_stack *s, go_name_fn *name, void *arg,
		     struct host_stack *ret);
/*
 * The stack of the goroutine that made another one runnable, without the functions that did so. If
 * it was not a goroutine, but the scheduler, *ret is empty, and the result says what it did, by the
 * reason of the wait that ended (may be NULL): "[netpoll]", "[timer]", "[gc]", "[scheduler]". Else
 * NULL.
 */
const char *go_waker_of(const struct cs_go_stack *s, const char *reason, go_name_fn *name,
			void *arg, struct host_stack *ret);

#endif
