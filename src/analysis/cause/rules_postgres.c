/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PostgreSQL. A backend that waits for a lock waits for its latch in epoll_wait, like an idle
 * client, so the functions above it decide.
 */
#include "analysis/cause/rule.h"

#define FUTEX "futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait __futex_wait do_futex"

/* clang-format off */
static const struct rule rules[] = {
	/* first: the lock manager takes some, and has no row's lock to wait for in them */
	{ "postgres/lwlock", CAUSE_LWLOCK, .seen = "PostgreSQL 15",
	  .user = { "LWLockAcquire LWLockAcquireOrWait LWLockWaitForVar" },
	  .kernel = { FUTEX " __do_semtimedop" } },
	/* truncating the end of a table: its lock is tried again every 50 ms */
	{ "postgres/truncation", CAUSE_DB_LOCK, .seen = "PostgreSQL 15",
	  .user = { "lazy_truncate_heap", "WaitLatch pg_usleep" },
	  .kernel = { "do_epoll_wait ep_poll do_sys_poll do_select hrtimer_nanosleep" } },
	{ "postgres/lock", CAUSE_DB_LOCK, .seen = "PostgreSQL 15; tests/causes postgres",
	  .user = { "ProcSleep LockAcquireExtended XactLockTableWait ConditionalXactLockTableWait "
		    "ProcWaitForSignal" },
	  .kernel = { "do_epoll_wait ep_poll do_sys_poll do_poll futex_do_wait futex_wait "
		      "__futex_wait do_futex __do_semtimedop" } },
	/* cost delay, and waiting for others' locks: WaitLatch() since 16; pg_sleep() always */
	{ "postgres/sleep", CAUSE_SLEEP, .user = { "pg_usleep vacuum_delay_point pg_sleep" },
	  .kernel = { "do_select do_sys_poll do_epoll_wait ep_poll hrtimer_nanosleep" },
	  .seen = "PostgreSQL 15; tests/causes postgres-autovacuum" },
	{ "postgres/idle-client", .class = CLASS_IDLE, .user = { "pq_getbyte", "secure_read" },
	  .seen = "PostgreSQL 15; tests/causes postgres",
	  .not_user = "CopyFrom BeginCopyFrom NextCopyFrom NextCopyFromRawFields DoCopy" },
	{ "postgres/idle-process", .class = CLASS_IDLE,
	  .user = { "CheckpointerMain BackgroundWriterMain WalWriterMain ApplyLauncherMain "
		    "AutoVacLauncherMain PgArchiverMain SysLoggerMain WalReceiverMain "
		    "PgstatCollectorMain",
		    "WaitLatch WaitLatchOrSocket WaitEventSetWait" },
	  .not_user = "ProcSleep LockAcquireExtended ConditionVariableTimedSleep",
	  .seen = "PostgreSQL 15; tests/causes postgres" },
	{ "postgres/idle-postmaster", .class = CLASS_IDLE, .user = { "PostmasterMain" },
	  .not_user = "PostgresMain BackendStartup BackendRun SubPostmasterMain StartupProcessMain "
		      "AuxiliaryProcessMain AuxProcessMain InitPostgres CheckpointerMain "
		      "BackgroundWriterMain WalWriterMain StartBackgroundWorker "
		      "StartAutoVacWorker AutoVacWorkerMain",
	  .seen = "PostgreSQL 15; tests/causes postgres" },
};
/* clang-format on */

const struct rule_table rules_postgres = { rules, ARRAY_LEN(rules),
					   "postgres postgres-* edb-postgres" };
