/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_REQUEST_THREAD_CONTEXTS_H
#define CAPTURE_REQUEST_THREAD_CONTEXTS_H

#include "abi/thread_context.h"
#include "base/err.h"
#include "base/intern.h"
#include "proc/ended.h"

/*
 * Where programs that serve requests publish the trace of each thread, by OpenTelemetry's thread
 * context: docs/adr/0085. Looked for in the memory of their processes, and told to the BPF programs
 * through their map. Not thread-safe.
 */
struct thread_contexts {
	int fd; /* of that map, borrowed */
	struct intern programs; /* struct served_program: those that were seen */
	struct intern files; /* struct context_file: what was found in each file */
	u64 due_mono_ns; /* when there is something to be done; ~0: never */
};

/* `fd` is negative if there is no such map. -ENOMEM or 0; release it in either case. */
int thread_contexts__init(struct thread_contexts *tc, int fd);
/* All zero is fine. */
void thread_contexts__done(struct thread_contexts *tc);
/*
 * A program serves requests: looks now and, if its threads publish nothing, again later, for agents
 * are loaded late. One that has ended is no error. -ENOMEM or 0.
 */
int thread_contexts__see(struct thread_contexts *tc, u32 tgid, u64 image);
/* Looks again where that is due; lowers *due_mono_ns to when the next look is. -ENOMEM or 0. */
int thread_contexts__tick(struct thread_contexts *tc, u64 now_mono_ns, u64 *due_mono_ns);
/* Forgets programs that have ended. */
void thread_contexts__forget(struct thread_contexts *tc, const struct ended *ended);

/*
 * One look at a live process; is_found of the result is 0 if it publishes nothing yet. -ESRCH if
 * the process has exited, -EACCES, -ENOMEM.
 */
int thread_contexts__look(struct thread_contexts *tc, u32 tgid, struct cs_thread_context *ret,
			  struct err *err);

#endif
