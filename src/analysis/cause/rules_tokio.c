/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of Tokio, of programs with debug information: the word at the inner end is the type of the
 * future that awaits nothing more, and above it are the async functions of Tokio that await it. A
 * lock, a full queue and a semaphore are one type, so functions tell them apart. What a future of
 * tokio::io reads is in its type.
 */
#include "analysis/cause/rule.h"

#define ANY "[*::*]"
#define ACQUIRE "[tokio::sync::batch_semaphore::Acquire]"
#define RECEIVE "tokio::sync::mpsc::*recv* tokio::sync::broadcast::*recv*"
#define TCP "*tokio::net::tcp::*]"
#define UNIX "*tokio::net::unix::*]"

/* clang-format off */
static const struct rule rules[] = {
	{ "tokio/lock", CAUSE_LOCK, .seen = "Tokio 1.24",
	  .user = { ACQUIRE, "tokio::sync::mutex::*" } },
	{ "tokio/rwlock", CAUSE_RWLOCK, .seen = "source",
	  .user = { ACQUIRE, "tokio::sync::rwlock::*" } },
	{ "tokio/once", CAUSE_ONCE, .seen = "source",
	  .user = { ANY, "tokio::sync::once_cell::*" } },
	{ "tokio/queue-full", CAUSE_QUEUE, .seen = "source",
	  .user = { ACQUIRE, "tokio::sync::mpsc::*" } },
	{ "tokio/semaphore", CAUSE_SEMAPHORE, .seen = "Tokio 1.24", .user = { ACQUIRE } },
	{ "tokio/queue", CAUSE_QUEUE, .seen = "Tokio 1.24", .user = { ANY, RECEIVE } },
	{ "tokio/broadcast", CAUSE_QUEUE, .seen = "source",
	  .user = { "[tokio::sync::broadcast::Recv]" } },
	{ "tokio/barrier", CAUSE_BARRIER, .seen = "source",
	  .user = { ANY, "tokio::sync::barrier::*" } },
	{ "tokio/notify", CAUSE_COND, .seen = "Tokio 1.24",
	  .user = { "[tokio::sync::notify::*] [tokio_util::sync::cancellation_token::*]" } },
	{ "tokio/sleep", CAUSE_SLEEP, .seen = "Tokio 1.24",
	  .user = { "[tokio::time::sleep::Sleep]" } },
	{ "tokio/interval", CAUSE_SLEEP, .seen = "source",
	  .user = { ANY, "tokio::time::interval::*" } },
	{ "tokio/join", CAUSE_JOIN, .seen = "source",
	  .user = { "[tokio::runtime::task::join::JoinHandle]" } },
	{ "tokio/join-set", CAUSE_JOIN, .seen = "source",
	  .user = { ANY, "tokio::task::join_set::*" } },
	{ "tokio/dns", CAUSE_DNS, .seen = "source",
	  .user = { "[tokio::net::addr::sealed::MaybeReady]" } },
	{ "tokio/accept", CAUSE_NET_ACCEPT, .seen = "source",
	  .user = { ANY, "tokio::net::tcp::listener::accept* "
			 "tokio::net::unix::listener::accept*" } },
	{ "tokio/connect", CAUSE_NET_CONNECT, .seen = "source",
	  .user = { ANY, "tokio::net::tcp::stream::connect* tokio::net::tcp::socket::connect*" } },
	{ "tokio/send", CAUSE_NET_SEND, .seen = "source",
	  .user = { "[tokio::io::util::write" TCP " [tokio::io::util::flush" TCP
		    " [tokio::io::util::shutdown" TCP } },
	{ "tokio/send-ready", CAUSE_NET_SEND, .seen = "source",
	  .user = { ANY, "tokio::net::tcp::*writable* tokio::net::udp::*send*" } },
	{ "tokio/receive", CAUSE_NET_RECV, .seen = "Tokio 1.24",
	  .user = { "[tokio::io::util::" TCP } },
	{ "tokio/receive-ready", CAUSE_NET_RECV, .seen = "source",
	  .user = { ANY, "tokio::net::tcp::*readable* tokio::net::tcp::*peek* "
			 "tokio::net::udp::*recv*" } },
	{ "tokio/pipe", CAUSE_PIPE, .seen = "source",
	  .user = { "[tokio::io::util::*tokio::net::unix::pipe::*] "
		    "[tokio::io::util::*tokio::process::*]" } },
	{ "tokio/unix", CAUSE_UNIX, .seen = "source", .user = { "[tokio::io::util::" UNIX } },
	{ "tokio/child", CAUSE_CHILD, .seen = "source",
	  .user = { ANY, "tokio::process::*wait*" } },
	{ "tokio/signal", CAUSE_SIGNAL, .seen = "source", .user = { ANY, "tokio::signal::*" } },
	{ "tokio/future", CAUSE_FUTURE, .seen = "source", .user = { ANY } },

	{ "tokio/idle-worker", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_QUEUE),
	  .user = { ANY, RECEIVE }, .seen = "Tokio 1.24",
	  .caller = "*worker *worker_loop *::worker::run *consumer *consume" },
	{ "tokio/idle-signal", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_SIGNAL),
	  .user = { ANY, "tokio::signal::*" }, .seen = "source" },
};
/* clang-format on */

const struct rule_table rules_tokio = { rules, ARRAY_LEN(rules), NULL };
