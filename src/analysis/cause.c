/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kind of wait was it? First rule that fits, from the top of one table.
 *
 * Rules ask for a function anywhere in the kernel stack, not at its leaf: which function is the
 * leaf changes with inlining from kernel to kernel, and a wait for the address space can hide under
 * any system call. So frames come before system calls in the order of the rules.
 *
 * Names are put into groups, one bit each. A stack is then the or of its frames' bits, which is
 * computed once for each node of the trie, and a rule is a mask: the cost does not depend on how
 * many names the rules know.
 *
 * What needs more than this (the operation of a futex, the name of a file, user frames) is not
 * guessed here.
 */
#include "analysis/cause.h"

#include <errno.h>

#include "analysis/syscall_name.h"
#include "base/mem.h"

enum frame_group {
	F_PREEMPT = 0,
	F_THROTTLE,
	F_FAULT,
	F_MMAP_LOCK,
	F_RWSEM,
	F_MMAP_SIDE,
	F_RWSEM_READ,
	F_LOCK,
	F_RT_LOCK,
	F_FUTEX_PI,
	F_FUTEX,
	F_SYNC,
	F_IO,
	F_DIRTY,
	F_RECLAIM,
	F_FILE_LOCK,
	F_CONNECT,
	F_ACCEPT,
	F_UNIX,
	F_RECV,
	F_SEND,
	F_PIPE,
	F_TTY,
	F_POLL,
	F_URING,
	F_SLEEP,
	F_IPC,
	F_CHILD,
	F_STOP,
	F_EXIT,
	F_VM,
};

#define BIT(group) (1ULL << (group))

/* Space-separated; a '*' at the end stands for anything. */
static const struct {
	enum frame_group group;
	const char *functions;
} frame_groups[] = {
	{ F_PREEMPT, "irqentry_exit_to_user_mode exit_to_user_mode_loop "
		     "exit_to_user_mode_prepare irqentry_exit irqentry_exit_cond_resched "
		     "__cond_resched __cond_resched_lock preempt_schedule*" },
	{ F_THROTTLE, "throttle_cfs_rq* sched_cfs_throttle*" },
	{ F_FAULT, "exc_page_fault do_user_addr_fault handle_mm_fault filemap_fault "
		   "do_swap_page do_page_fault do_mem_abort" },
	{ F_MMAP_LOCK, "lock_mm_and_find_vma __vma_start_write mmap_read_lock mmap_write_lock "
		       "mmap_write_lock_killable mmap_read_lock_killable" },
	{ F_RWSEM, "rwsem_down_read_slowpath rwsem_down_write_slowpath" },
	{ F_MMAP_SIDE, "vm_mmap_pgoff __vm_munmap do_mprotect_pkey mprotect_fixup do_madvise "
		       "madvise_do_behavior madvise_lock __x64_sys_brk __do_sys_brk "
		       "__arm64_sys_brk mremap_to __do_sys_mremap dup_mmap exit_mmap" },
	{ F_RWSEM_READ, "rwsem_down_read_slowpath" },
	{ F_LOCK, "rwsem_down_read_slowpath rwsem_down_write_slowpath __mutex_lock* "
		  "mutex_lock* ww_mutex_lock* __down __down_common __down_interruptible "
		  "__down_killable __down_timeout percpu_rwsem_wait __percpu_down_read "
		  "percpu_down_write" },
	{ F_RT_LOCK, "rt_mutex_schedule rt_mutex_slowlock* rtlock_slowlock* schedule_rtlock "
		     "rwbase_*" },
	{ F_FUTEX_PI, "futex_lock_pi futex_wait_requeue_pi" },
	{ F_FUTEX, "futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait "
		   "__futex_wait futex_wait_multiple do_futex" },
	{ F_SYNC, "jbd2_log_wait_commit xlog_wait* blkdev_issue_flush "
		  "wb_wait_for_completion file_write_and_wait_range __filemap_fdatawait_range "
		  "sync_inodes_sb do_fsync vfs_fsync_range ksys_sync __sync_dirty_buffer" },
	{ F_IO, "io_schedule io_schedule_timeout" },
	{ F_DIRTY, "balance_dirty_pages balance_dirty_pages_ratelimited*" },
	{ F_RECLAIM, "try_to_free_pages try_to_free_mem_cgroup_pages shrink_node shrink_lruvec "
		     "do_try_to_free_pages mem_cgroup_handle_over_high "
		     "__mem_cgroup_handle_over_high reclaim_throttle "
		     "__alloc_pages_direct_reclaim" },
	{ F_FILE_LOCK, "locks_lock_inode_wait fcntl_setlk flock_lock_inode_wait "
		       "posix_lock_inode_wait do_lock_file_wait" },
	{ F_CONNECT, "__inet_stream_connect inet_wait_for_connect unix_wait_for_peer" },
	{ F_ACCEPT, "inet_csk_accept inet_csk_wait_for_connect unix_accept" },
	{ F_UNIX, "unix_stream_read_generic unix_stream_data_wait __unix_dgram_recvmsg "
		  "unix_stream_sendmsg unix_dgram_sendmsg" },
	{ F_RECV, "sk_wait_data __skb_wait_for_more_packets" },
	{ F_SEND, "sk_stream_wait_memory sock_alloc_send_pskb sock_wait_for_wmem" },
	{ F_PIPE, "anon_pipe_read anon_pipe_write pipe_read pipe_write fifo_pipe_read "
		  "fifo_pipe_write wait_for_partner" },
	{ F_TTY, "n_tty_read n_tty_write tty_wait_until_sent" },
	{ F_POLL, "do_epoll_wait ep_poll do_sys_poll do_poll do_select "
		  "poll_schedule_timeout" },
	{ F_URING, "io_cqring_wait read_events" },
	{ F_SLEEP, "hrtimer_nanosleep do_nanosleep timerfd_read timerfd_read_iter "
		   "do_sigtimedwait" },
	{ F_IPC, "eventfd_read eventfd_write signalfd_read signalfd_read_iter inotify_read "
		 "do_msgrcv do_msgsnd __do_semtimedop do_mq_timedreceive do_mq_timedsend "
		 "wq_sleep" },
	{ F_CHILD, "do_wait wait_for_vfork_done kernel_clone" },
	{ F_STOP, "ptrace_stop do_signal_stop do_jobctl_trap __refrigerator" },
	{ F_EXIT, "do_exit do_group_exit" },
	{ F_VM, "kvm_vcpu_block kvm_vcpu_halt" },
};

