/* SPDX-License-Identifier: Apache-2.0 */
/* Rust: the standard library, parking_lot, Tokio and similar. Names may end with a hash. */
#include "analysis/cause/rule.h"

#define FUTEX "futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait __futex_wait do_futex"
#define TOKIO_TASK                                                                                 \
	"tokio::runtime::scheduler::*::run_task* tokio::runtime::*worker::Context*::run_task* "    \
	"*tokio::runtime*worker::Context*run_task*"
#define TOKIO_PARK                                                                                 \
	"tokio::runtime::*::park* *tokio::runtime*::Context*::park* *tokio::runtime*::Driver*::"   \
	"park* *tokio::runtime::io::driver::Driver*::turn* *tokio::runtime::park*"

/* clang-format off */
static const struct rule rules[] = {
	{ "rust/mutex", CAUSE_LOCK, .kernel = { FUTEX }, .seen = "Rust 1.95; tests/causes rust",
	  .user = { "*std::sys*::Mutex*::lock_contended* "
		    "*parking_lot::raw_mutex::*::lock_slow*" } },
	{ "rust/rwlock", CAUSE_RWLOCK, .kernel = { FUTEX }, .seen = "Rust 1.95",
	  .user = { "*std::sys*::RwLock*::read_contended* *std::sys*::RwLock*::write_contended* "
		    "*parking_lot::raw_rwlock::*::lock_*_slow*" } },
	{ "rust/channel", CAUSE_QUEUE, .kernel = { FUTEX }, .seen = "Rust 1.95",
	  .user = { "*std::sync::mpmc::*::recv* *std::sync::mpsc::*::recv* "
		    "crossbeam_channel::*::recv*" } },
	{ "rust/cond", CAUSE_COND, .kernel = { FUTEX }, .seen = "Rust 1.95",
	  .user = { "*std::sys*::Condvar*::wait* *std::sync::*Condvar*::wait* "
		    "*parking_lot::condvar::Condvar*::wait*" } },
	{ "rust/once", CAUSE_ONCE, .kernel = { FUTEX }, .seen = "source",
	  .user = { "*std::sys*::Once*::call* *std::sys*::Once*::wait* "
		    "*std::sync::*Once*::call_inner* "
		    "*parking_lot::once::Once*::call_once_slow*" } },
	{ "rust/park", CAUSE_PARK, .kernel = { FUTEX }, .seen = "Rust 1.95",
	  .user = { "std::thread::*park* *std::thread::Thread*::park*" } },

	{ "rust/blocked-reactor", .class = CLASS_BAD, .user = { TOKIO_TASK },
	  .kinds = ~(RULE_KIND(CAUSE_STOPPED) | RULE_KIND(CAUSE_EXIT)),
	  .seen = "Tokio 1.24; tests/causes tokio-stall" },
	{ "rust/idle-tokio", .class = CLASS_IDLE, .user = { TOKIO_PARK },
	  .seen = "Tokio 1.24; tests/causes tokio-idle" },
	{ "rust/idle-blocking-pool", .class = CLASS_IDLE,
	  .seen = "Tokio 1.24; tests/causes tokio-idle",
	  .user = { "*tokio::runtime::blocking::pool::Inner*::run*",
		    "*Condvar*::wait_timeout* *Condvar*::wait_optional_timeout*" },
	  .not_user = "*blocking::task::BlockingTask* *UnownedTask*::run* "
		      "tokio::runtime::task::*::poll*" },
	{ "rust/idle-rayon", .class = CLASS_IDLE, .seen = "source",
	  .user = { "rayon_core::sleep::Sleep*::sleep* *rayon_core::sleep::Sleep*::sleep*" } },
};
/* clang-format on */

const struct rule_table rules_rust = { rules, ARRAY_LEN(rules), NULL };
