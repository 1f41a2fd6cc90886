/* SPDX-License-Identifier: Apache-2.0 */
/* Text for objects and their owners. A label is for display and for filters, so it is stable. */
#include "analysis/name/object_label.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include "analysis/name/label.h"

struct text {
	char *buf;
	size_t sz;
	size_t len;
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->buf + t->len, t->sz - t->len, fmt, args);
	va_end(args);
	if (n > 0)
		t->len += (size_t)n < t->sz - t->len ? (size_t)n : t->sz - t->len - 1;
}

static const char *protocol_of(const struct profile_object *o, char *buf, size_t sz)
{
	if (o->family == AF_UNIX)
		return "unix";
	if (o->family == AF_NETLINK)
		return "netlink";
	if (o->family != AF_INET && o->family != AF_INET6) {
		snprintf(buf, sz, "socket of family %u", o->family);
		return buf;
	}
	if (o->protocol == IPPROTO_TCP)
		return "tcp";
	if (o->protocol == IPPROTO_UDP)
		return "udp";
	snprintf(buf, sz, "ip protocol %u", o->protocol);
	return buf;
}

static void put_inet(struct text *t, const struct profile_object *o, const char *name)
{
	bool v6 = strchr(name, ':');

	switch (o->role) {
	case SOCKET_LISTENING:
		put(t, " listen :%u", o->port);
		break;
	case SOCKET_SERVER:
		put(t, " :%u%s%s", o->port, *name ? " from " : "", name);
		break;
	case SOCKET_CLIENT:
		put(t, v6 ? " [%s]:%u" : " %s:%u", name, o->port);
		break;
	default:
		put(t, " unconnected");
		break;
	}
}

static void put_socket(struct text *t, const struct profile *p, const struct profile_object *o)
{
	const char *name = profile__str(p, o->name);
	char buf[48];

	put(t, "%s", protocol_of(o, buf, sizeof(buf)));
	if (o->family == AF_INET || o->family == AF_INET6)
		put_inet(t, o, name);
	else if (!*name)
		put(t, ":[%llu]", o->ino);
	else
		put(t, "%s %s", o->role == SOCKET_LISTENING ? " listen" : "", name);
	if (o->family == AF_UNIX && *name && o->role == SOCKET_SERVER)
		put(t, " (server)");
}

static void put_futex(struct text *t, const struct profile *p, const struct profile_object *o)
{
	static const char *const words[FUTEX_KIND_CNT] = {
		[FUTEX_KIND_OTHER] = "futex",	       [FUTEX_KIND_LOCK] = "lock",
		[FUTEX_KIND_PI] = "pi lock",	       [FUTEX_KIND_RWLOCK] = "rwlock",
		[FUTEX_KIND_COND] = "condvar",	       [FUTEX_KIND_SEM] = "semaphore",
		[FUTEX_KIND_JOIN] = "end of a thread", [FUTEX_KIND_WAITV] = "futex",
	};
	const char *word = o->futex < FUTEX_KIND_CNT ? words[o->futex] : NULL;

	put(t, "%s ", word ? word : "futex");
	if (!o->name) {
		put(t, "0x%llx of %u", o->addr, o->tgid);
		return;
	}
	put(t, "%s", profile__str(p, o->name));
	if (o->name_off)
		put(t, "+0x%llx", o->name_off);
	put(t, " (%s)", label_basename(profile__str(p, o->file)));
}

static void put_child(struct text *t, const struct profile *p, const struct profile_object *o)
{
	const char *name = profile__str(p, o->name);

	switch (o->family) {
	case CHILD_PID:
		if (o->number)
			put(t, "child %u%s%s", o->number, *name ? " " : "", name);
		else if (*name)
			put(t, "children %s", name);
		else
			put(t, "a child of %u", o->tgid);
		break;
	case CHILD_GROUP:
		put(t, "children of %u in group %u", o->tgid, o->number);
		break;
	case CHILD_PIDFD:
		put(t, "child of %u by fd %u", o->tgid, o->number);
		break;
	default:
		put(t, "any child of %u", o->tgid);
		break;
	}
}

static void put_pidfd(struct text *t, const struct profile *p, const struct profile_object *o)
{
	const char *name = profile__str(p, o->name);

	if (o->family != CHILD_PID)
		put(t, "pidfd fd %u of %u", o->number, o->tgid);
	else if (o->number)
		put(t, "pidfd of %u%s%s", o->number, *name ? " " : "", name);
	else
		put(t, "pidfds of %s", name);
}

/*
 * "mmap_lock of 1234", "i_rwsem of /tmp/x", "mutex of pipe:[5]", "kernel lock rtnl_mutex",
 * "kernel mutex 0xffff888104fc2340".
 */
