/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/made/timeline_made.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/sink.h"
#include "base/vec.h"
#include "lib/literal.h"
#include "profile/builder.h"

#define SEED 88172645463325252ULL

/* What threads of a timeline do in turn: run, wait for one of these, and then for a CPU. */
#define CALLS 3
#define TIMELINE_NS (10 * NSEC_PER_SEC)
static const char *const timeline_calls[CALLS] = { "futex_wait", "pipe_read", "blk_mq_wait" };
static const s32 timeline_sysno[CALLS] = { 202, 0, 74 };

struct timeline_made {
	struct builder *b;
	u64 seed;
	u32 kernel[CALLS];
	struct profile_task *tasks;
	struct profile_wait *waits; /* of each thread, by call */
	struct vec moments; /* struct profile_moment; `wait` is the index of one of these */
};

static u32 random_below(struct timeline_made *t, u32 n)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 7;
	t->seed ^= t->seed << 17;
	return (u32)(t->seed >> 33) % n;
}

static void add_turn(struct timeline_made *t, u32 task, u64 *at_ns)
{
	u64 on_ns = 300 + random_below(t, 40000);
	u32 call = random_below(t, CALLS);
	struct profile_wait *wait = &t->waits[task * CALLS + call];
	struct profile_moment m = {
		.blocked_ns = 1000 + random_below(t, random_below(t, 16) ? 60000 : 3000000),
		.runq_ns = random_below(t, 3) ? random_below(t, 9000) : 0,
		.wait = task * CALLS + call,
		.waker = random_below(t, 4) ? 1 + (task + 1 + call) % 8 : 0,
	};

	m.end_ns = *at_ns + on_ns + m.blocked_ns + m.runq_ns;
	if (m.end_ns > TIMELINE_NS)
		m.end_ns = *at_ns = TIMELINE_NS;
	else {
		*(struct profile_moment *)vec__push(&t->moments) = m;
		*at_ns = m.end_ns;
		wait->blocked_ns += m.blocked_ns;
		wait->runq_ns += m.runq_ns;
		wait->count++;
		t->tasks[task].blocked_ns[1] += m.blocked_ns;
		t->tasks[task].runq_ns += m.runq_ns;
		t->tasks[task].switches++;
	}
}

static void add_thread(struct timeline_made *t, u32 task, u32 *ret_id)
{
	struct profile_task *to = &t->tasks[task];

	builder__str(t->b, "shop", &to->comm);
	to->group_comm = to->comm;
	to->tid = 500 + task;
	to->tgid = 500;
	to->wall_ns = TIMELINE_NS;
	to->on_ns = TIMELINE_NS - to->runq_ns - to->blocked_ns[1];
	builder__task(t->b, to, ret_id);
	builder__waker(t->b,
		       &(struct profile_waker){ .task = *ret_id,
						.tid = to->tid,
						.tgid = to->tgid,
						.comm = to->comm,
						.group_comm = to->comm,
						.end = CHAIN_RUNNING },
		       ret_id);
}

static void add_waits_and_moments(struct timeline_made *t, u32 threads)
{
	u32 *ids = calloc((size_t)threads * CALLS, sizeof(*ids)), i;

	for (i = 0; i < threads * CALLS; i++) {
		struct profile_wait *wait = &t->waits[i];

		wait->task = 1 + i / CALLS;
		wait->kstack = t->kernel[i % CALLS];
		wait->sysno = timeline_sysno[i % CALLS];
		wait->state = 1;
		wait->samples = wait->count;
		wait->hist[6] = (u32)wait->count;
		if (wait->count)
			builder__wait(t->b, wait);
		ids[i] = builder__last_wait(t->b);
	}
	for (i = 0; i < t->moments.len; i++) {
		struct profile_moment m = *(struct profile_moment *)vec__at(&t->moments, i);

		m.wait = ids[m.wait];
		if (m.waker > threads)
			m.waker = 0;
		builder__moment(t->b, &m);
	}
	free(ids);
}

static void name_calls(struct profile *p)
{
	u32 i;

	for (i = 1; i < p->frames_len; i++)
		profile__name_frame(p, i, timeline_calls[p->frames[i].addr - 1], 0, FRAME_NAMED);
}

