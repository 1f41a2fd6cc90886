/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each format takes: bytes a stack and time to write, for profiles of several sizes that are
 * made up, the same in every run. Stacks share their roots and differ at their ends, as real ones
 * do; names are as long as those of C++ programs; times are spread over six orders of magnitude.
 *
 *	usage: formats [STACKS...]		a table; 10, 10,000 and 100,000 if not given
 *	       formats --write DIR STACKS	one file of each format, for other programs
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/hist.h"
#include "profile/builder.h"
#include "render/render.h"

#define NAMES 8000 /* distinct functions */
#define MODULES 24
#define THREADS 40
#define MAX_DEPTH 48
#define BRANCHES 3 /* how often a stack leaves another on the way to its leaf, in a hundred */

/* A generator of our own: the profile must not depend on the C library. */
static u64 next(u64 *state)
{
	u64 x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

struct making {
	struct builder *b;
	u64 seed;
	u32 modules[MODULES + 1]; /* the last one is the kernel */
	u32 tasks[THREADS];
};

static void make_modules(struct making *m)
{
	u32 i;

	for (i = 0; i <= MODULES; i++) {
		struct profile_module module = { .kind = i < MODULES ? MODULE_ELF : MODULE_KERNEL };
		char path[64];

		snprintf(path, sizeof(path), i < MODULES ? "/usr/lib/libmodule%u.so" : "[kernel]",
			 i);
		builder__str(m->b, path, &module.path);
		builder__module(m->b, &module, &m->modules[i]);
	}
}

/* A frame for one of the names; names come later. */
static u32 make_frame(struct making *m, u32 name, bool kernel)
{
	u32 module = kernel ? MODULES : name % MODULES, frame;

	builder__frame(m->b, m->modules[module], 0x1000 + 0x40ULL * name, kernel ? FRAME_KERNEL : 0,
		       FRAME_NOT_TRIED, &frame);
	return frame;
}

/* Functions near a root are few: at each depth some more than at the one before. */
static u32 make_stack(struct making *m, u32 depth, bool kernel)
{
	u32 stack = 0, path = 0, i;

	for (i = 0; i < depth; i++) {
		u32 ways = 1 + i / 4;

		path = path * 31 + (next(&m->seed) % 100 < BRANCHES * ways ?
					    (u32)next(&m->seed) % (4 * ways) :
					    i);
		builder__stack(m->b, stack, make_frame(m, path % NAMES, kernel), &stack);
	}
	return stack;
}

static void make_wait(struct making *m, u32 stacks_done)
{
	static const s32 calls[] = { 202, 202, 232, 0, 45, 74, 230, -1 };
	struct profile_wait w = {
		.task = m->tasks[next(&m->seed) % THREADS],
		.sysno = calls[next(&m->seed) % ARRAY_LEN(calls)],
		.state = 1,
		.count = 1 + next(&m->seed) % 50,
	};

	w.ustack = make_stack(m, 8 + (u32)next(&m->seed) % (MAX_DEPTH - 8), false);
	w.kstack = make_stack(m, 6 + (u32)next(&m->seed) % 8, true);
	w.blocked_ns = 1000 + (1ULL << next(&m->seed) % 20) * (1000 + stacks_done % 1000);
	w.runq_ns = next(&m->seed) % 50000;
	w.max_ns = (w.blocked_ns + w.runq_ns) / w.count + 1;
	w.samples = w.count;
	w.hist[cs_hist_bucket((w.blocked_ns + w.runq_ns) / w.count)] = (u32)w.count;
	builder__wait(m->b, &w);
}

static void make_tasks(struct making *m)
{
	u32 i;

	for (i = 0; i < THREADS; i++) {
		struct profile_task t = { .tid = 1000 + i, .tgid = 1000 + i / 10 * 10 };
		char comm[16];

		snprintf(comm, sizeof(comm), "worker-%u", i);
		builder__str(m->b, comm, &t.comm);
		builder__str(m->b, "service", &t.group_comm);
		t.start_boottime_ns = t.tid;
		builder__task(m->b, &t, &m->tasks[i]);
	}
}

static int name_frames(struct profile *p)
{
	static const char *const parts[] = { "query",	    "Session",	"handle_request",
					     "std::vector", "Executor", "dispatch",
					     "BufferPool",  "lock_wait" };
	u32 i;
	int r = 0;

	for (i = 1; i < p->frames_len && !r; i++) {
		u64 n = p->frames[i].addr;
		char name[160];

		if (p->frames[i].flags & FRAME_KERNEL)
			snprintf(name, sizeof(name), "%s_%llx", parts[n / 64 % 8], n);
		else
			snprintf(name, sizeof(name), "%s::%s<%s<unsigned long>, %llx>::%s(int)",
				 parts[n / 64 % 8], parts[n / 512 % 8], parts[n / 4096 % 8], n,
				 parts[n / 128 % 8]);
		r = profile__name_frame(p, i, name, n % 64, FRAME_NAMED);
	}
	return r;
}

static struct profile *make_profile(u32 stacks, struct err *err)
{
	struct making m = { .b = builder__new(), .seed = 88172645463325252ULL };
	struct profile *p = NULL;
	struct profile_header *h;
	u32 i;
	int r;

	if (!m.b)
		return NULL;
	h = builder__header(m.b);
	builder__str(m.b, "x86_64", &h->arch);
	builder__str(m.b, "a made up service", &h->target);
	h->window_ns = 10 * NSEC_PER_SEC;
	h->filtered = 1; /* totals of threads are not made up: the list is all there is */
	make_modules(&m);
	make_tasks(&m);
	for (i = 0; i < stacks; i++)
		make_wait(&m, i);
	r = builder__freeze(m.b, &p, err);
	builder__free(m.b);
	if (!r && name_frames(p)) {
		profile__free(p);
		return NULL;
	}
	return p;
}

/* Bytes, or a negative errno. */
static s64 write_to(const struct render_ops *format, const struct profile *p, const char *path,
		    struct err *err)
{
	const struct render_options opt = { 0 };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct sink out;
	int r, end;

	if (fd < 0)
		return err__set(err, -errno, "cannot write '%s'", path);
	sink__init_fd(&out, fd);
	r = format->render(p, &opt, &out, err);
	end = sink__finish(&out, r ? NULL : err);
	close(fd);
	sink__done(&out);
	if (r || end)
		return r ? r : end;
	return (s64)out.total_bytes;
}

static u64 cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
}

