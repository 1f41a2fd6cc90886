/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MariaDB and MySQL. Debian's builds keep few names below the interface of the storage engines, so
 * the functions of that interface decide.
 */
#include "analysis/cause/rule.h"

#define MYSQL "mariadbd mariadbd-* mysqld mysqld-* libmariadbd.so* libmysqld.so*"
#define FUTEX "futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait __futex_wait do_futex"

/* clang-format off */
static const struct rule rules[] = {
	{ "mysql/row-lock", CAUSE_DB_LOCK, .kernel = { FUTEX },
	  .seen = "MariaDB 10.11; tests/causes mariadb",
	  .user = { "lock_wait* row_mysql_handle_errors* lock_wait_suspend_thread* "
		    "MDL_wait::timed_wait* MDL_context::acquire_lock*" } },
	/* Debian's build has no names below the interface of its storage engines */
	{ "mysql/row-lock-stripped", CAUSE_DB_LOCK, .kernel = { FUTEX },
	  .user = { "pthread_cond_timedwait pthread_cond_wait", "handler::ha_* ha_*" },
	  .caller_file = MYSQL, .not_user = "Item_func_sleep*",
	  .seen = "MariaDB 10.11; tests/causes mariadb-row-lock" },
	{ "mysql/sleep", CAUSE_SLEEP, .kernel = { FUTEX }, .user = { "Item_func_sleep*" },
	  .seen = "MariaDB 10.11; tests/causes mariadb-row-lock" },
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
	/* Debian's build has no names here: a thread that serves no client */
	{ "mysql/idle-background", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_COND),
	  .caller_file = MYSQL, .seen = "MariaDB 10.11; tests/causes mariadb-idle",
	  .not_user = "do_command* do_handle_one_connection* handle_one_connection* "
		      "dispatch_command* mysql_execute_command* mysql_parse* Event_worker_thread* "
		      "sp_head::execute* ha_* handler::ha_* lock_wait* row_* trx_* "
		      "tpool::task::execute* mysql_update* mysql_insert*" },
};
/* clang-format on */

const struct rule_table rules_mysql = { rules, ARRAY_LEN(rules), MYSQL };
