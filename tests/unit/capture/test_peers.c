/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sys/socket.h>

#include "base/mem.h"
#include "capture/object/peers.h"

#define NETNS 1000
#define OTHER_NETNS 1001
#define ME 1

static const u8 v4_loopback[16] = { [10] = 0xff, 0xff, 127, 0, 0, 1 };
static const u8 v4_any[16] = { [10] = 0xff, 0xff };
static const u8 v6_any[16];
static const u8 own_addr[16] = { [10] = 0xff, 0xff, 10, 0, 0, 5 };

struct told {
	u32 objects[4];
	char names[4][64];
	u32 len;
};

static int tell(void *arg, u32 object, const char *name)
{
	struct told *t = arg;

	assert_true(t->len < 4);
	t->objects[t->len] = object;
	snprintf(t->names[t->len++], sizeof(t->names[0]), "%s", name);
	return 0;
}

static int setup(void **state)
{
	struct peers *p = mem_alloc(sizeof(*p));

	assert_non_null(p);
	assert_int_equal(peers__init(p), 0);
	p->netns = NETNS;
	p->own_tgid = ME;
	assert_int_equal(peers__add_addr(p, own_addr), 0);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	peers__done(*state);
	mem_free(*state);
	return 0;
}

/* Object `id` is the builder's 10 * id. Returns how many keys it made. */
static u32 want(struct peers *p, u32 id, const struct cs_object_key *k, const char *path)
{
	struct cs_object v = { .id = id };
	u32 before = intern__len(&p->keys);

	if (path) {
		v.path_len = (u32)strlen(path);
		memcpy(v.path, path, v.path_len);
	}
	assert_int_equal(peers__want(p, k, &v), 0);
	assert_int_equal(peers__bind(p, id, 10 * id), 0);
	return intern__len(&p->keys) - before;
}

static u32 want_pipe(struct peers *p, u32 id, u8 end)
{
	const struct cs_object_key k = {
		.kind = CS_OBJECT_PIPE, .role = end, .at = 99 + id, .dev = 13
	};

	return want(p, id, &k, NULL);
}

static struct cs_object_key tcp_key(u8 role, u32 netns, u8 last)
{
	return (struct cs_object_key){
		.kind = CS_OBJECT_SOCKET,
		.role = role,
		.family = AF_INET,
		.type = SOCK_STREAM,
		.protocol = 6,
		.number = role == CS_ROLE_SERVER ? 80U << 16 : 80,
		.dev = netns,
		.peer = { last == 1 ? 127 : 10, 0, 0, last },
	};
}

static void wait_by(struct peers *p, u32 id, u32 tgid)
{
	assert_int_equal(peers__add_waiter(p, 10 * id, tgid), 0);
}

static struct cs_peer *seen(struct peers *p, u32 wanted, u32 side, u32 tgid, const char *comm)
{
	struct cs_peer *rec = vec__push(&p->records);

	assert_non_null(rec);
	rec->wanted = wanted;
	rec->side = side;
	rec->tgid = tgid;
	snprintf(rec->comm, sizeof(rec->comm), "%s", comm);
	return rec;
}

static void at(struct cs_peer *rec, u32 ports, const u8 *addr)
{
	rec->ports = ports;
	memcpy(rec->addr, addr, sizeof(rec->addr));
}

/* "" when nothing was set. */
static void assert_only(struct peers *p, const char *expected)
{
	struct told t = { .len = 0 };

	assert_int_equal(peers__each(p, tell, &t), 0);
	assert_int_equal(t.len, expected[0] ? 1 : 0);
	assert_string_equal(t.names[0], expected);
	if (t.len)
		assert_int_equal(t.objects[0], 10);
}

