/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/request_text.h"

#include "render/words/path_text.h"

const char *request_part_name(u32 part, bool is_idle)
{
	static const char *const names[] = {
		[REQUEST_ON_CPU] = "on-cpu",	 [REQUEST_RUNQ] = "run-queue",
		[REQUEST_BLOCKED] = "blocked",	 [REQUEST_UNKNOWN] = "not-known",
		[REQUEST_UNSPLIT] = "not-split",
	};

	return is_idle ? "idle" : names[part];
}

void request_put_doing(const struct request_row *row, struct sink *out)
{
	if (row->part == REQUEST_ON_CPU)
		sink__puts(out, "on a CPU");
	else if (row->part == REQUEST_RUNQ)
		sink__puts(out, "waiting for a CPU");
	else if (row->part == REQUEST_UNKNOWN)
		sink__puts(out, "not known");
	else if (row->part == REQUEST_UNSPLIT)
		sink__puts(out, "not split: which thread had the request is not known");
	else
		path_put_wait((enum cause)row->cause, "", row->place, out);
	if (row->is_idle)
		sink__puts(out, " (a wait for work)");
}
