/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PEERS_H
#define CAPTURE_PEERS_H

#include "abi/object.h"
#include "abi/peer.h"
#include "base/intern.h"
#include "base/map64.h"
#include "base/vec.h"

/*
 * Which processes are at the other end of a pipe, or of a connection that does not leave this host:
 * what is wanted of whom, and the answers put together. Pure; peer_search.h asks the kernel. In
 * order: want, records, bind, add_waiter, each. All that fails is memory: -ENOMEM.
 */
struct peers {
	struct intern
		keys; /* struct cs_peer_key; the id is the value in the table of the programs */
	struct vec wishes; /* struct peer_wish */
	struct map64 by_id; /* cs_object.id to an index of the wishes */
	struct intern waiters; /* struct peer_waiter */
	struct map64 waiters_of; /* object to how many << 32 | tgid of the last one; 0: none yet */
	struct vec records; /* struct cs_peer: the answers */
	struct vec addrs; /* of this host in our network namespace, 16 bytes each, IPv4 as IPv6 */
	u32 netns; /* ours */
	u32 own_tgid; /* the profiler, which has descriptors of its own */
	bool sees_all; /* every process has a number here, and all files were looked at */
};

struct peer_wish {
	u32 object; /* the builder's id; 0: no wait is for it */
	u32 keys[2]; /* of those who may be at the other end; 0: none */
	u32 service; /* key of who takes new connections; 0: none */
	u32 netns;
	bool linked; /* by connections: who waits has the near end of it */
	u8 addr[16]; /* of the peer */
};

int peers__init(struct peers *p);
/* All zero is fine. */
void peers__done(struct peers *p);
/* An IP address in use here, as struct cs_peer_key has it. */
int peers__add_addr(struct peers *p, const u8 addr[16]);
/* Does nothing for what has no other end, or one on another host. */
int peers__want(struct peers *p, const struct cs_object_key *k, const struct cs_object *v);
/* The builder's id of an object; several may be one. Nothing happens if nothing is wanted of it. */
int peers__bind(struct peers *p, u32 id, u32 object);
/* A process waited for it; likewise. */
int peers__add_waiter(struct peers *p, u32 object, u32 tgid);
/*
 * Tells who is at the other end of each object of which that is known: "worker-4133", "nginx (5
 * processes)", "3 processes", or "itself" where nobody but the one process that waits has it. One
 * that waits is among them only where another one waits too, or as the only one of several.
 * `each`: a negative errno ends it. To be called once.
 */
typedef int peers_fn(void *arg, u32 object, const char *name);
int peers__each(struct peers *p, peers_fn *each, void *arg);

#endif
