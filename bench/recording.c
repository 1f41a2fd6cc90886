/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording costs: bytes for each stack, and the time to write, to open and to read 10,
 * 10,000 and 100,000 stacks, beside the JSON of the same profile; then an hour of windows of one
 * machine in an agent's store, also with many and long names, as large C++ programs have them. The
 * profiles are made by chance that is the same each time: stacks of 24 frames on average that have
 * their beginnings in common, three names for two stacks, of 60 bytes, and waits spread over 40
 * threads.
 *
 * usage: recording [DIR]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "profile/builder.h"
#include "recording/database.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "render/formats.h"

#define DEPTH 24
#define THREADS 40
#define NAME_SZ 256
#define RUNS 5
/* An hour of a machine: windows, stacks in each, new ones in each for 100, and stacks in a day. */
#define HOUR_WINDOWS 60
#define HOUR_STACKS 2000
#define HOUR_CHURN 12
#define DAY_STACKS 30000
/* In a window with many names, 15,000 of them occur; they have 100 bytes. */
#define MANY_FUNCTIONS 18000
#define MANY_WORDS 3

static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void die(const struct err *err)
{
	fprintf(stderr, "recording: %s\n", err->msg);
	exit(1);
}

/* A stack by its number is the same in every profile. */
struct making {
	struct builder *b;
	u32 module;
	u32 tasks[THREADS];
	u32 *frames; /* by function; 0: not made yet */
	u32 functions;
	u64 random; /* of the values */
	struct profile_task totals[THREADS];
};

static void name_of(u32 function, bool many, char *buf, size_t sz)
{
	u64 random = 0x9e3779b97f4a7c15ULL * (function + 1);
	u32 words = 2 + (many ? MANY_WORDS : 0) + (u32)(next_random(&random) % 3);
	size_t len = 0;

	while (words--)
		len += (size_t)snprintf(buf + len, sz - len,
					"%s%llx::", next_random(&random) & 1 ? "service" : "detail",
					next_random(&random) % 4096);
	snprintf(buf + len, sz - len, "Handler%llu::process_%u", next_random(&random) % 100,
		 function);
}

static u32 frame_of(struct making *m, u32 function)
{
	if (!m->frames[function])
		builder__frame(m->b, m->module, 0x1000 + 64ULL * function, FRAME_RETURN,
			       FRAME_NOT_TRIED, &m->frames[function]);
	return m->frames[function];
}

/* Stacks with near numbers share most of their root side. */
static u32 stack_of(struct making *m, u32 number)
{
	u64 random = 0xd1342543de82ef95ULL * (number + 1);
	u32 depth = DEPTH / 2 + (u32)(next_random(&random) % DEPTH), i, stack = 0;

	for (i = 0; i < depth; i++) {
		u64 shared = number >> (i * 2 < 16 ? 16 - i * 2 : 0);
		u64 seed = (shared + 1) * 0x2545f4914f6cdd1dULL + i;

		builder__stack(m->b, stack, frame_of(m, next_random(&seed) % m->functions), &stack);
	}
	return stack;
}

static void add_wait(struct making *m, u32 number)
{
	u32 thread = (u32)(next_random(&m->random) % THREADS), bucket;
	double spread = (double)(next_random(&m->random) % 1000) / 1000;
	struct profile_wait w = { .task = m->tasks[thread], .sysno = number % 3 ? 202 : 0 };

	w.ustack = stack_of(m, number);
	w.state = 1;
	w.count = w.samples = 1 + next_random(&m->random) % 100;
	w.blocked_ns = (u64)(exp(spread * 12) * 1000) * w.count + next_random(&m->random) % 1000;
	w.runq_ns = next_random(&m->random) % 100000;
	w.max_ns = (w.blocked_ns + w.runq_ns) / w.count;
	bucket = 4 + (u32)(spread * 16);
	w.hist[bucket] = (u32)(w.count - w.count / 3);
	w.hist[bucket + 1] = (u32)(w.count / 3);
	builder__wait(m->b, &w);
}

