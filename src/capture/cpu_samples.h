/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_CPU_SAMPLES_H
#define CAPTURE_CPU_SAMPLES_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

struct bpf_program;

/*
 * A timer on each CPU that is online, which runs a program `hz` times a second of it: the kernel's
 * software clock (PERF_COUNT_SW_CPU_CLOCK), as there is on machines without counters too. CPUs that
 * come later are not sampled.
 */
struct cpu_samples {
	struct vec links; /* struct bpf_link * */
};

void cpu_samples__init(struct cpu_samples *s);
/*
 * -EPERM, -ENOMEM, -ENODEV if no CPU has it, or what the kernel said; what was started by then is
 * for cpu_samples__done().
 */
int cpu_samples__start(struct cpu_samples *s, struct bpf_program *prog, u32 hz, struct err *err);
/* Nothing runs any more when it returns. */
void cpu_samples__done(struct cpu_samples *s);

#endif