#define CONNECTIONS 40
#define SERVED_NS (40 * NSEC_PER_MSEC)

/* Every third request has a trace ID. */
static void add_mark(struct timeline_made *t, struct profile_mark m, const char *class, u32 request)
{
	char trace[40];

	builder__str(t->b, class, &m.class);
	snprintf(trace, sizeof(trace), "%032x", request + 0xabc000);
	if (m.connection && m.kind == MARK_BEGIN && request % 3 == 0)
		builder__str(t->b, trace, &m.trace);
	builder__mark(t->b, &m);
}

/* By a probe; one is inside of another one, and one has no end. */
static void add_probed(struct timeline_made *t)
{
	static const u32 begins_ms[] = { 1, 2, 3 }, ends_ms[] = { 8, 9 };
	size_t i;

	for (i = 0; i < ARRAY_LEN(begins_ms); i++)
		add_mark(t,
			 (struct profile_mark){ .at_ns = begins_ms[i] * NSEC_PER_MSEC,
						.task = 1,
						.kind = MARK_BEGIN },
			 "shopd serve", 0);
	for (i = 0; i < ARRAY_LEN(ends_ms); i++)
		add_mark(t,
			 (struct profile_mark){
				 .at_ns = ends_ms[i] * NSEC_PER_MSEC, .task = 1, .kind = MARK_END },
			 "shopd serve", 0);
	add_mark(t, (struct profile_mark){ .at_ns = NSEC_PER_MSEC, .task = 2, .kind = MARK_BEGIN },
		 "shopd serve", 0);
	add_mark(t,
		 (struct profile_mark){ .at_ns = 2 * NSEC_PER_MSEC, .task = 2, .kind = MARK_END },
		 "shopd serve", 0);
}

/* The first class has a name that is long, the second one that is not to be trusted. */
static void name_class(char *name, size_t sz, u32 class)
{
	if (class == 1)
		snprintf(name, sz,
			 ":8080 POST /api/v2/organizations/{}/environments/{}/deployment-targets");
	else if (class == 2)
		snprintf(name, sz, ":8080 GET /<b>&amp;\"'/{}");
	else
		snprintf(name, sz, ":8080 GET /things-%u/{}", class);
}

/* Requests on connections, one after the other; other threads than those that read answer some. */
static void add_requests(struct timeline_made *t, u32 threads, u32 classes)
{
	char name[128];
	u32 connection, request = 0;

	for (connection = 1; connection <= CONNECTIONS; connection++) {
		u64 at_ns = 1000 + random_below(t, 500000);
		u32 reader = 1 + connection % threads;

		while (at_ns < SERVED_NS) {
			u64 ns = 20000 + random_below(t, random_below(t, 16) ? 400000 : 4000000);
			u32 writer = random_below(t, 4) ? reader : 1 + random_below(t, threads);

			name_class(name, sizeof(name),
				   random_below(t, 1 + random_below(t, classes)));
			add_mark(t,
				 (struct profile_mark){ .at_ns = at_ns,
							.task = reader,
							.kind = MARK_BEGIN,
							.connection = connection },
				 name, request++);
			add_mark(t,
				 (struct profile_mark){ .at_ns = at_ns + ns,
							.task = writer,
							.kind = MARK_END,
							.connection = connection },
				 name, 0);
			at_ns += ns + 1000 + random_below(t, 300000);
		}
	}
}

struct profile *timeline_made(const char *name, u32 threads, u32 waits, u32 classes)
{
	struct timeline_made t = { .b = builder__new(), .seed = SEED };
	struct profile_module kernel = { .kind = MODULE_KERNEL };
	struct profile *p = NULL;
	u32 i, id, frame, target;

