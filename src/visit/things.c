/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link of a descriptor says what it is: "socket:[8812]", "pipe:[77]", "anon_inode:[eventpoll]",
 * or a path. A socket's addresses are in a table of its network namespace, which may be long, so it
 * is read at most once a second, and only for an inode that is new.
 */
#include "visit/things.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "capture/feature/call_kinds.h"
#include "capture/mapping/kernel_dev.h"
#include "capture/object/anon_kind.h"
#include "proc/sockets.h"
#include "visit/futex.h"
#include "visit/proc_files.h"

#define SOCKETS_EVERY_NS NSEC_PER_SEC
#define SOCKETS_MAX_SZ (16UL << 20)
#define POLL_FDS 4
#define SELECT_WORDS 8
#define MORE_MAX 255

int things__init(struct things *t, int root_fd)
{
	*t = (struct things){ .root_fd = root_fd };
	vec__init(&t->places, sizeof(struct thing_place));
	vec__init(&t->in_builder, sizeof(u32));
	map64__init(&t->sockets);
	call_kinds_fill(t->kinds);
	if (intern__init(&t->objects, sizeof(struct profile_object),
			 sizeof(struct profile_object)) ||
	    strtab__init(&t->names) || !vec__push(&t->places))
		return -ENOMEM;
	return 0;
}

void things__done(struct things *t)
{
	if (!t || !t->places.elem_sz)
		return;
	intern__done(&t->objects);
	strtab__done(&t->names);
	vec__done(&t->places);
	vec__done(&t->in_builder);
	map64__done(&t->sockets);
}

static int add(struct things *t, const struct profile_object *o, u32 *ret)
{
	int r = intern__add(&t->objects, o, ret);

	if (!r && *ret >= t->places.len && !vec__push(&t->places))
		r = -ENOMEM;
	return r;
}

static int name(struct things *t, const char *text, u32 *ret)
{
	return strtab__add(&t->names, text, ret);
}

/* A server's own port is the service, a client's is any. */
static void take_role(struct profile_object *o, const struct socket_line *s,
		      const struct map64 *listening)
{
	u64 any;

	if (s->is_listening) {
		o->role = SOCKET_LISTENING;
		o->port = s->port;
	} else if (!s->peer_port) {
		o->role = SOCKET_UNCONNECTED;
	} else if (map64__get(listening, s->port, &any)) {
		o->role = SOCKET_SERVER;
		o->port = s->port;
	} else {
		o->role = SOCKET_CLIENT;
		o->port = s->peer_port;
	}
}

static const u8 v4_prefix[12] = { [10] = 0xff, [11] = 0xff };

static int take_inet(struct things *t, const struct socket_line *s, enum socket_file file,
		     const struct map64 *listening, struct profile_object *o)
{
	bool v6 = file == SOCKETS_TCP6 || file == SOCKETS_UDP6;
	bool mapped = v6 && !memcmp(s->peer, v4_prefix, sizeof(v4_prefix));
	char text[INET6_ADDRSTRLEN] = "";

	o->family = v6 ? AF_INET6 : AF_INET;
	o->type = file <= SOCKETS_TCP6 ? SOCK_STREAM : SOCK_DGRAM;
	o->protocol = file <= SOCKETS_TCP6 ? IPPROTO_TCP : IPPROTO_UDP;
	take_role(o, s, listening);
	if (s->peer_port)
		inet_ntop(v6 && !mapped ? AF_INET6 : AF_INET, s->peer + (mapped ? 12 : 0), text,
			  sizeof(text));
	return name(t, text, &o->name);
}

static int take_socket(struct things *t, const struct socket_line *s, enum socket_file file,
		       const struct map64 *listening)
{
	struct profile_object o = { .kind = OBJECT_SOCKET };
	u32 id;
	int r;

	if (file == SOCKETS_UNIX) {
		o.family = AF_UNIX;
		o.type = s->type;
		o.role = s->is_listening ? SOCKET_LISTENING :
			 *s->path	 ? SOCKET_SERVER :
					   SOCKET_UNCONNECTED;
		o.ino = *s->path ? 0 : s->ino;
		r = name(t, s->path, &o.name);
	} else {
		r = take_inet(t, s, file, listening, &o);
	}
	if (!r)
		r = add(t, &o, &id);
	return r ? r : map64__set(&t->sockets, s->ino, id);
}

