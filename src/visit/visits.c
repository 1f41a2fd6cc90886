/* SPDX-License-Identifier: Apache-2.0 */
/* In a round each thread is visited once. One that got no CPU since costs a single read. */
#include "visit/visits.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "visit/missing.h"
#include "visit/visits_priv.h"

/* How often all of /proc, or the threads of large processes, are searched for new ones. */
#define SEARCH_EVERY_NS (250 * NSEC_PER_MSEC)
#define FEW_THREADS 64
/* Descriptors that are left to the rest of the program. */
#define FDS_SPARE 256
#define FDS_MAX 65536

/* Raises the limit of open files as far as it goes; how many of them threads may take. */
static u32 take_fds(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return 0;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur < 2 * FDS_SPARE)
		return 0;
	return lim.rlim_cur > FDS_MAX ? FDS_MAX : (u32)lim.rlim_cur - FDS_SPARE;
}

static void window__init(struct visit_window *w)
{
	*w = (struct visit_window){ 0 };
	vec__init(&w->threads, sizeof(struct closed_thread));
	ended__init(&w->ended);
}

static void window__done(struct visit_window *w)
{
	for (size_t i = 0; i < w->threads.len; i++) {
		struct closed_thread *c = vec__at(&w->threads, i);

		visit_tally__done(&c->tally);
	}
	vec__done(&w->threads);
	ended__done(&w->ended);
}

void visits__free(struct visits *v)
{
	if (!v)
		return;
	window__done(&v->window);
	window__done(&v->closed);
	ended__done(&v->past);
	roster__done(&v->roster);
	whom__done(&v->whom);
	looker__done(&v->looker);
	notices__done(&v->notices);
	mem_free(v);
}

u32 visits__threads(const struct visits *v)
{
	return (u32)v->roster.threads.len;
}

u32 visits__targets(const struct visits *v)
{
	return whom__targets(&v->whom);
}

int visits__add_target(struct visits *v, u32 id, struct err *err)
{
	v->search_ns = 0;
	return whom__add(&v->whom, id) ? err__nomem(err) : 0;
}

int visits__expect_target(struct visits *v, u32 id, struct err *err)
{
	v->expected = id;
	return visits__add_target(v, id, err);
}

int visits__remove_target(struct visits *v, u32 id)
{
	whom__remove(&v->whom, id);
	return 0;
}

/* Since boot, in which the kernel gives the start of a thread, against CLOCK_MONOTONIC. */
static u64 asleep_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec - clock_mono_ns();
}

/*
 * Begins the tally of a thread in this window. The counters of one that was born in it are of this
 * window from the start; it was born after the last search that did not find it.
 */
static int begin_thread(struct visits *v, struct visited *t, u64 searched_ns)
{
	struct tally_reading zero = { 0 };
	struct look look;
	u64 born_ns;
	int r = looker__read(&v->looker, &t->at, &look.now);

	/* what it waits for now is that we begin */
	if (t->at.tid == v->expected)
		look.key = look.state = 0;
	else if (!r)
		r = looker__look(&v->looker, &t->at, &look);
	if (r)
		return r;
	t->begun = true;
	t->has_switches = roster__switches(&v->looker, t, &t->first);
	born_ns = t->start_boottime_ns - asleep_ns();
	if (!searched_ns || born_ns + 2 * thread_ticks_ns(1) < searched_ns)
		return visit_tally__begin(&t->tally, &look.now, look.key, look.state);
	t->flags |= TASK_BORN;
	t->first = (struct thread_switches){ 0 };
	zero.at_ns = born_ns > searched_ns ? born_ns : searched_ns;
	if (zero.at_ns > look.now.at_ns)
		zero.at_ns = look.now.at_ns;
	r = visit_tally__begin(&t->tally, &zero, 0, 0);
	return r ? r : visit_tally__visit(&t->tally, &look.now, look.key, look.state);
}

/*
 * Moves what the window has of a thread to the threads that are over. `ended`: it was gone before
 * its last counts of switches could be read.
 */
static int close_thread(struct visits *v, struct visited *t, bool ended)
{
	bool has_switches = t->has_switches && !ended;
	struct closed_thread *c;

	if (!t->begun)
		return 0;
	t->begun = false;
	c = vec__push(&v->window.threads);
	if (!c)
		return -ENOMEM;
	c->tgid = t->at.tgid;
	c->tid = t->at.tid;
	c->flags = t->flags | (ended ? TASK_EXITED : 0);
	memcpy(c->comm, t->comm, sizeof(c->comm));
	memcpy(c->group_comm, t->group_comm, sizeof(c->group_comm));
	c->start_boottime_ns = t->start_boottime_ns;
	if (has_switches) {
		c->switches = t->last.voluntary + t->last.involuntary - t->first.voluntary -
			      t->first.involuntary;
		c->preemptions = t->last.involuntary - t->first.involuntary;
	}
	visit_tally__finish(&t->tally,
			    has_switches ? t->last.voluntary - t->first.voluntary : ~0ULL);
	c->tally = t->tally;
	t->tally = (struct visit_tally){ 0 };
	return 0;
}

