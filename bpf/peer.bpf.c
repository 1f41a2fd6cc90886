/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * A walk over the open files of all processes that user space can see, started by reading a file:
 * it reports who has an end of something that a thread waited for. Process, name and file are read
 * at one instant here, unlike in /proc, and sockets of all network namespaces are included.
 */
#include <bpf/bpf_endian.h>

#include "lib/filter.bpf.h"
#include "lib/kernel/kernel_file.bpf.h"

#include "abi/object.h"
#include "abi/peer.h"

/* How often a walk checks the clock. */
#define CLOCK_EVERY 32

/* One end of a connection, or both the same if there is only one address. */
struct endpoint {
	u8 addr[16];
	u32 port;
};

/* Arguments of the functions below: there are more than fit into registers. */
struct file_sight {
	struct seq_file *seq;
	struct task_struct *task;
	struct cs_peer_key key;
	struct cs_peer peer;
};

/* Key, side and connection must be set. */
static __always_inline void tell(struct file_sight *s)
{
	u32 *wanted = bpf_map_lookup_elem(&peers_wanted, &s->key);
	struct task_struct *task = s->task;

	if (!wanted)
		return;
	s->peer.wanted = *wanted;
	s->peer.tgid = task_tgid(task);
	if (!s->peer.tgid)
		return;
	BPF_CORE_READ_INTO(&s->peer.comm, task, group_leader, comm);
	bpf_seq_write(s->seq, &s->peer, sizeof(s->peer));
}

static __always_inline void see_pipe(struct file_sight *s, struct file *file, u8 kind)
{
	u32 mode = BPF_CORE_READ(file, f_mode);

	s->key.kind = kind;
	s->key.at = BPF_CORE_READ(file, f_inode, i_ino);
	s->key.dev = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
	s->peer.side = CS_PEER_OTHER;
	s->key.role = CS_END_READ;
	if (mode & CS_END_READ)
		tell(s);
	s->key.role = CS_END_WRITE;
	if (mode & CS_END_WRITE)
		tell(s);
}

/* An IPv4 address in IPv6 form, or the IPv6 one. */
static __always_inline void read_addr(u8 *ret, u16 family, const struct in6_addr *v6, u32 v4)
{
	if (family == AF_INET) {
		__builtin_memset(ret, 0, 10);
		ret[10] = ret[11] = 0xff;
		__builtin_memcpy(ret + 12, &v4, sizeof(v4));
	} else {
		bpf_core_read(ret, 16, v6);
	}
}

static __always_inline void read_endpoints(const struct sock *sk, u16 family, struct endpoint *own,
					   struct endpoint *far)
{
	const struct sock_common *c = &sk->__sk_common;

	own->port = BPF_CORE_READ(c, skc_num);
	far->port = bpf_ntohs(BPF_CORE_READ(c, skc_dport));
	if (family == AF_INET6 && !bpf_core_field_exists(c->skc_v6_daddr))
		return;
	read_addr(own->addr, family, &c->skc_v6_rcv_saddr, BPF_CORE_READ(c, skc_rcv_saddr));
	read_addr(far->addr, family, &c->skc_v6_daddr, BPF_CORE_READ(c, skc_daddr));
}

/* As if `near` waited for `far`: as a client of its port, or as the server at its own. */
static __always_inline void tell_connection(struct file_sight *s, u32 side,
					    const struct endpoint *near, const struct endpoint *far)
{
	s->peer.side = side;
	s->peer.ports = near->port << 16 | far->port;
	__builtin_memcpy(s->peer.addr, near->addr, sizeof(s->peer.addr));
	__builtin_memcpy(s->key.addr, far->addr, sizeof(s->key.addr));
	s->key.role = CS_ROLE_CLIENT;
	s->key.port = far->port;
	tell(s);
	s->key.role = CS_ROLE_SERVER;
	s->key.port = near->port;
	tell(s);
}

