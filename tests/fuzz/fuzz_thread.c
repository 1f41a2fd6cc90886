/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of /proc/PID/task/TID, as `record --proc` reads them, and of the machine. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proc/machine.h"
#include "proc/thread.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view text = view__of(data, size);
	struct thread_switches switches;
	char buf[THREAD_SYMBOL_SZ];
	struct thread_sched sched;
	struct thread_call call;
	struct thread_stat stat;
	struct machine_stat machine;
	uint32_t threads;
	u64 idle_ns;

	thread_sched__parse(&sched, text, NULL);
	thread_stat__parse(&stat, text, NULL);
	machine_stat__parse(&machine, text, NULL);
	machine_idle_parse(&idle_ns, text, NULL);
	machine_threads_parse(&threads, text, NULL);
	thread_switches__parse(&switches, text, NULL);
	if (!thread_call__parse(&call, text, NULL) && !call.is_blocked && call.sysno != -1)
		abort();
	if (thread_wchan_parse(text, buf, sizeof(buf)) && !*buf)
		abort();
	while (thread_stack_next(&text, buf, sizeof(buf)))
		if (!*buf || strlen(buf) >= sizeof(buf))
			abort();
	return 0;
}
