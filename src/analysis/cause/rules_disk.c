/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Missing pages, disks, and file systems. io_uring comes first: newer kernels wait for it in
 * iowait. Specific causes come before waits of which only the disk is known.
 */
#include "analysis/cause/rule.h"

#define FAULTS                                                                                     \
	"exc_page_fault do_user_addr_fault handle_mm_fault filemap_fault do_swap_page "            \
	"do_page_fault do_mem_abort"
#define SYNC                                                                                       \
	"jbd2_log_wait_commit xlog_wait* blkdev_issue_flush wb_wait_for_completion "               \
	"file_write_and_wait_range __filemap_fdatawait_range sync_inodes_sb do_fsync "             \
	"vfs_fsync_range ksys_sync __sync_dirty_buffer"
#define FILE_LOCKS                                                                                 \
	"locks_lock_inode_wait fcntl_setlk flock_lock_inode_wait posix_lock_inode_wait "           \
	"do_lock_file_wait __break_lease"

/* Kernel threads in a program's process: in no system call, and in no fault either. */
#define WORKERS "io_sq_thread io_wq_worker io_wqe_worker vhost_task_fn"

/* clang-format off */
static const struct rule rules[] = {
	{ "disk/swap", CAUSE_SWAP, .kernel = { "do_swap_page swap_read_folio swap_readpage" },
	  .seen = "source" },
	{ "disk/fuse", CAUSE_FUSE, .kernel = { "request_wait_answer __fuse_request_send" },
	  .seen = "6.18 kinds" },
	{ "disk/nfs", CAUSE_NFS, .kernel = { "rpc_wait_bit_killable nfs_wait_bit_killable" },
	  .seen = "source" },
	{ "disk/fault", CAUSE_FAULT, .kernel = { FAULTS }, .seen = "6.18 waits_disk" },
	{ "disk/fault-state", CAUSE_FAULT, .states = RULE_D, .only = ONLY_FAULT,
	  .not_kernel = WORKERS, .seen = "6.18 waits_disk" },
	{ "disk/fault-iowait", CAUSE_FAULT, .flags = WAIT_IOWAIT, .only = ONLY_FAULT,
	  .not_kernel = WORKERS, .seen = "6.18 waits_disk" },
	{ "disk/uring", CAUSE_URING, .kernel = { "io_cqring_wait read_events" },
	  .seen = "6.18 waits_ipc" },
	{ "disk/uring-call", CAUSE_URING,
	  .syscalls = "io_uring_enter io_getevents io_pgetevents", .seen = "6.18 waits_ipc" },
	{ "disk/journal", CAUSE_JOURNAL, .seen = "source",
	  .kernel = { "wait_transaction_locked start_this_handle do_get_write_access "
		      "xfs_log_reserve xlog_grant_head_wait wait_current_trans" } },
	{ "disk/sync", CAUSE_DISK_SYNC, .kernel = { SYNC }, .seen = "6.18 waits_disk" },
	{ "disk/sync-call", CAUSE_DISK_SYNC, .seen = "6.18 waits_disk",
	  .syscalls = "fsync fdatasync sync syncfs msync sync_file_range" },
	{ "disk/iowait", CAUSE_DISK, .flags = WAIT_IOWAIT, .seen = "6.18 waits_disk" },
	{ "disk/io", CAUSE_DISK, .kernel = { "io_schedule io_schedule_timeout" },
	  .seen = "6.18 waits_disk" },
	{ "disk/file-lock", CAUSE_FILE_LOCK, .kernel = { FILE_LOCKS }, .seen = "6.18 waits_lock" },
	{ "disk/flock", CAUSE_FILE_LOCK, .syscalls = "flock", .seen = "6.18 waits_lock" },
};
/* clang-format on */

const struct rule_table rules_disk = { rules, ARRAY_LEN(rules), NULL };