/* Threads have what their waits add up to; so they are made twice. */
static void add_tasks(struct making *m, const struct profile *sums)
{
	u32 i, name;

	for (i = 0; i < THREADS; i++) {
		struct profile_task t = { .tid = 1000 + i, .tgid = 1000 + i / 8 };
		char comm[16];

		snprintf(comm, sizeof(comm), "worker-%u", i);
		builder__str(m->b, comm, &name);
		t.comm = t.group_comm = name;
		t.start_boottime_ns = 123456789 + i * 1000000ULL;
		for (u32 w = 1; sums && w < sums->waits_len; w++) {
			if (sums->waits[w].task != i + 1)
				continue;
			t.blocked_ns[1] += sums->waits[w].blocked_ns;
			t.runq_ns += sums->waits[w].runq_ns;
			t.switches += sums->waits[w].count;
		}
		t.on_ns = 1000000;
		t.wall_ns = t.on_ns + t.runq_ns + t.blocked_ns[1];
		builder__task(m->b, &t, &m->tasks[i]);
	}
}

static void name_all(struct profile *p, bool many)
{
	char name[NAME_SZ];
	u32 i;

	for (i = 1; i < p->frames_len; i++) {
		name_of((u32)((p->frames[i].addr - 0x1000) / 64), many, name, sizeof(name));
		profile__name_frame(p, i, name, 16, FRAME_NAMED);
	}
}

/* `first`: of the stacks, which are numbered on; `seed`: of the values. */
static struct profile *make(u32 stacks, u32 first, u64 seed, bool many, const struct profile *sums)
{
	struct profile_module module = { .kind = MODULE_ELF, .dev = 1, .ino = 2 };
	struct making m = { .b = builder__new(),
			    .functions = many ? MANY_FUNCTIONS : stacks * 3 / 2 + 10 };
	struct profile *p = NULL;
	struct err err = { 0 };
	u32 i;

	m.frames = calloc(m.functions, sizeof(u32));
	m.random = seed * 0x9e3779b97f4a7c15ULL + 1;
	builder__str(m.b, "/usr/bin/service", &module.path);
	builder__module(m.b, &module, &m.module);
	add_tasks(&m, sums);
	for (i = 0; i < stacks; i++)
		add_wait(&m, many ? (first + i) % DAY_STACKS : first + i);
	builder__header(m.b)->window_ns = 60 * NSEC_PER_SEC;
	builder__header(m.b)->begin_wall_ns = 1790000000ULL * NSEC_PER_SEC + seed * 1000;
	if (builder__freeze(m.b, &p, &err))
		die(&err);
	builder__free(m.b);
	free(m.frames);
	name_all(p, many);
	if (sums)
		return p;
	{
		struct profile *whole = make(stacks, first, seed, many, p);

		profile__free(p);
		return whole;
	}
}

static void add(struct recorder *rec, const struct profile *p)
{
	struct recording_cause c = { .name = "all" };
	struct err err = { 0 };
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		c.waits += p->waits[i].count;
		c.blocked_ns += p->waits[i].blocked_ns;
		c.runq_ns += p->waits[i].runq_ns;
		if (p->waits[i].max_ns > c.max_ns)
			c.max_ns = p->waits[i].max_ns;
	}
	if (recorder__add(rec, p, &c, 1, NULL, &err))
		die(&err);
}

static void finish(struct recorder *rec)
{
	struct err err = { 0 };

	if (recorder__finish(rec, &err))
		die(&err);
	recorder__free(rec);
}

static struct recorder *create(const char *path, bool lean)
{
	struct recorder *rec = NULL;
	struct err err = { 0 };

	unlink(path);
	if (lean ? recorder__create_lean(path, &rec, &err) : recorder__create(path, &rec, &err))
		die(&err);
	return rec;
}

static u64 size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (u64)st.st_size;
}

static u64 json_of(const struct profile *p, u64 *ret_ns)
{
	const struct render_options opt = { 0 };
	u64 begin = clock_cpu_ns(), sz;
	struct sink out;

	sink__init_mem(&out);
	render_find("json")->render(p, &opt, &out, NULL);
	sz = out.total_bytes;
	sink__done(&out);
	*ret_ns = clock_cpu_ns() - begin;
	return sz;
}

struct times {
	u64 write_ns;
	u64 open_ns;
	u64 read_ns;
	u64 json_ns;
};

static void least(u64 *a, u64 b)
{
	if (!*a || b < *a)
		*a = b;
}

static void measure_once(const char *path, const struct profile *p, struct times *t)
{
	struct recording *in = NULL;
	struct profile *q = NULL;
	struct err err = { 0 };
	struct recorder *rec;
	u64 begin = clock_cpu_ns();

	rec = create(path, false);
	add(rec, p);
	finish(rec);
	least(&t->write_ns, clock_cpu_ns() - begin);
	begin = clock_cpu_ns();
	if (recording__open(path, &in, &err))
		die(&err);
	least(&t->open_ns, clock_cpu_ns() - begin);
	begin = clock_cpu_ns();
	if (recording__read(in, 0, &q, &err))
		die(&err);
	least(&t->read_ns, clock_cpu_ns() - begin);
	recording__close(in);
	profile__free(q);
}