/* The best of three, in CPU time: others may share this machine. */
static int measure(const struct render_ops *format, const struct profile *p, struct err *err)
{
	u64 best_ns = ~0ULL;
	s64 bytes = 0;
	int i;

	for (i = 0; i < 3 && bytes >= 0; i++) {
		u64 start = cpu_ns(), took;

		bytes = write_to(format, p, "/dev/null", err);
		took = cpu_ns() - start;
		if (took < best_ns)
			best_ns = took;
	}
	if (bytes < 0)
		return (int)bytes;
	printf("%-11s %8u %12lld %9.1f %10.2f %9.0f\n", format->name, p->waits_len - 1,
	       (long long)bytes, (double)bytes / (p->waits_len - 1),
	       (double)best_ns / (double)NSEC_PER_MSEC, (double)best_ns / (p->waits_len - 1));
	return 0;
}

static int measure_all(u32 stacks, struct err *err)
{
	struct profile *p = make_profile(stacks, err);
	size_t i;
	int r = 0;

	if (!p)
		return -ENOMEM;
	for (i = 0; render_formats[i] && !r; i++)
		r = measure(render_formats[i], p, err);
	profile__free(p);
	return r;
}

static int write_all(const char *dir, u32 stacks, struct err *err)
{
	struct profile *p = make_profile(stacks, err);
	size_t i;
	s64 r = 0;

	if (!p)
		return -ENOMEM;
	for (i = 0; render_formats[i] && r >= 0; i++) {
		const char *ending = render_formats[i]->endings;
		char path[512];

		snprintf(path, sizeof(path), "%s/formats%.*s", dir, (int)strcspn(ending, " "),
			 ending);
		if (*ending)
			r = write_to(render_formats[i], p, path, err);
	}
	profile__free(p);
	return r < 0 ? (int)r : 0;
}

int main(int argc, char **argv)
{
	static const u32 sizes[] = { 10, 10000, 100000 };
	struct err err = { 0 };
	int r = 0, i;

	if (argc == 4 && strcmp(argv[1], "--write") == 0) {
		r = write_all(argv[2], (u32)strtoul(argv[3], NULL, 10), &err);
	} else {
		printf("%-11s %8s %12s %9s %10s %9s\n", "format", "stacks", "bytes", "B/stack",
		       "CPU ms", "ns/stack");
		for (i = 1; i < argc && !r; i++)
			r = measure_all((u32)strtoul(argv[i], NULL, 10), &err);
		for (i = 0; argc == 1 && !r && i < (int)ARRAY_LEN(sizes); i++)
			r = measure_all(sizes[i], &err);
	}
	if (r)
		fprintf(stderr, "formats: %s\n", *err.msg ? err.msg : "memory is short");
	return r ? EXIT_FAILURE : EXIT_SUCCESS;
}
