/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The course of a trace. The window is set ahead of time: both its ends are written to the programs
 * before they come, so that every hook on every CPU agrees on them and time is cut at exactly the
 * same instant for every thread; nothing has to be stopped at once.
 */
#include "capture/capture.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "abi/event.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/map64.h"
#include "base/mem.h"
#include "base/self_memory.h"
#include "capture/capture_priv.h"
#include "capture/expected.h"
#include "capture/image_maps.h"
#include "capture/kernel_memory.h"
#include "capture/kernel_names.h"
#include "capture/peer_search.h"
#include "capture/tables.h"
#include "capture/window.h"

/* How long after the end a hook that can be interrupted may be at work on something before it. */
#define SETTLE_NS (700 * NSEC_PER_USEC)
/* How long to wait for the records of threads that are ending. */
#define LAST_NS (200 * NSEC_PER_MSEC)

static int image_maps_put(void *arg, u64 image, u32 tgid, const struct maps *maps)
{
	struct capture *c = arg;

	return image_maps_tell(programs__image_maps_fd(c->programs), &c->mapped, image, tgid, maps);
}

u64 capture_clip(const struct capture *c, u64 from_ns, u64 to_ns)
{
	if (from_ns < c->begin_ns)
		from_ns = c->begin_ns;
	if (c->end_ns && to_ns > c->end_ns)
		to_ns = c->end_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Threads that end are as many as they like to be. */
static int take_record(struct capture *c, const struct cs_task_record *rec)
{
	struct cs_task_record *copy;
	u64 more = vec__growth(&c->records, 1);

	if (c->hist_unit_ns)
		more += task_hists__growth(&c->hists);
	if (c->records_lost || !self_memory_allows(more)) {
		c->records_lost++;
		c->records_lost_ns += capture_clip(c, rec->begin_ns, rec->end_ns);
		return 0;
	}
	copy = vec__push(&c->records);
	if (!copy)
		return -ENOMEM;
	*copy = *rec;
	return cgroup_paths__see(&c->cgroups, rec->cgroup_id);
}

/* What was taken of a thread has its histograms at the same place. */
static int take_hist_record(struct capture *c, const struct cs_task_hist_record *rec)
{
	size_t before = c->records.len;
	int r = take_record(c, &rec->task);

	if (r || c->records.len == before)
		return r;
	return task_hists__add(&c->hists, &rec->hist);
}

static bool may_work(struct capture *c)
{
	return pace__may(&c->pace, clock_mono_ns(), clock_cpu_ns());
}

static int on_event(void *arg, void *data, size_t sz)
{
	struct capture *c = arg;
	const struct cs_event *ev = data;
	int r = 0;

	if (ev->kind == CS_EVENT_IMAGE && sz >= sizeof(struct cs_image_event)) {
		const struct cs_image_event *image = data;

		r = processes__see(&c->processes, image->tgid, image->image, image->parent_image);
	} else if (ev->kind == CS_EVENT_TASK && sz >= sizeof(struct cs_task_event)) {
		r = take_record(c, &((const struct cs_task_event *)data)->task);
	} else if (ev->kind == CS_EVENT_TASK_HIST && sz >= sizeof(struct cs_task_hist_event)) {
		r = take_hist_record(c, &((const struct cs_task_hist_event *)data)->record);
	} else if (ev->kind == CS_EVENT_MODULE && sz >= sizeof(struct cs_module_event)) {
		c->mapped.hold = !may_work(c);
		r = mapped__see(&c->mapped, data);
		if (!r)
			r = roots__see(&c->roots, ((const struct cs_module_event *)data)->tgid);
	} else if (ev->kind == CS_EVENT_CODE && sz >= sizeof(struct cs_code_event)) {
		r = python_codes__take(&c->codes, data, sz);
	} else if (ev->kind == CS_EVENT_RUNTIME && sz >= sizeof(struct cs_image_event)) {
		const struct cs_image_event *image = data;

		r = code_places__see(&c->code_places, image->tgid);
		if (!r)
			r = javas__see(&c->javas, image->tgid, image->image, &c->mapped.notices);
	} else if (ev->kind == CS_EVENT_METHOD && sz >= sizeof(struct cs_method_event)) {
		r = javas__take(&c->javas, data);
	} else if ((ev->kind == CS_EVENT_CGROUP || ev->kind == CS_EVENT_RESCAN) &&
		   sz >= sizeof(struct cs_cgroup_event)) {
		const struct cs_cgroup_event *cg = data;

		c->rescan |= ev->kind == CS_EVENT_RESCAN;
		r = cgroup_paths__tell(&c->cgroups, cg->cgroup_id, cg->path,
				       strnlen(cg->path, cg->path_len));
	}
	if (r && !c->ring_error)
		c->ring_error = r;
	return 0;
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
	return r;
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
		     javas__see(&c->javas, rec->tgid, rec->image, &c->mapped.notices)))
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
 * The scheduler's notes are cheaper than an event for each wakeup. Since 6.12 they are not true of
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
	if (opt->split == CAPTURE_SPLIT_WAKING && !waking)
		return err__set(err, -EOPNOTSUPP, "this kernel has no sched_waking: %s",
				f->at[FEATURE_SCHED_WAKING].detail);
	if (!notes && !waking)
		return err__set(
			err, -EOPNOTSUPP,
			"this kernel has neither sched_waking nor sched_info: waits cannot be "
			"told from waiting for a CPU");
	*ret = CS_SPLIT_SCHED_INFO;
	if (opt->split == CAPTURE_SPLIT_WAKING ||
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
	u32 split = CS_SPLIT_WAKING;
	int r = choose_split(opt, f, &split, err);

	return r ? r : programs__load(opt, f, split, &c->programs, err);
}

