/* SPDX-License-Identifier: Apache-2.0 */
/* Node and libuv. The main thread should wait in one place only. */
#include "analysis/cause/rule.h"

/* clang-format off */
static const struct rule rules[] = {
	{ "node/idle-loop", .class = CLASS_IDLE, .user = { "uv__io_poll uv__epoll_wait" },
	  /* execSync() and similar functions run their own loop */
	  .not_user = "node::SyncProcessRunner::*",
	  .seen = "libuv 1.44, Node 18 and 20; tests/causes node" },
	{ "node/blocked-loop", .class = CLASS_BAD, .seen = "Node 18; tests/causes node",
	  .user = { "node::SpinEventLoop*" },
	  .kinds = ~(RULE_KIND(CAUSE_STOPPED) | RULE_KIND(CAUSE_EXIT)) },
	{ "node/idle-pool", .class = CLASS_IDLE, .seen = "Node 18; tests/causes node",
	  .user = { "uv_cond_wait", "*node::*PlatformWorkerThread* worker" },
	  .not_user = "uv__fs_work uv__getaddrinfo_work uv__queue_work" },
	{ "node/idle-platform", .class = CLASS_IDLE, .seen = "Node 18; tests/causes node",
	  .user = { "*node::*PlatformWorkerThread* node::TaskQueue*::BlockingPop*",
		    "uv_cond_wait pthread_cond_wait" } },
	{ "node/idle-inspector", .class = CLASS_IDLE, .seen = "Node 18; tests/causes node",
	  .user = { "*node::inspector::*StartIoThreadMain*" } },
	{ "node/idle-v8", .class = CLASS_IDLE, .seen = "source",
	  .user = { "v8::platform::DefaultWorkerThreadsTaskRunner::*WorkerThread::Run* "
		    "v8::platform::DelayedTaskQueue::GetNext*" } },
};
/* clang-format on */

const struct rule_table rules_node = { rules, ARRAY_LEN(rules), NULL };