static void test_peers__pipe_names_who_has_the_other_end(void **state)
{
	struct peers *p = *state;
	const struct cs_peer_key *key;

	assert_int_equal(want_pipe(p, 1, CS_END_READ), 1);
	key = intern__at(&p->keys, 1);
	assert_int_equal(key->role, CS_END_WRITE);
	assert_int_equal(key->at, 100);
	wait_by(p, 1, 50);
	seen(p, 1, CS_PEER_OTHER, 60, "writer");
	seen(p, 1, CS_PEER_OTHER, 60, "writer");
	assert_only(p, "writer-60");
}

/* Of two objects that are one in the profile, the second is bound after a wait for the first. */
static void test_peers__who_waited_stays_when_another_is_bound(void **state)
{
	struct peers *p = *state;

	assert_int_equal(want_pipe(p, 1, CS_END_READ), 1);
	want_pipe(p, 2, CS_END_READ);
	assert_int_equal(peers__bind(p, 1, 10), 0);
	assert_int_equal(peers__add_waiter(p, 10, 50), 0);
	assert_int_equal(peers__bind(p, 2, 10), 0);
	assert_int_equal(peers__bound(p), 2);
	assert_int_equal(peers__add_waiter(p, 10, 60), 0);
	seen(p, 1, CS_PEER_OTHER, 60, "waiter");
	assert_only(p, "waiter-60");
}

static void test_peers__who_waits_is_named_last(void **state)
{
	struct peers *p = *state;

	want_pipe(p, 1, CS_END_READ);
	wait_by(p, 1, 50);
	wait_by(p, 1, 50);
	seen(p, 1, CS_PEER_OTHER, 50, "waiter");
	seen(p, 1, CS_PEER_OTHER, 60, "writer");
	assert_only(p, "writer-60");
}

static void test_peers__a_process_with_both_ends_is_its_own_peer(void **state)
{
	struct peers *p = *state;

	want_pipe(p, 1, CS_END_READ);
	wait_by(p, 1, 50);
	seen(p, 1, CS_PEER_OTHER, 50, "waiter");
	assert_only(p, "itself");
}

static void test_peers__itself_takes_that_all_were_seen(void **state)
{
	struct peers *p = *state;

	p->sees_all = false;
	want_pipe(p, 1, CS_END_READ);
	wait_by(p, 1, 50);
	seen(p, 1, CS_PEER_OTHER, 50, "waiter");
	assert_only(p, "");
}

static void test_peers__two_that_wait_are_each_others(void **state)
{
	struct peers *p = *state;

	want_pipe(p, 1, CS_END_WRITE);
	wait_by(p, 1, 50);
	wait_by(p, 1, 51);
	seen(p, 1, CS_PEER_OTHER, 50, "worker");
	seen(p, 1, CS_PEER_OTHER, 51, "worker");
	assert_only(p, "worker (2 processes)");
}

static void test_peers__several_of_other_names_are_a_number(void **state)
{
	struct peers *p = *state;

	/* both ends in one descriptor: anybody is at the other one */
	assert_int_equal(want_pipe(p, 1, CS_END_BOTH), 2);
	wait_by(p, 1, 50);
	seen(p, 1, CS_PEER_OTHER, 60, "a");
	seen(p, 2, CS_PEER_OTHER, 61, "b");
	seen(p, 2, CS_PEER_OTHER, 60, "a");
	seen(p, 2, CS_PEER_OTHER, 62, "a");
	assert_only(p, "3 processes");
}

static void test_peers__profiler_has_copies(void **state)
{
	struct peers *p = *state;

	want_pipe(p, 1, CS_END_READ);
	wait_by(p, 1, 50);
	seen(p, 1, CS_PEER_OTHER, ME, "coldspot");
	seen(p, 1, CS_PEER_OTHER, 60, "writer");
	assert_only(p, "writer-60");
}

static void test_peers__are_reported_only_with_a_wait(void **state)
{
	struct peers *p = *state;

	want_pipe(p, 1, CS_END_READ);
	wait_by(p, 2, 50); /* nothing is wanted of it */
	seen(p, 1, CS_PEER_OTHER, 60, "writer");
	assert_only(p, "");
}

