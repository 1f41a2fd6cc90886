/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_CPU_SAMPLES_H
#define CAPTURE_PROGRAM_CPU_SAMPLES_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

struct bpf_program;

/*
 * A timer on each online CPU, which runs a program `hz` times a second: the kernel's software clock
 * (PERF_COUNT_SW_CPU_CLOCK), which also exists on machines without counters. CPUs that come online
 * later are not sampled.
 */
struct cpu_samples {
	struct vec links; /* struct bpf_link * */
};

void cpu_samples__init(struct cpu_samples *s);
/*
 * -EPERM, -ENOMEM, -ENODEV if no CPU has it, or an error from the kernel; call cpu_samples__done()
 * for what was already started.
 */
int cpu_samples__start(struct cpu_samples *s, struct bpf_program *prog, u32 hz, struct err *err);
/* When it returns, nothing runs any more. */
void cpu_samples__done(struct cpu_samples *s);

#endif
