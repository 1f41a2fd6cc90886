/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/program/grace.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"

#define GRACE_NS (100 * NSEC_PER_MSEC)

bool grace_wait(void)
{
	/* synchronize_rcu(): programs run with preemption off, or as readers. */
	if (!syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return true;
	/* A kernel with nohz_full= refuses. */
	log_debug("programs are waited for by the clock: %s", err_str(errno));
	clock_sleep_until_mono_ns(clock_mono_ns() + GRACE_NS);
	return false;
}