static void test_peers__connection_is_met_at_both_ends(void **state)
{
	const struct cs_object_key k = tcp_key(CS_ROLE_CLIENT, NETNS, 1);
	struct peers *p = *state;

	assert_int_equal(want(p, 1, &k, NULL), 2);
	wait_by(p, 1, 50);
	at(seen(p, 1, CS_PEER_OTHER, 61, "backend"), 5002U << 16 | 80, v4_loopback);
	at(seen(p, 1, CS_PEER_OTHER, 60, "backend"), 5001U << 16 | 80, v4_loopback);
	/* the same ports at another address, and connections of others */
	at(seen(p, 1, CS_PEER_OTHER, 62, "backend"), 5001U << 16 | 80, own_addr);
	at(seen(p, 1, CS_PEER_OWN, 51, "client"), 5002U << 16 | 80, v4_loopback);
	at(seen(p, 1, CS_PEER_OWN, 50, "client"), 5001U << 16 | 80, v4_loopback);
	at(seen(p, 2, CS_PEER_SERVICE, 63, "postmaster"), 0, v4_any);
	assert_only(p, "backend-60");
}

static void test_peers__service_where_there_is_no_connection(void **state)
{
	const struct cs_object_key k = tcp_key(CS_ROLE_CLIENT, NETNS, 1);
	struct peers *p = *state;

	want(p, 1, &k, NULL);
	wait_by(p, 1, 50);
	at(seen(p, 1, CS_PEER_OWN, 50, "client"), 5001U << 16 | 80, v4_loopback);
	at(seen(p, 2, CS_PEER_SERVICE, 63, "of-v6"), 0, v6_any);
	at(seen(p, 2, CS_PEER_SERVICE, 64, "of-v4"), 0, v4_any);
	at(seen(p, 2, CS_PEER_SERVICE, 65, "elsewhere"), 0, own_addr);
	assert_only(p, "of-v4-64");
}

static void test_peers__service_of_ipv6_takes_ipv4_too(void **state)
{
	const struct cs_object_key k = tcp_key(CS_ROLE_CLIENT, NETNS, 5);
	struct peers *p = *state;

	want(p, 1, &k, NULL);
	wait_by(p, 1, 50);
	at(seen(p, 2, CS_PEER_SERVICE, 63, "of-v6"), 0, v6_any);
	assert_only(p, "of-v6-63");
}

static void test_peers__service_at_the_address_itself_comes_first(void **state)
{
	const struct cs_object_key k = tcp_key(CS_ROLE_CLIENT, OTHER_NETNS, 5);
	struct peers *p = *state;

	want(p, 1, &k, NULL);
	wait_by(p, 1, 50);
	at(seen(p, 2, CS_PEER_SERVICE, 63, "any"), 0, v4_any);
	at(seen(p, 2, CS_PEER_SERVICE, 64, "here"), 0, own_addr);
	assert_only(p, "here-64");
}

static void test_peers__service_at_any_address_is_no_proof_elsewhere(void **state)
{
	const struct cs_object_key k = tcp_key(CS_ROLE_CLIENT, OTHER_NETNS, 5);
	struct peers *p = *state;

	assert_int_equal(want(p, 1, &k, NULL), 2);
	wait_by(p, 1, 50);
	at(seen(p, 2, CS_PEER_SERVICE, 63, "some"), 0, v4_any);
	assert_only(p, "");
}

static void test_peers__another_host_has_no_peer_here(void **state)
{
	struct cs_object_key k = tcp_key(CS_ROLE_CLIENT, NETNS, 6);
	struct peers *p = *state;

	assert_int_equal(want(p, 1, &k, NULL), 0);
	k = tcp_key(CS_ROLE_LISTENING, NETNS, 1);
	assert_int_equal(want(p, 2, &k, NULL), 0);
	k = tcp_key(CS_ROLE_SERVER, OTHER_NETNS, 0);
	memset(k.peer, 0, sizeof(k.peer));
	assert_int_equal(want(p, 3, &k, NULL), 0);
	k = (struct cs_object_key){ .kind = CS_OBJECT_FUTEX };
	assert_int_equal(want(p, 4, &k, NULL), 0);
	assert_int_equal(p->wishes.len, 0);
}

