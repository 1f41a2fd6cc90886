/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Objects that threads wait for: from the arguments of a system call to an id. Everything is read
 * without locks and may be gone or another's by now; what is read wrong is a wrong name in a sum,
 * never a fault.
 */
#include <bpf/bpf_endian.h>

#include "lib/filter.bpf.h"
#include "lib/mapping.bpf.h"
#include "lib/object.bpf.h"
#include "lib/object_file.bpf.h"
#include "lib/object_lock.bpf.h"
#include "lib/owner.bpf.h"

#define E2BIG 7
#define EEXIST 17
/* Of which a poll shows the first that is one. */
#define POLL_FDS (SIGHT_SZ / 8)
#define SELECT_WORDS (SIGHT_SZ / 4)
#define MORE_MAX 255
/* pthread_cond_t of glibc, 2.25 to 2.42: one waiter in its count, and the words they sleep on. */
#define COND_WAITER 8
#define COND_FIRST_AT 40
#define COND_SECOND_AT 44

static __always_inline u8 role_of_inet(const struct sock *sk, const struct object_sight *s)
{
	const struct inet_connection_sock *icsk = (const void *)sk;
	struct inet_bind_bucket *bucket;

	if (s->key.protocol == IPPROTO_TCP && s->key.type == SOCK_STREAM) {
		if (BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_LISTEN)
			return CS_ROLE_LISTENING;
		bucket = BPF_CORE_READ(icsk, icsk_bind_hash);
		return bucket && BPF_CORE_READ(bucket, fastreuse) >= 0 ? CS_ROLE_SERVER :
									 CS_ROLE_CLIENT;
	}
	return BPF_CORE_READ_BITFIELD_PROBED(sk, sk_userlocks) & SOCK_BINDPORT_LOCK ?
		       CS_ROLE_SERVER :
		       CS_ROLE_CLIENT;
}

/*
 * Of two ports one was chosen by the kernel and another at each connection: it is left out, and so
 * there are no more objects than there are services and hosts.
 */
static __always_inline void see_inet(struct object_sight *s, const struct sock *sk)
{
	u32 own = BPF_CORE_READ(sk, __sk_common.skc_num);
	u32 peer = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	u32 addr;

	s->key.role = role_of_inet(sk, s);
	s->key.dev = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	if (s->key.role == CS_ROLE_LISTENING) {
		s->key.number = own << 16;
		return;
	}
	if (s->key.role == CS_ROLE_CLIENT && !peer)
		s->key.role = CS_ROLE_NONE;
	s->key.number = s->key.role == CS_ROLE_SERVER ? own << 16 : peer;
	if (s->key.family == AF_INET) {
		addr = BPF_CORE_READ(sk, __sk_common.skc_daddr);
		__builtin_memcpy(s->key.peer, &addr, sizeof(addr));
	} else if (bpf_core_field_exists(sk->__sk_common.skc_v6_daddr)) {
		bpf_core_read(s->key.peer, sizeof(s->key.peer), &sk->__sk_common.skc_v6_daddr);
	}
}

/* All sockets of one service have one address in memory; a pair has none. */
static __always_inline void see_unix(struct object_sight *s, const struct sock *sk)
{
	const struct unix_sock *u = (const void *)sk;
	u64 addr = (u64)BPF_CORE_READ(u, addr);
	struct sock *peer = BPF_CORE_READ(u, peer);

	s->key.role = BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_LISTEN ? CS_ROLE_LISTENING :
		      addr						     ? CS_ROLE_SERVER :
									       CS_ROLE_NONE;
	if (!addr && peer) {
		addr = (u64)BPF_CORE_READ((const struct unix_sock *)(const void *)peer, addr);
		s->key.role = addr ? CS_ROLE_CLIENT : CS_ROLE_NONE;
	}
	if (addr)
		s->key.at = addr;
}

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

