/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/machine.h"

#include <errno.h>
#include <stdint.h>

/* Of the clock in /proc/stat, on every architecture. */
#define TICK_NS (10 * NSEC_PER_MSEC)

int machine_stat__parse(struct machine_stat *ret, struct view text, struct err *err)
{
	struct view line, word;
	u64 switches;

	while (view__line(&text, &line)) {
		if (!view__token(&line, &word) || !view__eq(&word, "ctxt"))
			continue;
		view__blank(&line);
		switches = view__dec(&line);
		if (line.bad)
			break;
		ret->switches = switches;
		return 0;
	}
	return err__set(err, -EINVAL, "/proc/stat has no count of context switches");
}

/* "cpu  10132153 290696 3084719 46828483 16683 ...": user, nice, system, idle, waiting for disks */
int machine_idle_parse(u64 *ret_ns, struct view text, struct err *err)
{
	struct view line, word;
	u64 ticks = 0;
	int i;

	if (view__line(&text, &line) && view__token(&line, &word) && view__eq(&word, "cpu")) {
		for (i = 0; i < 5; i++) {
			u64 n;

			view__blank(&line);
			n = view__dec(&line);
			if (i >= 3)
				ticks += n;
		}
		if (!line.bad && ticks < UINT64_MAX / TICK_NS) {
			*ret_ns = ticks * TICK_NS;
			return 0;
		}
	}
	return err__set(err, -EINVAL, "/proc/stat does not say how long CPUs were idle");
}

/* "0.20 0.18 0.12 1/80 11206": runnable and all */
int machine_threads_parse(u32 *ret, struct view text, struct err *err)
{
	struct view word;
	u64 threads;
	int i;

	for (i = 0; i < 4 && view__token(&text, &word); i++)
		;
	if (i == 4) {
		view__dec(&word);
		if (view__accept(&word, '/')) {
			threads = view__dec(&word);
			if (!word.bad && threads <= UINT32_MAX) {
				*ret = (u32)threads;
				return 0;
			}
		}
	}
	return err__set(err, -EINVAL, "/proc/loadavg has no count of threads");
}
