/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_OBJECT_H
#define ABI_OBJECT_H

#include <linux/types.h>

#include "abi/unwind.h"

/* What the arguments of a system call reveal about the object of a wait in it. */
enum cs_call {
	CS_CALL_NONE = 0,
	CS_CALL_FD, /* argument 0 is a descriptor */
	CS_CALL_FUTEX, /* 0: address, 1: operation, 2: value */
	CS_CALL_FUTEX_WAITV, /* 0: array of struct futex_waitv, 1: its length */
	CS_CALL_POLL, /* 0: array of struct pollfd, 1: its length */
	CS_CALL_SELECT, /* 0: number of descriptors, 1: the set to read */
	CS_CALL_WAIT4, /* 0: child */
	CS_CALL_WAITID, /* 0: kind of id, 1: child */
};

/* Limit for the numbers of system calls with a kind; larger ones have none. */
#define CS_CALLS_LEN 512

enum cs_object_kind {
	CS_OBJECT_NONE = 0,
	CS_OBJECT_FILE, /* with a path: regular file, directory, device */
	CS_OBJECT_PIPE,
	CS_OBJECT_FIFO,
	CS_OBJECT_SOCKET,
	CS_OBJECT_ANON, /* eventfd, timerfd, epoll and so on: `path` is the kernel's name for it */
	CS_OBJECT_FUTEX,
	CS_OBJECT_CHILD,
	CS_OBJECT_LOCK, /* kernel lock; `type` is enum cs_lock, `role` enum cs_lock_part */
	CS_OBJECT_PIDFD, /* by the comm of its process if `family` is CS_ID_PID; else by its fd */
};

/* For children: idtype_t of waitid(), include/uapi/linux/wait.h. */
enum cs_id_kind {
	CS_ID_ALL = 0,
	CS_ID_PID,
	CS_ID_PGID,
	CS_ID_PIDFD,
};

/* Which end of a connection a socket is, judged by its port. */
enum cs_socket_role {
	CS_ROLE_NONE = 0, /* not connected */
	CS_ROLE_LISTENING,
	CS_ROLE_SERVER, /* its own port was requested */
	CS_ROLE_CLIENT, /* the peer's port was */
};

/* Which end of a pipe or FIFO: bits, as in the kernel's file mode. */
enum cs_pipe_end {
	CS_END_READ = 1,
	CS_END_WRITE = 2,
	CS_END_BOTH = 3, /* of a FIFO */
};

/* What a futex is part of, judged by operation, value and the words around it. */
enum cs_futex {
	CS_FUTEX_NONE = 0,
	CS_FUTEX_OTHER,
	CS_FUTEX_LOCK, /* a mutex, or a lock inside a library */
	CS_FUTEX_PI,
	CS_FUTEX_RWLOCK,
	CS_FUTEX_COND,
	CS_FUTEX_SEM,
	CS_FUTEX_JOIN, /* the exit of a thread */
	CS_FUTEX_WAITV, /* several */
};

/* The type of a kernel lock that threads sleep for, from the flags of lock:contention_begin. */
enum cs_lock {
	CS_LOCK_NONE = 0,
	CS_LOCK_MUTEX,
	CS_LOCK_RWSEM,
	CS_LOCK_SEMAPHORE,
	CS_LOCK_PERCPU_RWSEM,
	CS_LOCK_RT, /* an rt_mutex; with PREEMPT_RT every lock except semaphores */
};

/* What it is part of, if that has a name. */
enum cs_lock_part {
	CS_LOCK_OF_NONE = 0, /* `at`: its address; cs_object.path: its symbol, as %pS prints it */
	CS_LOCK_OF_MM, /* mmap_lock of the program `image` */
	CS_LOCK_OF_INODE, /* i_rwsem of a file or directory; `at`, `dev` and path as for a file */
	CS_LOCK_OF_MAPPING, /* i_mmap_rwsem of a file, likewise */
	CS_LOCK_OF_PAGES, /* invalidate_lock of a file, likewise */
	CS_LOCK_OF_POS, /* f_pos_lock of an open file, likewise */
	CS_LOCK_OF_PIPE, /* mutex of a pipe; `at`: inode */
};

/* In the kind, in the table of objects: see cs_control.salt. */
#define CS_OBJECT_SIDE 0x80

/* Identity of an object: equal keys are one object. Unused fields are zero. */
struct cs_object_key {
	__u8 kind; /* enum cs_object_kind | CS_OBJECT_SIDE */
	__u8 futex; /* enum cs_futex */
	__u8 role; /* socket: enum cs_socket_role; pipe, FIFO: enum cs_pipe_end */
	__u8 more; /* number of other objects waited for together with it; 255: or more */
	__u16 family; /* of a socket; of a child: the kind of id (P_PID ...) */
	__u16 type;
	__u32 protocol;
	__u32 number; /* fd of an anonymous file; group of children; own port << 16 | peer's */
	__u64 image; /* the program it belongs to, if only one */
	__u64 at; /* inode; futex: address; others: a kernel pointer, only as an identity */
	__u64 dev; /* file, pipe: st_dev in the kernel's encoding; socket: net namespace */
	__u8 peer[16]; /* address of the peer; unix: hash of the name; comm of a process */
};

_Static_assert(sizeof(struct cs_object_key) == 56, "no padding in a map key");

#define CS_OBJECT_PATH_SZ 256

struct cs_object {
	__u32 id; /* in a wait key; counts from 1 */
	__u32 tgid; /* where it was first seen, in the PID namespace of the profiler */
	__u32 pid; /* socket: process at the other end, likewise; child: PID; 0: unknown, several */
	__u32 path_len; /* bytes of `path` that are used */
	/*
	 * Futex in file-backed memory: where, as if the file continued past its end; ino 0: none.
	 */
	struct cs_module_key module;
	__u64 module_off;
	/*
	 * File: components leaf first, each terminated by NUL. Anonymous file: its name. Unix
	 * socket: its address, of `path_len` bytes, where the first may be NUL. Lock: see
	 * cs_lock_part.
	 */
	char path[CS_OBJECT_PATH_SZ];
};

/* In a wait key: the owner may be a thread of another process. */
#define CS_OWNER_SHARED 0x80000000U
/* The number is cs_task_record.tid, of a thread of any process: the kernel reported it. */
#define CS_OWNER_SURE 0x40000000U

/*
 * The number is cs_task_record.host_tgid: a process holds the file lock. 0: it is not known which.
 * With CS_OWNER_SEVERAL it is one of several that do.
 */
#define CS_OWNER_FILE_LOCK 0x20000000U
#define CS_OWNER_SEVERAL 0x10000000U
/* PID_MAX_LIMIT is 0x400000. */
#define CS_OWNER_NUMBER 0x0fffffffU

/* The table of objects was full. */
#define CS_OBJECT_OTHER 0xffffffffU

#endif
