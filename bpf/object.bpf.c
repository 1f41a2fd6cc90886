/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Objects that threads wait for: from the arguments of a system call to an id. Everything is read
 * without locks and may be gone or another's by now; what is read wrong is a wrong name in a sum,
 * never a fault.
 */
#include "lib/filter.bpf.h"
#include "lib/futex.bpf.h"
#include "lib/mapping.bpf.h"
#include "lib/object.bpf.h"
#include "lib/object_file.bpf.h"
#include "lib/object_lock.bpf.h"
#include "lib/owner.bpf.h"
#include "lib/socket.bpf.h"

/* Of which a poll shows the first that is one. */
#define POLL_FDS (SIGHT_SZ / 8)
#define SELECT_WORDS (SIGHT_SZ / 4)
#define MORE_MAX 255

static __always_inline void see_socket(struct object_sight *s, struct file *file)
{
	struct socket *sock = BPF_CORE_READ(file, private_data);
	const struct sock *sk = BPF_CORE_READ(sock, sk);

	s->sock = (u64)sk;
	s->key.kind = CS_OBJECT_SOCKET;
	s->key.family = BPF_CORE_READ(sk, __sk_common.skc_family);
	s->key.type = BPF_CORE_READ(sk, sk_type);
	s->key.protocol = BPF_CORE_READ(sk, sk_protocol);
	if (s->key.family == AF_INET || s->key.family == AF_INET6)
		see_inet(s, sk);
	else
		s->key.at = BPF_CORE_READ(file, f_inode, i_ino);
	if (s->key.family == AF_UNIX)
		see_unix(s, sk);
}

static __always_inline void see_named(struct object_sight *s, const struct inode *inode, u8 kind)
{
	s->key.kind = kind;
	s->key.at = BPF_CORE_READ(inode, i_ino);
	s->key.dev = BPF_CORE_READ(inode, i_sb, s_dev);
}

static __always_inline bool see_fd(struct object_sight *s, u32 fd)
{
	struct file *file = file_of_fd((struct task_struct *)s->task, fd);
	struct inode *inode;
	u64 magic;
	u32 type;

	if (!file)
		return false;
	s->file = (u64)file;
	s->dentry = 0;
	inode = BPF_CORE_READ(file, f_inode);
	type = BPF_CORE_READ(inode, i_mode) & S_IFMT;
	if (type == S_IFSOCK) {
		see_socket(s, file);
		return true;
	}
	magic = BPF_CORE_READ(inode, i_sb, s_magic);
	if (magic == ANON_INODE_FS_MAGIC) {
		/* They share an inode: what they do tells them apart, and who has them where. */
		s->key.kind = CS_OBJECT_ANON;
		s->key.number = fd;
		s->key.image = s->image;
		s->key.at = (u64)BPF_CORE_READ(file, f_op);
		return true;
	}
	if (magic == PIDFS_MAGIC)
		return pidfd_see(s, fd);
	see_named(s, inode,
		  type != S_IFIFO	? CS_OBJECT_FILE :
		  magic == PIPEFS_MAGIC ? CS_OBJECT_PIPE :
					  CS_OBJECT_FIFO);
	if (type == S_IFIFO)
		s->key.role = BPF_CORE_READ(file, f_mode) & CS_END_BOTH;
	return true;
}

/* What the page of a fault is mapped from. */
static __always_inline bool see_mapped(struct object_sight *s)
{
	struct file *file = (struct file *)s->file;

	if (!file)
		return false;
	s->dentry = 0;
	see_named(s, BPF_CORE_READ(file, f_inode), CS_OBJECT_FILE);
	return true;
}

static __always_inline u8 more_of(u64 len)
{
	return len > MORE_MAX ? MORE_MAX : len ? len - 1 : 0;
}

/* struct pollfd: a descriptor, and two short numbers. Negative ones are left out by poll(). */
static __always_inline bool see_poll(struct object_sight *s)
{
	u64 len = s->arg[1];
	u32 i;

	if (!s->has_memory)
		return false;
	for (i = 0; i < POLL_FDS; i++) {
		if (i >= len)
			return false;
		if ((s32)s->memory[2 * i] < 0)
			continue;
		s->key.more = more_of(len - i);
		return see_fd(s, s->memory[2 * i]);
	}
	return false;
}

/* A global function, for the loop is of 32 turns with two of them. */
__noinline u32 bits_of(u32 x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101U >> 24;
}

/* The first descriptor that is waited for with something to read. */
static __always_inline bool see_select(struct object_sight *s)
{
	u32 i, cnt = 0, fd = ~0U;

	if (!s->has_memory)
		return false;
	for (i = 0; i < SELECT_WORDS; i++) {
		u32 word = s->memory[i];

		if (i * 32 >= s->arg[0])
			break;
		if (word && !~fd)
			fd = i * 32 + bits_of((word & -word) - 1);
		cnt += bits_of(word);
	}
	if (!~fd)
		return false;
	s->key.more = more_of(cnt);
	return see_fd(s, fd);
}

static __always_inline bool see_futex(struct object_sight *s, u64 addr, u8 kind)
{
	s->key.kind = CS_OBJECT_FUTEX;
	s->key.futex = kind;
	s->key.at = base_of_futex(addr, kind);
	s->key.image = s->image;
	return true;
}