static int prepare_tables(struct capture *c, const struct capture_options *opt, struct err *err)
{
	struct mapped_maps maps = {
		.segments = &c->segments,
		.modules_fd = programs__modules_fd(c->programs),
		.pythons_fd = programs__pythons_fd(c->programs),
		.tables_gen = &programs__control(c->programs)->tables_gen,
		.next_id = &programs__control(c->programs)->next_module_id,
	};
	int r = segments__init(&c->segments, programs__segments_fd(c->programs),
			       programs__rules_fd(c->programs), err);

	if (!r)
		r = mapped__init(&c->mapped, &maps, kernel_memory_for_tables(opt), err);
	if (!r && javas__init(&c->javas, programs__javas_fd(c->programs), maps.tables_gen))
		r = err__nomem(err);
	return r;
}

int capture__open(const struct capture_options *opt, const struct features *f, struct capture **ret,
		  struct err *err)
{
	struct capture *c = mem_alloc(sizeof(*c));
	int r;

	if (!c)
		return err__nomem(err);
	raise_file_limit();
	vec__init(&c->records, sizeof(struct cs_task_record));
	task_hists__init(&c->hists);
	c->hist_unit_ns = opt->hist_unit_ns;
	processes__init(&c->processes, image_maps_put, c);
	code_places__init(&c->code_places);
	roots__init(&c->roots);
	cgroup_paths__init(&c->cgroups);
	c->no_cgroup2 = f->at[FEATURE_CGROUP2].state == FEATURE_NO;
	stacks__init(&c->stacks);
	replicates__init(&c->replicates, opt->interval_ns);
	c->addresses_hidden = !features__has(f, FEATURE_KALLSYMS);
	c->filtered = opt->min_ns || opt->max_ns != ~0ULL || !opt->state_any;
	c->sides = (opt->user_stacks ? SIDE_USER : 0) | (opt->kernel_stacks ? SIDE_KERNEL : 0);
	c->on_cpu_hz = opt->on_cpu_hz;
	c->min_ns = opt->min_ns;
	c->max_ns = opt->max_ns;
	c->governed = opt->overhead_ppm;
	period_log__begin(&c->periods, 0, opt->period_ns);
	governor__init(&c->governor, opt->overhead_ppm, (u32)sysconf(_SC_NPROCESSORS_ONLN),
		       opt->period_ns);
	r = python_codes__init(&c->codes) || peers__init(&c->peers) ? err__nomem(err) : 0;
	if (!r && opt->cgroup_paths && !c->no_cgroup2 &&
	    cgroup_paths__open(&c->cgroups, f->cgroup2_path) == -ENOMEM)
		r = err__nomem(err);
	if (!r)
		r = load(c, opt, f, err);
	if (!r)
		r = prepare_tables(c, opt, err);
	if (r)
		goto err_out;
	for (size_t i = 0; i < opt->ids_len; i++) {
		r = programs__add_target(c->programs, opt->ids[i], err);
		if (r)
			goto err_out;
	}
	c->ring = ring_buffer__new(programs__events_fd(c->programs), on_event, c, NULL);
	if (!c->ring) {
		r = err__set(err, -errno, "cannot read the ring buffer: %s", err_str(errno));
		goto err_out;
	}
	r = preload_early(c, opt, err);
	if (!r)
		r = programs__finish(c->programs, err);
	if (!r)
		r = segments__settle(&c->segments, err);
	if (!r)
		r = programs__attach(c->programs, err);
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

int capture__add_target(struct capture *c, u32 id, struct err *err)
{
	return programs__add_target(c->programs, id, err);
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
	struct governor_sample first;

	programs__control(c->programs)->period_ns = c->periods.now_ns;
	c->begin_ns = window_set_begin(c->programs);
	period_log__begin(&c->periods, c->begin_ns, c->periods.now_ns);
	replicates__begin(&c->replicates, c->begin_ns, programs__wait_key_sz(c->programs));
	wait_until_mono_ns(c->begin_ns);
	c->begin_wall_ns = clock_wall_ns();
	/* Counters that cannot be read are 0: a few ms before the window are taken for its own. */
	(void)programs__stats(c->programs, &c->begin_stats, NULL);
	first = sample_of(&c->begin_stats);
	c->begin_cpu_ns = first.cpu_ns;
	governor__begin(&c->governor, &first);
	pace__begin(&c->pace, c->governed ? c->governor.budget_ppm : 0, c->governor.ncpu,
		    first.at_ns, first.cpu_ns);
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
	if (period_ns == c->periods.now_ns)
		return;
	programs__control(c->programs)->period_ns = period_ns;
	period_log__change(&c->periods, now.at_ns, period_ns);
	log_debug("sampling period: %llu ns", period_ns);
}

/* The table grows while it is read: see tables.h. One that cannot be read is read the next time. */
static void read_replicates(struct capture *c)
{
	u64 cpu_ns;

	if (clock_mono_ns() < c->replicates.next_ns)
		return;
	/* Others may be making tables of unwinding meanwhile. */
	cpu_ns = clock_thread_cpu_ns();
	replicates__next(&c->replicates, clock_mono_ns());
	if (table_read(programs__waits_fd(c->programs), c->replicates.key_sz,
		       sizeof(struct cs_wait_sum), replicates__row, &c->replicates, NULL))
		log_debug("the table of waits could not be read on the way");
	replicates__read(&c->replicates, clock_thread_cpu_ns() - cpu_ns);
}

/* Once, at the end: what was asked for could not be kept. */
static void say_floor(struct capture *c)
{
	u64 is = c->governor.floor_ppm / 100, own = c->governor.floor_cpu_ppm / 100;
	u64 may = c->governor.budget_ppm / 100;

	if (!is)
		return;
	snprintf(c->floor_notice, sizeof(c->floor_notice),
		 "more of the machine was used than --max-overhead allows, for a while "
		 "%llu.%02llu%% and not %llu.%02llu%%, though few stacks were taken: %llu.%02llu%% "
		 "by coldspot itself, the rest by looking at each switch",
		 is / 100, is % 100, may / 100, may % 100, own / 100, own % 100);
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

int capture__poll(struct capture *c, int wake_fd, int timeout_ms, struct err *err)
{
	u64 now = clock_mono_ns(), due = processes__tick(&c->processes, now), left_ms;
	int r = javas__tick(&c->javas, now, &c->mapped.notices);

	if (r)
		return err__nomem(err);
	if (c->javas.due_mono_ns < due)
		due = c->javas.due_mono_ns;
	if (c->governed && c->governor.next_ns < due)
		due = c->governor.next_ns;
	if (c->replicates.next_ns < due)
		due = c->replicates.next_ns;
	left_ms = due > now ? (due - now) / NSEC_PER_MSEC + 1 : 0;
	if (left_ms < (u64)timeout_ms)
		timeout_ms = (int)left_ms;
	r = wait_for_news(c, wake_fd, timeout_ms);
	if (r < 0)
		return r == -EINTR ? r : err__set(err, r, "the ring buffer failed: %s", err_str(r));
	if (c->ring_error)
		return err__set(err, c->ring_error, "news of the trace were lost: %s",
				err_str(c->ring_error));
	r = programs__settle(c->programs, false, err);
	if (r)
		return r;
	govern(c);
	read_replicates(c);
	while (mapped__waiting(&c->mapped) && may_work(c)) {
		r = mapped__build(&c->mapped);
		if (r)
			return err__nomem(err);
	}
	if (!c->rescan)
		return 0;
	c->rescan = false;
	return mark(c, err);
}

/* Of the records up to the last one, those that have neither come nor are known not to come. */
static int count_due(const struct capture *c, u64 *ret, struct err *err)
{
	u64 begun = programs__control(c->programs)->last_task_id, known;
	struct cs_stats stats;
	int r = programs__stats(c->programs, &stats, err);

	if (r)
		return r;
	known = c->records.len + c->records_lost + stats.task_record_lost +
		stats.task_record_outside;
	*ret = begun > known ? begun - known : 0;
	return 0;
}

/*
 * A thread that is ending may be off the list of threads already and still have its last switch,
 * which sends its totals, before it. So the ring is read until each record is there, but not for
 * ever: the kernel may not report that switch.
 */
static int take_last(struct capture *c, struct err *err)
{
	u64 until_ns = clock_mono_ns() + LAST_NS;
	int r;

	for (;;) {
		r = ring_buffer__consume(c->ring);
		if (r >= 0)
			r = c->ring_error;
		if (r < 0)
			return err__set(err, r, "news of the trace were lost: %s", err_str(r));
		r = count_due(c, &c->records_missing, err);
		if (r || !c->records_missing || clock_mono_ns() >= until_ns)
			return r;
		wait_until_mono_ns(clock_mono_ns() + NSEC_PER_MSEC);
	}
}

/* What is there of threads at the end. */
static int drain_records(struct capture *c, struct err *err)
{
	struct vec found;
	int r;

	if (!c->hist_unit_ns)
		return programs__walk(c->programs, PROGRAMS_DRAIN, &c->records, err);
	vec__init(&found, sizeof(struct cs_task_hist_record));
	r = programs__walk(c->programs, PROGRAMS_DRAIN, &found, err);
	for (size_t i = 0; !r && i < found.len; i++) {
		if (take_hist_record(c, vec__at(&found, i)))
			r = err__nomem(err);
	}
	vec__done(&found);
	return r;
}

/* Processes end: soon, and what cannot be had is left out. */
static int find_peers(struct capture *c, struct err *err)
{
	struct err why;
	int r;

	if (programs__wait_key_sz(c->programs) != sizeof(struct cs_wait_key))
		return 0;
	r = peer_search(&c->peers, c->programs, &c->peers_left_out, &why);
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r) {
		log_debug("peers: %s", why.msg);
		c->peers_left_out = c->peers.wishes.len;
	}
	return 0;
}

int capture__stop(struct capture *c, struct err *err)
{
	volatile struct cs_control *control = programs__control(c->programs);
	int r;

	c->end_ns = window_set_end(c->programs);
	wait_until_mono_ns(c->end_ns);
	c->self_cpu_ns = clock_cpu_ns() - c->begin_cpu_ns;
	wait_until_mono_ns(c->end_ns + SETTLE_NS);
	window_settle(c->programs);
	/* What begins from now on is not in the window. */
	control->last_task_id = control->next_task_id - 1;
	r = drain_records(c, err);
	if (!r)
		r = take_last(c, err);
	if (!r)
		r = find_peers(c, err);
	say_floor(c);
	programs__detach(c->programs);
	if (r)
		return r;
	programs__cost(c->programs, &c->cost);
	c->memory_bytes =
		programs__memory_bytes(c->programs) + segments__memory_bytes(&c->segments);
	r = programs__stats(c->programs, &c->stats, err);
	return r ? r : stacks__read(&c->stacks, c->programs, err);
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
	return c->memory_bytes;
}

void capture__free(struct capture *c)
{
	if (!c)
		return;
	ring_buffer__free(c->ring);
	mapped__done(&c->mapped);
	segments__done(&c->segments); /* its threads may be at work with a map of the programs */
	programs__free(c->programs);
	processes__done(&c->processes);
	code_places__done(&c->code_places);
	roots__done(&c->roots);
	cgroup_paths__done(&c->cgroups);
	stacks__done(&c->stacks);
	replicates__done(&c->replicates);
	vec__done(&c->records);
	task_hists__done(&c->hists);
	python_codes__done(&c->codes);
	javas__done(&c->javas);
	peers__done(&c->peers);
	mem_free(c);
}
