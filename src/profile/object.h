/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_OBJECT_H
#define PROFILE_OBJECT_H

#include "base/types.h"

/* The objects of waits. Strings are ids into the strings of the profile. */

/* Append only. */
enum object_kind {
	OBJECT_NONE = 0,
	OBJECT_OTHER, /* any: the table of objects was full */
	OBJECT_FILE,
	OBJECT_PIPE,
	OBJECT_FIFO,
	OBJECT_SOCKET,
	OBJECT_EVENTFD,
	OBJECT_TIMERFD,
	OBJECT_SIGNALFD,
	OBJECT_INOTIFY,
	OBJECT_EPOLL,
	OBJECT_IO_URING,
	OBJECT_ANON, /* another kernel file without a path: `name` says which */
	OBJECT_FUTEX,
	OBJECT_CHILD,
	OBJECT_KERNEL_LOCK, /* `name` says which, or of which type */
	OBJECT_PIDFD, /* since Linux 6.9; an OBJECT_ANON before */
	OBJECT_LABEL, /* of an import: `name` is all that its source tells */
	OBJECT_KIND_CNT,
};

/* What a futex is part of, as far as the call and the words around it show. Append only. */
enum futex_kind {
	FUTEX_KIND_NONE = 0,
	FUTEX_KIND_OTHER, /* a barrier, or a futex of the program's own */
	FUTEX_KIND_LOCK, /* a mutex, or a lock inside a library */
	FUTEX_KIND_PI, /* a mutex with priority inheritance */
	FUTEX_KIND_RWLOCK, /* a read-write lock */
	FUTEX_KIND_COND, /* a condition variable */
	FUTEX_KIND_SEM,
	FUTEX_KIND_JOIN, /* the exit of a thread */
	FUTEX_KIND_WAITV, /* several */
	FUTEX_KIND_CNT,
};

/* Which end of a connection a socket is. Append only. */
enum socket_role {
	SOCKET_UNCONNECTED = 0,
	SOCKET_LISTENING,
	SOCKET_SERVER, /* its own port is the service, the peer's is omitted */
	SOCKET_CLIENT, /* the peer's port is the service, its own is omitted */
	SOCKET_ROLE_CNT,
};

/* Which end of a pipe or FIFO was waited at: bits. */
enum pipe_end {
	PIPE_END_NONE = 0, /* unknown: a recording of an older version */
	PIPE_END_READ = 1,
	PIPE_END_WRITE = 2,
	PIPE_END_BOTH = 3, /* of a FIFO */
};

/* Which children a call waited for: idtype_t of waitid(). */
enum child_id {
	CHILD_ANY = 0,
	CHILD_PID,
	CHILD_GROUP,
	CHILD_PIDFD,
	CHILD_ID_CNT,
};

/* Equal ones are one object. Unused fields are zero. */
struct profile_object {
	u32 kind; /* enum object_kind */
	u32 futex; /* enum futex_kind */
	u32 role; /* enum socket_role */
	u32 family; /* of a socket: AF_*; of a child, pidfd: enum child_id */
	u32 type; /* SOCK_* */
	u32 protocol; /* IPPROTO_* */
	u32 port; /* of the service; 0: none */
	/*
	 * Anonymous file: descriptor. Child: see `family`, 0: several. Pipe, FIFO: enum pipe_end.
	 * Pidfd: as for a child, or the descriptor if `family` is CHILD_ANY: its process had
	 * exited.
	 */
	u32 number;
	u32 tgid; /* the process of the descriptor, futex, child or mmap_lock */
	u32 more; /* number of other objects waited for at the same time; 255: or more */
	/*
	 * File, FIFO: path. Socket: address of the peer, or of a unix socket ("@" for abstract).
	 * Futex: its variable. OBJECT_ANON: the kernel's name. Child: its comm. Pidfd: the comm of
	 * its process. Kernel lock: its name in the kernel, or its type if only `addr` identifies
	 * it.
	 */
	u32 name;
	/*
	 * Socket, pipe, FIFO: the process at the other end, "comm-pid", or several: "nginx (5
	 * processes)", "3 processes"; "itself": only the waiting process.
	 */
	u32 peer;
	/*
	 * Futex: path of the file that contains its variable. File: its device or server. Kernel
	 * lock: path of the file that it protects.
	 */
	u32 file;
	u32 pad;
	u64 dev; /* file, pipe: the kernel's encoding, 12 bits of major and 20 of minor number */
	u64 ino; /* file, pipe, unnamed unix socket, and what a kernel lock protects */
	u64 addr; /* futex: in `file`, else in memory; kernel lock: in kernel memory */
	u64 name_off; /* futex, kernel lock: offset in the variable */
};

/* A variable of a program, and an offset in it. */
struct object_variable {
	char name[512];
	u64 off;
};

/* Stable short names, for JSON and labels; "unknown" for others. */
const char *object_kind_name(enum object_kind kind);
const char *futex_kind_name(enum futex_kind kind);
const char *socket_role_name(enum socket_role role);

/* Whether all its numbers are in range. Strings are not checked. */
bool profile_object__is_valid(const struct profile_object *o);

#endif
