# SPDX-License-Identifier: Apache-2.0
"""What each wait of workload/kinds*.c is called: one line for each.

The words in braces are what the workload says of the wait: `fd`, `ino` (of that descriptor), `pid`,
`child`, `path`, `port`. An object of None: the call names no object."""
import os

PIPE, UNIX = "pipe:[{ino}]", "unix:[{ino}]"
SERVER, CLIENT = "tcp :{port} from 127.0.0.1", "tcp 127.0.0.1:{port}"
MUTEX, RWLOCK = "lock kinds_mutex (kinds)", "rwlock kinds_rwlock (kinds)"
FILE = "file {path}*"  # and the device that it is on
CHILD = "child*child"  # by name; one of many that are called so, or several
KERNEL = tuple(int(n) for n in os.uname().release.split("-")[0].split(".")[:2])

ONE, MOST, SOME = "one", "most", "some"


class Row:
    """`how`: ONE long wait; or MOST of the time that the thread was blocked, of a wait that is
    many short ones; or SOME time, however short, and though the thread could run.
    `holds`: whoever has the object must be the owner. `may`: the object and the owner may be
    unknown, but if they are known they are these."""

    def __init__(self, cause, obj=None, cls="work", how=ONE, holds=False, may=False):
        self.causes = (cause,) if isinstance(cause, str) else cause
        self.object = obj
        self.wait_class = cls
        self.how = how
        self.holds = holds
        self.may = may


