/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The course of a trace, window after window. Windows are set ahead of time: their ends are written
 * to the programs before they come, so that every hook on every CPU agrees on them and time is cut
 * at exactly the same instant for every thread; nothing has to be stopped at once. docs/adr/0037.
 */
#include "capture/capture.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map64.h"
#include "base/mem.h"
#include "capture/capture_priv.h"
#include "capture/events.h"
#include "capture/mapping/expected.h"
#include "capture/mapping/image_maps.h"
#include "capture/program/kernel_memory.h"
#include "capture/program/kernel_names.h"
#include "capture/program/tables.h"
#include "capture/program/window.h"
#include "capture/targets.h"
#include "proc/cgroup/cgroup.h"
#include "proc/family.h"

static int image_maps_put(void *arg, u64 image, u32 tgid, const struct maps *maps)
{
	struct capture *c = arg;

	return image_maps_tell(programs__image_maps_fd(c->programs), &c->mapped, image, tgid, maps);
}

bool capture_may_work(struct capture *c)
{
	return pace__may(&c->pace, clock_mono_ns(), clock_cpu_ns());
}

/* Everything that a process has mapped gets its table before the window opens. */
static int preload(struct capture *c, u32 tid, struct err *err)
{
	int r;

	if (!(c->sides & SIDE_USER) || !programs__mm_walk(c->programs))
		return 0;
	r = programs__walk_mappings(c->programs, tid, err);
	if (r)
		return r;
	r = ring_buffer__consume(c->ring);
	return r < 0 ? err__set(err, r, "the ring buffer failed: %s", err_str(r)) : 0;
}

/* So do the program that is about to start, and the libraries that it will share with us. */
static int preload_expected(struct capture *c, const char *command, struct err *err)
{
	struct expected e = { 0 };
	int r;

	if (command)
		expected__map(&e, command);
	r = preload(c, (u32)getpid(), err);
	expected__unmap(&e);
	return r;
}

/*
 * With -a, this builds tables until all programs are being verified or are done: the window waits
 * for both. mark() looks at the rest, and again at these.
 */
static int preload_all(struct capture *c, struct err *err)
{
	struct vec pids;
	int r;

	vec__init(&pids, sizeof(u32));
	r = processes_list(&pids, err);
	for (size_t i = 0; !r && i < pids.len && programs__waiting(c->programs); i++)
		r = preload(c, *(const u32 *)vec__at(&pids, i), err);
	vec__done(&pids);
	return r;
}

/* Every process will be traced. */
static bool takes_all(const struct capture_options *opt)
{
	return opt->target == CAPTURE_ALL && opt->user_threads && !opt->program && !opt->comm &&
	       !opt->cgroup;
}

/*
 * What takes no hooks, while the verifier is at work on them: what is mapped later is found when
 * the threads are taken in.
 */
static int preload_early(struct capture *c, const struct capture_options *opt, struct err *err)
{
	int r = 0;

	/* Processes that are named have what they have; ours is theirs only by chance. */
	if (!opt->ids_len)
		r = preload_expected(c, opt->command, err);
	for (size_t i = 0; !r && i < opt->ids_len; i++)
		r = preload(c, opt->ids[i], err);
	return !r && takes_all(opt) ? preload_all(c, err) : r;
}

/* One thread of each process: the leader may be none of those asked for. */
static int preload_once(struct capture *c, const struct cs_task_record *rec, struct map64 *done,
			struct err *err)
{
	u64 tid;

	if (rec->flags & CS_TASK_KTHREAD || map64__get(done, rec->tgid, &tid))
		return 0;
	if (map64__set(done, rec->tgid, rec->tid))
		return err__nomem(err);
	return preload(c, rec->tid, err);
}

