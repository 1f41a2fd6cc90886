# SPDX-License-Identifier: Apache-2.0
"""What each kind of wait looks like: one line for each thread that is looked at."""
import os

X86, ARM = "x86_64", "aarch64"
SYSCALLS = {
    X86: {"read": 0, "write": 1, "sched_yield": 24, "clone": 56, "wait4": 61, "fsync": 74,
          "pread64": 17, "futex": 202, "clock_nanosleep": 230, "pselect6": 270, "ppoll": 271,
          "epoll_pwait": 281, "restart_syscall": 219},
    ARM: {"read": 63, "write": 64, "sched_yield": 124, "clone": 220, "wait4": 260, "fsync": 82,
          "pread64": 67, "futex": 98, "clock_nanosleep": 115, "pselect6": 72, "ppoll": 73,
          "epoll_pwait": 22, "restart_syscall": 128},
}

# Names of one place in the kernel, from 5.15 to 6.18; a group is met by any of its names.
FUTEX = ("futex_do_wait", "futex_wait_queue", "futex_wait_queue_me")
SLEEP = ("do_nanosleep", "hrtimer_nanosleep")
PIPE_READ = ("anon_pipe_read", "pipe_read")
PIPE_WRITE = ("anon_pipe_write", "pipe_write")
POLL_SLEEP = ("poll_schedule_timeout", "schedule_hrtimeout_range",
              "schedule_hrtimeout_range_clock")
EPOLL = ("do_epoll_wait", "ep_poll")
USER_PREEMPTED = ("irqentry_exit_to_user_mode", "exit_to_user_mode_loop",
                  "exit_to_user_mode_prepare", "do_notify_resume", "el0_interrupt",
                  "preempt_schedule_irq", "__cond_resched")


def sysno(name):
    """None for a wait that is in no system call."""
    return None if name is None else SYSCALLS[os.uname().machine][name]


def plain_names(wait):
    """The functions of the kernel, without what the compiler adds to their names."""
    return {frame.split(".", 1)[0] for frame in wait.kernel}


def is_for_rt_lock(wait):
    """With PREEMPT_RT a thread also sleeps for locks of the kernel that spin elsewhere, and for
    others in another way, anywhere in the kernel."""
    return wait.state == "D" and bool(RT_LOCK & plain_names(wait))


class Expect:
    """`thread` is the name of the one looked at, `frame` the function that marks its waits; None
    where the C library's function keeps no frame pointer and breaks the chain."""

    def __init__(self, thread, call, state, kernel, user, iowait=False, killable=None, rounds=None,
                 memory=False):
        self.thread = thread
        self.call = call
        self.state = state
        self.kernel = kernel
        self.user = user
        self.iowait = iowait
        self.killable = killable
        self.memory = memory
        self.rounds = rounds  # waits of this kind, where every round is exactly one

    @property
    def frame(self):
        return self.user[0] if self.user else None

    @property
    def marks_bracket(self):
        """Does the frame stand for the bracket alone?"""
        return self.frame is not None and not self.frame.startswith("run_")

    def is_aside(self, wait):
        """A wait for memory, where that is not what the kind is about, or for a mutex of the
        kernel's that the other side of a pipe has, or for what spins without PREEMPT_RT?"""
        aside = MMAP_LOCK | MUTEX if self.memory else MMAP_LOCK | MUTEX | FAULT
        return is_for_rt_lock(wait) or bool(aside & plain_names(wait))

    def matches(self, wait):
        return wait.state == self.state and wait.sysno == sysno(self.call)