static __always_inline bool see_fd(struct object_sight *s, u32 fd)
{
	struct file *file = file_of_fd(s, fd);
	struct inode *inode;
	struct super_block *sb;
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
	sb = BPF_CORE_READ(inode, i_sb);
	magic = BPF_CORE_READ(sb, s_magic);
	if (magic == ANON_INODE_FS_MAGIC) {
		/* They share an inode: what they do tells them apart, and who has them where. */
		s->key.kind = CS_OBJECT_ANON;
		s->key.number = fd;
		s->key.image = s->image;
		s->key.at = (u64)BPF_CORE_READ(file, f_op);
		return true;
	}
	s->key.kind = type != S_IFIFO	    ? CS_OBJECT_FILE :
		      magic == PIPEFS_MAGIC ? CS_OBJECT_PIPE :
					      CS_OBJECT_FIFO;
	s->key.at = BPF_CORE_READ(inode, i_ino);
	s->key.dev = BPF_CORE_READ(sb, s_dev);
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

static __always_inline u32 bits_of(u32 x)
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

/* The words around it while somebody waits; s->memory begins 8 bytes before it. */
static __always_inline u8 kind_of_word(const struct object_sight *s)
{
	bool second = s->arg[0] & 7;
	u32 waiters = second ? s->memory[0] : s->memory[1];

	if (!s->has_memory)
		return CS_FUTEX_OTHER;
	if (!second && !s->memory[3] && waiters < COND_WAITER)
		return CS_FUTEX_OTHER; /* a barrier, or a word of the program's own */
	/* sem_t: its value, and how many wait; pthread_cond_t: g_signals[] behind wrefs. */
	if (!second && s->memory[3] && s->memory[3] <= GLIBC_NUSERS_MAX)
		return CS_FUTEX_SEM;
	return waiters >= COND_WAITER ? CS_FUTEX_COND : CS_FUTEX_OTHER;
}

static __always_inline u8 kind_of_futex(const struct object_sight *s)
{
	u32 op = s->arg[1], val = s->arg[2];

	switch (FUTEX_CMD(op)) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return CS_FUTEX_PI;
	case FUTEX_WAIT_REQUEUE_PI:
		return CS_FUTEX_OTHER;
	case FUTEX_WAIT_BITSET:
		if (val == GLIBC_RWLOCK_WRITER)
			return CS_FUTEX_RWLOCK;
		if (futex_is_join(op, val))
			return CS_FUTEX_JOIN;
		break;
	case FUTEX_WAIT:
		break;
	default:
		return CS_FUTEX_OTHER;
	}
	if (val == GLIBC_LOCK_WAITED || val & FUTEX_WAITERS)
		return CS_FUTEX_LOCK;
	return kind_of_word(s);
}

/* Where what the word is part of begins: threads sleep on two words of it. */
static __always_inline u64 base_of_futex(u64 addr, u8 kind)
{
	if (kind == CS_FUTEX_RWLOCK)
		return addr - (addr & 7 ? GLIBC_WRITERS_AT : GLIBC_WRPHASE_AT);
	if (kind == CS_FUTEX_COND)
		return addr - (addr & 7 ? COND_SECOND_AT : COND_FIRST_AT);
	return addr;
}

static __always_inline bool see_futex(struct object_sight *s, u64 addr, u8 kind)
{
	s->key.kind = CS_OBJECT_FUTEX;
	s->key.futex = kind;
	s->key.at = base_of_futex(addr, kind);
	s->key.image = s->image;
	return true;
}

static __always_inline bool see_child(struct object_sight *s, u32 family, u32 id)
{
	s->key.kind = CS_OBJECT_CHILD;
	s->key.family = family;
	s->key.number = id;
	s->key.image = s->image;
	return true;
}

/* wait4() by its one argument. */
static __always_inline bool see_wait4(struct object_sight *s)
{
	s32 pid = s->arg[0];

	if (pid > 0)
		return see_child(s, CS_ID_PID, pid);
	return pid == -1 ? see_child(s, CS_ID_ALL, 0) : see_child(s, CS_ID_PGID, -pid);
}

static __always_inline bool see(struct object_sight *s)
{
	u64 waited;

	/* Whatever the call is about: it cannot go on without this. */
	if (s->lock)
		return lock_see(s);
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
		return see_wait4(s);
	case CS_CALL_WAITID:
		return see_child(s, s->arg[0], s->arg[0] == CS_ID_ALL ? 0 : s->arg[1]);
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

/* The name that a unix socket has, or that of its peer. */
static __always_inline void tell_unix(const struct object_sight *s, struct cs_object *o)
{
	const struct unix_address *addr = (const void *)s->key.at;
	u32 sz = BPF_CORE_READ(addr, len) - sizeof(((struct sockaddr_un *)0)->sun_family);

	if (s->key.role == CS_ROLE_NONE || sz > UNIX_PATH_SZ)
		return;
	barrier_var(sz);
	if (sz > UNIX_PATH_SZ)
		return;
	if (!bpf_probe_read_kernel(o->path, sz, &addr->name[0].sun_path))
		o->path_len = sz;
}

static __always_inline void tell_socket(const struct object_sight *s, struct cs_object *o)
{
	const struct sock *sk = (const void *)s->sock;
	struct pid *pid;

	if (s->key.family != AF_UNIX)
		return;
	tell_unix(s, o);
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
	o->pid = 0;
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
	u32 zero = 0;
	struct scratch *scr;

	if (walker)
		scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	else
		scr = bpf_map_lookup_elem(&scratches, &zero);
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

	if (!same)
		return CS_OBJECT_OTHER;
	tell(s);
	same->fresh.id = __sync_fetch_and_add((u32 *)&control.next_object_id, 1);
	r = bpf_map_update_elem(&objects, key, &same->fresh, BPF_NOEXIST);
	if (!r)
		return same->fresh.id;
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
	if (!see(s))
		return 0;
	/* 6.1 takes no argument of a global function as the key of a map. */
	key = s->key;
	known = bpf_map_lookup_elem(&objects, &key);
	return known ? known->id : keep(s, &key);
}
