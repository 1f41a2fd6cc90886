/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules against chains that were seen: one program for each kind of wait, on Linux 6.18, leaf
 * first, and the other names that some kernels have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause.h"
#include "lib/literal.h"

struct seen {
	const char *what;
	const char *syscall;
	char state;
	u32 flags;
	const char *chain; /* separated by '<' */
	enum cause cause;
};

static const struct seen chains[] = {
	{ "mutex, condition, semaphore", "futex", 'S', 0,
	  "futex_do_wait<__futex_wait<futex_wait<do_futex<__x64_sys_futex", CAUSE_FUTEX },
	{ "the same on 5.15", "futex", 'S', 0, "futex_wait_queue_me<futex_wait<do_futex",
	  CAUSE_FUTEX },
	{ "PI mutex", "futex", 'S', 0,
	  "rt_mutex_schedule<rt_mutex_slowlock_block.constprop.0<rt_mutex_wait_proxy_lock<"
	  "futex_lock_pi<do_futex<__x64_sys_futex",
	  CAUSE_FUTEX_PI },
	{ "futex_waitv", "futex_waitv", 'S', 0, "futex_wait_multiple<__do_sys_futex_waitv",
	  CAUSE_FUTEX },
	{ "nanosleep", "clock_nanosleep", 'S', 0,
	  "do_nanosleep<hrtimer_nanosleep<common_nsleep<__x64_sys_clock_nanosleep", CAUSE_SLEEP },
	{ "sigtimedwait", "rt_sigtimedwait", 'S', 0,
	  "schedule_hrtimeout_range_clock<do_sigtimedwait.isra.0<__x64_sys_rt_sigtimedwait",
	  CAUSE_SLEEP },
	{ "accept", "accept", 'S', 0,
	  "schedule_timeout<inet_csk_accept<inet_accept<do_accept<__sys_accept4",
	  CAUSE_NET_ACCEPT },
	{ "TCP recv", "recvfrom", 'S', 0,
	  "schedule_timeout<wait_woken<sk_wait_data<tcp_recvmsg_locked<tcp_recvmsg<sock_recvmsg<"
	  "__sys_recvfrom",
	  CAUSE_NET_RECV },
	{ "TCP send", "sendto", 'S', 0,
	  "schedule_timeout<wait_woken<sk_stream_wait_memory<tcp_sendmsg_locked<tcp_sendmsg<"
	  "__sys_sendto<__x64_sys_sendto",
	  CAUSE_NET_SEND },
	{ "TCP connect", "connect", 'S', 0,
	  "schedule_timeout<wait_woken<__inet_stream_connect<inet_stream_connect<__sys_connect",
	  CAUSE_NET_CONNECT },
	{ "UDP recv", "recvfrom", 'S', 0,
	  "schedule_timeout<__skb_wait_for_more_packets<__skb_recv_udp<udp_recvmsg<sock_recvmsg",
	  CAUSE_NET_RECV },
	{ "unix stream read", "read", 'S', 0,
	  "schedule_timeout<unix_stream_read_generic<unix_stream_recvmsg<sock_recvmsg",
	  CAUSE_UNIX },
	{ "unix datagram read", "read", 'S', 0,
	  "schedule_timeout<__skb_wait_for_more_packets<__unix_dgram_recvmsg<sock_recvmsg",
	  CAUSE_UNIX },
	{ "unix stream send", "sendto", 'S', 0,
	  "schedule_timeout<sock_alloc_send_pskb<unix_stream_sendmsg<__sys_sendto", CAUSE_UNIX },
	{ "unix datagram send", "sendto", 'S', 0,
	  "schedule_timeout<sock_alloc_send_pskb<unix_dgram_sendmsg<__sys_sendto", CAUSE_UNIX },
	{ "pipe read", "read", 'S', 0, "anon_pipe_read<vfs_read<ksys_read", CAUSE_PIPE },
	{ "pipe write before 6.15", "write", 'S', 0, "pipe_write<vfs_write<ksys_write",
	  CAUSE_PIPE },
	{ "fifo", "openat", 'S', 0, "wait_for_partner<fifo_open<do_dentry_open<vfs_open",
	  CAUSE_PIPE },
	{ "epoll", "epoll_wait", 'S', 0,
	  "schedule_hrtimeout_range_clock<do_epoll_wait<__x64_sys_epoll_wait", CAUSE_POLL },
	{ "epoll on older kernels", "epoll_wait", 'S', 0, "schedule_hrtimeout_range<ep_poll",
	  CAUSE_POLL },
	{ "poll", "poll", 'S', 0,
	  "schedule_hrtimeout_range_clock<poll_schedule_timeout.constprop.0<do_sys_poll",
	  CAUSE_POLL },
	{ "select", "pselect6", 'S', 0,
	  "schedule_hrtimeout_range_clock<poll_schedule_timeout.constprop.0<do_select<"
	  "core_sys_select<do_pselect.constprop.0",
	  CAUSE_POLL },
	{ "eventfd", "read", 'S', 0, "do_wait_intr_irq<eventfd_read<vfs_read<ksys_read",
	  CAUSE_IPC },
	{ "timerfd", "read", 'S', 0, "do_wait_intr_irq<timerfd_read_iter<vfs_read<ksys_read",
	  CAUSE_SLEEP },
	{ "signalfd", "read", 'S', 0, "signalfd_read_iter<vfs_read<ksys_read", CAUSE_IPC },
	{ "inotify", "read", 'S', 0, "schedule_timeout<wait_woken<inotify_read<vfs_read<ksys_read",
	  CAUSE_IPC },
	{ "msgrcv", "msgrcv", 'S', 0, "do_msgrcv", CAUSE_IPC },
	{ "semtimedop", "semtimedop", 'S', 0,
	  "schedule_hrtimeout_range_clock<__do_semtimedop<do_semtimedop", CAUSE_IPC },
	{ "mq_timedreceive", "mq_timedreceive", 'S', 0,
	  "schedule_hrtimeout_range_clock<wq_sleep<do_mq_timedreceive", CAUSE_IPC },
	{ "io_getevents", "io_getevents", 'S', 0, "read_events<do_io_getevents", CAUSE_URING },
	{ "io_uring", "io_uring_enter", 'S', 0, "io_cqring_wait<__do_sys_io_uring_enter",
	  CAUSE_URING },
	{ "io_uring in iowait", "io_uring_enter", 'S', WAIT_IOWAIT, "io_schedule<io_cqring_wait",
	  CAUSE_URING },
	{ "wait4", "wait4", 'S', 0, "do_wait<kernel_wait4", CAUSE_CHILD },
	{ "waitid", "waitid", 'S', 0, "do_wait<kernel_waitid<__do_sys_waitid", CAUSE_CHILD },
	{ "vfork", "vfork", 'D', WAIT_KILLABLE,
	  "schedule_timeout<__wait_for_common<wait_for_completion_state<kernel_clone",
	  CAUSE_CHILD },
	{ "flock", "flock", 'S', 0, "locks_lock_inode_wait<__do_sys_flock", CAUSE_FILE_LOCK },
	{ "fcntl lock", "fcntl", 'S', 0, "fcntl_setlk<do_fcntl<__x64_sys_fcntl", CAUSE_FILE_LOCK },
	{ "fsync, data", "fsync", 'D', WAIT_IOWAIT,
	  "io_schedule<folio_wait_bit<folio_wait_writeback<__filemap_fdatawait_range<"
	  "file_write_and_wait_range<generic_buffers_fsync_noflush",
	  CAUSE_DISK_SYNC },
	{ "fsync, flush", "fdatasync", 'D', WAIT_IOWAIT,
	  "schedule_timeout<io_schedule_timeout<wait_for_completion_io_timeout<submit_bio_wait<"
	  "blkdev_issue_flush<ext4_sync_file<do_fsync",
	  CAUSE_DISK_SYNC },
	{ "sync", "sync", 'D', 0,
	  "wb_wait_for_completion<sync_inodes_sb<__iterate_supers<ksys_sync", CAUSE_DISK_SYNC },
	{ "cold buffered read", "pread64", 'D', WAIT_IOWAIT | WAIT_KILLABLE,
	  "io_schedule<folio_wait_bit_common<filemap_get_pages<filemap_read<vfs_read", CAUSE_DISK },
	{ "O_DIRECT read", "pread64", 'D', WAIT_IOWAIT,
	  "schedule_timeout<io_schedule_timeout<__iomap_dio_rw<iomap_dio_rw<ext4_file_read_iter",
	  CAUSE_DISK },
	{ "fault on a cold mapping", NULL, 'D', WAIT_IOWAIT | WAIT_KILLABLE,
	  "io_schedule<folio_wait_bit_common<filemap_read_folio<filemap_fault<__do_fault<do_fault<"
	  "__handle_mm_fault<handle_mm_fault<exc_page_fault<asm_exc_page_fault",
	  CAUSE_FAULT },
	{ "fault without kernel names", NULL, 'D', WAIT_IOWAIT, "", CAUSE_FAULT },
	{ "mmap_lock, fault", NULL, 'D', WAIT_KILLABLE,
	  "schedule_preempt_disabled<rwsem_down_read_slowpath<down_read_killable<"
	  "lock_mm_and_find_vma<exc_page_fault<asm_exc_page_fault",
	  CAUSE_MMAP_LOCK },
	{ "mmap_lock, munmap", "munmap", 'D', WAIT_KILLABLE,
	  "schedule_preempt_disabled<rwsem_down_write_slowpath<down_write_killable<__vm_munmap",
	  CAUSE_MMAP_LOCK },
	{ "mmap_lock, mmap", "mmap", 'D', WAIT_KILLABLE,
	  "schedule_preempt_disabled<rwsem_down_write_slowpath<down_write_killable<vm_mmap_pgoff",
	  CAUSE_MMAP_LOCK },
	{ "mmap_lock, madvise", "madvise", 'D', 0,
	  "schedule_preempt_disabled<rwsem_down_read_slowpath<down_read<madvise_do_behavior",
	  CAUSE_MMAP_LOCK },
	{ "mmap_lock, thread exit", "exit", 'D', 0,
	  "schedule_preempt_disabled<rwsem_down_read_slowpath<down_read<do_exit<__x64_sys_exit",
	  CAUSE_MMAP_LOCK },
	{ "VMA lock", "munmap", 'D', 0, "__vma_start_write<__split_vma<vms_gather_munmap_vmas",
	  CAUSE_MMAP_LOCK },
	{ "fault inside a system call", "pwrite64", 'D', 0,
	  "schedule_preempt_disabled<rwsem_down_read_slowpath<down_read_killable<"
	  "lock_mm_and_find_vma<exc_page_fault<asm_exc_page_fault<fault_in_readable<"
	  "generic_perform_write<ext4_buffered_write_iter<vfs_write",
	  CAUSE_MMAP_LOCK },
	{ "inode lock", "pwrite64", 'D', 0,
	  "schedule_preempt_disabled<rwsem_down_write_slowpath<down_write<ext4_buffered_write_iter",
	  CAUSE_KERNEL_LOCK },
	{ "kernel mutex", "ioctl", 'D', 0,
	  "schedule_preempt_disabled<__mutex_lock.constprop.0<some_ioctl", CAUSE_KERNEL_LOCK },
	{ "exit, aio", "exit_group", 'D', 0,
	  "schedule_timeout<wait_for_completion<exit_aio<__mmput<do_exit<do_group_exit",
	  CAUSE_EXIT },
	{ "exit, inotify", "exit_group", 'D', 0,
	  "schedule_timeout<wait_for_completion<__flush_work<fsnotify_destroy_group<do_exit",
	  CAUSE_EXIT },
	{ "sched_yield", "sched_yield", 'R', 0, "__x64_sys_sched_yield", CAUSE_YIELD },
	{ "preempted in user mode", NULL, 'R', 0,
	  "irqentry_exit_to_user_mode<asm_sysvec_apic_timer_interrupt", CAUSE_PREEMPTED },
	{ "preempted after a fault", NULL, 'R', 0, "irqentry_exit_to_user_mode<asm_exc_page_fault",
	  CAUSE_PREEMPTED },
	{ "preempted on the way out", "write", 'R', 0, "exit_to_user_mode_loop<do_syscall_64",
	  CAUSE_PREEMPTED },
	{ "preempted on the way out of sched_yield", "sched_yield", 'R', 0,
	  "exit_to_user_mode_loop<do_syscall_64", CAUSE_PREEMPTED },
	{ "preempted in the kernel", "write", 'R', WAIT_PREEMPTED,
	  "__cond_resched<generic_perform_write", CAUSE_PREEMPTED },
	{ "a new thread", NULL, 'R', WAIT_NEW, "ret_from_fork", CAUSE_NEW },
	{ "stopped", "read", 'T', 0, "do_signal_stop<get_signal", CAUSE_STOPPED },
	{ "traced", "read", 't', 0, "ptrace_stop<get_signal", CAUSE_STOPPED },
	{ "dead", "exit_group", 'X', 0, "do_task_dead<do_exit", CAUSE_EXIT },
	{ "zombie", NULL, 'Z', 0, "", CAUSE_EXIT },
	{ "the rest of a thread", NULL, 'R', WAIT_LOST, "", CAUSE_LOST },
	{ "a call that no rule knows", "quotactl", 'S', 0, "something_new", CAUSE_SYSCALL },
	{ "a call that has no name", "460000", 'S', 0, "something_new", CAUSE_SYSCALL },
	{ "nothing known", NULL, 'S', 0, "", CAUSE_UNKNOWN },
	{ "memory was short", "read", 'D', 0, "io_schedule_timeout<reclaim_throttle<shrink_node",
	  CAUSE_RECLAIM },
	{ "too many dirty pages", "write", 'D', WAIT_KILLABLE,
	  "io_schedule_timeout<balance_dirty_pages<balance_dirty_pages_ratelimited_flags",
	  CAUSE_WRITEBACK },
};