BLOCKING = {
    "nanosleep": Expect("nanosleep", "clock_nanosleep", "S", [SLEEP],
                        ("block_nanosleep", "run_nanosleep", "thread_main"), rounds=40),
    "futex-time": Expect("futex-time", "futex", "S", [FUTEX],
                         ("block_futex_time", "run_futex_time", "thread_main"), rounds=40),
    "poll": Expect("poll", "ppoll", "S", [("do_sys_poll",), POLL_SLEEP],
                   ("block_poll", "run_poll", "thread_main"), rounds=40),
    "select": Expect("select", "pselect6", "S", [("do_select", "core_sys_select")],
                     ("block_select", "run_select", "thread_main"), rounds=40),
    "epoll": Expect("epoll", "epoll_pwait", "S", [EPOLL],
                    ("block_epoll", "run_epoll", "thread_main"), rounds=40),
    "mutex": Expect("mutex", "futex", "S", [FUTEX], ("run_mutex", "thread_main")),
    "condvar": Expect("condvar", "futex", "S", [FUTEX], None, rounds=30),
    "semaphore": Expect("semaphore", "futex", "S", [FUTEX], None, rounds=30),
    "pipe-read": Expect("pipe-read", "read", "S", [PIPE_READ],
                        ("block_pipe_read", "run_pipe_read", "thread_main"), rounds=40),
    "pipe-write": Expect("pipe-write", "write", "S", [PIPE_WRITE],
                         ("block_pipe_write", "run_pipe_write", "thread_main")),
    "tcp": Expect("tcp", "read", "S", [("sk_wait_data",), ("tcp_recvmsg",)],
                  ("block_tcp", "run_tcp", "thread_main"), rounds=40),
    "udp": Expect("udp", "read", "S", [("__skb_wait_for_more_packets",), ("udp_recvmsg",)],
                  ("block_udp", "run_udp", "thread_main"), rounds=40),
    "unix": Expect("unix", "read", "S", [("unix_stream_read_generic",)],
                   ("block_unix", "run_unix", "thread_main"), rounds=40),
    "fsync": Expect("fsync", "fsync", "D", [("do_fsync", "__x64_sys_fsync", "__arm64_sys_fsync")],
                    ("block_fsync", "run_fsync", "thread_main")),
    "odirect": Expect("odirect", "pread64", "D", [("__iomap_dio_rw", "dio_await_completion",
                                                   "__blockdev_direct_IO")],
                      ("block_odirect", "run_odirect", "thread_main"), iowait=True),
    "fault": Expect("fault", None, "D", [("filemap_fault",), ("folio_wait_bit_common",
                                                              "wait_on_page_bit_common",
                                                              "folio_lock_killable")],
                    ("block_fault", "run_fault", "thread_main"), iowait=True, killable=True,
                    memory=True),
    "wait4": Expect("wait4", "wait4", "S", [("do_wait",)],
                    ("block_wait4", "run_wait4", "thread_main"), rounds=20),
    "vfork": Expect("vfork", "clone", "D", [("kernel_clone",), ("__wait_for_common",
                                                                "wait_for_completion_killable",
                                                                "wait_for_completion_state",
                                                                "wait_for_vfork_done")],
                    ("block_vfork", "run_vfork", "thread_main"), killable=True, rounds=20),
}

# Looked at by the same rules, but runnable all the time.
FOR_A_CPU = {
    "preempt": Expect("preempt", None, "R", [USER_PREEMPTED],
                      ("spin_preempt", "run_preempt", "thread_main")),
    "yield": Expect("yield", "sched_yield", "R", [("__x64_sys_sched_yield", "do_sched_yield",
                                                   "__do_sys_sched_yield",
                                                   "__arm64_sys_sched_yield")],
                    ("spin_yield", "run_yield", "thread_main")),
    "migrate": Expect("migrate", "clock_nanosleep", "S", [SLEEP],
                      ("block_migrate", "run_migrate", "thread_main"), rounds=50),
}

MOVED = {
    "moved": Expect("moved", "clock_nanosleep", "S", [SLEEP],
                    ("block_moved", "run_moved", "thread_main"), rounds=60),
}

# Waits for the mappings, and page faults: they may come with any system call that touches memory.
MMAP_LOCK = {"rwsem_down_read_slowpath", "rwsem_down_write_slowpath", "__vma_start_write",
             "lock_mm_and_find_vma"}
FAULT = {"handle_mm_fault"}
MUTEX = {"__mutex_lock"}
RT_LOCK = {"rtlock_slowlock_locked", "rt_mutex_slowlock", "__rt_mutex_slowlock_locked",
           "rwbase_write_lock"}
RT_LOCK_CAUSES = ("kernel-lock", "mmap-lock")

# What each kind of wait is called; where user frames tell, they are on the stack in every mode.
CAUSES = {
    "nanosleep": "sleep", "futex-time": "futex", "poll": "poll", "select": "poll", "epoll": "poll",
    "mutex": "lock", "condvar": "cond", "semaphore": "semaphore", "pipe-read": "pipe",
    "pipe-write": "pipe", "tcp": "net-recv", "udp": "net-recv", "unix": "unix",
    "fsync": "disk-sync", "odirect": "disk", "fault": "page-fault", "wait4": "child",
    "vfork": "child",
}

GATE = "wl_gate"
