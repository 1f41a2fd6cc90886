/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Sockets are matched by connection: the waiting process has the near end, and the process with the
 * far end of that same connection is the peer. For a service with one process per client, this
 * finds the right one. If the connection is already closed, or not accepted yet, the peer is the
 * process that listens.
 */
#include "capture/object/peers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/socket.h>

static const u8 v4_prefix[12] = { [10] = 0xff, [11] = 0xff };

struct peer_waiter {
	u32 object;
	u32 tgid;
};

/* A connection whose two ends were found. */
struct peer_link {
	u32 wanted;
	u32 ports;
	u8 addr[16];
};

/* The processes at the other end, each once. */
struct crowd {
	struct map64 tgids;
	struct vec peers; /* const struct cs_peer * */
};

int peers__init(struct peers *p)
{
	*p = (struct peers){ .sees_all = true };
	vec__init(&p->wishes, sizeof(struct peer_wish));
	vec__init(&p->records, sizeof(struct cs_peer));
	vec__init(&p->addrs, 16);
	map64__init(&p->by_id);
	map64__init(&p->waiters_of);
	if (intern__init(&p->keys, sizeof(struct cs_peer_key), sizeof(struct cs_peer_key)) ||
	    intern__init(&p->waiters, sizeof(struct peer_waiter), sizeof(struct peer_waiter)))
		return -ENOMEM;
	return 0;
}

void peers__done(struct peers *p)
{
	intern__done(&p->keys);
	intern__done(&p->waiters);
	vec__done(&p->wishes);
	vec__done(&p->records);
	vec__done(&p->addrs);
	map64__done(&p->by_id);
	map64__done(&p->waiters_of);
}

int peers__add_addr(struct peers *p, const u8 addr[16])
{
	u8 *copy = vec__push(&p->addrs);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, addr, 16);
	return 0;
}

static bool is_v4(const u8 *addr)
{
	return !memcmp(addr, v4_prefix, sizeof(v4_prefix));
}

static bool is_any(const u8 *addr)
{
	static const u8 zero[16];

	return is_v4(addr) ? !memcmp(addr + 12, zero, 4) : !memcmp(addr, zero, 16);
}

static bool is_loopback(const u8 *addr)
{
	static const u8 one[16] = { [15] = 1 };

	return is_v4(addr) ? addr[12] == 127 : !memcmp(addr, one, 16);
}

static bool is_own(const struct peers *p, const u8 *addr)
{
	for (size_t i = 0; i < p->addrs.len; i++)
		if (!memcmp(vec__at(&p->addrs, i), addr, 16))
			return true;
	return false;
}

/* Nothing is known about addresses in other network namespaces. */
static bool may_be_here(const struct peers *p, u32 netns, const u8 *addr)
{
	return is_loopback(addr) || netns != p->netns || is_own(p, addr);
}

static void normal_addr(const struct cs_object_key *k, u8 *ret)
{
	if (k->family == AF_INET) {
		memcpy(ret, v4_prefix, sizeof(v4_prefix));
		memcpy(ret + 12, k->peer, 4);
	} else {
		memcpy(ret, k->peer, 16);
	}
}

/* Processes with the other end, or with any end if one descriptor has both open. */
static int want_pipe(struct peers *p, const struct cs_object_key *k, struct peer_wish *w)
{
	struct cs_peer_key key = { .kind = k->kind, .at = k->at, .dev = k->dev };
	u32 n = 0;
	int r = 0;

	if (k->role & CS_END_READ) {
		key.role = CS_END_WRITE;
		r = intern__add(&p->keys, &key, &w->keys[n++]);
	}
	if (!r && k->role & CS_END_WRITE) {
		key.role = CS_END_READ;
		r = intern__add(&p->keys, &key, &w->keys[n++]);
	}
	return r;
}