	t.tasks = calloc(threads, sizeof(*t.tasks));
	t.waits = calloc((size_t)threads * CALLS, sizeof(*t.waits));
	vec__init(&t.moments, sizeof(struct profile_moment));
	builder__str(t.b, name, &target);
	builder__str(t.b, "[kernel]", &kernel.path);
	builder__module(t.b, &kernel, &id);
	for (i = 0; i < CALLS; i++) {
		builder__frame(t.b, id, i + 1, FRAME_KERNEL, FRAME_NOT_TRIED, &frame);
		builder__stack(t.b, 0, frame, &t.kernel[i]);
	}
	*builder__header(t.b) = (struct profile_header){ .target = target,
							 .window_ns = TIMELINE_NS,
							 .ncpu = threads,
							 .max_ns = ~0ULL,
							 .wakers = 1,
							 .max_moments = waits };
	builder__str(t.b, "x86_64", &builder__header(t.b)->arch);
	for (i = 0; i < threads; i++) {
		u64 at_ns = 0;

		while (at_ns < TIMELINE_NS && t.moments.len < (size_t)waits * (i + 1) / threads)
			add_turn(&t, i, &at_ns);
		add_thread(&t, i, &id);
	}
	add_waits_and_moments(&t, threads);
	if (classes) {
		add_requests(&t, threads, classes);
		add_probed(&t);
	}
	if (builder__freeze(t.b, &p, NULL))
		p = NULL;
	else
		name_calls(p);
	printf("# %s: %u waits of %u threads have instants\n", name, p ? p->moments_len : 0,
	       threads);
	builder__free(t.b);
	vec__done(&t.moments);
	free(t.tasks);
	free(t.waits);
	return p;
}

static struct profile *parse(const char *text)
{
	struct profile *p = NULL;

	return literal_parse(text, &p, NULL) ? NULL : p;
}

/* With requests of one thread, by a probe whose class has its name. */
static struct profile *with_requests(struct profile *p, const u64 (*ms)[2], u32 len)
{
	u32 i;

	if (!p)
		return NULL;
	p->marks = mem_array((size_t)len * 2, sizeof(*p->marks));
	p->marks_len = len * 2;
	for (i = 0; i < len * 2; i++)
		p->marks[i] = (struct profile_mark){
			.at_ns = ms[i / 2][i % 2] * NSEC_PER_MSEC,
			.task = 1,
			.class = p->tasks[1].comm,
			.kind = i % 2 ? MARK_END : MARK_BEGIN,
		};
	return p;
}

struct profile *requests_made_few(void)
{
	static const char text[] =
		"target PID 1 (few)\nwindow 4s\nmax_events 10\ntask 1/1 one on=900ms\n"
		"wait S sys=futex blocked=2s runq=500ms count=2 at=2s:1s:250ms,4s:1s:250ms\n"
		" u main\n u locked\n k futex_wait\n"
		"wait S sys=epoll_wait blocked=600ms count=1 at=700ms:600ms:0\n"
		" u main\n u event_loop\n k ep_poll\n";
	static const u64 ms[][2] = { { 100, 900 }, { 1000, 2500 }, { 2600, 2600 } };

	return with_requests(parse(text), ms, ARRAY_LEN(ms));
}

/* More than a page has rows of a class. */
#define FUNCTIONS 300

struct profile *requests_made_many_places(void)
{
	u64 ms[FUNCTIONS / 10][2];
	struct profile *p;
	struct sink text;
	u32 i;

	sink__init_mem(&text);
	sink__printf(&text,
		     "target PID 1 (places)\nwindow %us\nmax_events 1000\n"
		     "task 1/1 places on=%ums\n",
		     FUNCTIONS * 2 / 1000 + 1, (FUNCTIONS * 2 / 1000 + 1) * 1000 - FUNCTIONS);
	for (i = 0; i < FUNCTIONS; i++)
		sink__printf(&text,
			     "wait S sys=%s blocked=1ms count=1 at=%ums:1ms:0\n u main\n"
			     " u function_%u\n k %s\n",
			     i % 2 ? "futex" : "read", 2 * i + 2, i,
			     i % 2 ? "futex_wait" : "pipe_read");
	p = sink__finish(&text, NULL) ? NULL : parse(text.buf);
	sink__done(&text);
	for (i = 0; i < ARRAY_LEN(ms); i++) {
		ms[i][0] = 20ULL * i + 1;
		ms[i][1] = 20ULL * i + (i % 7 ? 19 : 20);
	}
	return with_requests(p, ms, ARRAY_LEN(ms));
}