/* Takes in the threads that exist and match. Those already in are not touched. */
static int mark(struct capture *c, struct err *err)
{
	struct map64 done;
	struct vec found;
	int r;

	map64__init(&done);
	vec__init(&found, sizeof(struct cs_task_record));
	r = programs__walk(c->programs, PROGRAMS_MARK, &found, err);
	for (size_t i = 0; !r && i < found.len; i++) {
		const struct cs_task_record *rec = vec__at(&found, i);

		r = preload_once(c, rec, &done, err);
		if (!r && !(rec->flags & CS_TASK_KTHREAD) && !programs__mm_walk(c->programs) &&
		    (processes__see(&c->processes, rec->tgid, rec->image, 0) ||
		     readers__see(&c->readers, rec->tgid, rec->image, &c->mapped.notices)))
			r = err__nomem(err);
		if (!r && cgroup_paths__see(&c->cgroups, rec->cgroup_id))
			r = err__nomem(err);
	}
	if (!r)
		r = programs__walk(c->programs, PROGRAMS_ASLEEP, &found, err);
	vec__done(&found);
	map64__done(&done);
	return r;
}

/*
 * sched_info is cheaper than an event for each wakeup. Since 6.12 they are not true of
 * a sleeper that is moved to another CPU while its dequeueing is delayed, so there they are used
 * where such moves are seen: docs/adr/0019.
 */
static int choose_split(const struct capture_options *opt, const struct features *f, u32 *ret,
			struct err *err)
{
	bool notes = features__has(f, FEATURE_RQ_CLOCK) && features__has(f, FEATURE_SCHED_INFO);
	bool waking = features__has(f, FEATURE_SCHED_WAKING);
	bool wrong = f->delays_dequeue && !features__has(f, FEATURE_SCHED_MIGRATE);
	bool apart = f->at[FEATURE_STABLE_CLOCK].state == FEATURE_NO;

	if (opt->split == CAPTURE_SPLIT_SCHED_INFO && !notes)
		return err__set(err, -EOPNOTSUPP, "this kernel does not show sched_info: %s",
				f->at[FEATURE_SCHED_INFO].detail);
	if (opt->split == CAPTURE_SPLIT_SCHED_INFO && apart)
		return err__set(
			err, -EOPNOTSUPP,
			"the CPUs have no common clock, so sched_info cannot be used: leave out "
			"--split");
	if (opt->wakers && !waking)
		return err__set(err, -EOPNOTSUPP, "this kernel cannot tell who wakes threads: %s",
				f->at[FEATURE_SCHED_WAKING].detail);
	if (opt->wakers && opt->split == CAPTURE_SPLIT_SCHED_INFO)
		return err__set(
			err, -EINVAL,
			"--wakers splits waits at the wakeup: leave out --split sched-info");
	if (opt->split == CAPTURE_SPLIT_WAKING && !waking)
		return err__set(err, -EOPNOTSUPP, "this kernel has no sched_waking: %s",
				f->at[FEATURE_SCHED_WAKING].detail);
	if (!notes && !waking)
		return err__set(
			err, -EOPNOTSUPP,
			"this kernel has neither sched_waking nor sched_info: cannot separate "
			"blocked time from waiting for a CPU");
	*ret = CS_SPLIT_SCHED_INFO;
	if (opt->split == CAPTURE_SPLIT_WAKING || opt->wakers ||
	    (opt->split == CAPTURE_SPLIT_AUTO && waking && (!notes || wrong || apart)))
		*ret = CS_SPLIT_WAKING;
	return 0;
}