static int want_inet(struct peers *p, const struct cs_object_key *k, struct peer_wish *w)
{
	struct cs_peer_key key = {
		.kind = k->kind,
		.role = k->role,
		.type = k->type,
		.protocol = (u16)k->protocol,
		.port = k->role == CS_ROLE_SERVER ? k->number >> 16 : k->number & 0xffff,
		.netns = (u32)k->dev,
	};
	int r;

	normal_addr(k, key.addr);
	if ((k->role != CS_ROLE_CLIENT && k->role != CS_ROLE_SERVER) || is_any(key.addr) ||
	    !may_be_here(p, key.netns, key.addr))
		return 0;
	memcpy(w->addr, key.addr, sizeof(w->addr));
	w->netns = key.netns;
	w->linked = true;
	r = intern__add(&p->keys, &key, &w->keys[0]);
	if (r || k->role == CS_ROLE_SERVER)
		return r;
	key.role = CS_ROLE_LISTENING;
	memset(key.addr, 0, sizeof(key.addr));
	return intern__add(&p->keys, &key, &w->service);
}

/*
 * For a client, the kernel knows the process that created the listening socket: this is used if the
 * one with the connection is not found.
 */
static int want_unix(struct peers *p, const struct cs_object_key *k, const struct cs_object *v,
		     struct peer_wish *w)
{
	struct cs_peer_key key = {
		.kind = k->kind,
		.role = k->role,
		.family = k->family,
		.type = k->type,
		.at = k->at,
	};
	u64 words[CS_UNIX_NAME_WORDS] = { 0 };

	if (k->role == CS_ROLE_LISTENING)
		return 0;
	if (k->role != CS_ROLE_NONE) {
		if (!v->path_len || v->path_len > sizeof(words))
			return 0;
		memcpy(words, v->path, v->path_len);
		key.at = cs_name_hash(words, v->path_len);
		w->linked = true;
	}
	return intern__add(&p->keys, &key, &w->keys[0]);
}

int peers__want(struct peers *p, const struct cs_object_key *k, const struct cs_object *v)
{
	struct peer_wish wish = { 0 }, *copy;
	int r = 0;

	if (k->kind == CS_OBJECT_PIPE || k->kind == CS_OBJECT_FIFO)
		r = want_pipe(p, k, &wish);
	else if (k->kind == CS_OBJECT_SOCKET && k->family == AF_UNIX)
		r = want_unix(p, k, v, &wish);
	else if (k->kind == CS_OBJECT_SOCKET && (k->family == AF_INET || k->family == AF_INET6))
		r = want_inet(p, k, &wish);
	if (r || !wish.keys[0])
		return r;
	copy = vec__push(&p->wishes);
	if (!copy)
		return -ENOMEM;
	*copy = wish;
	return map64__set(&p->by_id, v->id, p->wishes.len - 1);
}

int peers__bind(struct peers *p, u32 id, u32 object)
{
	u64 wish, so_far;

	if (!map64__get(&p->by_id, id, &wish))
		return 0;
	((struct peer_wish *)vec__at(&p->wishes, wish))->object = object;
	return map64__get(&p->waiters_of, object, &so_far) ? 0 :
							     map64__set(&p->waiters_of, object, 0);
}

u32 peers__bound(const struct peers *p)
{
	u32 n = 0;

	for (size_t i = 0; i < p->wishes.len; i++)
		n += ((const struct peer_wish *)vec__at(&p->wishes, i))->object != 0;
	return n;
}

int peers__add_waiter(struct peers *p, u32 object, u32 tgid)
{
	const struct peer_waiter waiter = { object, tgid };
	u32 before = intern__len(&p->waiters), id;
	u64 so_far;
	int r;

	if (!object || !map64__get(&p->waiters_of, object, &so_far))
		return 0;
	r = intern__add(&p->waiters, &waiter, &id);
	if (r || id < before)
		return r;
	return map64__set(&p->waiters_of, object, ((so_far >> 32) + 1) << 32 | tgid);
}