/* States by their letter, as bits. */
enum {
	ST_R = 1 << 0,
	ST_S = 1 << 1,
	ST_D = 1 << 2,
	ST_T = 1 << 3,
	ST_t = 1 << 4,
	ST_X = 1 << 5,
	ST_Z = 1 << 6,
	ST_P = 1 << 7,
	ST_I = 1 << 8,
};

enum rule_only {
	ONLY_ANY = 0,
	ONLY_KTHREAD,
	ONLY_FAULT, /* a user thread outside of any system call */
	ONLY_SYSCALL,
};

struct rule {
	enum cause cause;
	u32 states; /* one of these; 0: any */
	u32 flags; /* all of these */
	u64 frames; /* all of these groups */
	const char *syscalls; /* one of these, separated by a space; NULL: any or none */
	enum rule_only only;
};

/* clang-format off */
static const struct rule rules[] = {
	{ CAUSE_LOST,        .flags = WAIT_LOST },
	{ CAUSE_ON_CPU,      .flags = WAIT_ON_CPU },
	{ CAUSE_NEW,         .flags = WAIT_NEW },

	/* not blocked at all */
	{ CAUSE_THROTTLED,   .frames = BIT(F_THROTTLE) },
	{ CAUSE_PREEMPTED,   .states = ST_R, .flags = WAIT_PREEMPTED },
	{ CAUSE_PREEMPTED,   .states = ST_R, .frames = BIT(F_PREEMPT) },
	{ CAUSE_YIELD,       .states = ST_R, .syscalls = "sched_yield" },
	{ CAUSE_PREEMPTED,   .states = ST_R },

	/* what the state says by itself */
	{ CAUSE_STOPPED,     .states = ST_T | ST_t },
	{ CAUSE_STOPPED,     .frames = BIT(F_STOP) },
	{ CAUSE_EXIT,        .states = ST_X | ST_Z },
	{ CAUSE_KTHREAD,     .states = ST_I | ST_P },

	/* locks and memory can be in the way of anything, so they come before the rest */
	{ CAUSE_MMAP_LOCK,   .frames = BIT(F_MMAP_LOCK) },
	{ CAUSE_MMAP_LOCK,   .frames = BIT(F_RWSEM) | BIT(F_MMAP_SIDE) },
	/* an ending thread reads no other read-write semaphore; exit_mm() itself is inlined */
	{ CAUSE_MMAP_LOCK,   .frames = BIT(F_RWSEM_READ) | BIT(F_EXIT) },
	{ CAUSE_FUTEX_PI,    .frames = BIT(F_FUTEX_PI) },
	{ CAUSE_RECLAIM,     .frames = BIT(F_RECLAIM) },
	{ CAUSE_WRITEBACK,   .frames = BIT(F_DIRTY) },
	{ CAUSE_KERNEL_LOCK, .frames = BIT(F_LOCK) },
	{ CAUSE_KERNEL_LOCK, .frames = BIT(F_RT_LOCK) },
	{ CAUSE_FAULT,       .frames = BIT(F_FAULT) },
	{ CAUSE_FAULT,       .states = ST_D, .only = ONLY_FAULT },
	{ CAUSE_FAULT,       .flags = WAIT_IOWAIT, .only = ONLY_FAULT },

	/* disk; io_uring first, which waits in iowait on newer kernels */
	{ CAUSE_URING,       .frames = BIT(F_URING) },
	{ CAUSE_URING,       .syscalls = "io_uring_enter io_getevents io_pgetevents" },
	{ CAUSE_DISK_SYNC,   .frames = BIT(F_SYNC) },
	{ CAUSE_DISK_SYNC,   .syscalls = "fsync fdatasync sync syncfs msync sync_file_range" },
	{ CAUSE_DISK,        .flags = WAIT_IOWAIT },
	{ CAUSE_DISK,        .frames = BIT(F_IO) },
	{ CAUSE_FILE_LOCK,   .frames = BIT(F_FILE_LOCK) },
	{ CAUSE_FILE_LOCK,   .syscalls = "flock" },

	/* sockets; unix before the functions that it shares with the others */
	{ CAUSE_NET_CONNECT, .frames = BIT(F_CONNECT) },
	{ CAUSE_NET_ACCEPT,  .frames = BIT(F_ACCEPT) },
	{ CAUSE_UNIX,        .frames = BIT(F_UNIX) },
	{ CAUSE_NET_RECV,    .frames = BIT(F_RECV) },
	{ CAUSE_NET_SEND,    .frames = BIT(F_SEND) },
	{ CAUSE_NET_CONNECT, .syscalls = "connect" },
	{ CAUSE_NET_ACCEPT,  .syscalls = "accept accept4" },

	{ CAUSE_FUTEX,       .frames = BIT(F_FUTEX) },
	{ CAUSE_FUTEX,       .syscalls = "futex futex_waitv futex_wait" },
	{ CAUSE_PIPE,        .frames = BIT(F_PIPE) },
	{ CAUSE_TTY,         .frames = BIT(F_TTY) },
	{ CAUSE_POLL,        .frames = BIT(F_POLL) },
	{ CAUSE_POLL,        .syscalls = "epoll_wait epoll_pwait epoll_pwait2 poll ppoll select "
					 "pselect6" },
	{ CAUSE_SLEEP,       .frames = BIT(F_SLEEP) },
	{ CAUSE_SLEEP,       .syscalls = "nanosleep clock_nanosleep rt_sigtimedwait pause "
					 "rt_sigsuspend" },
	{ CAUSE_IPC,         .frames = BIT(F_IPC) },
	{ CAUSE_IPC,         .syscalls = "msgrcv msgsnd semop semtimedop mq_timedreceive "
					 "mq_timedsend" },
	{ CAUSE_CHILD,       .frames = BIT(F_CHILD) },
	{ CAUSE_CHILD,       .syscalls = "wait4 waitid vfork" },
	{ CAUSE_VM,          .frames = BIT(F_VM) },
	{ CAUSE_EXIT,        .frames = BIT(F_EXIT) },
	{ CAUSE_EXIT,        .syscalls = "exit exit_group" },
	{ CAUSE_KTHREAD,     .only = ONLY_KTHREAD },
	{ CAUSE_SYSCALL,     .only = ONLY_SYSCALL },
};
/* clang-format on */

