/* SPDX-License-Identifier: Apache-2.0 */
/* The words for objects. */
#include "profile/object.h"

static const char *word(const char *const *words, size_t len, u32 at)
{
	return at < len ? words[at] : "unknown";
}

const char *object_kind_name(enum object_kind kind)
{
	static const char *const names[OBJECT_KIND_CNT] = {
		[OBJECT_NONE] = "none",		[OBJECT_OTHER] = "other",
		[OBJECT_FILE] = "file",		[OBJECT_PIPE] = "pipe",
		[OBJECT_FIFO] = "fifo",		[OBJECT_SOCKET] = "socket",
		[OBJECT_EVENTFD] = "eventfd",	[OBJECT_TIMERFD] = "timerfd",
		[OBJECT_SIGNALFD] = "signalfd", [OBJECT_INOTIFY] = "inotify",
		[OBJECT_EPOLL] = "epoll",	[OBJECT_IO_URING] = "io_uring",
		[OBJECT_ANON] = "anon",		[OBJECT_FUTEX] = "futex",
		[OBJECT_CHILD] = "child",	[OBJECT_KERNEL_LOCK] = "kernel-lock",
		[OBJECT_PIDFD] = "pidfd",	[OBJECT_LABEL] = "label",
	};

	return word(names, ARRAY_LEN(names), kind);
}

const char *futex_kind_name(enum futex_kind kind)
{
	static const char *const names[FUTEX_KIND_CNT] = {
		[FUTEX_KIND_NONE] = "none",	[FUTEX_KIND_OTHER] = "other",
		[FUTEX_KIND_LOCK] = "lock",	[FUTEX_KIND_PI] = "pi",
		[FUTEX_KIND_RWLOCK] = "rwlock", [FUTEX_KIND_COND] = "cond",
		[FUTEX_KIND_SEM] = "sem",	[FUTEX_KIND_JOIN] = "join",
		[FUTEX_KIND_WAITV] = "waitv",
	};

	return word(names, ARRAY_LEN(names), kind);
}

const char *socket_role_name(enum socket_role role)
{
	static const char *const names[SOCKET_ROLE_CNT] = {
		[SOCKET_UNCONNECTED] = "unconnected",
		[SOCKET_LISTENING] = "listening",
		[SOCKET_SERVER] = "server",
		[SOCKET_CLIENT] = "client",
	};

	return word(names, ARRAY_LEN(names), role);
}

bool profile_object__is_valid(const struct profile_object *o)
{
	return o->kind != OBJECT_NONE && o->kind < OBJECT_KIND_CNT && o->futex < FUTEX_KIND_CNT &&
	       !o->futex == (o->kind != OBJECT_FUTEX) && o->role < SOCKET_ROLE_CNT &&
	       ((o->kind != OBJECT_CHILD && o->kind != OBJECT_PIDFD) || o->family < CHILD_ID_CNT) &&
	       o->port <= 0xffff && o->more <= 255 && !o->pad;
}