static u64 bits_of_chain(const char *chain)
{
	char *copy = strdup(chain), *save = NULL, *name;
	u64 bits = 0;

	assert_non_null(copy);
	for (name = strtok_r(copy, "<", &save); name; name = strtok_r(NULL, "<", &save))
		bits |= cause_frame_bits(name);
	free(copy);
	return bits;
}

static void test_cause_of__knows_the_chains_that_were_seen(void **state)
{
	size_t i, wrong = 0;

	(void)state;
	for (i = 0; i < ARRAY_LEN(chains); i++) {
		const struct seen *s = &chains[i];
		struct cause_facts f = {
			.syscall = s->syscall,
			.sysno = s->syscall ? 1 : -1,
			.state = (u32)(strchr(PROFILE_STATE_LETTERS, s->state) -
				       PROFILE_STATE_LETTERS),
			.flags = s->flags,
			.frames = bits_of_chain(s->chain),
		};

		if (cause_of(&f) == s->cause)
			continue;
		print_error("%s: %s instead of %s\n", s->what, cause_name(cause_of(&f)),
			    cause_name(s->cause));
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void test_cause_of__needs_no_kernel_names_for_plain_calls(void **state)
{
	static const struct {
		const char *syscall;
		enum cause cause;
	} calls[] = {
		{ "futex", CAUSE_FUTEX },
		{ "epoll_pwait2", CAUSE_POLL },
		{ "fsync", CAUSE_DISK_SYNC },
		{ "wait4", CAUSE_CHILD },
		{ "accept4", CAUSE_NET_ACCEPT },
		{ "clock_nanosleep", CAUSE_SLEEP },
		{ "read", CAUSE_SYSCALL },
		{ "sync", CAUSE_DISK_SYNC },
		/* a word of a list is not a part of one */
		{ "poll_", CAUSE_SYSCALL },
		{ "epoll", CAUSE_SYSCALL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(calls); i++) {
		struct cause_facts f = { .syscall = calls[i].syscall, .sysno = 1, .state = 1 };

		assert_int_equal(cause_of(&f), calls[i].cause);
	}
}

static void test_cause_of__takes_kernel_threads_apart(void **state)
{
	struct cause_facts f = { .sysno = -1, .state = 1, .kthread = true };

	(void)state;
	assert_int_equal(cause_of(&f), CAUSE_KTHREAD);
	f.state = 2;
	assert_int_equal(cause_of(&f), CAUSE_KTHREAD); /* not a page fault */
	f.flags = WAIT_IOWAIT;
	assert_int_equal(cause_of(&f), CAUSE_DISK);
	f.flags = 0;
	f.state = 8;
	assert_int_equal(cause_of(&f), CAUSE_KTHREAD);
	f.state = 2;
	f.frames = cause_frame_bits("__mutex_lock");
	assert_int_equal(cause_of(&f), CAUSE_KERNEL_LOCK);
}

static void test_cause_frame_bits__ignores_what_the_compiler_adds(void **state)
{
	u64 bits = cause_frame_bits("do_epoll_wait");

	(void)state;
	assert_int_not_equal(bits, 0);
	assert_int_equal(cause_frame_bits("do_epoll_wait.constprop.0"), bits);
	assert_int_equal(cause_frame_bits("do_epoll_wait.isra.0.cold"), bits);
	assert_int_equal(cause_frame_bits("do_epoll_waits"), 0);
	assert_int_equal(cause_frame_bits("do_epoll_wai"), 0);
	assert_int_equal(cause_frame_bits(""), 0);
	assert_int_equal(cause_frame_bits("."), 0);
}

static void test_cause_frame_bits__matches_prefixes_only_where_told(void **state)
{
	(void)state;
	assert_int_not_equal(cause_frame_bits("__mutex_lock_slowpath"), 0);
	assert_int_not_equal(cause_frame_bits("preempt_schedule_irq"), 0);
	assert_int_equal(cause_frame_bits("my__mutex_lock"), 0);
}

static void test_cause_of__survives_a_state_that_does_not_exist(void **state)
{
	struct cause_facts f = { .sysno = -1, .state = 77 };

	(void)state;
	assert_int_equal(cause_of(&f), CAUSE_UNKNOWN);
}

static void test_cause_name__is_short_and_never_null(void **state)
{
	int i, j;

	(void)state;
	for (i = 0; i <= CAUSE_CNT; i++) {
		assert_true(strlen(cause_name((enum cause)i)) <= 16);
		assert_true(*cause_sentence((enum cause)i));
		for (j = 0; j < i && i < CAUSE_CNT; j++)
			assert_string_not_equal(cause_name((enum cause)i),
						cause_name((enum cause)j));
	}
}

static void test_causes__uses_names_anywhere_in_the_kernel_stack(void **state)
{
	struct profile *p = NULL;
	struct err err = { 0 };
	struct causes c;

	(void)state;
	if (literal_parse("task 1/1 a\n"
			  "wait S sys=read blocked=1ms\n"
			  " k ksys_read\n k vfs_read\n k anon_pipe_read\n k schedule\n"
			  "wait S sys=read blocked=1ms\n"
			  " u anon_pipe_read\n k ksys_read\n k schedule\n"
			  "task 2/2 b flags=kthread\n"
			  "wait I blocked=1ms\n k worker_thread\n",
			  &p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(causes__init(&c, p, NULL), 0);
	assert_int_equal(causes__of(&c, 1), CAUSE_PIPE);
	assert_int_equal(causes__of(&c, 2), CAUSE_SYSCALL); /* a user function of that name */
	assert_int_equal(causes__of(&c, 3), CAUSE_KTHREAD);
	assert_int_equal(causes__of(&c, 99), CAUSE_UNKNOWN);
	causes__done(&c);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cause_of__knows_the_chains_that_were_seen),
		cmocka_unit_test(test_cause_of__needs_no_kernel_names_for_plain_calls),
		cmocka_unit_test(test_cause_of__takes_kernel_threads_apart),
		cmocka_unit_test(test_cause_frame_bits__ignores_what_the_compiler_adds),
		cmocka_unit_test(test_cause_frame_bits__matches_prefixes_only_where_told),
		cmocka_unit_test(test_cause_of__survives_a_state_that_does_not_exist),
		cmocka_unit_test(test_cause_name__is_short_and_never_null),
		cmocka_unit_test(test_causes__uses_names_anywhere_in_the_kernel_stack),
	};

	return cmocka_run_group_tests_name("cause", tests, NULL, NULL);
}
