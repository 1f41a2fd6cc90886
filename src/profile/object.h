/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_OBJECT_H
#define PROFILE_OBJECT_H

#include "base/types.h"

/* What threads waited for. Strings are ids into the strings of the profile. */

/* Append only. */
enum object_kind {
	OBJECT_NONE = 0,
	OBJECT_OTHER, /* any: there was no room for more */
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
	OBJECT_ANON, /* another file of the kernel's that has no path: `name` says which */
	OBJECT_FUTEX,
	OBJECT_CHILD,
	OBJECT_KERNEL_LOCK, /* `name` says which, or of which type */
	OBJECT_PIDFD, /* since Linux 6.9; before it is an OBJECT_ANON */
	OBJECT_KIND_CNT,
};

/* What a futex is part of, as far as the call and the words around it tell. Append only. */
enum futex_kind {
	FUTEX_KIND_NONE = 0,
	FUTEX_KIND_OTHER, /* a barrier, or a word of the program's own */
	FUTEX_KIND_LOCK, /* a mutex, or a lock inside a library */
	FUTEX_KIND_PI, /* a mutex with priority inheritance */
	FUTEX_KIND_RWLOCK, /* for readers and writers */
	FUTEX_KIND_COND, /* a condition variable */
	FUTEX_KIND_SEM,
	FUTEX_KIND_JOIN, /* the end of a thread */
	FUTEX_KIND_WAITV, /* several */
	FUTEX_KIND_CNT,
};

/* Which end of a connection a socket is. Append only. */
enum socket_role {
	SOCKET_UNCONNECTED = 0,
	SOCKET_LISTENING,
	SOCKET_SERVER, /* its own port is the service, the peer's is left out */
	SOCKET_CLIENT, /* the peer's is, its own is left out */
	SOCKET_ROLE_CNT,
};

/* Which end of a pipe or FIFO somebody waits at: bits. */
enum pipe_end {
	PIPE_END_NONE = 0, /* not known: a recording of an older version */
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

/* Equal ones are one. Zero where it does not apply. */
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
	 * Pidfd: as of a child; the descriptor where `family` is CHILD_ANY: its process had ended.
	 */
	u32 number;
	u32 tgid; /* whose descriptor, futex, child or mmap_lock it is */
	u32 more; /* how many others were waited for at the same time; 255: or more */
	/*
	 * File, FIFO: path. Socket: address of the peer, or of a unix socket ("@" for abstract).
	 * Futex: the variable that it is in. OBJECT_ANON: as the kernel calls it. Child: its comm.
	 * Pidfd: the comm of its process.
	 * Lock of the kernel: its name there, or its type where `addr` is all to tell it by.
	 */
	u32 name;
	/*
	 * Socket, pipe, FIFO: the process at the other end, "comm-pid", or several: "nginx (5
	 * processes)", "3 processes"; "itself": nobody but the process that waits.
	 */
	u32 peer;
	/*
	 * Futex: path of the file whose variable it is. File: device or server of it. Lock of the
	 * kernel: path of the file that it guards.
	 */
	u32 file;
	u32 pad;
	u64 dev; /* file, pipe: as the kernel has it, 12 bits of major and 20 of minor number */
	u64 ino; /* file, pipe, unnamed unix socket, and what a lock of the kernel guards */
	u64 addr; /* futex: in `file`, else in memory; lock of the kernel: in its memory */
	u64 name_off; /* futex, lock of the kernel: in the variable */
};

/* A variable of a program, and where in it something is. */
struct object_variable {
	char name[512];
	u64 off;
};

/* Stable short names, for JSON and labels; "unknown" for others. */
const char *object_kind_name(enum object_kind kind);
const char *futex_kind_name(enum futex_kind kind);
const char *socket_role_name(enum socket_role role);

/* Are all numbers of it in range? Strings are the caller's matter. */
bool profile_object__is_valid(const struct profile_object *o);

#endif
