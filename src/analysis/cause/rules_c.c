/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in the C library, C++ and pthreads: the kernel side is the same for all of these. The
 * language run times come first, because they use these functions for other purposes.
 */
#include "analysis/cause/rule.h"

#define FUTEX                                                                                      \
	"futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait __futex_wait "              \
	"futex_wait_multiple do_futex __x64_sys_futex __se_sys_futex __arm64_sys_futex"
#define ALLOCATOR                                                                                  \
	"malloc free calloc realloc memalign posix_memalign aligned_alloc __libc_malloc "          \
	"__libc_free __libc_calloc __libc_realloc _int_malloc _int_free je_malloc* je_free* "      \
	"je_arena* mi_malloc* mi_free*"
#define MUTEX                                                                                      \
	"pthread_mutex_lock pthread_mutex_timedlock pthread_mutex_clocklock "                      \
	"__pthread_mutex_lock* ___pthread_mutex_lock __pthread_mutex_cond_lock* __lll_lock_wait* " \
	"__lll_timedlock_wait* mtx_lock absl::*Mutex::Lock* folly::*Mutex::lock*"
#define COND                                                                                       \
	"pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait __pthread_cond_wait* "    \
	"___pthread_cond_*wait* __pthread_cond_timedwait* __pthread_cond_clockwait* cnd_wait "     \
	"cnd_timedwait std::condition_variable::wait*"
#define SEMAPHORE "sem_wait sem_timedwait sem_clockwait __new_sem_wait* __new_sem_timedwait*"
#define RWLOCK                                                                                     \
	"pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_timedrdlock "                  \
	"pthread_rwlock_timedwrlock pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock "        \
	"__pthread_rwlock_rdlock* __pthread_rwlock_wrlock* ___pthread_rwlock_*"
#define FUTURE                                                                                     \
	"std::__atomic_futex_unsigned_base::_M_futex_wait_until* "                                 \
	"std::__1::__assoc_sub_state::wait* std::__1::__assoc_sub_state::__sub_wait* "             \
	"boost::detail::shared_state_base::wait*"
#define JOIN                                                                                       \
	"pthread_join pthread_timedjoin_np pthread_clockjoin_np __pthread_join* "                  \
	"___pthread_join* __pthread_clockjoin_ex"

/* clang-format off */
static const struct rule rules[] = {
	{ "c/malloc-lock", CAUSE_MALLOC_LOCK, .kernel = { FUTEX }, .user = { ALLOCATOR },
	  .seen = "glibc 2.36 kinds" },
	{ "c/join", CAUSE_JOIN, .kernel = { FUTEX }, .user = { JOIN },
	  .seen = "glibc 2.36 waits_lock" },
	/* libstdc++ has a futex of its own, the others a condition */
	{ "c/future", CAUSE_FUTURE, .kernel = { FUTEX }, .user = { FUTURE },
	  .seen = "libstdc++ 12; tests/causes cpp-future" },
	{ "c/barrier", CAUSE_BARRIER, .kernel = { FUTEX }, .seen = "glibc 2.36 waits_lock",
	  .user = { "pthread_barrier_wait __pthread_barrier_wait* ___pthread_barrier_wait*" } },
	{ "c/rwlock", CAUSE_RWLOCK, .kernel = { FUTEX }, .user = { RWLOCK },
	  .seen = "glibc 2.36 waits_lock" },
	/* a mutex inside a condition wait comes first: that is what is waited for then */
	{ "c/mutex", CAUSE_LOCK, .kernel = { FUTEX }, .user = { MUTEX },
	  .seen = "glibc 2.36 waits_lock" },
	{ "c/cond", CAUSE_COND, .kernel = { FUTEX }, .user = { COND },
	  .seen = "glibc 2.36 waits_lock" },
	{ "c/semaphore", CAUSE_SEMAPHORE, .kernel = { FUTEX }, .user = { SEMAPHORE },
	  .seen = "glibc 2.36 waits_lock" },
	{ "c/once", CAUSE_ONCE, .kernel = { FUTEX }, .seen = "glibc 2.36 kinds",
	  .user = { "pthread_once __pthread_once* ___pthread_once* __cxa_guard_acquire "
		    "call_once" } },
};
/* clang-format on */

const struct rule_table rules_c = { rules, ARRAY_LEN(rules), NULL };
