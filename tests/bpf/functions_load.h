/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BPF_FUNCTIONS_LOAD_H
#define BPF_FUNCTIONS_LOAD_H

/* functions.bpf.c, loaded with tables that a test can fill, run by the kernel in this process. */
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
#include "abi/glob.h"
#include "abi/stats.h"
#include "abi/wait.h"
#include "base/types.h"

/* As functions.bpf.c has it; the skeleton names the type but does not define it. */
struct call {
	u64 ip;
	u64 fp;
	u32 limit;
	u32 end;
	u32 len;
	u32 flags;
	u64 pc[CS_STACK_MAX];
	struct cs_wait_key key;
	u64 blocked_ns;
	u64 runq_ns;
	u64 weight_ns;
	u64 len_ns;
	u64 ns;
	u64 period_ns;
	u64 slot_period_ns;
	u64 slot_waited_ns;
	u64 slot_point_ns;
	u32 raw_state;
	char pattern[CS_COMM_LEN];
	char comm[CS_COMM_LEN];
	u64 hash;
	u64 lost;
	s64 result;
};

#include "gen/functions.skel.h"

#define SMALL 8

static inline int load(struct functions **ret, u64 min_ns, u64 max_ns, u32 mask, bool any,
		       bool runnable)
{
	struct bpf_program *prog;
	struct functions *skel = functions__open();

	if (!skel)
		return -errno;
	bpf_object__for_each_program(prog, skel->obj) {
		bpf_program__set_autoload(prog, bpf_program__type(prog) == BPF_PROG_TYPE_SYSCALL);
	}
	skel->rodata->cfg.kstack_len = CS_STACK_DEFAULT;
	skel->rodata->cfg.ustack_len = CS_STACK_MAX;
	skel->rodata->cfg.mm_walk = 1;
	skel->rodata->cfg.unwind_tables = 1;
	skel->rodata->cfg.page_bits = 12;
	skel->rodata->cfg.min_ns = min_ns;
	skel->rodata->cfg.max_ns = max_ns;
	skel->rodata->cfg.state_mask = mask;
	skel->rodata->cfg.state_any = any;
	skel->rodata->cfg.state_r = runnable;
	bpf_map__set_max_entries(skel->maps.waits, SMALL);
	bpf_map__set_max_entries(skel->maps.short_stacks, SMALL / 2);
	bpf_map__set_max_entries(skel->maps.medium_stacks, SMALL / 4);
	bpf_map__set_max_entries(skel->maps.stacks, SMALL / 4);
	*ret = skel;
	return functions__load(skel);
}

static inline int setup(void **state)
{
	return load((struct functions **)state, 0, ~0ULL, 0, true, true);
}

static inline int teardown(void **state)
{
	functions__destroy(*state);
	return 0;
}

static inline void run(struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(prog), &opts), 0);
	assert_int_equal(opts.retval, 0);
}

#endif