const char *cause_name(enum cause cause)
{
	static const char *const names[] = {
#define X(NAME, name, sentence) name,
		CAUSES(X)
#undef X
	};

	return (u32)cause < CAUSE_CNT ? names[cause] : names[CAUSE_UNKNOWN];
}

const char *cause_sentence(enum cause cause)
{
	static const char *const sentences[] = {
#define X(NAME, name, sentence) sentence,
		CAUSES(X)
#undef X
	};

	return (u32)cause < CAUSE_CNT ? sentences[cause] : sentences[CAUSE_UNKNOWN];
}

/* Length without what the compiler puts behind: ".constprop.0", ".isra.0", ".part.0", ".cold". */
static size_t plain_len(const char *function)
{
	const char *dot = strchr(function + (*function == '.'), '.');

	return dot ? (size_t)(dot - function) : strlen(function);
}

/* Is the word one of a space-separated list? A '*' ends a listed word that is a prefix. */
static bool in_list(const char *list, const char *word, size_t len)
{
	while (*list) {
		size_t n = strcspn(list, " ");

		if (n && list[n - 1] == '*') {
			if (len >= n - 1 && memcmp(list, word, n - 1) == 0)
				return true;
		} else if (n == len && memcmp(list, word, n) == 0) {
			return true;
		}
		list += n;
		list += strspn(list, " ");
	}
	return false;
}

