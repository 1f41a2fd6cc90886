/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program that is run on another CPU runs in an interrupt there, net/bpf/test_run.c,
 * bpf_prog_test_run_raw_tp(): it waits for what runs with interrupts off.
 */
#include "capture/window.h"

#include <errno.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "base/clock.h"
#include "base/log.h"
#include "capture/programs.h"

/* How far ahead an instant is written: longer than any store takes to be seen. */
#define AHEAD_NS (300 * NSEC_PER_USEC)

/* `cpu`: -1 for the one that this thread is on. */
static int run_program(struct programs *p, enum cs_window instant, int cpu)
{
	__u64 args[] = { instant, AHEAD_NS };
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = args, .ctx_size_in = sizeof(args));

	if (cpu >= 0) {
		run.flags = BPF_F_TEST_RUN_ON_CPU;
		run.cpu = (__u32)cpu;
	}
	return bpf_prog_test_run_opts(programs__set_window_fd(p), &run);
}

static u64 set(struct programs *p, enum cs_window instant, volatile __u64 *ret_ns)
{
	int r = run_program(p, instant, -1);

	if (r) {
		/* May come late, but seldom does. */
		log_debug("the window is set from outside of the kernel: %s", err_str(r));
		*ret_ns = clock_mono_ns() + AHEAD_NS;
	}
	return *ret_ns;
}

u64 window_set_begin(struct programs *p)
{
	return set(p, CS_WINDOW_BEGIN, &programs__control(p)->begin_ns);
}

u64 window_set_end(struct programs *p)
{
	return set(p, CS_WINDOW_END, &programs__control(p)->end_ns);
}

void window_settle(struct programs *p)
{
	int cpus = libbpf_num_possible_cpus();

	for (int cpu = 0; cpu < cpus; cpu++) {
		int r = run_program(p, CS_WINDOW_KEEP, cpu);

		/* -ENXIO: it is offline, and nothing runs there. */
		if (r && r != -ENXIO)
			log_debug("CPU %d was not waited for: %s", cpu, err_str(r));
	}
}