ROWS = {
    # kinds_time.c
    "nanosleep": Row("sleep"),
    "clock-nanosleep": Row("sleep"),
    "sleep-until": Row("sleep"),
    "timerfd": Row("sleep", "timerfd fd {fd} of {pid}"),
    "poll-timeout": Row("poll"),
    "select-timeout": Row("poll"),
    "epoll-timeout": Row("poll", "epoll fd {fd} of {pid}"),
    "pause": Row("signal"),
    "sigsuspend": Row("signal"),
    "sigtimedwait": Row("signal"),
    "sigwait": Row("signal"),
    # kinds_lock.c
    "mutex": Row("lock", MUTEX, holds=True),
    "mutex-timed": Row("lock", MUTEX, holds=True),
    "mutex-clock": Row("lock", MUTEX, holds=True),
    "mutex-recursive": Row("lock", MUTEX, holds=True),
    "mutex-checking": Row("lock", MUTEX, holds=True),
    "mutex-adaptive": Row("lock", MUTEX, holds=True),
    "mutex-robust": Row("lock", MUTEX, holds=True),
    "mutex-pi": Row("futex-pi", "pi lock kinds_mutex (kinds)", holds=True),
    "mutex-shared": Row("lock", "lock 0x* of {pid}", holds=True),
    "read-lock": Row("rwlock", RWLOCK, holds=True),
    "write-lock": Row("rwlock", RWLOCK, holds=True),
    "write-lock-read": Row("rwlock", RWLOCK),  # readers are not written down
    "stdio-lock": Row("lock", "lock 0x* of {pid}"),
    "condvar": Row("cond", "condvar kinds_cond (kinds)"),
    "condvar-timed": Row("cond", "condvar kinds_cond (kinds)"),
    "semaphore": Row("semaphore", "semaphore kinds_sem (kinds)"),
    "semaphore-timed": Row("semaphore", "semaphore kinds_sem (kinds)"),
    "barrier": Row("barrier", "futex kinds_barrier+0x4 (kinds)"),
    "join": Row("join", "end of a thread 0x* of {pid}", holds=True),
    # Debian's C library for arm64 comes here without the name of the function that waits
    "once": Row(("once", "futex") if os.uname().machine == "aarch64" else "once",
                "futex kinds_once (kinds)"),
    "futex": Row("futex", "futex kinds_word (kinds)"),
    "futex-bitset": Row("futex", "futex kinds_word (kinds)"),
    "futex-requeue": Row("futex-pi", "futex kinds_word (kinds)"),
    "futex-waitv": Row("futex", "futex kinds_word (kinds) and 1 more"),
    # kinds_pipe.c
    "pipe-read": Row("pipe", PIPE),
    "pipe-write": Row("pipe", PIPE),
    "fifo-open": Row("pipe"),
    "fifo-read": Row("pipe", "fifo {path}"),
    "splice": Row("pipe", PIPE),
    "tee": Row("pipe", PIPE),
    "vmsplice": Row("pipe", PIPE),
    "sendfile-pipe": Row("pipe", PIPE),
    "tty-read": Row("tty", FILE),
    "tty-write": Row("tty", FILE),
    # kinds_net.c
    "tcp-accept": Row("net-accept", "tcp listen :{port}", "idle"),
    "tcp-server": Row("net-recv", SERVER),
    "tcp-client": Row("net-recv", CLIENT),
    "tcp6-server": Row("net-recv", "tcp :{port} from ::1"),
    "tcp-send": Row("net-send", CLIENT),
    "tcp-sendfile": Row("net-send", CLIENT),
    "tcp-splice": Row("net-recv", SERVER),
    # the descriptor is closed by then
    "tcp-linger": Row("net-send"),
    "tcp-connect": Row("net-connect", CLIENT),
    "udp": Row("net-recv", "udp unconnected"),
    "udp-recvmmsg": Row("net-recv", "udp unconnected"),
    "dns": Row("dns", "udp 127.0.0.1:{port}"),
    "unix-stream": Row("unix", UNIX),
    "unix-dgram": Row("unix", UNIX),
    "unix-packets": Row("unix", UNIX),
    "unix-send": Row("unix", UNIX),
    "unix-dgram-send": Row("unix", UNIX),
    "unix-dgram-full": Row("unix", "unix {path}"),
    "unix-accept": Row("net-accept", "unix listen {path}", "idle"),
    "unix-connect": Row("net-connect", UNIX),
    "netlink": Row("net-recv", "netlink:[{ino}]"),
    "packet": Row("net-recv", "socket of family 17:[{ino}]"),
    # kinds_poll.c
    "poll": Row("poll", PIPE + " and 1 more"),
    "ppoll": Row("poll", PIPE),
    "select": Row("poll", PIPE),
    "pselect": Row("poll", PIPE),
    "epoll": Row("poll", "epoll fd {fd} of {pid}"),
    "epoll-pwait2": Row("poll", "epoll fd {fd} of {pid}"),
    # a file of its own file system since 6.9
    "pidfd": Row("poll", "pidfd of {child} child" if KERNEL >= (6, 9) else
                 "[pidfd] fd {fd} of {pid}"),
    "io-uring": Row("io_uring", "io_uring fd {fd} of {pid}"),
    "aio": Row("io_uring"),
    # kinds_ipc.c
    "eventfd-read": Row("ipc", "eventfd fd {fd} of {pid}"),
    "eventfd-write": Row("ipc", "eventfd fd {fd} of {pid}"),
    "signalfd": Row("signal", "signalfd fd {fd} of {pid}"),
    "inotify": Row("ipc", "inotify fd {fd} of {pid}"),
    "fanotify": Row("ipc", "[fanotify] fd {fd} of {pid}"),
    "fanotify-guard": Row("stopped"),
    "msgrcv": Row("ipc"),
    "msgsnd": Row("ipc"),
    "mq-receive": Row("ipc", "file /kinds-{pid}"),
    "mq-send": Row("ipc", "file /kinds-{pid}"),
    "semop": Row("ipc"),
    "semtimedop": Row("ipc"),
    # kinds_process.c
    "wait4": Row("child", CHILD),
    "wait4-any": Row("child", CHILD),
    "wait4-group": Row("child", "children of {pid} in group {child}"),
    "waitid": Row("child", CHILD),
    "waitid-pidfd": Row("child", CHILD),
    "vfork": Row("child"),
    # kinds_file.c
    "flock": Row("file-lock", FILE, holds=True),
    "flock-shared": Row("file-lock", FILE, holds=True),
    "flock-readers": Row("file-lock", FILE, holds=True),  # one of them
    "fcntl-lock": Row("file-lock", FILE, holds=True),
    "fcntl-range": Row("file-lock", FILE, holds=True),
    "ofd-lock": Row("file-lock", FILE, holds=True),
    "lease": Row("file-lock"),
    "fsync": Row("disk-sync", FILE, how=MOST),
    "fdatasync": Row("disk-sync", FILE, how=MOST),
    "sync-file-range": Row("disk-sync", FILE, how=MOST),
    "dsync-write": Row("disk-sync", FILE, how=MOST),
    "msync": Row("disk-sync", FILE, how=MOST, may=True),
    "cold-read": Row("disk", FILE, how=MOST),
    "direct-read": Row("disk", FILE, how=MOST),
    "direct-write": Row("disk", FILE, how=MOST),
    "cold-fault": Row("page-fault", FILE, how=MOST, may=True),
    # kinds_memory.c
    "userfaultfd": Row("page-fault"),
    "pipe-lock": Row("kernel-lock", "mutex of " + PIPE, may=True),
    "file-inode": Row("kernel-lock", "i_rwsem of {path}", may=True),
    "directory-make": Row("kernel-lock", "*", may=True),
    "directory-move": Row("kernel-lock", "*", may=True),
    "malloc": Row("malloc-lock", "lock 0x* of {pid}"),
    "mmap": Row("mmap-lock", "*", how=MOST, may=True),
    "mmap-mincore": Row("mmap-lock", "*", how=MOST, may=True),
    "mmap-fault": Row("mmap-lock", "*", how=MOST, may=True),
    # kinds_stop.c
    "sigstop": Row("stopped"),
    "ptrace": Row("stopped"),
    "freezer": Row("stopped"),
    "throttled": Row("cpu-throttled", how=SOME),
    "memory-high": Row("reclaim"),
    "supervised": Row("stopped"),
    # kinds_cpu.c
    "yield": Row("yield", how=SOME),
    "preempted": Row("preempted", how=SOME),
    "new-thread": Row("new-thread", how=SOME),
    "membarrier": Row("barrier", how=MOST),
    # kinds_file_system.c
    "fuse": Row("fuse"),
}
