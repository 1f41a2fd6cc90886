/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of asyncio, which only recordings of tasks have: by what they wait for, the word at the
 * inner end, and by the coroutines of the library above it. Names are qualified since Python 3.11:
 * before that, a lock and a semaphore have the same name.
 */
#include "analysis/cause/rule.h"

#define FUTURE "[future]"
#define IN(file, function) "*asyncio/" file ".py:" function ":*"

/* A task that runs may wait for the interpreter lock; without its native stack that is a futex. */
#define MAY_BE_GIL                                                                                 \
	(RULE_KIND(CAUSE_FUTEX) | RULE_KIND(CAUSE_COND) | RULE_KIND(CAUSE_STOPPED) |               \
	 RULE_KIND(CAUSE_EXIT))

/* clang-format off */
static const struct rule rules[] = {
	{ "asyncio/barrier", CAUSE_BARRIER, .seen = "source",
	  .user = { FUTURE, IN("locks", "Barrier.*") } },
	{ "asyncio/semaphore", CAUSE_SEMAPHORE, .seen = "CPython 3.11",
	  .user = { FUTURE, IN("locks", "Semaphore.acquire") } },
	{ "asyncio/lock", CAUSE_LOCK, .seen = "CPython 3.8 to 3.13",
	  .user = { FUTURE, IN("locks", "*acquire") } },
	{ "asyncio/cond", CAUSE_COND, .seen = "CPython 3.8 to 3.13",
	  .user = { FUTURE, IN("locks", "*wait") } },
	{ "asyncio/queue", CAUSE_QUEUE, .seen = "CPython 3.8 to 3.13",
	  .user = { FUTURE, IN("queues", "*get") " " IN("queues", "*put") } },
	{ "asyncio/queue-join", CAUSE_JOIN, .seen = "source",
	  .user = { FUTURE, IN("queues", "*join") } },
	{ "asyncio/sleep", CAUSE_SLEEP, .seen = "CPython 3.8 to 3.13",
	  .user = { FUTURE, IN("tasks", "sleep") } },
	{ "asyncio/dns", CAUSE_DNS, .seen = "source",
	  .user = { FUTURE, IN("base_events", "*getaddrinfo") " "
		    IN("base_events", "*getnameinfo") } },
	{ "asyncio/accept", CAUSE_NET_ACCEPT, .seen = "CPython 3.8 to 3.13",
	  .user = { FUTURE, IN("selector_events", "*sock_accept") " "
		    IN("base_events", "*serve_forever") } },
	{ "asyncio/connect", CAUSE_NET_CONNECT, .seen = "source",
	  .user = { FUTURE, IN("selector_events", "*sock_connect") " "
		    IN("base_events", "*create_connection") " "
		    IN("base_events", "*_connect_sock") " *aiohttp/connector.py:*:*" } },
	{ "asyncio/send", CAUSE_NET_SEND, .seen = "source",
	  .user = { FUTURE, IN("streams", "*drain") " " IN("streams", "*_drain_helper") " "
		    IN("selector_events", "*sock_sendall") } },
	{ "asyncio/receive", CAUSE_NET_RECV, .seen = "CPython 3.8 to 3.13",
	  .user = { FUTURE, IN("streams", "*_wait_for_data") " "
		    IN("selector_events", "*sock_recv*") " *aiohttp/streams.py:*:* "
		    "*aiohttp/client_reqrep.py:*start:* *aiohttp/web_protocol.py:*start:* "
		    "*asyncpg/connection.py:*:* *aiomysql/connection.py:*:* "
		    "*redis/asyncio/connection.py:*:*" } },
	{ "asyncio/child", CAUSE_CHILD, .seen = "source",
	  .user = { FUTURE, IN("base_subprocess", "*_wait") " " IN("subprocess", "*wait") } },
	{ "asyncio/join", CAUSE_JOIN, .seen = "CPython 3.8 to 3.13",
	  .user = { "[gather] [task] [task?*]" } },
	{ "asyncio/wait", CAUSE_JOIN, .seen = "source",
	  .user = { FUTURE, IN("tasks", "_wait") " " IN("taskgroups", "*") } },
	{ "asyncio/future", CAUSE_FUTURE, .user = { FUTURE }, .seen = "CPython 3.8 to 3.13" },

	{ "asyncio/blocked-loop", .class = CLASS_BAD, .kinds = ~MAY_BE_GIL,
	  .user = { "[running]", "*.py:*" }, .seen = "CPython 3.11" },
	{ "asyncio/idle-worker", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_QUEUE),
	  .user = { FUTURE, IN("queues", "*get"),
		    "*.py:*worker:* *.py:*Worker.run:* *.py:*worker_loop:* *.py:*consumer:* "
		    "*.py:*consume:*" },
	  .seen = "CPython 3.8 to 3.13" },
	{ "asyncio/idle-connection", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_NET_RECV),
	  .user = { FUTURE }, .code = "*aiohttp/web_protocol.py:*start:*", .seen = "source" },
	{ "asyncio/idle-uvicorn", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_SLEEP),
	  .user = { FUTURE, "*uvicorn/server.py:*main_loop:*" }, .seen = "source" },
};
/* clang-format on */

const struct rule_table rules_asyncio = { rules, ARRAY_LEN(rules), NULL };
