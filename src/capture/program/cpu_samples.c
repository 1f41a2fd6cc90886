/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One event per CPU, not per thread: a thread born during the trace needs none, and the program
 * checks whether the current thread is traced.
 */
#include "capture/program/cpu_samples.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

void cpu_samples__init(struct cpu_samples *s)
{
	vec__init(&s->links, sizeof(struct bpf_link *));
}

/* By period: the kernel would check a frequency against kernel.perf_event_max_sample_rate. */
static int open_clock(int cpu, u32 hz)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = NSEC_PER_SEC / hz,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int start_one(struct cpu_samples *s, struct bpf_program *prog, int cpu, u32 hz,
		     struct err *err)
{
	int fd = open_clock(cpu, hz), r;
	struct bpf_link *link, **slot;

	if (fd < 0 && errno == ENODEV)
		return 0; /* offline */
	if (fd < 0) {
		r = -errno;
		return err__set(err, r, "cannot sample CPU %d: %s; --on-cpu takes CAP_PERFMON", cpu,
				err_str(r));
	}
	link = bpf_program__attach_perf_event(prog, fd);
	if (!link) {
		r = -errno;
		close(fd);
		return err__set(err, r, "cannot attach the program that samples CPU %d: %s", cpu,
				err_str(r));
	}
	slot = vec__push(&s->links);
	if (!slot) {
		bpf_link__destroy(link);
		return err__nomem(err);
	}
	*slot = link;
	return 0;
}

int cpu_samples__start(struct cpu_samples *s, struct bpf_program *prog, u32 hz, struct err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int r = 0;

	for (int cpu = 0; !r && cpu < cpus; cpu++)
		r = start_one(s, prog, cpu, hz, err);
	if (!r && !s->links.len)
		r = err__set(err, -ENODEV, "cannot sample any of %ld CPUs: %s", cpus,
			     err_str(-ENODEV));
	return r;
}

void cpu_samples__done(struct cpu_samples *s)
{
	for (size_t i = 0; i < s->links.len; i++)
		bpf_link__destroy(*(struct bpf_link **)vec__at(&s->links, i));
	vec__done(&s->links);
}
