/* SPDX-License-Identifier: Apache-2.0 */

/* Gives the programs what they need to find peers, and reads the results. */
#include "capture/object/peer_search.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/stat.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/self_memory.h"
#include "capture/program/tables.h"
#include "capture/program/walks.h"

/* A walk over a million open files takes about as long. */
#define SEARCH_NS (200 * NSEC_PER_MSEC)
#define RECORDS_MAX (1 << 18)

static int add_addr(struct peers *peers, const struct sockaddr *sa)
{
	u8 addr[16] = { [10] = 0xff, [11] = 0xff };

	if (!sa)
		return 0;
	if (sa->sa_family == AF_INET)
		memcpy(addr + 12, &((const struct sockaddr_in *)(const void *)sa)->sin_addr, 4);
	else if (sa->sa_family == AF_INET6)
		memcpy(addr, &((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr, 16);
	else
		return 0;
	return peers__add_addr(peers, addr);
}

/* Without them, only traffic over the loopback device is known to stay on this host. */
static int read_addrs(struct peers *peers)
{
	struct ifaddrs *list, *at;
	struct stat st;
	int r = 0;

	peers->netns = stat("/proc/self/ns/net", &st) ? 0 : (u32)st.st_ino;
	if (getifaddrs(&list))
		return 0;
	for (at = list; at && !r; at = at->ifa_next)
		r = add_addr(peers, at->ifa_addr);
	freeifaddrs(list);
	return r;
}

static int want(void *arg, const void *key, const void *value)
{
	struct cs_object_key k = *(const struct cs_object_key *)key;

	k.kind &= (u8)~CS_OBJECT_SIDE;
	return peers__want(arg, &k, value);
}

/* False if they did not all fit. */
static bool put_keys(const struct peers *peers, int fd)
{
	for (u32 id = 1; id < intern__len(&peers->keys); id++)
		if (bpf_map_update_elem(fd, intern__at(&peers->keys, id), &id, BPF_ANY))
			return false;
	return true;
}

/* A growing array briefly exists twice. */
static size_t records_max(void)
{
	u64 room = self_memory_room() / 8 / sizeof(struct cs_peer);

	return room < RECORDS_MAX ? room : RECORDS_MAX;
}

static int look(struct peers *peers, struct programs *p, u64 *ret_left_out, struct err *err)
{
	const struct walk_bounds bounds = {
		.until_ns = clock_mono_ns() + SEARCH_NS,
		.records_max = records_max(),
	};
	u64 began_ns = clock_mono_ns();
	bool cut = false, room;
	int r;

	peers->own_tgid = (u32)getpid();
	room = put_keys(peers, programs__peers_wanted_fd(p));
	r = programs__walk_files(p, &bounds, &peers->records, &cut, err);
	peers->sees_all = programs__sees_all(p) && room && !cut;
	if (!room || cut)
		*ret_left_out = peers->wishes.len;
	log_debug("peers of %zu objects: %zu open files in %llu us", peers->wishes.len,
		  peers->records.len, (clock_mono_ns() - began_ns) / 1000);
	return r;
}

int peer_search(struct peers *peers, struct programs *p, u64 *ret_left_out, struct err *err)
{
	int r = read_addrs(peers);

	*ret_left_out = 0;
	if (r)
		return err__nomem(err);
	r = table_read(programs__objects_fd(p), sizeof(struct cs_object_key),
		       sizeof(struct cs_object), want, peers, err);
	if (r || !peers->wishes.len)
		return r;
	return look(peers, p, ret_left_out, err);
}
