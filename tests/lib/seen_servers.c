/* SPDX-License-Identifier: Apache-2.0 */
/* Servers, and loops that many programs share. */
#include "lib/seen.h"

#define FUTEX "futex_do_wait<__futex_wait<futex_wait<do_futex<__x64_sys_futex"
#define EPOLL "schedule_hrtimeout_range_clock<do_epoll_wait<__x64_sys_epoll_wait"
#define POLL "schedule_hrtimeout_range_clock<poll_schedule_timeout.constprop.0<do_sys_poll"
#define READ "io_schedule<folio_wait_bit_common<filemap_get_pages<filemap_read<vfs_read"
#define POSTGRES "/usr/lib/postgresql/15/bin/postgres"
#define MARIADB "/usr/sbin/mariadbd"
#define REDIS "/usr/bin/redis-server"
#define NGINX "/usr/sbin/nginx"

/* clang-format off */
static const struct seen waits[] = {
	/* servers */
	{ .what = "row lock of PostgreSQL", "epoll_wait", 'S', 0, EPOLL, CAUSE_DB_LOCK,
	  "@epoll_wait<WaitEventSetWait<WaitLatch<ProcSleep<LockAcquireExtended<heap_update<"
	  "PostgresMain<PostmasterMain", .program = POSTGRES },
	{ .what = "LWLock", "futex", 'S', 0, FUTEX, CAUSE_LWLOCK,
	  "@__new_sem_wait_slow64<PGSemaphoreLock<LWLockAcquire<XLogInsert", .program = POSTGRES },
	{ .what = "LWLock of WAL insertion", "futex", 'S', 0, FUTEX, CAUSE_LWLOCK,
	  "@__new_sem_wait_slow64<PGSemaphoreLock<LWLockWaitForVar<XLogFlush",
	  .program = POSTGRES },
	{ .what = "LWLock of the lock manager", "futex", 'S', 0, FUTEX, CAUSE_LWLOCK,
	  "@__new_sem_wait_slow64<PGSemaphoreLock<LWLockAcquire<ProcSleep<LockAcquireExtended",
	  .program = POSTGRES },
	{ .what = "truncation by vacuum", "epoll_wait", 'S', 0, EPOLL, CAUSE_DB_LOCK,
	  "@epoll_wait<WaitEventSetWait<WaitLatch<lazy_truncate_heap<heap_vacuum_rel<vacuum_rel<"
	  "PostgresMain<PostmasterMain", .program = POSTGRES },
	{ .what = "idle client of PostgreSQL", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<WaitEventSetWait<secure_read<pq_getbyte<PostgresMain<PostmasterMain",
	  CLASS_IDLE, .program = POSTGRES },
	{ .what = "COPY from a client", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<WaitEventSetWait<secure_read<pq_getbyte<NextCopyFrom<CopyFrom<DoCopy<"
	  "PostgresMain<PostmasterMain", .program = POSTGRES },
	{ .what = "checkpointer", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<WaitEventSetWait<WaitLatch<CheckpointerMain<PostmasterMain", CLASS_IDLE,
	  .program = POSTGRES },
	{ .what = "postmaster", "pselect6", 'S', 0,
	  "poll_schedule_timeout.constprop.0<do_select", CAUSE_POLL,
	  "@select<PostmasterMain<main", CLASS_IDLE, .program = POSTGRES },
	{ .what = "cost delay of autovacuum", "pselect6", 'S', 0,
	  "poll_schedule_timeout.constprop.0<do_select", CAUSE_SLEEP,
	  "@select<pg_usleep<vacuum_delay_point<analyze_rel<vacuum<StartAutoVacWorker<__restore_rt<"
	  "select<PostmasterMain", .program = POSTGRES },
	{ .what = "pg_sleep()", "epoll_wait", 'S', 0, EPOLL, CAUSE_SLEEP,
	  "@epoll_wait<WaitEventSetWait<WaitLatch<pg_sleep<standard_ExecutorRun<PortalRun<"
	  "PostgresMain<PostmasterMain", .program = POSTGRES },
	{ .what = "row lock of MariaDB", "futex", 'S', 0, FUTEX, CAUSE_DB_LOCK,
	  "@pthread_cond_timedwait<lock_wait(que_thr_t*)<row_mysql_handle_errors(dberr_t*)<"
	  "dispatch_command(enum_server_command)<do_command(THD*, bool)", .program = MARIADB },
	{ .what = "row lock of MariaDB without names", "futex", 'S', 0, FUTEX, CAUSE_DB_LOCK,
	  "@pthread_cond_timedwait<#<#handler::ha_rnd_next(unsigned char*)<#mysql_execute_command",
	  .module = "/usr/sbin/mariadbd" },
	{ .what = "sleep() of MariaDB", "futex", 'S', 0, FUTEX, CAUSE_SLEEP,
	  "@pthread_cond_timedwait<#Interruptible_wait::wait()<#Item_func_sleep::val_int()<"
	  "#mysql_execute_command", .module = "/usr/sbin/mariadbd" },
	{ .what = "idle client of MariaDB", "poll", 'S', 0, POLL, CAUSE_POLL,
	  "@poll<vio_socket_io_wait<vio_read<my_net_read_packet<do_command(THD*, bool)",
	  CLASS_IDLE, .program = MARIADB },
	{ .what = "a read within a command", "poll", 'S', 0, POLL, CAUSE_POLL,
	  "@poll<vio_socket_io_wait<vio_read<my_net_read_packet<"
	  "dispatch_command(enum_server_command)<do_command(THD*, bool)", .program = MARIADB },
	{ .what = "acceptor of MariaDB", "poll", 'S', 0, POLL, CAUSE_POLL,
	  "@poll<handle_connections_sockets()<mysqld_main", CLASS_IDLE, .program = MARIADB },
	{ .what = "disk reads of MariaDB", "io_uring_enter", 'S', WAIT_IOWAIT,
	  "io_cqring_wait<__do_sys_io_uring_enter", CAUSE_URING,
	  "__io_uring_get_cqe<tpool::aio_uring::thread_routine(tpool::aio_uring*)<@start_thread",
	  CLASS_IDLE, .program = MARIADB },
	{ .what = "O_DIRECT reads of a program with liburing", "io_uring_enter", 'S', WAIT_IOWAIT,
	  "io_cqring_wait<__do_sys_io_uring_enter", CAUSE_URING,
	  "#__io_uring_get_cqe<read_block<main",
	  .module = "/usr/lib/x86_64-linux-gnu/liburing.so.2.3",
	  .program = "/opt/acme/bin/reader" },
	{ .what = "a thread of MariaDB without names", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_timedwait<#<@start_thread", CLASS_IDLE, .module = "/usr/sbin/mariadbd" },
	{ .what = "a session of MariaDB without names", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_timedwait<#<handle_one_connection<@start_thread",
	  .module = "/usr/sbin/mariadbd" },
	{ .what = "jemalloc", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<#<@start_thread",
	  CLASS_IDLE, .module = "/usr/lib/libjemalloc.so.2" },
	{ .what = "Redis by another name", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<#<#aeMain<#main", CLASS_IDLE, .module = "/usr/bin/redis-check-rdb" },
	{ .what = "Redis without work", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<#aeProcessEvents<#aeMain<#main", CLASS_IDLE,
	  .module = "/usr/bin/redis-server" },
	{ .what = "Redis in fsync", "fdatasync", 'D', WAIT_IOWAIT, "blkdev_issue_flush<do_fsync",
	  CAUSE_DISK_SYNC, "@fdatasync<#flushAppendOnlyFile<#aeProcessEvents<#aeMain<#main",
	  CLASS_BAD, .module = "/usr/bin/redis-server" },
	{ .what = "a job of Redis that is awaited", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<bioProcessBackgroundJobs<@start_thread", CLASS_IDLE,
	  .program = REDIS },
	{ .what = "a job of Redis", "futex", 'S', 0, FUTEX, CAUSE_LOCK,
	  "@pthread_mutex_lock<lazyfreeFreeObject<bioProcessBackgroundJobs", .program = REDIS },
	{ .what = "nginx without work", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<[nginx+0x5]<ngx_process_events_and_timers<ngx_worker_process_cycle",
	  CLASS_IDLE, .program = NGINX },
	{ .what = "nginx reads a file", "pread64", 'D', WAIT_IOWAIT, READ, CAUSE_DISK,
	  "@pread64<ngx_read_file<ngx_process_events_and_timers<ngx_worker_process_cycle",
	  CLASS_BAD, .program = NGINX },
	{ .what = "master of nginx", "rt_sigsuspend", 'S', 0, "sigsuspend<__x64_sys_rt_sigsuspend",
	  CAUSE_SIGNAL, "@sigsuspend<ngx_master_process_cycle<main", CLASS_IDLE, .program = NGINX },
	{ .what = "pool of nginx", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<ngx_thread_cond_wait<ngx_thread_pool_cycle", CLASS_IDLE,
	  .program = NGINX },

	/* loops that many share */
	{ .what = "libevent", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<epoll_dispatch<event_base_loop<main", CLASS_IDLE },
	{ .what = "a callback of libevent", "poll", 'S', 0, POLL, CAUSE_POLL,
	  "@poll<ask_server<on_read<event_base_loop<main" },
	{ .what = "libev", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<epoll_poll<ev_run<main",
	  CLASS_IDLE },
	{ .what = "GLib", "poll", 'S', 0, POLL, CAUSE_POLL,
	  "@poll<g_main_context_iterate.constprop.0<g_main_loop_run", CLASS_IDLE },
	{ .what = "a callback of GLib", "poll", 'S', 0, POLL, CAUSE_POLL,
	  "@poll<g_poll<g_socket_condition_wait<on_click<g_main_context_dispatch<"
	  "g_main_context_iterate.constprop.0<g_main_loop_run" },
	{ .what = "systemd", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<sd_event_wait<sd_event_run",
	  CLASS_IDLE },
	{ .what = "asio", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<boost::asio::detail::epoll_reactor::run(long, op_queue&)", CLASS_IDLE },
	{ .what = "Qt with GLib", "poll", 'S', 0, POLL, CAUSE_POLL,
	  "@poll<#<#g_main_context_iteration<"
	  "QEventDispatcherGlib::processEvents(QFlags)<QEventLoop::exec(QFlags)", CLASS_IDLE,
	  .module = "/usr/lib/libglib-2.0.so.0.7400.6" },
	{ .what = "a slot that waits for a process, with GLib", "ppoll", 'S', 0, POLL, CAUSE_POLL,
	  "@ppoll<qt_safe_poll(pollfd*, unsigned long)<stall<QTimer::timeout()<"
	  "QCoreApplication::notifyInternal2(QObject*, QEvent*)<#g_main_context_dispatch<"
	  "#g_main_context_iteration<QEventDispatcherGlib::processEvents(QFlags)",
	  .module = "/usr/lib/libglib-2.0.so.0.7400.6" },
	{ .what = "a slot that waits for a process", "ppoll", 'S', 0, POLL, CAUSE_POLL,
	  "@ppoll<qt_safe_poll(pollfd*, unsigned long)<stall<QTimer::timeout()<"
	  "QCoreApplication::notifyInternal2(QObject*, QEvent*)<"
	  "QEventDispatcherUNIX::processEvents(QFlags)" },
	{ .what = "Qt", "poll", 'S', 0, POLL, CAUSE_POLL,
	  "@ppoll<qt_safe_poll(pollfd*, unsigned long)<"
	  "QEventDispatcherUNIX::processEvents(QFlags)", CLASS_IDLE },
	{ .what = "a loop by its name", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<event_loop<main", CLASS_IDLE },
	{ .what = "what a loop calls",
	  "poll", 'S', 0, POLL, CAUSE_POLL, "@poll<ask<event_loop<main" },
	{ .what = "a worker by its name", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<worker_thread<@start_thread", CLASS_IDLE },
	{ .what = "what a worker does", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<ask_other<job<worker_thread<@start_thread" },
	{ .what = "a page fault in a loop", NULL, 'D', WAIT_IOWAIT, "filemap_fault<exc_page_fault",
	  CAUSE_FAULT, "@epoll_wait<event_loop<main" },
};
/* clang-format on */

const struct seen_table seen_servers = { waits, ARRAY_LEN(waits) };
