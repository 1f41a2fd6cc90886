/* SPDX-License-Identifier: Apache-2.0 */
/* Locks inside the kernel. A mutex with priority inheritance counts as a user-space lock. */
#include "analysis/cause/rule.h"

#define LOCKS                                                                                      \
	"rwsem_down_read_slowpath rwsem_down_write_slowpath __mutex_lock* mutex_lock* "            \
	"ww_mutex_lock* __down __down_common __down_interruptible __down_killable __down_timeout " \
	"percpu_rwsem_wait __percpu_down_read percpu_down_write"
#define RT_LOCKS                                                                                   \
	"rt_mutex_schedule rt_mutex_slowlock* __rt_mutex_slowlock* rtlock_slowlock* "              \
	"schedule_rtlock rwbase_* __rwbase_*"

/* clang-format off */
static const struct rule rules[] = {
	{ "kernel-lock/futex-pi", CAUSE_FUTEX_PI, .seen = "6.18 waits_lock",
	  .kernel = { "futex_lock_pi futex_wait_requeue_pi" } },
	/* an open wait lacks the frames of the scheduler and of sleeping locks */
	{ "kernel-lock/known", CAUSE_KERNEL_LOCK, .locks = "*", .seen = "6.18 kinds" },
	{ "kernel-lock/lock", CAUSE_KERNEL_LOCK, .kernel = { LOCKS }, .seen = "6.18 waits_lock" },
	{ "kernel-lock/rt", CAUSE_KERNEL_LOCK, .kernel = { RT_LOCKS }, .seen = "6.1-rt vm" },
};
/* clang-format on */

const struct rule_table rules_kernel_lock = { rules, ARRAY_LEN(rules), NULL };
