/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Where mappings come from user space, the table of them has room for the programs that live, not
 * for all that ever did: what is kept for a process goes when it ends, or starts another program.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/event.h"
#include "abi/unwind.h"
#include "base/types.h"
#include "capture/feature/features.h"
#include "capture/program/loader.h"

struct mapcall {
	u64 addr;
	u64 image;
	u64 now_ns;
	u32 module;
	u32 state;
	u32 marked;
};

#include "gen/mappings.skel.h"

struct scene {
	struct mappings *skel;
	struct features features;
	struct loader *loader; /* puts in the kernel's functions */
	struct ring_buffer *ring;
	u64 image; /* of the last program reported */
	u32 tgid;
};

static int on_event(void *arg, void *data, size_t sz)
{
	const struct cs_image_event *ev = data;
	struct scene *s = arg;

	if (sz >= sizeof(*ev) && ev->kind == CS_EVENT_IMAGE) {
		s->image = ev->image;
		s->tgid = ev->tgid;
	}
	return 0;
}

static void configure(struct mappings *skel)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, false);
	bpf_program__set_autoload(skel->progs.on_task_newtask, true);
	bpf_program__set_autoload(skel->progs.on_sched_process_exec, true);
	bpf_program__set_autoload(skel->progs.on_sched_process_exit, true);
	bpf_map__set_max_entries(skel->maps.image_maps, 16);
	skel->rodata->cfg.target = CS_TARGET_TGIDS;
	skel->rodata->cfg.follow = 1;
	skel->rodata->cfg.user_threads = 1;
	skel->rodata->cfg.max_tasks = 1000;
	skel->data->control.begin_ns = 1;
}

static void attach(struct mappings *skel)
{
	skel->links.on_task_newtask = bpf_program__attach_trace(skel->progs.on_task_newtask);
	assert_non_null(skel->links.on_task_newtask);
	skel->links.on_sched_process_exec =
		bpf_program__attach_trace(skel->progs.on_sched_process_exec);
	assert_non_null(skel->links.on_sched_process_exec);
	skel->links.on_sched_process_exit =
		bpf_program__attach_trace(skel->progs.on_sched_process_exit);
	assert_non_null(skel->links.on_sched_process_exit);
}

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	u32 self = (u32)getpid();
	u8 one = 1;

	if (!s)
		return -1;
	assert_int_equal(features__probe(&s->features, 0, NULL), 0);
	assert_int_equal(loader__new(&s->features, &s->loader, NULL), 0);
	s->skel = mappings__open();
	assert_non_null(s->skel);
	configure(s->skel);
	s->skel->rodata->cfg.task_struct_id = s->features.type_ids[FEATURES_TASK_STRUCT];
	assert_int_equal(mappings__load(s->skel), 0);
	assert_int_equal(loader__begin(s->loader), 0);
	assert_int_equal(loader__run(s->loader), 0);
	attach(s->skel);
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(s->skel->maps.targets), &self, &one,
					     BPF_ANY),
			 0);
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.events), on_event, s, NULL);
	assert_non_null(s->ring);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	ring_buffer__free(s->ring);
	loader__free(s->loader);
	mappings__destroy(s->skel);
	features__done(&s->features);
	free(s);
	return 0;
}

/* Waits for news of the program that `pid` runs, other than `known`. */
static u64 image_of(struct scene *s, pid_t pid, u64 known)
{
	int i;

	for (i = 0; i < 500; i++) {
		usleep(10000); /* news of a fork waits to be fetched */
		ring_buffer__consume(s->ring);
		if (s->tgid == (u32)pid && s->image != known)
			return s->image;
	}
	fail_msg("no news of process %d", pid);
	return 0;
}

static bool is_kept(const struct scene *s, u64 image)
{
	static struct cs_image_maps maps;

	return !bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.image_maps), &image, &maps);
}

static void keep(const struct scene *s, u64 image)
{
	static const struct cs_image_maps maps = { .len = 1 };

	assert_int_equal(bpf_map_update_elem(bpf_map__fd(s->skel->maps.image_maps), &image, &maps,
					     BPF_ANY),
			 0);
}

/* A child that ends, or starts `cat`, when `fd` ends. */
static pid_t start(bool exec, int *ret_fd)
{
	int gate[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(gate), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(gate[1]);
		if (exec && read(gate[0], &byte, 1) == 1 && dup2(gate[0], 0) == 0)
			execlp("cat", "cat", (char *)NULL);
		_exit(read(gate[0], &byte, 1) != 0);
	}
	close(gate[0]);
	*ret_fd = gate[1];
	return pid;
}

static void test_on_sched_process_exit__forgets_the_mappings(void **state)
{
	struct scene *s = *state;
	u64 image;
	pid_t pid;
	int fd, i;

	/* more of them than the table has room for, one after the other */
	for (i = 0; i < 20; i++) {
		pid = start(false, &fd);
		image = image_of(s, pid, 0);
		keep(s, image);
		close(fd);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_false(is_kept(s, image));
	}
}

static void test_on_sched_process_exec__forgets_those_of_the_old_program(void **state)
{
	struct scene *s = *state;
	u64 before, after;
	pid_t pid;
	int fd;

	pid = start(true, &fd);
	before = image_of(s, pid, 0);
	keep(s, before);
	assert_int_equal(write(fd, "x", 1), 1);
	after = image_of(s, pid, before);
	keep(s, after);
	assert_false(is_kept(s, before));
	assert_true(is_kept(s, after));
	close(fd);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(is_kept(s, after));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_on_sched_process_exit__forgets_the_mappings),
		cmocka_unit_test(test_on_sched_process_exec__forgets_those_of_the_old_program),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
