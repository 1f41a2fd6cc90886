/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Objects of waits: from the arguments of a system call to an id. Everything is read without locks
 * and may be stale; a wrong read gives a wrong name in a sum, never a fault.
 */
#include "lib/filter.bpf.h"
#include "lib/futex.bpf.h"
#include "lib/mapping.bpf.h"
#include "lib/object/object.bpf.h"
#include "lib/object/object_file.bpf.h"
#include "lib/object/object_lock.bpf.h"
#include "lib/owner.bpf.h"
#include "lib/object/socket.bpf.h"

/* Descriptors of a poll that are checked for the first one to show. */
#define POLL_FDS (SIGHT_SZ / 8)
#define SELECT_WORDS (SIGHT_SZ / 4)
#define MORE_MAX 255

static __always_inline void see_socket(struct object_probe *s, struct file *file)
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

static __always_inline void see_named(struct object_probe *s, const struct inode *inode, u8 kind)
{
	s->key.kind = kind;
	s->key.at = BPF_CORE_READ(inode, i_ino);
	s->key.dev = BPF_CORE_READ(inode, i_sb, s_dev);
}

static __always_inline bool see_fd(struct object_probe *s, u32 fd)
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
		/*
		 * They share an inode: their operations distinguish them, and the process and
		 * descriptor.
		 */
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

/* What the faulting page is mapped from. */
static __always_inline bool see_mapped(struct object_probe *s)
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

/* struct pollfd: a descriptor, and two short numbers. poll() ignores negative descriptors. */
static __always_inline bool see_poll(struct object_probe *s)
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

/* A global function, because the loop has 32 iterations, each calling it twice. */
__noinline u32 bits_of(u32 x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101U >> 24;
}

/* The first descriptor waited for in the set to read. */
static __always_inline bool see_select(struct object_probe *s)
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

static __always_inline bool see_futex(struct object_probe *s, u64 addr, u8 kind)
{
	s->key.kind = CS_OBJECT_FUTEX;
	s->key.futex = kind;
	s->key.at = base_of_futex(addr, kind);
	s->key.image = s->image;
	return true;
}

static __always_inline bool see(struct object_probe *s)
{
	u64 waited;

	/* Whatever the call operates on: it cannot continue without this. */
	if (s->lock)
		return lock_see(s);
	/* A system call may touch a missing page. */
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

__noinline u64 probe_address(const struct object_probe *s)
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

static __always_inline void tell_socket(const struct object_probe *s, struct cs_object *o)
{
	const struct sock *sk = (const void *)s->sock;
	struct pid *pid;

	if (s->key.family != AF_UNIX)
		return;
	if (s->key.role != CS_ROLE_NONE)
		o->path_len = read_unix_name(o, (const struct unix_address *)s->key.at);
	pid = BPF_CORE_READ(sk, sk_peer_pid);
	/* The process that created the listening socket; there are many that connect. */
	if (pid && s->key.role == CS_ROLE_CLIENT)
		o->pid = cfg.pidns_inum ? pid_in_namespace(pid) :
					  (u32)BPF_CORE_READ(pid, numbers[0].nr);
}

static __always_inline void tell_name(const struct object_probe *s, struct cs_object *o)
{
	struct file *file = (struct file *)s->file;
	long n = bpf_probe_read_kernel_str(o->path, CS_OBJECT_PATH_SZ,
					   BPF_CORE_READ(file, f_path.dentry, d_name.name));

	if (n > 0)
		o->path_len = n;
}

static __always_inline void tell(struct object_probe *s)
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

/* The current probe, as memory of its map. */
static __always_inline struct object_probe *probe_in_map(u32 walker)
{
	struct scratch *scr = probe_scratch(walker);

	return scr ? &scr->probe : NULL;
}

/*
 * A new id, unless another CPU was faster. 6.1 does not accept an argument of a global function as
 * a map value either, as it does not know what it points to.
 */
static __always_inline u32 keep(struct object_probe *s, const struct cs_object_key *key)
{
	struct object_probe *same = probe_in_map(s->walker);
	struct cs_object *known;
	long r;

	/* Describing it costs most. */
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

__noinline u32 object_find(struct object_probe *s)
{
	struct cs_object_key key = {};
	struct cs_object *known;

	if (!s)
		return 0;
	__builtin_memset(&s->key, 0, sizeof(s->key));
	s->child = 0;
	if (!see(s))
		return 0;
	/* 6.1 does not accept an argument of a global function as a map key. */
	key = s->key;
	key.kind |= object_side();
	known = bpf_map_lookup_elem(&objects, &key);
	if (!known)
		return keep(s, &key);
	if (known->pid != s->child &&
	    (s->key.kind == CS_OBJECT_CHILD || s->key.kind == CS_OBJECT_PIDFD))
		known->pid = 0; /* there are several */
	return known->id;
}
