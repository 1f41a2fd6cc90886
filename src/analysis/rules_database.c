/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers: PostgreSQL, MariaDB and MySQL, Redis, nginx. A lock of a database waits for its latch
 * in epoll_wait as an idle client does, so what decides are the functions above it.
 */
#include "analysis/rule.h"

#define FUTEX "futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait __futex_wait do_futex"
#define NGINX_LOOP "ngx_process_events_and_timers ngx_epoll_process_events"
/* one file by several names in Debian */
#define REDIS "redis-server valkey-server redis-check-* redis-sentinel valkey-check-*"
#define HELD (~(RULE_KIND(CAUSE_STOPPED) | RULE_KIND(CAUSE_EXIT)))

/* clang-format off */
static const struct rule rules[] = {
	{ "postgres/lock", CAUSE_DB_LOCK, .seen = "PostgreSQL 15; tests/causes postgres",
	  .user = { "ProcSleep LockAcquireExtended XactLockTableWait ConditionalXactLockTableWait "
		    "ProcWaitForSignal" },
	  .kernel = { "do_epoll_wait ep_poll do_sys_poll do_poll futex_do_wait futex_wait "
		      "__futex_wait do_futex __do_semtimedop" } },
	{ "postgres/lwlock", CAUSE_LOCK, .seen = "PostgreSQL 15",
	  .user = { "LWLockAcquire LWLockAcquireOrWait PGSemaphoreLock" },
	  .kernel = { FUTEX " __do_semtimedop" } },
	/* by the cost of what was done, and for others' locks: WaitLatch() since 16 */
	{ "postgres/sleep", CAUSE_SLEEP, .user = { "pg_usleep vacuum_delay_point" },
	  .kernel = { "do_select do_sys_poll do_epoll_wait ep_poll hrtimer_nanosleep" },
	  .seen = "PostgreSQL 15; tests/causes postgres-autovacuum" },
	{ "mysql/row-lock", CAUSE_DB_LOCK, .kernel = { FUTEX },
	  .seen = "MariaDB 10.11; tests/causes mariadb",
	  .user = { "lock_wait* row_mysql_handle_errors* lock_wait_suspend_thread* "
		    "MDL_wait::timed_wait* MDL_context::acquire_lock*" } },

	/* Debian's has no names for what waits below the interface of its storage engines */
	{ "mysql/row-lock-stripped", CAUSE_DB_LOCK, .kernel = { FUTEX },
	  .user = { "pthread_cond_timedwait pthread_cond_wait", "handler::ha_* ha_*" },
	  .caller_file = "mariadbd mysqld", .not_user = "Item_func_sleep*",
	  .seen = "MariaDB 10.11; tests/causes mariadb-row-lock" },
	{ "mysql/sleep", CAUSE_SLEEP, .kernel = { FUTEX }, .user = { "Item_func_sleep*" },
	  .seen = "MariaDB 10.11; tests/causes mariadb-row-lock" },

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
	{ "mysql/idle-client", .class = CLASS_IDLE, .seen = "MariaDB 10.11; tests/causes mariadb",
	  .user = { "do_command*", "vio_read* vio_socket_io_wait* my_net_read_packet* "
		    "vio_io_wait* vio_poll*" },
	  .not_user = "dispatch_command*" },
	{ "mysql/idle-server", .class = CLASS_IDLE, .seen = "MariaDB 10.11; tests/causes mariadb",
	  .user = { "handle_connections_sockets* handle_manager* signal_hand* "
		    "slave_deadlock_handler* tpool::*::wait_for_tasks* "
		    "tpool::thread_pool_generic::worker_main* __io_uring_get_cqe "
		    "tpool::*::getevent_thread_routine* tpool::aio_uring::thread_routine* "
		    "Event_queue::cond_wait* timer_handler* ma_checkpoint_background* "
		    "cache_thread* buf_flush_page_cleaner* my_timer_* cache_threads*" },
	  .not_user = "tpool::task::execute* lock_wait*" },
	/* Debian's has no names here: a thread that serves nobody */
	{ "mysql/idle-background", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_COND),
	  .caller_file = "mariadbd mysqld", .seen = "MariaDB 10.11; tests/causes mariadb-idle",
	  .not_user = "do_command* do_handle_one_connection* handle_one_connection* "
		      "dispatch_command* mysql_execute_command* mysql_parse* Event_worker_thread* "
		      "sp_head::execute* ha_* handler::ha_* lock_wait* row_* trx_* "
		      "tpool::task::execute* mysql_update* mysql_insert*" },
	{ "redis/idle-loop", .class = CLASS_IDLE, .seen = "Redis 7.0; tests/causes redis",
	  .user = { "aeMain aeProcessEvents" }, .modules = REDIS,
	  .kinds = RULE_KIND(CAUSE_POLL) },
	{ "redis/blocked-loop", .class = CLASS_BAD, .user = { "aeMain" }, .kinds = HELD,
	  .modules = REDIS,
	  .seen = "Redis 7.0; tests/causes redis" },
	{ "redis/idle-job", .class = CLASS_IDLE, .caller = "bioProcessBackgroundJobs",
	  .seen = "Redis 7.0; tests/causes redis" },
	{ "nginx/idle-worker", .class = CLASS_IDLE, .user = { NGINX_LOOP,
	  "epoll_wait epoll_pwait" },
	  .seen = "nginx 1.22; tests/causes nginx" },
	{ "nginx/blocked-worker", .class = CLASS_BAD, .user = { "ngx_worker_process_cycle*" },
	  .kinds = HELD, .seen = "nginx 1.22" },
	{ "nginx/idle-master", .class = CLASS_IDLE,
	  .user = { "ngx_master_process_cycle", "sigsuspend" },
	  .seen = "nginx 1.22; tests/causes nginx" },
	{ "nginx/idle-pool", .class = CLASS_IDLE, .user = { "ngx_thread_pool_cycle",
	  "pthread_cond_wait ngx_thread_cond_wait" }, .seen = "source" },
};
/* clang-format on */

const struct rule_table rules_database = { rules, ARRAY_LEN(rules) };