/* Every module that is mapped is kept open until it has its names: up to the hard limit. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static int load(struct capture *c, const struct capture_options *opt, const struct features *f,
		struct err *err)
{
	u32 split = CS_SPLIT_SCHED_INFO;
	int r = opt->visit_hz ? 0 : choose_split(opt, f, &split, err);

	if (!r)
		r = request_probes__find(&c->requests,
					 &(struct request_options){ opt->requests,
								    opt->requests_len, opt->ids,
								    opt->ids_len },
					 err);
	return r ? r : programs__load(opt, f, split, &c->programs, err);
}

static int prepare_tables(struct capture *c, const struct capture_options *opt, struct err *err)
{
	struct mapped_maps maps = {
		.segments = &c->segments,
		.modules_fd = programs__modules_fd(c->programs),
		.readers = &c->readers,
		.tables_gen = &programs__control(c->programs)->tables_gen,
		.next_id = &programs__control(c->programs)->next_module_id,
	};
	int r = segments__init(&c->segments, programs__segments_fd(c->programs),
			       programs__rules_fd(c->programs), err);

	if (!r)
		r = mapped__init(&c->mapped, &maps, kernel_memory_for_tables(opt), err);
	if (r)
		return r;
	r = readers__init(&c->readers, programs__map_fd, c->programs, maps.tables_gen);
	if (r)
		return err__set(err, r, "cannot read interpreters: %s", err_str(r));
	r = thread_contexts__init(&c->thread_contexts,
				  programs__map_fd(c->programs, "thread_contexts"));
	return r ? err__nomem(err) : 0;
}

static int add_targets(struct capture *c, const u32 *ids, size_t len, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < len; i++)
		r = programs__add_target(c->programs, ids[i], err);
	return r;
}

static int find_targets(struct capture *c, const struct capture_options *opt, struct err *err)
{
	struct vec pids;
	int r;

	vec__init(&pids, sizeof(u32));
	r = targets_find(opt, &pids, err);
	if (!r)
		r = add_targets(c, pids.data, pids.len, err);
	vec__done(&pids);
	return r;
}

static int open_rings(struct capture *c, struct err *err)
{
	int r = 0;

	c->ring = ring_buffer__new(programs__events_fd(c->programs), capture_take_event, c, NULL);
	if (!c->ring)
		return err__set(err, -errno, "cannot read the ring buffer: %s", err_str(errno));
	if (c->max_moments)
		r = ring_buffer__add(c->ring, programs__moments_fd(c->programs),
				     capture_take_moment, c);
	return r ? err__set(err, r, "cannot read the ring buffer of events: %s", err_str(r)) : 0;
}

static void take_options(struct capture *c, const struct capture_options *opt,
			 const struct features *f)
{
	c->hist_unit_ns = opt->hist_unit_ns;
	processes__init(&c->processes, image_maps_put, c);
	code_places__init(&c->code_places);
	endings__init(&c->endings);
	roots__init(&c->roots);
	map64__init(&c->young);
	leavers__init(&c->leavers,
		      (opt->target == CAPTURE_PROCESSES || opt->target == CAPTURE_THREADS) &&
			      !opt->program && !opt->comm && !opt->cgroup);
	cgroup_paths__init(&c->cgroups);
	c->cgroup2_path = f->cgroup2_path;
	c->no_cgroup2 = f->at[FEATURE_CGROUP2].state == FEATURE_NO;
	sampler__init(&c->sampler);
	request_probes__init(&c->requests);
	stacks__init(&c->stacks);
	postponed__init(&c->postponed);
	c->interval_ns = opt->interval_ns;
	c->addresses_hidden = !features__has(f, FEATURE_KALLSYMS);
	c->filtered = opt->min_ns || opt->max_ns != ~0ULL || !opt->state_any;
	c->sides = (opt->user_stacks ? SIDE_USER : 0) | (opt->kernel_stacks ? SIDE_KERNEL : 0);
	c->on_cpu_hz = opt->on_cpu_hz;
	c->visit_hz = opt->visit_hz;
	c->wakers = opt->wakers;
	c->max_moments = opt->max_moments;
	c->min_ns = opt->min_ns;
	c->max_ns = opt->max_ns;
	c->governed = opt->overhead_ppm;
	c->gap_from_ns = opt->gap_from_ns;
}

int capture__open(const struct capture_options *opt, const struct features *f, struct capture **ret,
		  struct err *err)
{
	struct capture *c = mem_alloc(sizeof(*c));
	u64 cgroup = 0;
	int r;

	if (!c)
		return err__nomem(err);
	raise_file_limit();
	take_options(c, opt, f);
	r = slow_marks__init(&c->slow_marks, opt->slow_request_ns);
	if (!r)
		r = container_names__init(&c->containers, "");
	if (!r)
		r = request_heads__init(&c->request_heads);
	if (!r)
		r = capture_window__init(&c->now, opt->interval_ns, opt->max_moments);
	period_log__begin(&c->now.periods, 0, opt->period_ns);
	governor__init(&c->governor, opt->overhead_ppm, (u32)sysconf(_SC_NPROCESSORS_ONLN),
		       opt->period_ns);
	r = r ? err__nomem(err) : 0;
	if (!r && opt->cgroup_paths && !c->no_cgroup2 &&
	    cgroup_paths__open(&c->cgroups, f->cgroup2_path) == -ENOMEM)
		r = err__nomem(err);
	if (!r && opt->cgroup)
		r = cgroup_find_id(opt->cgroup, f->cgroup2_path, &cgroup, err);
	if (!r)
		r = load(c, opt, f, err);
	if (!r)
		r = prepare_tables(c, opt, err);
	if (r)
		goto err_out;
	r = add_targets(c, opt->ids, opt->ids_len, err);
	if (!r && opt->cgroup)
		r = programs__add_cgroup(c->programs, cgroup, err);
	if (r)
		goto err_out;
	r = open_rings(c, err);
	if (!r && opt->visit_hz)
		r = sampler__open(&c->sampler, err);
	if (r)
		goto err_out;
	r = preload_early(c, opt, err);
	if (!r)
		r = programs__finish(c->programs, err);
	if (!r)
		r = segments__settle(&c->segments, err);
	if (!r)
		r = programs__attach(c->programs, err);
	if (!r)
		r = programs__attach_requests(c->programs, &c->requests, err);
	if (!r)
		r = find_targets(c, opt, err);
	if (!r)
		r = mark(c, err);
	if (r)
		goto err_out;
	*ret = c;
	return 0;
err_out:
	capture__free(c);
	return r;
}

u32 capture__threads(const struct capture *c)
{
	return programs__control(c->programs)->tasks;
}

u32 capture__targets(const struct capture *c)
{
	/* One that was expected and never came stays in the table. */
	return capture__threads(c) ? programs__targets(c->programs) : 0;
}

