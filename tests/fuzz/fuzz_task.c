/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of /proc/PID: the name of a task and its cgroup's are whatever their owners like. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "proc/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct view text = view__of(data, size);
	struct task_schedstat schedstat;
	struct task_status status;
	char *cgroup;
	u64 start_ns;

	task_status__parse(&status, text, NULL);
	task_schedstat__parse(&schedstat, text, NULL);
	proc_task_start_parse(text, &start_ns, NULL);
	if (!proc_task_cgroup_parse(text, &cgroup, NULL)) {
		if (*cgroup != '/')
			abort();
		mem_free(cgroup);
	}
	return 0;
}
