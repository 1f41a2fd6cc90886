/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event loops and thread pools shared by many programs. The generic rules test the caller of the
 * wait itself: a job runs below the loop too, and its waits are not waits for work.
 */
#include "analysis/cause/rule.h"

#define POLLS RULE_KIND(CAUSE_POLL)
#define JOBS                                                                                       \
	(RULE_KIND(CAUSE_COND) | RULE_KIND(CAUSE_SEMAPHORE) | RULE_KIND(CAUSE_FUTEX) |             \
	 RULE_KIND(CAUSE_PARK) | RULE_KIND(CAUSE_QUEUE) | RULE_KIND(CAUSE_POLL) |                  \
	 RULE_KIND(CAUSE_IPC) | RULE_KIND(CAUSE_PIPE))

/* clang-format off */
static const struct rule rules[] = {
	{ "loop/libevent", .class = CLASS_IDLE, .kinds = POLLS, .seen = "source",
	  .user = { "event_base_loop", "epoll_dispatch poll_dispatch select_dispatch" } },
	{ "loop/libev", .class = CLASS_IDLE, .kinds = POLLS, .seen = "source",
	  .user = { "ev_run", "epoll_poll poll_poll select_poll linuxaio_poll" } },
	{ "loop/glib", .class = CLASS_IDLE, .kinds = POLLS, .seen = "source",
	  .user = { "g_main_loop_run g_main_context_iteration g_application_run", "g_poll "
		    "g_main_context_poll g_main_context_iterate*" },
	  .not_user = "g_main_context_dispatch g_main_dispatch" },
	{ "loop/systemd", .class = CLASS_IDLE, .kinds = POLLS, .seen = "systemd 252",
	  .user = { "sd_event_wait sd_event_run sd_event_loop" },
	  .not_user = "sd_event_dispatch source_dispatch" },
	{ "loop/asio", .class = CLASS_IDLE, .kinds = POLLS, .seen = "source",
	  .user = { "*asio::detail::epoll_reactor::run*" } },
	/* what a slot waits for is below the loop, too: QProcess::waitForFinished() polls */
	{ "loop/qt", .class = CLASS_IDLE, .kinds = POLLS, .caller_file = "libglib-2.0.so*",
	  .user = { "QEventDispatcher*::processEvents*" },
	  .seen = "Qt 5.15; tests/causes qt-idle" },
	{ "loop/qt-without-glib", .class = CLASS_IDLE, .kinds = POLLS,
	  .user = { "QEventDispatcher*::processEvents*" }, .caller = "qt_safe_poll* qt_ppoll*",
	  .not_user = "QCoreApplication::notifyInternal2*",
	  .seen = "Qt 5.15, QT_NO_GLIB=1" },
	{ "loop/jemalloc", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_COND),
	  .caller_file = "libjemalloc.so*", .seen = "jemalloc 5.3; tests/causes redis-idle" },
	{ "loop/by-name", .class = CLASS_IDLE, .kinds = POLLS, .seen = "tests/golden shop",
	  .caller = "event_loop *_event_loop eventloop *EventLoop::run* *EventLoop::loop* "
		    "main_loop *_main_loop mainloop poll_loop *_poll_loop run_loop accept_loop "
		    "*_accept_loop" },
	{ "loop/worker-by-name", .class = CLASS_IDLE, .kinds = JOBS, .seen = "tests/unit",
	  .caller = "worker_loop *_worker_loop *WorkerLoop* worker_main *_worker_main "
		    "worker_thread *_worker_thread thread_pool_worker *ThreadPool::worker*" },
};
/* clang-format on */

const struct rule_table rules_loop = { rules, ARRAY_LEN(rules), NULL };