int capture__expect_target(struct capture *c, u32 id, struct err *err)
{
	return programs__add_target(c->programs, id, err);
}

int capture__add_target(struct capture *c, u32 id, struct err *err)
{
	int r = programs__add_target(c->programs, id, err);

	leavers__add(&c->leavers);
	return r ? r : mark(c, err);
}

/* The mark iterator tells its threads to look at themselves. */
int capture__remove_target(struct capture *c, u32 id, struct err *err)
{
	int r = programs__remove_target(c->programs, id, err);

	leavers__remove(&c->leavers);
	return r ? r : mark(c, err);
}

int capture__add_cgroup(struct capture *c, const char *path, struct err *err)
{
	u64 id;
	int r = cgroup_find_id(path, c->cgroup2_path, &id, err);

	if (!r)
		r = programs__add_cgroup(c->programs, id, err);
	leavers__add(&c->leavers);
	return r ? r : mark(c, err);
}

int capture__remove_cgroup(struct capture *c, const char *path, struct err *err)
{
	u64 id;
	int r = cgroup_find_id(path, c->cgroup2_path, &id, err);

	if (!r)
		r = programs__remove_cgroup(c->programs, id, err);
	leavers__remove(&c->leavers);
	return r ? r : mark(c, err);
}

static void wait_until_mono_ns(u64 instant)
{
	while (!clock_sleep_until_mono_ns(instant))
		; /* a signal: the few hundred us must pass all the same */
}

static struct governor_sample sample_of(const struct cs_stats *stats)
{
	return (struct governor_sample){
		.at_ns = clock_mono_ns(),
		.prog_ns = stats->self_ns,
		.prog_runs = stats->self_runs,
		.cpu_ns = clock_cpu_ns(),
		.switches = stats->switches,
		.waits = stats->waits,
		.chosen = stats->chosen,
	};
}

void capture__start(struct capture *c)
{
	capture__start_at(c, 0);
	wait_until_mono_ns(c->now.begin_ns);
}