static __always_inline bool see(struct object_sight *s)
{
	u64 waited;

	/* Whatever the call is about: it cannot go on without this. */
	if (s->lock)
		return lock_see(s);
	/* A system call may touch memory whose page is not there. */
	if (s->is_iowait && fault_see(s))
		return see_mapped(s);
	switch (s->call) {
	case CS_CALL_FD:
		return see_fd(s, s->arg[0]);
	case CS_CALL_FUTEX:
		return see_futex(s, s->arg[0], kind_of_futex(s));
	case CS_CALL_FUTEX_WAITV:
		/* struct futex_waitv: value, address, flags. */
		waited = s->memory[2] | (u64)s->memory[3] << 32;
		s->key.more = more_of(s->arg[1]);
		return s->has_memory && see_futex(s, waited, CS_FUTEX_WAITV);
	case CS_CALL_POLL:
		return see_poll(s);
	case CS_CALL_SELECT:
		return see_select(s);
	case CS_CALL_WAIT4:
	case CS_CALL_WAITID:
		return child_see(s);
	default:
		return false;
	}
}

__noinline u64 sight_address(const struct object_sight *s)
{
	if (!s)
		return 0;
	switch (s->call) {
	case CS_CALL_FUTEX:
		return s->arg[0] - 8;
	case CS_CALL_FUTEX_WAITV:
	case CS_CALL_POLL:
		return s->arg[0];
	case CS_CALL_SELECT:
		return s->arg[1];
	default:
		return 0;
	}
}

static __always_inline void tell_socket(const struct object_sight *s, struct cs_object *o)
{
	const struct sock *sk = (const void *)s->sock;
	struct pid *pid;

	if (s->key.family != AF_UNIX)
		return;
	if (s->key.role != CS_ROLE_NONE)
		o->path_len = read_unix_name(o, (const struct unix_address *)s->key.at);
	pid = BPF_CORE_READ(sk, sk_peer_pid);
	/* Who made the listening socket; of those that connect there are many. */
	if (pid && s->key.role == CS_ROLE_CLIENT)
		o->pid = cfg.pidns_inum ? pid_in_namespace(pid) :
					  (u32)BPF_CORE_READ(pid, numbers[0].nr);
}

static __always_inline void tell_name(const struct object_sight *s, struct cs_object *o)
{
	struct file *file = (struct file *)s->file;
	long n = bpf_probe_read_kernel_str(o->path, CS_OBJECT_PATH_SZ,
					   BPF_CORE_READ(file, f_path.dentry, d_name.name));

	if (n > 0)
		o->path_len = n;
}

static __always_inline void tell(struct object_sight *s)
{
	struct task_struct *task = (struct task_struct *)s->task;
	struct cs_object *o = &s->fresh;

	o->tgid = s->tgid;
	o->pid = s->child;
	o->path_len = 0;
	o->module.ino = 0;
	o->module.dev = 0;
	o->module.generation = 0;
	o->module_off = 0;
	switch (s->key.kind) {
	case CS_OBJECT_FILE:
	case CS_OBJECT_FIFO:
		tell_path(s, o);
		break;
	case CS_OBJECT_ANON:
		tell_name(s, o);
		break;
	case CS_OBJECT_SOCKET:
		tell_socket(s, o);
		break;
	case CS_OBJECT_FUTEX:
		o->module_off = map_file_place((u64)BPF_CORE_READ(task, mm), s->key.at, s->walker,
					       &o->module);
		break;
	case CS_OBJECT_LOCK:
		lock_tell(s);
		break;
	default:
		break;
	}
}

/* The sight that is being looked at, as memory of its map. */
static __always_inline struct object_sight *sight_in_map(u32 walker)
{
	struct scratch *scr = sight_scratch(walker);

	return scr ? &scr->sight : NULL;
}

/*
 * A number of its own, unless another CPU was faster. 6.1 takes no argument of a global function as
 * the value of a map either, as it does not know what it points to.
 */
static __always_inline u32 keep(struct object_sight *s, const struct cs_object_key *key)
{
	struct object_sight *same = sight_in_map(s->walker);
	struct cs_object *known;
	long r;

	/* To describe it costs the most. */
	if (!same || control.objects_full)
		return CS_OBJECT_OTHER;
	tell(s);
	same->fresh.id = __sync_fetch_and_add((u32 *)&control.next_object_id, 1);
	r = bpf_map_update_elem(&objects, key, &same->fresh, BPF_NOEXIST);
	if (!r)
		return same->fresh.id;
	if (r == -E2BIG)
		control.objects_full = 1;
	known = r == -EEXIST ? bpf_map_lookup_elem(&objects, key) : NULL;
	return known ? known->id : CS_OBJECT_OTHER;
}

__noinline u32 object_find(struct object_sight *s)
{
	struct cs_object_key key = {};
	struct cs_object *known;

	if (!s)
		return 0;
	__builtin_memset(&s->key, 0, sizeof(s->key));
	s->child = 0;
	if (!see(s))
		return 0;
	/* 6.1 takes no argument of a global function as the key of a map. */
	key = s->key;
	known = bpf_map_lookup_elem(&objects, &key);
	if (!known)
		return keep(s, &key);
	if (known->pid != s->child && (key.kind == CS_OBJECT_CHILD || key.kind == CS_OBJECT_PIDFD))
		known->pid = 0; /* there are several */
	return known->id;
}