static int end_thread(struct visits *v, struct visited *t)
{
	roster__gone(&v->roster, t);
	return close_thread(v, t, true);
}

/*
 * A thread that lives gets its last name at the end of the window. For one that exits, names are
 * read at some visits: it may have started a program, most likely early in its life.
 */
#define RENAME_EARLY 4
#define RENAME_EVERY 32

/* The counters of another thread: a thread that calls exec takes the number of its leader. */
static bool is_another(const struct visited *t, const struct tally_reading *now)
{
	return now->on_ns < t->tally.last.on_ns || now->runq_ns < t->tally.last.runq_ns;
}

/* What was found so far belongs to the thread that had the number before. */
static int begin_another(struct visits *v, struct visited *t, const struct tally_reading *now)
{
	int r = close_thread(v, t, true);

	if (r)
		return r;
	t->begun = true;
	roster__rename(&v->looker, t);
	t->has_switches = roster__switches(&v->looker, t, &t->first);
	return visit_tally__begin(&t->tally, now, 0, 0);
}

static int visit(struct visits *v, struct visited *t)
{
	struct look look;
	int r = looker__read(&v->looker, &t->at, &look.now);

	if (r)
		return r == -ENOMEM ? r : end_thread(v, t);
	v->window.visits++;
	if (is_another(t, &look.now))
		return begin_another(v, t, &look.now);
	if (visit_tally__is_same(&t->tally, &look.now)) {
		visit_tally__stay(&t->tally, &look.now);
		return 0;
	}
	r = looker__look(&v->looker, &t->at, &look);
	if (r)
		return r == -ENOMEM ? r : end_thread(v, t);
	if (is_another(t, &look.now))
		return begin_another(v, t, &look.now);
	if (t->visits++ < RENAME_EARLY || !(t->visits % RENAME_EVERY))
		roster__rename(&v->looker, t);
	r = visit_tally__visit(&t->tally, &look.now, look.key, look.state);
	return r || !look.is_dead ? r : end_thread(v, t);
}

struct search {
	struct visits *v;
	u64 before_ns; /* the search before this one; 0: there was none in this window */
};

static int found(void *arg, u32 tgid, u32 tid)
{
	struct search *s = arg;
	struct visits *v = s->v;
	struct visited *t;
	int r;

	if (roster__has(&v->roster, tid))
		return 0;
	r = roster__add(&v->roster, &v->looker, &v->whom, tgid, tid, &t);
	if (r || !t || !v->window.begin_ns)
		return r;
	r = begin_thread(v, t, s->before_ns);
	if (r && r != -ENOMEM) {
		roster__gone(&v->roster, t);
		r = 0;
	}
	return r;
}

static int search(struct visits *v)
{
	struct search s = { v, v->search_ns };

	v->search_ns = clock_mono_ns();
	if (v->window.begin_ns && s.before_ns < v->window.begin_ns)
		s.before_ns = v->window.begin_ns;
	return whom__search(&v->whom, found, &s);
}

int visits__open(const struct capture_options *opt, u32 hz, const char *root, struct visits **ret,
		 struct err *err)
{
	const struct look_options look = {
		.user_stacks = opt->user_stacks,
		.kernel_stacks = opt->kernel_stacks,
		.objects = opt->objects,
		.depth = opt->stack_depth ? opt->stack_depth : CS_STACK_DEFAULT,
	};
	struct visits *v = mem_alloc(sizeof(*v));
	int r;

	if (!v)
		return err__nomem(err);
	rounds__init(&v->rounds, hz);
	v->keeps_user = opt->user_stacks;
	v->keeps_kernel = opt->kernel_stacks;
	notices__init(&v->notices);
	window__init(&v->window);
	window__init(&v->closed);
	ended__init(&v->past);
	roster__init(&v->roster, take_fds());
	r = looker__init(&v->looker, &look, root);
	if (r && r != -ENOMEM)
		err__set(err, r, "cannot read %s: %s", root, err_str(r));
	else if (r || whom__init(&v->whom, opt, v->looker.proc.root_fd) || search(v))
		r = err__nomem(err);
	if (r) {
		visits__free(v);
		return r;
	}
	*ret = v;
	return 0;
}