void capture__start_at(struct capture *c, u64 at_ns)
{
	struct capture_window *w = &c->now;
	struct governor_sample first;
	struct cs_stats stats;

	programs__control(c->programs)->period_ns = w->periods.now_ns;
	w->begin_ns = window_set(c->programs, CS_WINDOW_BEGIN, at_ns);
	c->first_ns = w->begin_ns;
	period_log__begin(&w->periods, w->begin_ns, w->periods.now_ns);
	replicates__begin(&w->replicates, w->begin_ns, programs__wait_key_sz(c->programs));
	if (c->visit_hz)
		sampler__start(&c->sampler, c->programs, c->visit_hz, w->begin_ns);
	w->begin_wall_ns = clock_wall_ns() + w->begin_ns - clock_mono_ns();
	/* Counters that cannot be read are 0: a few ms before the window are taken for its own. */
	if (programs__stats(c->programs, &stats, NULL))
		memset(&stats, 0, sizeof(stats));
	/* All others count in windows only, or what went wrong at any time. */
	c->stats.self_runs = stats.self_runs;
	c->stats.self_ns = stats.self_ns;
	first = sample_of(&stats);
	c->cpu_ns = first.cpu_ns;
	governor__begin(&c->governor, &first);
	pace__begin(&c->pace, c->governed ? c->governor.budget_ppm : 0, c->governor.ncpu,
		    first.at_ns, first.cpu_ns);
}

bool capture__hooks_cost(const struct capture *c, u64 *ret_switches_ns, u64 *ret_switch_ns)
{
	*ret_switches_ns = c->governor.switches_ns;
	*ret_switch_ns = c->governor.switch_ns;
	return c->governed && governor__is_over(&c->governor);
}

static void govern(struct capture *c)
{
	struct governor_sample now;
	struct cs_stats stats;
	u64 period_ns;

	if (!c->governed || clock_mono_ns() < c->governor.next_ns)
		return;
	if (programs__stats(c->programs, &stats, NULL)) {
		governor__put_off(&c->governor, clock_mono_ns());
		return;
	}
	now = sample_of(&stats);
	period_ns = governor__decide(&c->governor, &now);
	if (period_ns == c->now.periods.now_ns)
		return;
	programs__control(c->programs)->period_ns = period_ns;
	period_log__change(&c->now.periods, now.at_ns, period_ns);
	log_debug("sampling period: %llu ns", period_ns);
}

/* The table grows while it is read: see tables.h. One that cannot be read is read the next time. */
static void read_replicates(struct capture *c)
{
	struct replicates *rs = &c->now.replicates;
	u64 cpu_ns;

	if (clock_mono_ns() < rs->next_ns)
		return;
	/* Others may be making tables of unwinding meanwhile. */
	cpu_ns = clock_thread_cpu_ns();
	replicates__next(rs, clock_mono_ns());
	if (table_read(programs__waits_fd(c->programs, c->now.begin_ns), rs->key_sz,
		       sizeof(struct cs_wait_sum), replicates__row, rs, NULL))
		log_debug("the table of waits could not be read on the way");
	replicates__read(rs, clock_thread_cpu_ns() - cpu_ns);
}

/* Most records come without a wakeup, so that the scheduler's hooks wake nobody. */
static int wait_for_news(struct capture *c, int wake_fd, int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = ring_buffer__epoll_fd(c->ring), .events = POLLIN },
		{ .fd = wake_fd, .events = POLLIN },
	};

	if (poll(fds, ARRAY_LEN(fds), timeout_ms) < 0)
		return -errno;
	return ring_buffer__consume(c->ring);
}

/* Errors are kept in the capture. */
static void take_news(void *arg)
{
	struct capture *c = arg;

	(void)ring_buffer__consume(c->ring);
}

