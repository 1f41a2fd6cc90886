/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BPF_PYFRAMES_LOAD_H
#define BPF_PYFRAMES_LOAD_H

/* pyframes.bpf.c, loaded, which walks the frames of `world`. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/stack.h"
#include "abi/stats.h"
#include "base/types.h"

/* As pyframes.bpf.c has it. */
struct pycall {
	u64 tls;
	u64 off;
	u64 image;
	u64 now_ns;
	u32 module;
	u32 loops;
	u32 limit;
	u32 sleeping;
	u32 len;
	u32 flags;
	u32 needs;
	u32 trail_len;
	u64 print;
	u64 pc[CS_STACK_MAX];
};

#include "gen/pyframes.skel.h"

#include "python_world.h"
#include "stats_total.h"

static inline int setup(void **state)
{
	struct pyframes *skel = pyframes__open();
	struct bpf_program *prog;
	size_t sz = (sizeof(*world) + 4095) & ~4095UL;
	char *mem;

	if (!skel)
		return -errno;
	bpf_object__for_each_program(prog, skel->obj) {
		bpf_program__set_autoload(prog, bpf_program__type(prog) == BPF_PROG_TYPE_SYSCALL);
	}
	*state = skel;
	/* a page that is not there follows */
	mem = mmap(NULL, sz + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED || mprotect(mem + sz, 4096, PROT_NONE))
		return -errno;
	world = (struct world *)mem;
	return pyframes__load(skel);
}

static inline int teardown(void **state)
{
	pyframes__destroy(*state);
	munmap(world, ((sizeof(*world) + 4095) & ~4095UL) + 4096);
	return 0;
}

static inline struct pycall *walk(struct pyframes *skel, u32 entry, u32 loops, u32 limit,
				  bool sleeping)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct cs_python f = facts(entry);
	struct pycall *call = &skel->bss->pycall;
	u32 module = MODULE;

	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.pythons), &module, &f, BPF_ANY),
			 0);
	call->tls = (u64)(uintptr_t)world->tls;
	call->off = LOOP_OFF;
	call->image = 77;
	call->now_ns += NSEC_PER_SEC; /* nothing is known from the walk before */
	call->module = MODULE;
	call->loops = loops;
	call->limit = limit;
	call->sleeping = sleeping;
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.walk_python), &opts),
			 0);
	assert_int_equal(opts.retval, 0);
	return call;
}

static inline u64 stat_sum(struct pyframes *skel, size_t off)
{
	return stats_total(skel->maps.stats, off);
}

#define FAILED offsetof(struct cs_stats, python_failed)
#define NO_THREAD offsetof(struct cs_stats, python_no_thread)

#endif
