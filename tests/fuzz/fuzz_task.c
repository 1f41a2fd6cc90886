/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of /proc/PID: the name of a task is whatever its owner likes. */
#include <stdint.h>

#include "proc/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct view text = view__of(data, size);
	struct task_status status;
	u64 start_ns;

	task_status__parse(&status, text, NULL);
	proc_task_start_parse(text, &start_ns, NULL);
	return 0;
}
