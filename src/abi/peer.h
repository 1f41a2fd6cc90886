/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_PEER_H
#define ABI_PEER_H

#include <linux/types.h>

/*
 * Finding peers. User space writes the objects in question to a table, and a walk over all open
 * files reports each process that has one of the two ends open.
 */

/*
 * An object in question. Pipe or FIFO: processes that have the end `role` open (one bit of
 * cs_pipe_end). Socket: the connection as the waiting process sees it; or, with CS_ROLE_LISTENING,
 * processes that accept new ones, at any of its addresses. Unused fields are zero.
 */
struct cs_peer_key {
	__u8 kind; /* enum cs_object_kind */
	__u8 role;
	__u16 family; /* AF_UNIX, or 0: IPv4 is written as IPv6 */
	__u16 type;
	__u16 protocol;
	__u32 port; /* of the service */
	__u32 netns; /* of IP */
	__u64 at; /* inode; named unix socket: cs_name_hash() */
	__u64 dev;
	__u8 addr[16]; /* of the peer */
};

_Static_assert(sizeof(struct cs_peer_key) == 48, "no padding in a map key");

enum cs_peer_side {
	CS_PEER_OWN = 1, /* has the end that was waited at */
	CS_PEER_OTHER,
	CS_PEER_SERVICE, /* accepts new connections */
};

/* A process, and a file that it has open. */
struct cs_peer {
	__u32 wanted; /* the value of the key */
	__u32 tgid; /* in the PID namespace of the profiler */
	__u32 side; /* enum cs_peer_side */
	/*
	 * With `addr` the connection, equal at both ends. IP: port of the waiting process << 16 |
	 * peer's port, and the waiting process's address; a service: its own address. Unix: a
	 * kernel pointer, only as an identity.
	 */
	__u32 ports;
	__u8 addr[16];
	char comm[16]; /* of the process */
};

_Static_assert(sizeof(struct cs_peer) == 48, "no padding in a record");

/* For a unix socket: sun_path, zero-padded. */
#define CS_UNIX_NAME_WORDS 14

/* FNV-1a over words. */
static inline __u64 cs_name_hash(const __u64 *words, __u32 len)
{
	__u64 hash = 0xcbf29ce484222325ULL ^ len;
	int i;

	for (i = 0; i < CS_UNIX_NAME_WORDS; i++) {
		hash ^= words[i];
		hash *= 0x100000001b3ULL;
		hash ^= hash >> 32;
	}
	return hash;
}

#endif