static void test_peers__ipv4_is_one_however_it_is_written(void **state)
{
	struct cs_object_key k = tcp_key(CS_ROLE_SERVER, NETNS, 1);
	struct peers *p = *state;

	assert_int_equal(want(p, 1, &k, NULL), 1);
	k.family = AF_INET6;
	memcpy(k.peer, v4_loopback, sizeof(k.peer));
	assert_int_equal(want(p, 2, &k, NULL), 0);
	assert_int_equal(p->wishes.len, 2);
}

static void test_peers__two_objects_may_be_one(void **state)
{
	struct peers *p = *state;

	want_pipe(p, 1, CS_END_READ);
	want_pipe(p, 3, CS_END_READ);
	want_pipe(p, 2, CS_END_READ);
	assert_int_equal(peers__bind(p, 2, 10), 0);
	wait_by(p, 1, 50);
	seen(p, 3, CS_PEER_OTHER, 61, "b");
	seen(p, 1, CS_PEER_OTHER, 60, "a");
	assert_only(p, "2 processes");
}

static void test_peers__unix_sockets_by_name_and_inode(void **state)
{
	struct cs_object_key k = { .kind = CS_OBJECT_SOCKET,
				   .role = CS_ROLE_SERVER,
				   .family = AF_UNIX,
				   .type = SOCK_STREAM,
				   .at = 0xffff888000001000 };
	u64 words[CS_UNIX_NAME_WORDS] = { 0 };
	struct peers *p = *state;

	assert_int_equal(want(p, 1, &k, "/run/x"), 1);
	memcpy(words, "/run/x", 6);
	assert_int_equal(((struct cs_peer_key *)intern__at(&p->keys, 1))->at,
			 cs_name_hash(words, 6));
	/* one without its name is not known by a pointer that may be another's by now */
	assert_int_equal(want(p, 2, &k, NULL), 0);
	k.role = CS_ROLE_NONE;
	k.at = 4711;
	assert_int_equal(want(p, 3, &k, NULL), 1);
	assert_int_equal(((struct cs_peer_key *)intern__at(&p->keys, 2))->at, 4711);
}

static void test_peers__listening_sockets_have_no_peer(void **state)
{
	struct cs_object_key k = { .kind = CS_OBJECT_SOCKET,
				   .role = CS_ROLE_LISTENING,
				   .family = AF_UNIX };
	struct peers *p = *state;

	assert_int_equal(want(p, 1, &k, "/x"), 0);
	k.role = CS_ROLE_CLIENT;
	assert_int_equal(want(p, 2, &k, "/x"), 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_peers__##name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(pipe_names_who_has_the_other_end),
		T(who_waited_stays_when_another_is_bound),
		T(who_waits_is_named_last),
		T(a_process_with_both_ends_is_its_own_peer),
		T(itself_takes_that_all_were_seen),
		T(two_that_wait_are_each_others),
		T(several_of_other_names_are_a_number),
		T(profiler_has_copies),
		T(are_reported_only_with_a_wait),
		T(connection_is_met_at_both_ends),
		T(service_where_there_is_no_connection),
		T(service_of_ipv6_takes_ipv4_too),
		T(service_at_the_address_itself_comes_first),
		T(service_at_any_address_is_no_proof_elsewhere),
		T(another_host_has_no_peer_here),
		T(ipv4_is_one_however_it_is_written),
		T(two_objects_may_be_one),
		T(unix_sockets_by_name_and_inode),
		T(listening_sockets_have_no_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
