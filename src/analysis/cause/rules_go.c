/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go. Goroutines that wait for each other do not block a thread: the kernel sees threads without a
 * goroutine, locks of the run time, and system calls. Recordings of tasks know the others
 * (rules_goroutine.c).
 */
#include "analysis/cause/rule.h"

#define FUTEX "futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait __futex_wait do_futex"

/* clang-format off */
static const struct rule rules[] = {
	{ "go/lock", CAUSE_LOCK, .kernel = { FUTEX }, .seen = "source",
	  .user = { "runtime.lock2 runtime.lockWithRank runtime.lock" } },
	{ "go/gc", CAUSE_GC, .kernel = { FUTEX }, .seen = "source",
	  .user = { "runtime.stopTheWorldWithSema* runtime.stopTheWorld* runtime.gcStart" } },

	{ "go/idle", .class = CLASS_IDLE, .seen = "Go 1.19; tests/causes go",
	  .user = { "runtime.stopm runtime.findRunnable runtime.findrunnable runtime.sysmon "
		    "runtime.templateThread runtime.stoplockedm runtime.startlockedm "
		    "runtime.gcBgMarkWorker" },
	  .not_user = "runtime.lock2" },
	{ "go/idle-signal", .class = CLASS_IDLE, .user = { "os/signal.signal_recv" },
	  .seen = "Go 1.19" },
};
/* clang-format on */

const struct rule_table rules_go = { rules, ARRAY_LEN(rules), NULL };