static void measure(const char *path, u32 stacks)
{
	struct profile *p = make(stacks, 0, 1, false, NULL);
	struct times t = { 0 };
	u64 json, sz;
	u32 i;

	/* what takes seconds takes about the same each time */
	for (i = 0; i < (stacks > 10000 ? 2 : RUNS); i++)
		measure_once(path, p, &t);
	json = json_of(p, &t.json_ns);
	sz = size_of(path);
	printf("%8u %9u %10llu %8.1f %9.2f %8.2f %9.2f %11llu %9.1f %9.2f\n", stacks,
	       p->stacks_len - 1, sz, (double)sz / stacks, (double)t.write_ns / 1e6,
	       (double)t.open_ns / 1e6, (double)t.read_ns / 1e6, json, (double)json / stacks,
	       (double)t.json_ns / 1e6);
	profile__free(p);
}

/* KiB of each window in the blocks of a kind. */
static double kib_of(struct recorder *rec, const char *kind)
{
	struct database *d = recorder__database(rec);
	char sql[128];
	s64 sz = 0;

	snprintf(sql, sizeof(sql), "SELECT sum(length(data)) FROM blocks WHERE kind = '%s'", kind);
	database__number(d, sql, &sz, NULL);
	return (double)sz / 1024 / HOUR_WINDOWS;
}

static void measure_hour(const char *path, bool many)
{
	struct recorder *rec = create(path, true);
	struct recording *in = NULL;
	struct err err = { 0 };
	u64 cpu_ns = 0, begin, open_ns, read_ns, sz;
	struct profile *p;
	double tasks, code, waits;
	u32 i;

	for (i = 0; i < HOUR_WINDOWS; i++) {
		p = make(HOUR_STACKS, i * HOUR_STACKS * HOUR_CHURN / 100, i + 1, many, NULL);
		begin = clock_cpu_ns();
		add(rec, p);
		cpu_ns += clock_cpu_ns() - begin;
		profile__free(p);
	}
	tasks = kib_of(rec, "tasks");
	code = kib_of(rec, "code");
	waits = kib_of(rec, "waits");
	finish(rec);
	sz = size_of(path);
	begin = clock_cpu_ns();
	if (recording__open(path, &in, &err))
		die(&err);
	open_ns = clock_cpu_ns() - begin;
	begin = clock_cpu_ns();
	if (recording__read(in, HOUR_WINDOWS - 1, &p, &err))
		die(&err);
	read_ns = clock_cpu_ns() - begin;
	profile__free(p);
	recording__close(in);
	printf("\nstore, %u windows of %u stacks, %u %% of them new%s:\n"
	       "%.1f KiB a window (tasks %.1f, code %.1f, waits %.1f), %.1f MB a day of minutes,\n"
	       "%.1f ms CPU a window to write, %.2f ms to open the file, %.1f ms to read its last "
	       "window alone\n",
	       HOUR_WINDOWS, HOUR_STACKS, HOUR_CHURN, many ? ", many long names" : "",
	       (double)sz / 1024 / HOUR_WINDOWS, tasks, code, waits,
	       (double)sz / HOUR_WINDOWS * 1440 / 1e6, (double)cpu_ns / 1e6 / HOUR_WINDOWS,
	       (double)open_ns / 1e6, (double)read_ns / 1e6);
}

int main(int argc, char **argv)
{
	static const u32 sizes[] = { 10, 10000, 100000 };
	char path[4096];
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(path, sizeof(path), "%s/bench-%d.coldspot", argc > 1 ? argv[1] : "/tmp",
		 (int)getpid());
	printf("CPU ms, least of %d runs\n", RUNS);
	printf("%8s %9s %10s %8s %9s %8s %9s %11s %9s %9s\n", "stacks", "nodes", "bytes", "B/stack",
	       "write ms", "open ms", "read ms", "JSON bytes", "B/stack", "write ms");
	for (i = 0; i < ARRAY_LEN(sizes); i++)
		measure(path, sizes[i]);
	measure_hour(path, false);
	measure_hour(path, true);
	unlink(path);
	return 0;
}
