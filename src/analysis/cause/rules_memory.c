/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and its locks can block anything, so these come before the purpose of the system call.
 * Page faults are not here: they come after the kernel locks that they take (rules_disk.c).
 */
#include "analysis/cause/rule.h"

/* On PREEMPT_RT kernels too. */
#define RWSEM_READ "rwsem_down_read_slowpath rwbase_read_lock __rwbase_read_lock"
#define RWSEM RWSEM_READ " rwsem_down_write_slowpath rwbase_write_lock"
#define MMAP_LOCKS                                                                                 \
	"lock_mm_and_find_vma __vma_start_write mmap_read_lock mmap_write_lock "                   \
	"mmap_write_lock_killable mmap_read_lock_killable"
#define MMAP_CALLS                                                                                 \
	"vm_mmap_pgoff __vm_munmap do_mprotect_pkey mprotect_fixup do_madvise "                    \
	"madvise_do_behavior madvise_lock __x64_sys_brk __do_sys_brk __arm64_sys_brk mremap_to "   \
	"__do_sys_mremap dup_mmap exit_mmap __mm_populate do_mlock __x64_sys_munlock "             \
	"__do_sys_munlock __arm64_sys_munlock __x64_sys_mincore __do_sys_mincore "                 \
	"__arm64_sys_mincore process_vm_rw_core __access_remote_vm m_start lock_next_vma "         \
	"show_smaps_rollup get_user_pages_unlocked __gup_longterm_locked"
#define RECLAIM                                                                                    \
	"try_to_free_pages try_to_free_mem_cgroup_pages shrink_node shrink_lruvec "                \
	"do_try_to_free_pages mem_cgroup_handle_over_high __mem_cgroup_handle_over_high "          \
	"reclaim_throttle __alloc_pages_direct_reclaim"

/* clang-format off */
static const struct rule rules[] = {
	{ "memory/mmap-lock-known", CAUSE_MMAP_LOCK, .locks = "mmap_lock", .seen = "6.18 kinds" },
	{ "memory/mmap-lock", CAUSE_MMAP_LOCK, .kernel = { MMAP_LOCKS },
	  .seen = "6.18 waits_lock" },
	/* their page faults may wait for file locks */
	{ "memory/mmap-lock-call", CAUSE_MMAP_LOCK, .kernel = { RWSEM, MMAP_CALLS },
	  .not_kernel = "handle_mm_fault", .seen = "6.18 waits_lock" },
	/* an exiting thread reads no other read-write semaphore; exit_mm() itself is inlined */
	{ "memory/mmap-lock-exit", CAUSE_MMAP_LOCK, .seen = "6.18 waits_lock",
	  .kernel = { RWSEM_READ, "do_exit do_group_exit" } },
	{ "memory/reclaim", CAUSE_RECLAIM, .kernel = { RECLAIM }, .seen = "source" },
	{ "memory/dirty", CAUSE_WRITEBACK, .seen = "source",
	  .kernel = { "balance_dirty_pages balance_dirty_pages_ratelimited*" } },
};
/* clang-format on */

const struct rule_table rules_memory = { rules, ARRAY_LEN(rules), NULL };
