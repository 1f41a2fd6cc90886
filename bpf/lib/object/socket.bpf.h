/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OBJECT_SOCKET_BPF_H
#define LIB_OBJECT_SOCKET_BPF_H

/* Which service a socket is for, and at which end: the identity of the object. */
#include <bpf/bpf_endian.h>

#include "lib/kernel/kernel_file.bpf.h"
#include "lib/object/probe.bpf.h"

/* Whether the kernel chooses such a port for a socket that requests none; for IPv6 too. */
static __always_inline bool is_local_port(const struct net *net, u32 port)
{
	const struct net___6_8 *packed = (const void *)net;
	u32 range;

	if (bpf_core_field_exists(packed->ipv4.ip_local_ports.range)) {
		range = BPF_CORE_READ(packed, ipv4.ip_local_ports.range);
		return port >= (range & 0xffff) && port <= range >> 16;
	}
	return port >= (u32)BPF_CORE_READ(net, ipv4.ip_local_ports.range[0]) &&
	       port <= (u32)BPF_CORE_READ(net, ipv4.ip_local_ports.range[1]);
}

/* Its own port was not requested, but that of its peer was: as after bind() to port 0. */
static __always_inline bool has_chosen_port(const struct sock *sk)
{
	const struct net *net = BPF_CORE_READ(sk, __sk_common.skc_net.net);

	return !(BPF_CORE_READ_BITFIELD_PROBED(sk, sk_userlocks) & SOCK_BINDPORT_LOCK) &&
	       is_local_port(net, BPF_CORE_READ(sk, __sk_common.skc_num)) &&
	       !is_local_port(net, bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport)));
}

static __always_inline u8 role_of_tcp(const struct sock *sk)
{
	const struct inet_connection_sock *icsk = (const void *)sk;
	struct inet_bind_bucket *bucket;

	if (BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_LISTEN)
		return CS_ROLE_LISTENING;
	bucket = BPF_CORE_READ(icsk, icsk_bind_hash);
	return bucket && BPF_CORE_READ(bucket, fastreuse) >= 0 && !has_chosen_port(sk) ?
		       CS_ROLE_SERVER :
		       CS_ROLE_CLIENT;
}

static __always_inline u8 role_of_inet(const struct sock *sk, const struct object_probe *s)
{
	if (s->key.protocol == IPPROTO_TCP && s->key.type == SOCK_STREAM)
		return role_of_tcp(sk);
	return BPF_CORE_READ_BITFIELD_PROBED(sk, sk_userlocks) & SOCK_BINDPORT_LOCK ?
		       CS_ROLE_SERVER :
		       CS_ROLE_CLIENT;
}

/*
 * The kernel chose one of the two ports, a different one for each connection: it is omitted, so
 * there are no more objects than services and hosts.
 */
static __always_inline void see_inet(struct object_probe *s, const struct sock *sk)
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

/* The name of a unix socket, into the path of the fresh object; returns its length. */
static __always_inline u32 read_unix_name(struct cs_object *o, const struct unix_address *addr)
{
	u32 sz = BPF_CORE_READ(addr, len) - sizeof(((struct sockaddr_un *)0)->sun_family);

	if (sz > UNIX_PATH_SZ)
		return 0;
	barrier_var(sz);
	if (sz > UNIX_PATH_SZ || bpf_probe_read_kernel(o->path, sz, &addr->name[0].sun_path))
		return 0;
	return sz;
}

/* Identified by it, because the kernel reuses the memory of an address. */
static __always_inline void hash_unix_name(struct object_probe *s, const struct unix_address *addr)
{
	u64 *words = (u64 *)s->fresh.path, hash = 0;
	u32 i;

	__builtin_memset(words, 0, UNIX_NAME_WORDS * sizeof(u64));
	hash = read_unix_name(&s->fresh, addr);
	for (i = 0; i < UNIX_NAME_WORDS; i++) {
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	__builtin_memcpy(s->key.peer, &hash, sizeof(hash));
}

/* All sockets of one service share one address in memory; a pair has none. */
static __always_inline void see_unix(struct object_probe *s, const struct sock *sk)
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
	if (!addr)
		return;
	s->key.at = addr;
	hash_unix_name(s, (const struct unix_address *)addr);
}

#endif