/* News are read meanwhile: a process that is in them may end before a large table is built. */
int capture_build_tables(struct capture *c)
{
	int r = 0;

	c->polling = true;
	c->mapped.pause = (struct table_pause){ take_news, c };
	while (!r && mapped__waiting(&c->mapped) && capture_may_work(c))
		r = mapped__build(&c->mapped);
	c->mapped.pause = (struct table_pause){ 0 };
	c->polling = false;
	return r;
}

/* Without visits, nothing is recorded. */
static int check_sampler(struct capture *c, struct err *err)
{
	int r;

	if (!c->visit_hz)
		return 0;
	r = sampler__error(&c->sampler);
	return r ? err__set(err, r, "cannot visit the threads: %s", err_str(r)) : 0;
}

bool capture__take_slow_request(struct capture *c)
{
	return slow_marks__take(&c->slow_marks, clock_mono_ns());
}

int capture__poll(struct capture *c, int wake_fd, int timeout_ms, struct err *err)
{
	u64 now = clock_mono_ns(), due = processes__tick(&c->processes, now), left_ms;
	int r = readers__tick(&c->readers, now, &due, &c->mapped.notices);

	if (!r)
		r = thread_contexts__tick(&c->thread_contexts, now, &due);
	if (r)
		return err__nomem(err);
	if (c->governed && c->governor.next_ns < due)
		due = c->governor.next_ns;
	if (c->now.replicates.next_ns < due)
		due = c->now.replicates.next_ns;
	left_ms = due > now ? (due - now) / NSEC_PER_MSEC + 1 : 0;
	if (left_ms < (u64)timeout_ms)
		timeout_ms = (int)left_ms;
	c->polling = true;
	r = wait_for_news(c, wake_fd, timeout_ms);
	c->polling = false;
	if (r < 0)
		return r == -EINTR ? r : err__set(err, r, "the ring buffer failed: %s", err_str(r));
	if (c->ring_error)
		return err__set(err, c->ring_error, "cannot read an event of the trace: %s",
				err_str(c->ring_error));
	r = check_sampler(c, err);
	if (!r)
		r = programs__settle(c->programs, false, err);
	if (r)
		return r;
	programs__tick(c->programs, clock_mono_ns());
	govern(c);
	read_replicates(c);
	r = capture_build_tables(c);
	if (r)
		return err__nomem(err);
	if (!c->rescan)
		return 0;
	c->rescan = false;
	return mark(c, err);
}

int capture__kernel_symbols(const struct capture *c, struct kallsyms **ret, struct err *err)
{
	struct err why;

	if (!c->addresses_hidden && !kernel_names_read(&c->stacks, c->programs, ret, &why))
		return 0;
	if (!c->addresses_hidden)
		log_debug("%s", why.msg);
	return kallsyms__load(ret, err);
}

const char *capture__notice(const struct capture *c, size_t idx)
{
	const struct notices *notices = &c->mapped.notices;

	if (idx < notices__len(notices))
		return notices__at(notices, idx);
	return idx == notices__len(notices) && c->floor_notice[0] ? c->floor_notice : NULL;
}

u64 capture__memory_bytes(const struct capture *c)
{
	return programs__memory_bytes(c->programs) + segments__memory_bytes(&c->segments);
}

void capture__free(struct capture *c)
{
	if (!c)
		return;
	sampler__stop(&c->sampler);
	ring_buffer__free(c->ring);
	mapped__done(&c->mapped);
	segments__done(&c->segments); /* its threads may be at work with a map of the programs */
	programs__free(c->programs);
	request_probes__done(&c->requests);
	slow_marks__done(&c->slow_marks);
	request_heads__done(&c->request_heads);
	thread_contexts__done(&c->thread_contexts);
	processes__done(&c->processes);
	code_places__done(&c->code_places);
	endings__done(&c->endings);
	roots__done(&c->roots);
	cgroup_paths__done(&c->cgroups);
	container_names__done(&c->containers);
	stacks__done(&c->stacks);
	postponed__done(&c->postponed);
	capture_window__done(&c->now);
	capture_window__done(&c->closed);
	readers__done(&c->readers);
	map64__done(&c->young);
	leavers__done(&c->leavers);
	mem_free(c);
}