static int find_listening(struct view text, enum socket_file file, struct map64 *ret)
{
	struct socket_line s;
	int r = 0;

	while (!r && socket_line__next(&text, file, &s))
		if (s.is_listening)
			r = map64__set(ret, s.port, 1);
	return r;
}

/* The sockets of the network namespace of a process. -ENOMEM or 0. */
static int read_sockets(struct things *t, u32 tgid)
{
	static const char *const names[] = { "tcp", "tcp6", "udp", "udp6", "unix" };
	struct map64 listening;
	int r = 0;

	map64__init(&listening);
	for (u32 i = 0; !r && i < ARRAY_LEN(names); i++) {
		char path[64], *text;
		struct socket_line s;
		struct view rest;
		size_t sz;

		snprintf(path, sizeof(path), "/proc/%u/net/%s", tgid, names[i]);
		if (file_read(path, SOCKETS_MAX_SZ, &text, &sz, NULL))
			continue;
		rest = view__of(text, sz);
		r = find_listening(rest, (enum socket_file)i, &listening);
		while (!r && socket_line__next(&rest, (enum socket_file)i, &s))
			r = take_socket(t, &s, (enum socket_file)i, &listening);
		mem_free(text);
	}
	map64__done(&listening);
	return r;
}

static int find_socket(struct things *t, u32 tgid, u64 ino, u32 *ret)
{
	u64 now = clock_mono_ns(), id;
	int r = 0;

	if (!map64__get(&t->sockets, ino, &id) && now - t->sockets_read_ns > SOCKETS_EVERY_NS) {
		t->sockets_read_ns = now;
		r = read_sockets(t, tgid);
	}
	*ret = map64__get(&t->sockets, ino, &id) ? (u32)id : 0;
	return r;
}

static int take_anon(struct things *t, u32 tgid, u32 fd, const char *text, u32 *ret)
{
	struct profile_object o = { .kind = anon_kind(text), .number = fd, .tgid = tgid };
	int r = 0;

	if (o.kind == OBJECT_ANON)
		r = name(t, text, &o.name);
	return r ? r : add(t, &o, ret);
}

static u32 ends_of_flags(u32 flags)
{
	switch (flags & O_ACCMODE) {
	case O_RDONLY:
		return PIPE_END_READ;
	case O_WRONLY:
		return PIPE_END_WRITE;
	default:
		return PIPE_END_BOTH;
	}
}

/* "flags:\t0100001" of fdinfo, in octal: the last digit has the access mode. */
static u32 ends_of(const struct things *t, u32 tgid, u32 fd)
{
	struct view text, line, key;
	char path[64], buf[256];

	snprintf(path, sizeof(path), "%u/fdinfo/%u", tgid, fd);
	if (!proc_text_read(t->root_fd, path, buf, sizeof(buf), &text))
		return PIPE_END_NONE;
	while (view__line(&text, &line)) {
		u32 digit;

		if (!view__token(&line, &key) || !view__eq(&key, "flags:"))
			continue;
		view__blank(&line);
		digit = (u32)(view__dec(&line) % 10);
		return line.bad ? PIPE_END_NONE : ends_of_flags(digit);
	}
	return PIPE_END_NONE;
}

static int take_path(struct things *t, u32 tgid, u32 fd, const char *link, const char *text,
		     u32 *ret)
{
	struct profile_object o = { .kind = OBJECT_FILE };
	struct stat st;
	int r;

	if (fstatat(t->root_fd, link, &st, 0))
		return 0;
	if (S_ISFIFO(st.st_mode)) {
		o.kind = OBJECT_FIFO;
		o.number = ends_of(t, tgid, fd);
	}
	o.dev = kernel_dev_make(major(st.st_dev), minor(st.st_dev));
	o.ino = st.st_ino;
	r = name(t, text, &o.name);
	return r ? r : add(t, &o, ret);
}

