/* SPDX-License-Identifier: Apache-2.0 */

/* The walk over open files: what it finds of our own, and where it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/object.h"
#include "abi/peer.h"
#include "base/types.h"
#include "capture/program/walks.h"
#include "gen/coldspot.skel.h"

#define WANTED 7
#define COPIES 8

struct scene {
	struct coldspot *skel;
	struct vec records; /* struct cs_peer */
	int pipe[2];
	bool cut;
};

static void want(const struct scene *s, const struct cs_peer_key *key)
{
	const u32 wanted = WANTED;

	assert_int_equal(bpf_map_update_elem(bpf_map__fd(s->skel->maps.peers_wanted), key, &wanted,
					     BPF_ANY),
			 0);
}

static void want_writers(const struct scene *s)
{
	struct cs_peer_key key = { .kind = CS_OBJECT_PIPE, .role = CS_END_WRITE };
	struct stat st;

	assert_int_equal(fstat(s->pipe[0], &st), 0);
	key.at = st.st_ino;
	key.dev = (u64)major(st.st_dev) << 20 | minor(st.st_dev);
	want(s, &key);
}

static void walk(struct scene *s, u64 until_ns, size_t records_max)
{
	const struct walk_bounds bounds = { .until_ns = until_ns, .records_max = records_max };

	s->skel->data->control.files_until_ns = until_ns;
	assert_int_equal(walk_files(s->skel->progs.on_task_file, &bounds, &s->records, &s->cut,
				    NULL),
			 0);
}

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct bpf_program *prog;

	if (!s || pipe(s->pipe))
		return -1;
	s->skel = coldspot__open();
	if (!s->skel)
		return -1;
	bpf_object__for_each_program(prog, s->skel->obj)
		bpf_program__set_autoload(prog, false);
	bpf_program__set_autoload(s->skel->progs.on_task_file, true);
	vec__init(&s->records, sizeof(struct cs_peer));
	*state = s;
	return coldspot__load(s->skel);
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	coldspot__destroy(s->skel);
	vec__done(&s->records);
	close(s->pipe[0]);
	close(s->pipe[1]);
	free(s);
	return 0;
}

static void test_walk__tells_the_end_that_is_wanted(void **state)
{
	struct scene *s = *state;
	const struct cs_peer *rec;

	want_writers(s);
	walk(s, ~0ULL, ~0UL);
	assert_false(s->cut);
	assert_int_equal(s->records.len, 1);
	rec = vec__at(&s->records, 0);
	assert_int_equal(rec->wanted, WANTED);
	assert_int_equal(rec->tgid, getpid());
	assert_int_equal(rec->side, CS_PEER_OTHER);
	assert_string_equal(rec->comm, "test_peers");
}

static void test_walk__ends_in_time(void **state)
{
	struct scene *s = *state;

	want_writers(s);
	walk(s, 0, ~0UL);
	assert_true(s->cut);
	assert_int_equal(s->records.len, 0);
}

static void test_walk__ends_when_there_is_no_room(void **state)
{
	int copies[COPIES], i;
	struct scene *s = *state;

	for (i = 0; i < COPIES; i++)
		assert_true((copies[i] = dup(s->pipe[1])) >= 0);
	want_writers(s);
	walk(s, ~0ULL, COPIES);
	assert_true(s->cut);
	assert_int_equal(s->records.len, COPIES);
	vec__reset(&s->records);
	walk(s, ~0ULL, COPIES + 1);
	assert_false(s->cut);
	assert_int_equal(s->records.len, COPIES + 1);
	for (i = 0; i < COPIES; i++)
		close(copies[i]);
}

static void test_walk__meets_both_sockets_of_a_pair(void **state)
{
	struct cs_peer_key key = { .kind = CS_OBJECT_SOCKET,
				   .role = CS_ROLE_NONE,
				   .family = AF_UNIX,
				   .type = SOCK_DGRAM };
	struct scene *s = *state;
	struct stat st;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd), 0);
	assert_int_equal(fstat(fd[0], &st), 0);
	key.at = st.st_ino;
	want(s, &key);
	walk(s, ~0ULL, ~0UL);
	assert_int_equal(s->records.len, 1);
	close(fd[1]);
	vec__reset(&s->records);
	walk(s, ~0ULL, ~0UL);
	assert_int_equal(s->records.len, 0);
	close(fd[0]);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_walk__##name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(tells_the_end_that_is_wanted),
		T(ends_in_time),
		T(ends_when_there_is_no_room),
		T(meets_both_sockets_of_a_pair),
	};

	if (geteuid()) {
		printf("1..0 # SKIP needs root: BPF programs are loaded\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
