/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OBJECT_PEERS_H
#define CAPTURE_OBJECT_PEERS_H

#include "abi/object.h"
#include "abi/peer.h"
#include "base/intern.h"
#include "base/map64.h"
#include "base/vec.h"

/*
 * Which processes are at the other end of a pipe, or of a connection within this host: the
 * requests, and the combined results. Pure; peer_search.h queries the kernel. In order: want,
 * records, bind and add_waiter in turn, each. The only error is -ENOMEM.
 */
struct peers {
	struct intern keys; /* struct cs_peer_key; the id is the value in the programs' table */
	struct vec wishes; /* struct peer_wish */
	struct map64 by_id; /* cs_object.id to an index of the wishes */
	struct intern waiters; /* struct peer_waiter */
	struct map64 waiters_of; /* object to number << 32 | tgid of the last one; 0: none yet */
	struct vec records; /* struct cs_peer: the results */
	struct vec addrs; /* of this host in our network namespace, 16 bytes each, IPv4 as IPv6 */
	u32 netns; /* ours */
	u32 own_tgid; /* the profiler, which has its own descriptors */
	bool sees_all; /* every process has a PID here, and all files were visited */
};

struct peer_wish {
	u32 object; /* the builder's id; 0: no wait has it */
	u32 keys[2]; /* of possible peers; 0: none */
	u32 service; /* key of the process that accepts connections; 0: none */
	u32 netns;
	bool linked; /* by connections: the waiting process has the near end */
	u8 addr[16]; /* of the peer */
};

int peers__init(struct peers *p);
/* All zero is fine. */
void peers__done(struct peers *p);
/* A local IP address, as in struct cs_peer_key. */
int peers__add_addr(struct peers *p, const u8 addr[16]);
/* Does nothing for an object without another end, or with one on another host. */
int peers__want(struct peers *p, const struct cs_object_key *k, const struct cs_object *v);
/*
 * The builder's id of an object; several may map to one. Does nothing for objects that were not
 * requested.
 */
int peers__bind(struct peers *p, u32 id, u32 object);
/* Objects among the requested ones that a wait has. */
u32 peers__bound(const struct peers *p);
/* A process waited for it; likewise. */
int peers__add_waiter(struct peers *p, u32 object, u32 tgid);
/*
 * Reports who is at the other end of each object, if known: "worker-4133", "nginx (5 processes)",
 * "3 processes", or "itself" if only the one waiting process has it. A waiting process counts only
 * if another one waits too, or as the only one of several. `each`: a negative errno stops it. Call
 * it once.
 */
typedef int peers_fn(void *arg, u32 object, const char *name);
int peers__each(struct peers *p, peers_fn *each, void *arg);

#endif