static void put_kernel_lock(struct text *t, const struct profile *p, const struct profile_object *o)
{
	const char *name = profile__str(p, o->name);

	if (o->addr)
		put(t, "kernel %s 0x%llx", name, o->addr);
	else if (o->tgid)
		put(t, "%s of %u", name, o->tgid);
	else if (o->file)
		put(t, "%s of %s", name, profile__str(p, o->file));
	else
		put(t, "kernel lock %s", name);
	if (o->name_off)
		put(t, "+0x%llx", o->name_off);
}

/* The process at the other end, with the direction of the data. */
static void put_peer(struct text *t, const struct profile *p, const struct profile_object *o)
{
	bool pipe = o->kind == OBJECT_PIPE || o->kind == OBJECT_FIFO;
	const char *way = pipe && o->number == PIPE_END_READ  ? "from" :
			  pipe && o->number == PIPE_END_WRITE ? "to" :
								"=";

	if (o->peer)
		put(t, " %s %s", way, profile__str(p, o->peer));
}

static void put_object(struct text *t, const struct profile *p, const struct profile_object *o,
		       bool with_device)
{
	const char *kind = object_kind_name((enum object_kind)o->kind);

	switch (o->kind) {
	case OBJECT_OTHER:
		put(t, "other objects");
		break;
	case OBJECT_FILE:
	case OBJECT_FIFO:
		put(t, "%s %s", kind, *profile__str(p, o->name) ? profile__str(p, o->name) : "?");
		if (o->file && with_device)
			put(t, " on %s", profile__str(p, o->file));
		break;
	case OBJECT_PIPE:
		put(t, "pipe:[%llu]", o->ino);
		break;
	case OBJECT_SOCKET:
		put_socket(t, p, o);
		break;
	case OBJECT_FUTEX:
		put_futex(t, p, o);
		break;
	case OBJECT_CHILD:
		put_child(t, p, o);
		break;
	case OBJECT_PIDFD:
		put_pidfd(t, p, o);
		break;
	case OBJECT_KERNEL_LOCK:
		put_kernel_lock(t, p, o);
		break;
	case OBJECT_LABEL:
		put(t, "%s", profile__str(p, o->name));
		break;
	default:
		put(t, "%s fd %u of %u", o->name ? profile__str(p, o->name) : kind, o->number,
		    o->tgid);
		break;
	}
}

static const char *label(const struct profile *p, u32 object, bool with_device, char *buf,
			 size_t sz)
{
	const struct profile_object *o = &p->objects[object];
	struct text t = { .buf = buf, .sz = sz };

	buf[0] = '\0';
	if (!object)
		return buf;
	put_object(&t, p, o, with_device);
	put_peer(&t, p, o);
	if (o->more)
		put(&t, " and %u%s more", o->more, o->more == 255 ? " or" : "");
	return buf;
}

const char *object_label(const struct profile *p, u32 object, char *buf, size_t sz)
{
	return label(p, object, true, buf, sz);
}

const char *object_label_without_device(const struct profile *p, u32 object, char *buf, size_t sz)
{
	return label(p, object, false, buf, sz);
}

static bool socket_says_something(const struct profile_object *o)
{
	if (o->family == AF_INET || o->family == AF_INET6)
		return o->role != SOCKET_UNCONNECTED;
	return o->name;
}

bool object_says_something(const struct profile *p, u32 object)
{
	const struct profile_object *o = &p->objects[object];

	if (!object || o->peer)
		return object;
	switch (o->kind) {
	case OBJECT_FILE:
	case OBJECT_FIFO:
	case OBJECT_FUTEX:
	case OBJECT_LABEL:
		return o->name;
	case OBJECT_SOCKET:
		return socket_says_something(o);
	case OBJECT_CHILD:
	case OBJECT_PIDFD:
		return o->family == CHILD_PID && (o->number || o->name);
	case OBJECT_KERNEL_LOCK:
		return !o->addr;
	default:
		return false;
	}
}

const char *owner_label(const struct profile *p, const struct profile_wait *w, char *buf, size_t sz)
{
	buf[0] = '\0';
	if (w->owner && profile_header__is_of_tasks(&p->hdr)) /* all that began alike */
		snprintf(buf, sz, "%s", profile__str(p, p->tasks[w->owner].comm));
	else if (w->owner)
		snprintf(buf, sz, "%s/%u", profile__str(p, p->tasks[w->owner].comm), w->owner_tid);
	else if (w->owner_tid)
		snprintf(buf, sz, "%u", w->owner_tid);
	return buf;
}