static int visit_all(struct visits *v)
{
	int r = 0;

	for (size_t i = 0; !r && i < v->roster.threads.len; i++) {
		struct visited *t = roster__at(&v->roster, i);

		if (!t->gone && t->begun)
			r = visit(v, t);
	}
	return r;
}

static int run_round(struct visits *v)
{
	bool is_wide = whom__is_wide(&v->whom) || v->roster.threads.len > FEW_THREADS;
	int r = 0;

	rounds__begin(&v->rounds, &v->window.kept);
	if (!is_wide || clock_mono_ns() - v->search_ns >= SEARCH_EVERY_NS)
		r = search(v);
	if (!r)
		r = visit_all(v);
	if (!r)
		r = roster__sweep(&v->roster, &v->window.ended);
	rounds__end(&v->rounds);
	return r;
}

static void begin_window(struct visits *v, u64 at_ns)
{
	window__init(&v->window);
	v->window.begin_ns = at_ns;
	v->window.begin_wall_ns = clock_wall_ns() - (clock_mono_ns() - at_ns);
	v->window.begin_cpu_ns = clock_cpu_ns();
}

int visits__start(struct visits *v, struct err *err)
{
	int r = search(v);

	begin_window(v, clock_mono_ns());
	for (size_t i = 0; !r && i < v->roster.threads.len; i++) {
		struct visited *t = roster__at(&v->roster, i);

		r = begin_thread(v, t, 0);
		if (r && r != -ENOMEM) {
			roster__gone(&v->roster, t);
			r = 0;
		}
	}
	rounds__start(&v->rounds);
	return r ? err__nomem(err) : 0;
}

int visits__poll(struct visits *v, int wake_fd, int timeout_ms, struct err *err)
{
	u64 until_ns = clock_mono_ns() + (u64)timeout_ms * NSEC_PER_MSEC;
	bool due;
	int r;

	do {
		r = rounds__wait(&v->rounds, wake_fd, until_ns, &due);
		if (r < 0 && r != -EINTR)
			return err__set(err, r, "cannot wait: %s", err_str(r));
		if (!r && due && run_round(v))
			return err__nomem(err);
	} while (!r && clock_mono_ns() < until_ns);
	return r < 0 ? r : 0;
}

/* The last visit of a thread in this window, which is the first one in the next. */
static int cut_thread(struct visits *v, struct visited *t, bool last)
{
	struct thread_switches switches = { 0 };
	struct tally_reading now;
	u32 key, state = 0;
	bool known;
	int r;

	if (t->gone || !t->begun)
		return 0;
	r = visit(v, t);
	if (r || t->gone)
		return r;
	roster__rename(&v->looker, t);
	known = roster__switches(&v->looker, t, &switches);
	t->last = switches;
	t->has_switches = t->has_switches && known;
	now = t->tally.last;
	key = t->tally.last_key;
	if (key)
		state = ((struct tally_share *)vec__at(&t->tally.shares, t->tally.last_share))
				->state;
	r = close_thread(v, t, false);
	if (r || last)
		return r;
	t->begun = true;
	t->flags &= ~(u32)TASK_BORN;
	t->first = switches;
	t->has_switches = known;
	return visit_tally__begin(&t->tally, &now, key, state);
}

static int cut(struct visits *v, bool last)
{
	int r = search(v);

	for (size_t i = 0; !r && i < v->roster.threads.len; i++)
		r = cut_thread(v, roster__at(&v->roster, i), last);
	return r ? r : roster__sweep(&v->roster, &v->window.ended);
}

int visits__cut(struct visits *v, u64 at_ns, bool last, struct err *err)
{
	u64 now;
	int r = 0;

	while (!r && clock_mono_ns() + NSEC_PER_MSEC < at_ns) {
		r = visits__poll(v, -1, 1, err);
		r = r == -EINTR ? 0 : r;
	}
	if (at_ns)
		clock_sleep_until_mono_ns(at_ns);
	if (r || cut(v, last) || missing_say(&v->looker, &v->notices))
		return r ? r : err__nomem(err);
	now = clock_mono_ns();
	v->window.end_ns = now;
	v->window.cpu_ns = clock_cpu_ns() - v->window.begin_cpu_ns;
	v->window.looks = v->looker.looks;
	v->looker.looks = 0;
	v->window.python_unread = v->looker.python.unread;
	v->looker.python.unread = 0;
	ended__done(&v->past);
	v->past = v->closed.ended;
	ended__init(&v->closed.ended);
	window__done(&v->closed);
	v->closed = v->window;
	begin_window(v, now);
	return 0;
}

const char *visits__notice(const struct visits *v, size_t idx)
{
	return notices__at(&v->notices, idx);
}