static int compare_records(const void *a, const void *b)
{
	const struct cs_peer *x = a, *y = b;

	if (x->wanted != y->wanted)
		return x->wanted < y->wanted ? -1 : 1;
	return (x->tgid > y->tgid) - (x->tgid < y->tgid);
}

static int compare_wishes(const void *a, const void *b)
{
	const struct peer_wish *x = a, *y = b;

	return (x->object > y->object) - (x->object < y->object);
}

/* The first record for a key or, if there is none, its position. */
static size_t first_of(const struct peers *p, u32 key)
{
	size_t low = 0, high = p->records.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct cs_peer *rec = vec__at(&p->records, mid);

		if (rec->wanted < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The next record for a key, from *at on; NULL if there are no more. */
static const struct cs_peer *next_of(const struct peers *p, u32 key, size_t *at)
{
	const struct cs_peer *rec = key && *at < p->records.len ? vec__at(&p->records, *at) : NULL;

	++*at;
	return rec && rec->wanted == key ? rec : NULL;
}

static int crowd__add(struct crowd *c, const struct cs_peer *rec)
{
	const struct cs_peer **slot;
	u64 known;

	if (map64__get(&c->tgids, rec->tgid, &known))
		return 0;
	slot = vec__push(&c->peers);
	if (!slot)
		return -ENOMEM;
	*slot = rec;
	return map64__set(&c->tgids, rec->tgid, 1);
}

/* Unless it is the only one. */
static void crowd__leave_out(struct crowd *c, u32 tgid)
{
	const struct cs_peer **peers = c->peers.data;
	u64 known;
	size_t n = 0;

	if (c->peers.len < 2 || !map64__get(&c->tgids, tgid, &known))
		return;
	for (size_t i = 0; i < c->peers.len; i++)
		if (peers[i]->tgid != tgid)
			peers[n++] = peers[i];
	c->peers.len = n;
}

static struct peer_link link_of(const struct cs_peer *rec)
{
	struct peer_link link = { .wanted = rec->wanted, .ports = rec->ports };

	memcpy(link.addr, rec->addr, sizeof(link.addr));
	return link;
}

/* The connections of the waiting process. */
static int find_links(const struct peers *p, const struct peer_wish *w, struct intern *links)
{
	size_t at = first_of(p, w->keys[0]);
	const struct cs_peer *rec;
	int r = 0;

	while (!r && (rec = next_of(p, w->keys[0], &at))) {
		const struct peer_waiter waiter = { w->object, rec->tgid };
		struct peer_link link = link_of(rec);
		u32 id;

		if (rec->side == CS_PEER_OWN && intern__find(&p->waiters, &waiter))
			r = intern__add(links, &link, &id);
	}
	return r;
}

static int add_far_ends(const struct peers *p, const struct peer_wish *w, struct crowd *c)
{
	size_t at = first_of(p, w->keys[0]);
	const struct cs_peer *rec;
	struct intern links;
	int r = intern__init(&links, sizeof(struct peer_link), sizeof(struct peer_link));

	if (!r)
		r = find_links(p, w, &links);
	while (!r && (rec = next_of(p, w->keys[0], &at))) {
		struct peer_link link = link_of(rec);

		if (rec->side == CS_PEER_OTHER && intern__find(&links, &link))
			r = crowd__add(c, rec);
	}
	intern__done(&links);
	return r;
}

/* How well a listening socket matches: 0: not at all. The best one gets the connections. */
static u32 fitness(const struct peers *p, const struct peer_wish *w, const struct cs_peer *rec)
{
	if (!memcmp(rec->addr, w->addr, sizeof(w->addr)))
		return 3;
	if (!is_any(rec->addr) ||
	    !(is_loopback(w->addr) || (w->netns == p->netns && is_own(p, w->addr))))
		return 0;
	if (is_v4(rec->addr) == is_v4(w->addr))
		return 2;
	return is_v4(w->addr) ? 1 : 0;
}

static int add_services(const struct peers *p, const struct peer_wish *w, struct crowd *c)
{
	size_t first = first_of(p, w->service), at = first;
	const struct cs_peer *rec;
	u32 best = 1;
	int r = 0;

	while ((rec = next_of(p, w->service, &at)))
		if (fitness(p, w, rec) > best)
			best = fitness(p, w, rec);
	for (at = first; !r && (rec = next_of(p, w->service, &at));)
		if (fitness(p, w, rec) == best)
			r = crowd__add(c, rec);
	return r;
}

static int add_holders(const struct peers *p, u32 key, struct crowd *c)
{
	size_t at = first_of(p, key);
	const struct cs_peer *rec;
	int r = 0;

	while (!r && (rec = next_of(p, key, &at)))
		r = crowd__add(c, rec);
	return r;
}

static int add_peers(const struct peers *p, const struct peer_wish *w, struct crowd *c)
{
	size_t before = c->peers.len;
	int r;

	if (w->linked) {
		r = add_far_ends(p, w, c);
		return r || c->peers.len > before ? r : add_services(p, w, c);
	}
	r = add_holders(p, w->keys[0], c);
	return r ? r : add_holders(p, w->keys[1], c);
}

static void name_crowd(const struct peers *p, struct crowd *c, u64 waiters, char *buf, size_t sz)
{
	const struct cs_peer **peers = c->peers.data;
	const struct cs_peer *first;
	int comm_sz = sizeof(first->comm);
	bool same = true;

	buf[0] = '\0';
	crowd__leave_out(c, p->own_tgid);
	if (waiters >> 32 == 1)
		crowd__leave_out(c, (u32)waiters);
	if (!c->peers.len)
		return;
	first = peers[0];
	if (c->peers.len > 1) {
		for (size_t i = 1; i < c->peers.len; i++)
			same = same && !strncmp(peers[i]->comm, first->comm, sizeof(first->comm));
		if (same)
			snprintf(buf, sz, "%.*s (%zu processes)", comm_sz, first->comm,
				 c->peers.len);
		else
			snprintf(buf, sz, "%zu processes", c->peers.len);
	} else if (waiters >> 32 == 1 && first->tgid == (u32)waiters) {
		snprintf(buf, sz, "%s", p->sees_all ? "itself" : "");
	} else {
		snprintf(buf, sz, "%.*s-%u", comm_sz, first->comm, first->tgid);
	}
}

/* Handles the wishes of one object, from *at on, and advances *at past them. */
static int tell_object(const struct peers *p, size_t *at, peers_fn *each, void *arg)
{
	u32 object = ((const struct peer_wish *)vec__at(&p->wishes, *at))->object;
	const struct peer_wish *w;
	struct crowd c;
	u64 waiters = 0;
	char name[64];
	int r = 0;

	map64__init(&c.tgids);
	vec__init(&c.peers, sizeof(const struct cs_peer *));
	map64__get(&p->waiters_of, object, &waiters);
	for (; *at < p->wishes.len; ++*at) {
		w = vec__at(&p->wishes, *at);
		if (w->object != object)
			break;
		if (!r && object && waiters)
			r = add_peers(p, w, &c);
	}
	name_crowd(p, &c, waiters, name, sizeof(name));
	map64__done(&c.tgids);
	vec__done(&c.peers);
	return r || !name[0] ? r : each(arg, object, name);
}

int peers__each(struct peers *p, peers_fn *each, void *arg)
{
	size_t at = 0;
	int r = 0;

	if (p->records.len)
		qsort(p->records.data, p->records.len, sizeof(struct cs_peer), compare_records);
	if (p->wishes.len)
		qsort(p->wishes.data, p->wishes.len, sizeof(struct peer_wish), compare_wishes);
	while (!r && at < p->wishes.len)
		r = tell_object(p, &at, each, arg);
	return r;
}