u64 cause_frame_bits(const char *function)
{
	size_t len = plain_len(function), i;
	u64 bits = 0;

	for (i = 0; i < ARRAY_LEN(frame_groups); i++) {
		if (in_list(frame_groups[i].functions, function, len))
			bits |= BIT(frame_groups[i].group);
	}
	return bits;
}

static bool only_fits(enum rule_only only, const struct cause_facts *f)
{
	switch (only) {
	case ONLY_KTHREAD:
		return f->kthread;
	case ONLY_FAULT:
		return !f->kthread && f->sysno < 0;
	case ONLY_SYSCALL:
		return f->sysno >= 0;
	default:
		return true;
	}
}

static bool rule_fits(const struct rule *r, const struct cause_facts *f)
{
	if (r->states && !(f->state < PROFILE_STATES && (r->states & 1U << f->state)))
		return false;
	if ((f->flags & r->flags) != r->flags || (f->frames & r->frames) != r->frames)
		return false;
	if (r->syscalls && !(f->syscall && in_list(r->syscalls, f->syscall, strlen(f->syscall))))
		return false;
	return only_fits(r->only, f);
}

enum cause cause_of(const struct cause_facts *facts)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(rules); i++) {
		if (rule_fits(&rules[i], facts))
			return rules[i].cause;
	}
	return CAUSE_UNKNOWN;
}

/* The or of the bits of each stack's frames; parents stand before their children. */
static int stack_bits(const struct profile *p, u64 **ret_bits)
{
	u64 *frame_bits = mem_array(p->frames_len + 1, sizeof(u64));
	u64 *bits = mem_array(p->stacks_len + 1, sizeof(u64));
	u32 i;

	if (!frame_bits || !bits) {
		mem_free(frame_bits);
		mem_free(bits);
		return -ENOMEM;
	}
	for (i = 1; i < p->frames_len; i++) {
		const struct profile_frame *f = &p->frames[i];

		if (f->name && f->flags & FRAME_KERNEL)
			frame_bits[i] = cause_frame_bits(profile__str(p, f->name));
	}
	for (i = 1; i < p->stacks_len; i++) {
		const struct profile_stack *s = &p->stacks[i];

		bits[i] = bits[s->parent] | frame_bits[s->frame];
	}
	mem_free(frame_bits);
	*ret_bits = bits;
	return 0;
}

int causes__init(struct causes *c, const struct profile *p, struct err *err)
{
	const char *arch = profile__str(p, p->hdr.arch);
	u64 *bits;
	u32 i;
	int r;

	memset(c, 0, sizeof(*c));
	c->of_wait = mem_array(p->waits_len + 1, sizeof(*c->of_wait));
	if (!c->of_wait)
		return err__nomem(err);
	c->waits_len = p->waits_len;
	r = stack_bits(p, &bits);
	if (r)
		return err__nomem(err);
	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];
		struct cause_facts facts = {
			.syscall = syscall_name(arch, w->sysno),
			.sysno = w->sysno,
			.state = w->state,
			.flags = w->flags,
			.kthread = p->tasks[w->task].flags & TASK_KTHREAD,
			.frames = bits[w->kstack],
		};

		c->of_wait[i] = (u8)cause_of(&facts);
	}
	mem_free(bits);
	return 0;
}

void causes__done(struct causes *c)
{
	if (!c)
		return;
	mem_free(c->of_wait);
	memset(c, 0, sizeof(*c));
}

enum cause causes__of(const struct causes *c, u32 wait)
{
	return wait < c->waits_len ? (enum cause)c->of_wait[wait] : CAUSE_UNKNOWN;
}