static u64 number_in(const char *text)
{
	struct view v = view__of_str(text + strcspn(text, "["));

	view__accept(&v, '[');
	return view__dec(&v);
}

static int find_fd(struct things *t, u32 tgid, u32 fd, u32 *ret)
{
	struct profile_object pipe = { .kind = OBJECT_PIPE };
	char link[64], text[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "%u/fd/%u", tgid, fd);
	n = readlinkat(t->root_fd, link, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (!strncmp(text, "socket:[", 8))
		return find_socket(t, tgid, number_in(text), ret);
	if (!strncmp(text, "anon_inode:", 11))
		return take_anon(t, tgid, fd, text + 11, ret);
	if (*text == '/')
		return take_path(t, tgid, fd, link, text, ret);
	if (strncmp(text, "pipe:[", 6) != 0)
		return 0;
	pipe.ino = number_in(text);
	pipe.number = ends_of(t, tgid, fd);
	return add(t, &pipe, ret);
}

/* The same object, waited for with others. */
static int with_more(struct things *t, u64 others, u32 *object)
{
	struct profile_object o;

	if (!*object || !others)
		return 0;
	o = *(const struct profile_object *)intern__at(&t->objects, *object);
	o.more = others > MORE_MAX ? MORE_MAX : (u32)others;
	return add(t, &o, object);
}

static int find_poll(struct things *t, struct process *p, const struct thread_call *c, u32 *ret)
{
	struct pollfd fds[POLL_FDS];
	u64 len = c->args[1], n = len < POLL_FDS ? len : POLL_FDS;
	int r = 0;

	if (!n || !process__read(p, c->args[0], fds, n * sizeof(fds[0])))
		return 0;
	for (u64 i = 0; i < n; i++) {
		if (fds[i].fd < 0)
			continue;
		r = find_fd(t, p->tgid, (u32)fds[i].fd, ret);
		return r ? r : with_more(t, len - i - 1, ret);
	}
	return 0;
}

static int find_select(struct things *t, struct process *p, const struct thread_call *c, u32 *ret)
{
	u32 set[SELECT_WORDS] = { 0 }, cnt = 0, first = 0;
	int r;

	if (!c->args[1] || !process__read(p, c->args[1], set, sizeof(set)))
		return 0;
	for (u32 i = 0; i < SELECT_WORDS * 32 && i < c->args[0]; i++) {
		if (!(set[i / 32] >> i % 32 & 1))
			continue;
		if (!cnt++)
			first = i;
	}
	if (!cnt)
		return 0;
	r = find_fd(t, p->tgid, first, ret);
	return r ? r : with_more(t, cnt - 1, ret);
}

/* The file whose data contains an address: its variables have names. */
static int find_place(struct things *t, struct process *p, u64 addr, u32 object)
{
	struct thing_place *place = vec__at(&t->places, object);
	const struct map_range *range;

	if (place->is_known)
		return 0;
	place->is_known = true;
	range = process__data(p, addr, &place->off);
	return range ? code_files__find(p->files, p->tgid, range, &place->file) : 0;
}

static int find_futex(struct things *t, struct process *p, const struct thread_call *c,
		      struct thing *ret)
{
	struct futex_call f = { c->args[0], (u32)c->args[1], (u32)c->args[2], .sp = c->sp };
	struct profile_object o = { .kind = OBJECT_FUTEX, .tgid = p->tgid };
	enum futex_kind kind;
	int r;

	f.has_words = process__read(p, f.addr - 8, f.words, sizeof(f.words));
	kind = futex_kind_of(&f);
	o.futex = kind;
	o.addr = futex_base(&f, kind);
	ret->owner_tid = futex_owner_of(&f);
	r = add(t, &o, &ret->object);
	return r ? r : find_place(t, p, o.addr, ret->object);
}

/* struct futex_waitv: value, address, flags. */
static int find_waitv(struct things *t, struct process *p, const struct thread_call *c, u32 *ret)
{
	struct profile_object o = { .kind = OBJECT_FUTEX, .futex = FUTEX_KIND_WAITV };
	u64 first[2];
	int r;

	if (!process__read(p, c->args[0], first, sizeof(first)))
		return 0;
	o.tgid = p->tgid;
	o.addr = first[1];
	r = add(t, &o, ret);
	return r ? r : with_more(t, c->args[1] ? c->args[1] - 1 : 0, ret);
}

/* wait4(): a PID, a group, or any child; waitid() has the kind of its number apart. */
static int find_child(struct things *t, u32 tgid, s64 kind, s32 number, u32 *ret)
{
	struct profile_object o = { .kind = OBJECT_CHILD, .tgid = tgid };

	o.family = kind >= 0 && kind < CHILD_ID_CNT ? (u32)kind : CHILD_ANY;
	o.number = o.family == CHILD_ANY ? 0 : (u32)number;
	return add(t, &o, ret);
}

static int find_wait4(struct things *t, u32 tgid, s32 pid, u32 *ret)
{
	if (pid > 0)
		return find_child(t, tgid, CHILD_PID, pid, ret);
	return find_child(t, tgid, pid == -1 ? CHILD_ANY : CHILD_GROUP, -pid, ret);
}

int things__find(struct things *t, struct process *p, const struct thread_call *c,
		 struct thing *ret)
{
	u32 kind = c->sysno >= 0 && c->sysno < CS_CALLS_LEN ? t->kinds[c->sysno] : CS_CALL_NONE;

	*ret = (struct thing){ 0 };
	switch (kind) {
	case CS_CALL_FD:
		return find_fd(t, p->tgid, (u32)c->args[0], &ret->object);
	case CS_CALL_FUTEX:
		return find_futex(t, p, c, ret);
	case CS_CALL_FUTEX_WAITV:
		return find_waitv(t, p, c, &ret->object);
	case CS_CALL_POLL:
		return find_poll(t, p, c, &ret->object);
	case CS_CALL_SELECT:
		return find_select(t, p, c, &ret->object);
	case CS_CALL_WAIT4:
		return find_wait4(t, p->tgid, (s32)c->args[0], &ret->object);
	case CS_CALL_WAITID:
		return find_child(t, p->tgid, (s32)c->args[0], (s32)c->args[1], &ret->object);
	default:
		return 0;
	}
}

int things__begin(struct things *t)
{
	vec__reset(&t->in_builder);
	return vec__push_n(&t->in_builder, intern__len(&t->objects)) ? 0 : -ENOMEM;
}

/* The name of the variable that a futex is. */
static int give_variable(const struct thing_place *place, const struct code_files *cf,
			 const struct capture_files *files, struct builder *b,
			 struct profile_object *o)
{
	struct object_variable variable;
	const struct code_file *f;
	int r;

	if (!place->file)
		return 0;
	f = code_files__at(cf, place->file);
	if (!files->variable(files->arg, &f->file, f->path, place->off, &variable))
		return 0;
	o->addr = place->off;
	/* of a condition variable this is the part that threads sleep on */
	o->name_off = o->futex == FUTEX_KIND_COND ? 0 : variable.off;
	r = builder__str(b, variable.name, &o->name);
	return r ? r : builder__str(b, f->path, &o->file);
}

int things__give(struct things *t, const struct code_files *cf, const struct capture_files *files,
		 u32 object, struct builder *b, u32 *ret)
{
	u32 *known = vec__at(&t->in_builder, object);
	struct profile_object o;
	int r;

	*ret = *known;
	if (!object || *known)
		return 0;
	o = *(const struct profile_object *)intern__at(&t->objects, object);
	r = builder__str(b, strtab__get(&t->names, o.name), &o.name);
	if (!r && o.kind == OBJECT_FUTEX)
		r = give_variable(vec__at(&t->places, object), cf, files, b, &o);
	if (!r)
		r = builder__object(b, &o, ret);
	*known = *ret;
	return r;
}