static __always_inline void see_inet(struct file_sight *s, const struct sock *sk, u16 family)
{
	struct endpoint own = {}, far = {};

	read_endpoints(sk, family, &own, &far);
	s->key.type = BPF_CORE_READ(sk, sk_type);
	s->key.protocol = BPF_CORE_READ(sk, sk_protocol);
	s->key.netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	if (far.port) {
		tell_connection(s, CS_PEER_OWN, &own, &far);
		tell_connection(s, CS_PEER_OTHER, &far, &own);
		return;
	}
	if (!own.port ||
	    (s->key.type == SOCK_STREAM && BPF_CORE_READ(sk, __sk_common.skc_state) != TCP_LISTEN))
		return;
	s->key.role = CS_ROLE_LISTENING;
	s->key.port = own.port;
	s->peer.side = CS_PEER_SERVICE;
	__builtin_memcpy(s->peer.addr, own.addr, sizeof(s->peer.addr));
	tell(s);
}

/* 0: it has no name. */
static __always_inline u64 read_name(const struct unix_address *addr)
{
	u64 words[CS_UNIX_NAME_WORDS] = {};
	u32 sz;

	if (!addr)
		return 0;
	sz = BPF_CORE_READ(addr, len) - sizeof(((struct sockaddr_un *)0)->sun_family);
	if (sz > UNIX_PATH_SZ)
		return 0;
	barrier_var(sz);
	if (sz > UNIX_PATH_SZ || bpf_probe_read_kernel(words, sz, &addr->name[0].sun_path))
		return 0;
	return cs_name_hash(words, sz);
}

static __always_inline void tell_unix(struct file_sight *s, u32 side, u32 role, u64 at,
				      const struct sock *connection)
{
	s->peer.side = side;
	__builtin_memcpy(s->peer.addr, &connection, sizeof(connection));
	s->key.role = role;
	s->key.at = at;
	tell(s);
}

/* A connection is identified by the socket of the named side, a pair by an inode. */
static __always_inline void see_unix(struct file_sight *s, const struct sock *sk)
{
	const struct unix_sock *u = (const void *)sk;
	const struct sock *far = BPF_CORE_READ(u, peer);
	u64 name = read_name(BPF_CORE_READ(u, addr)), far_name = 0;

	if (far)
		far_name =
			read_name(BPF_CORE_READ((const struct unix_sock *)(const void *)far, addr));
	s->key.family = AF_UNIX;
	s->key.type = BPF_CORE_READ(sk, sk_type);
	if (name) {
		tell_unix(s, CS_PEER_OWN, CS_ROLE_SERVER, name, sk);
		tell_unix(s, CS_PEER_OTHER, CS_ROLE_CLIENT, name, sk);
	}
	if (far_name) {
		tell_unix(s, CS_PEER_OTHER, CS_ROLE_SERVER, far_name, far);
		if (!name)
			tell_unix(s, CS_PEER_OWN, CS_ROLE_CLIENT, far_name, far);
	}
	if (far && !name && !far_name)
		tell_unix(s, CS_PEER_OTHER, CS_ROLE_NONE,
			  BPF_CORE_READ(far, sk_socket, file, f_inode, i_ino), NULL);
}

static __always_inline void see_socket(struct file_sight *s, struct file *file)
{
	struct socket *sock = BPF_CORE_READ(file, private_data);
	const struct sock *sk = BPF_CORE_READ(sock, sk);
	u16 family;

	if (!sk)
		return;
	family = BPF_CORE_READ(sk, __sk_common.skc_family);
	s->key.kind = CS_OBJECT_SOCKET;
	if (family == AF_UNIX)
		see_unix(s, sk);
	else if (family == AF_INET || family == AF_INET6)
		see_inet(s, sk, family);
}

SEC("iter/task_file")
int on_task_file(struct bpf_iter__task_file *ctx)
{
	struct file_sight s = {};
	struct file *file = ctx->file;
	u32 type;

	s.task = ctx->task;
	s.seq = ctx->meta->seq;
	if (!s.task || !file)
		return 0;
	/* A nonzero result ends the read. */
	if (!(ctx->meta->seq_num % CLOCK_EVERY) && bpf_ktime_get_ns() > control.files_until_ns)
		return 1;
	type = BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT;
	if (type == S_IFSOCK)
		see_socket(&s, file);
	else if (type == S_IFIFO)
		see_pipe(&s, file,
			 BPF_CORE_READ(file, f_inode, i_sb, s_magic) == PIPEFS_MAGIC ?
				 CS_OBJECT_PIPE :
				 CS_OBJECT_FIFO);
	return 0;
}
