/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program run on another CPU runs in an interrupt there, net/bpf/test_run.c,
 * bpf_prog_test_run_raw_tp(), so it waits for code that runs with interrupts off.
 */
#include "capture/program/window.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "base/clock.h"
#include "base/log.h"
#include "capture/program/programs.h"

/* How far ahead an instant is set: longer than any store takes to become visible. */
#define AHEAD_NS (300 * NSEC_PER_USEC)
/* If the kernel offers no grace period: usually longer than one takes. */
#define GRACE_NS (100 * NSEC_PER_MSEC)

/* `cpu`: -1 for the one that this thread is on. */
static int run_program(struct programs *p, enum cs_window instant, u64 at_ns, int cpu)
{
	__u64 args[] = { instant, AHEAD_NS, at_ns };
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = args, .ctx_size_in = sizeof(args));

	if (cpu >= 0) {
		run.flags = BPF_F_TEST_RUN_ON_CPU;
		run.cpu = (__u32)cpu;
	}
	return bpf_prog_test_run_opts(programs__set_window_fd(p), &run);
}

/* May be late, but rarely is. */
static void set_from_outside(struct programs *p, enum cs_window instant, u64 at_ns)
{
	volatile struct cs_control *control = programs__control(p);
	u64 soon_ns = clock_mono_ns() + AHEAD_NS;

	at_ns = ((at_ns < soon_ns ? soon_ns : at_ns) & ~1ULL) | (~control->begin_ns & 1);
	if (instant == CS_WINDOW_BEGIN) {
		control->first_ns = at_ns;
		control->begin_ns = at_ns;
		return;
	}
	if (instant == CS_WINDOW_END)
		control->last_ns = at_ns;
	control->end_ns = at_ns;
}

u64 window_set(struct programs *p, enum cs_window instant, u64 at_ns)
{
	volatile struct cs_control *control = programs__control(p);
	int r = run_program(p, instant, at_ns, -1);

	if (r) {
		log_debug("the window is set from outside of the kernel: %s", err_str(r));
		set_from_outside(p, instant, at_ns);
	}
	return instant == CS_WINDOW_BEGIN ? control->begin_ns : control->end_ns;
}

void window_settle(struct programs *p)
{
	int cpus = libbpf_num_possible_cpus();

	for (int cpu = 0; cpu < cpus; cpu++) {
		int r = run_program(p, CS_WINDOW_KEEP, 0, cpu);

		/* -ENXIO: it is offline, so nothing runs there. */
		if (r && r != -ENXIO)
			log_debug("CPU %d was not waited for: %s", cpu, err_str(r));
	}
}

void window_retire(struct programs *p)
{
	volatile struct cs_control *control = programs__control(p);

	control->begin_ns = control->end_ns;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	control->end_ns = ~0ULL;
}

bool window_outlasts_programs(void)
{
	/* synchronize_rcu(): programs run with preemption off, or as readers. */
	if (!syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return true;
	/* A kernel with nohz_full= refuses. */
	log_debug("programs are waited for by the clock: %s", err_str(errno));
	clock_sleep_until_mono_ns(clock_mono_ns() + GRACE_NS);
	return false;
}

void window_grace(struct programs *p)
{
	if (!window_outlasts_programs())
		window_settle(p);
}
