/* SPDX-License-Identifier: Apache-2.0 */
/* The remaining system calls that wait for another thread or process, for time, or for files. */
#include "analysis/cause/rule.h"

#define FUTEX                                                                                      \
	"futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait __futex_wait "              \
	"futex_wait_multiple do_futex"
#define PIPES                                                                                      \
	"anon_pipe_read anon_pipe_write pipe_read pipe_write fifo_pipe_read fifo_pipe_write "      \
	"wait_for_partner pipe_wait_readable pipe_wait_writable ipipe_prep opipe_prep "            \
	"wait_for_space"
#define POLLS "do_epoll_wait ep_poll do_sys_poll do_poll do_select poll_schedule_timeout"
#define IPC                                                                                        \
	"eventfd_read eventfd_write inotify_read fanotify_read do_msgrcv do_msgsnd "               \
	"__do_semtimedop do_mq_timedreceive do_mq_timedsend wq_sleep"

/* clang-format off */
static const struct rule rules[] = {
	/* no function shows what the word is, but its value did */
	{ "user/futex-lock", CAUSE_LOCK, .futexes = RULE_FUTEX(LOCK),
	  .seen = "glibc 2.36 objects" },
	{ "user/futex-pi", CAUSE_FUTEX_PI, .futexes = RULE_FUTEX(PI),
	  .seen = "glibc 2.36 objects" },
	{ "user/futex-rwlock", CAUSE_RWLOCK, .futexes = RULE_FUTEX(RWLOCK),
	  .seen = "glibc 2.36 objects" },
	{ "user/futex-cond", CAUSE_COND, .futexes = RULE_FUTEX(COND),
	  .seen = "glibc 2.36 objects" },
	{ "user/futex-semaphore", CAUSE_SEMAPHORE, .futexes = RULE_FUTEX(SEM),
	  .seen = "glibc 2.36 objects" },
	{ "user/futex-join", CAUSE_JOIN, .futexes = RULE_FUTEX(JOIN),
	  .seen = "glibc 2.36 objects" },
	/* a guard of files has to answer, like a tracer */
	{ "user/guard", CAUSE_STOPPED, .seen = "6.18 kinds",
	  .kernel = { "fanotify_handle_event fanotify_get_response" } },
	{ "user/membarrier", CAUSE_BARRIER, .syscalls = "membarrier", .seen = "6.18 kinds" },
	{ "user/futex", CAUSE_FUTEX, .kernel = { FUTEX }, .seen = "6.18 waits_lock" },
	{ "user/futex-call", CAUSE_FUTEX, .syscalls = "futex futex_waitv futex_wait",
	  .seen = "6.18 waits_lock" },
	{ "user/pipe", CAUSE_PIPE, .kernel = { PIPES }, .seen = "6.18 waits_ipc" },
	{ "user/tty", CAUSE_TTY, .kernel = { "n_tty_read n_tty_write tty_wait_until_sent" },
	  .seen = "source" },
	{ "user/poll", CAUSE_POLL, .kernel = { POLLS }, .seen = "6.18 waits_ipc" },
	{ "user/poll-call", CAUSE_POLL, .seen = "6.18 waits_ipc",
	  .syscalls = "epoll_wait epoll_pwait epoll_pwait2 poll ppoll select pselect6" },
	{ "user/sleep", CAUSE_SLEEP, .seen = "6.18 waits_time",
	  .kernel = { "hrtimer_nanosleep do_nanosleep timerfd_read timerfd_read_iter" } },
	{ "user/sleep-call", CAUSE_SLEEP, .seen = "6.18 waits_time",
	  .syscalls = "nanosleep clock_nanosleep" },
	{ "user/signal", CAUSE_SIGNAL, .seen = "6.18 kinds",
	  .kernel = { "do_sigtimedwait sigsuspend signalfd_read signalfd_read_iter" } },
	{ "user/signal-call", CAUSE_SIGNAL, .seen = "6.18 kinds",
	  .syscalls = "rt_sigtimedwait pause rt_sigsuspend" },
	{ "user/ipc", CAUSE_IPC, .kernel = { IPC }, .seen = "6.18 waits_ipc" },
	{ "user/ipc-call", CAUSE_IPC, .seen = "6.18 waits_ipc",
	  .syscalls = "msgrcv msgsnd semop semtimedop mq_timedreceive mq_timedsend" },
	{ "user/child", CAUSE_CHILD, .kernel = { "do_wait wait_for_vfork_done kernel_clone" },
	  .seen = "6.18 waits_child" },
	{ "user/child-call", CAUSE_CHILD, .syscalls = "wait4 waitid vfork",
	  .seen = "6.18 waits_child" },
	{ "user/vm", CAUSE_VM, .kernel = { "kvm_vcpu_block kvm_vcpu_halt" }, .seen = "source" },
	{ "user/exit", CAUSE_EXIT, .kernel = { "do_exit do_group_exit" }, .seen = "6.18 life" },
	{ "user/exit-call", CAUSE_EXIT, .syscalls = "exit exit_group", .seen = "6.18 life" },
	/* kernel threads in a program's process: io_uring's and vhost's */
	{ "user/uring-thread", CAUSE_KTHREAD, .only = ONLY_FAULT, .states = RULE_S,
	  .kernel = { "io_sq_thread io_wq_worker io_wqe_worker vhost_task_fn" },
	  .not_kernel = "io_worker_handle_work io_submit_sqes io_wq_submit_work io_run_task_work "
			"tctx_task_work* task_work_run vhost_run_work_list do_exit",
	  .seen = "6.18; tests/causes io-uring-idle" },
	{ "user/kthread", CAUSE_KTHREAD, .only = ONLY_KTHREAD, .seen = "6.18 always" },
	{ "user/syscall", CAUSE_SYSCALL, .only = ONLY_SYSCALL, .seen = "any" },
	/* of a goroutine whose thread is not known */
	{ "user/goroutine-call", CAUSE_SYSCALL, .user = { "[system?call]" }, .seen = "Go 1.19" },

	{ "user/kthread-idle", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_KTHREAD),
	  .seen = "6.18 always" },
	{ "user/vm-idle", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_VM), .seen = "source" },
};
/* clang-format on */

const struct rule_table rules_user = { rules, ARRAY_LEN(rules), NULL };
