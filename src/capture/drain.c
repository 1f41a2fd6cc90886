/* SPDX-License-Identifier: Apache-2.0 */

/*
 * From the kernel's tables to a builder: records become tasks, rows of tables become waits and
 * samples. Their stacks are made in profile_stacks.c; names come later and elsewhere.
 */
#include "capture/capture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "abi/wait.h"
#include "base/map64.h"
#include "base/mem.h"
#include "base/self_memory.h"
#include "capture/capture_priv.h"
#include "capture/losses.h"
#include "capture/object/objects.h"
#include "capture/profile_stacks.h"
#include "capture/program/tables.h"
#include "capture/row_losses.h"
#include "capture/wakers.h"
#include "capture/wait_flags.h"
#include "proc/cgroup/cgroup.h"
#include "proc/cgroup/container_list.h"
#include "profile/estimate.h"
#include "profile/label/cgroup_words.h"

/* States and buckets are numbered alike; flags of waits are not, see wait_flags.h. */
_Static_assert(PROFILE_STATES == CS_STATE_CNT && PROFILE_HIST_LEN == CS_HIST_LEN,
	       "sums are copied as they are");

struct drain {
	struct capture *c;
	struct builder *b;
	struct profile_stacks stacks;
	struct map64 tasks; /* record id to builder's task id */
	struct map64 images; /* record id to image */
	struct objects objects;
	struct wakers wakers;
	struct moment_drain moments;
	const struct capture_files *files;
	u64 orphans;
	u64 orphans_ns;
	bool has_objects; /* keys of waits contain objects */
	bool full; /* our own memory is used up */
	u64 left_out;
	u64 left_out_ns;
	struct row_losses missing; /* of what is listed */
	u64 samples_lost; /* on-CPU samples without a thread record, or without memory for them */
	u32 turn; /* of take_news() */
	u64 missing_records; /* of threads, when the reading began */
};

static void copy_totals(struct profile_task *t, const struct cs_totals *from)
{
	t->on_ns = from->on_ns;
	t->preempted_ns = from->preempted_ns;
	t->runq_ns = from->runq_ns;
	for (int i = 0; i < PROFILE_STATES; i++)
		t->blocked_ns[i] = from->blocked_ns[i];
	t->switches = from->switches;
	t->preemptions = from->preemptions;
	t->wakeups = from->wakeups;
	t->migrations = from->migrations;
}

/* Its wait in the gap before the first window. */
static int take_gap(const struct drain *d, const struct cs_totals *from, struct profile_task *t)
{
	const struct capture *c = d->c;

	if (!from->gap_ns)
		return 0;
	if (from->gap_ns == CS_GAP_UNKNOWN)
		return builder__loss(d->b, LOSS_GAP_UNKNOWN, 1, c->first_ns - c->gap_from_ns);
	t->gap_wait_ns = from->gap_ns;
	return builder__loss(d->b, LOSS_GAP_WAITS, 1, from->gap_ns);
}

static u64 accounted_ns(const struct profile_task *t)
{
	u64 sum = t->on_ns + t->preempted_ns + t->runq_ns;

	for (int i = 0; i < PROFILE_STATES; i++)
		sum += t->blocked_ns[i];
	return sum;
}

/* If the cgroup is of a container that has a name: in its path, or in files of its runtime. */
static int put_container(struct drain *d, const char *path, struct profile_task *t)
{
	struct cgroup_words words;
	const char *name;
	int r = 0;

	cgroup_words_of(path, "", &words);
	if (!*words.container)
		return 0;
	name = words.container;
	if (strlen(name) == CONTAINER_ID_LEN)
		r = container_names__find(&d->c->containers, words.container, &name);
	return r || !name ? r : builder__str(d->b, name, &t->container);
}

/*
 * Sets the task's cgroup and its path. Without cgroup v2 the kernel reports the root for every
 * thread, which says nothing, so it is left out.
 */
static int put_cgroup(struct drain *d, u64 id, struct profile_task *t)
{
	const char *path;
	int r = cgroup_paths__see(&d->c->cgroups, id);

	if (d->c->no_cgroup2 && id == CGROUP_ROOT_ID)
		return r;
	t->cgroup_id = id;
	path = cgroup_paths__find(&d->c->cgroups, id);
	if (r || !path)
		return r;
	r = put_container(d, path, t);
	return r ? r : builder__str(d->b, path, &t->cgroup);
}

/* `idx` is the index of the record and of its histograms. */
static int add_task(struct drain *d, size_t idx)
{
	const struct cs_task_record *rec = vec__at(&d->c->closed.records, idx);
	struct profile_task t = { .tid = rec->tid, .tgid = rec->tgid };
	const struct capture *c = d->c;
	char comm[CS_COMM_LEN + 1] = "", group[CS_COMM_LEN + 1] = "";
	bool drop;
	u64 sum;
	u32 id;
	int r;

	t.wall_ns = capture_window__clip(&c->closed, rec->begin_ns, rec->end_ns);
	r = leavers__see(&d->c->leavers, rec, &drop);
	if (r || drop || !t.wall_ns)
		return r;
	memcpy(comm, rec->comm, CS_COMM_LEN);
	memcpy(group, rec->group_comm, CS_COMM_LEN);
	t.start_boottime_ns = rec->start_boottime_ns;
	t.begin_ns = rec->begin_ns > c->closed.begin_ns ? rec->begin_ns - c->closed.begin_ns : 0;
	t.flags =
		(rec->flags & CS_TASK_KTHREAD ? TASK_KTHREAD : 0) |
		(rec->flags & CS_TASK_EXITED ? TASK_EXITED : 0) |
		(rec->flags & CS_TASK_EXECED ? TASK_EXECED : 0) |
		(rec->flags & CS_TASK_BORN && rec->begin_ns >= c->closed.begin_ns ? TASK_BORN : 0);
	copy_totals(&t, &rec->totals);
	if (d->c->hist_unit_ns)
		task_hists__sums(&d->c->closed.hists, idx, &t);
	sum = accounted_ns(&t);
	if (sum > t.wall_ns) {
		/* Two clocks disagree slightly. Never observed, but it must not be hidden. */
		builder__loss(d->b, LOSS_CLOCK_BACK, 1, sum - t.wall_ns);
		t.wall_ns = sum;
	}
	t.unaccounted_ns = t.wall_ns - sum;
	r = take_gap(d, &rec->totals, &t);
	if (!r)
		r = builder__str(d->b, comm, &t.comm);
	if (!r)
		r = builder__str(d->b, group, &t.group_comm);
	if (!r)
		r = put_cgroup(d, rec->cgroup_id, &t);
	if (!r)
		r = builder__task(d->b, &t, &id);
	if (!r)
		r = builder__task_waits(d->b, id, rec->totals.waits);
	if (!r && d->c->hist_unit_ns)
		r = task_hists__give(&d->c->closed.hists, idx, id, d->b);
	if (!r)
		r = map64__set(&d->tasks, rec->id, (u64)rec->tgid << 32 | id);
	if (!r && d->has_objects)
		r = objects__add_thread(&d->objects, rec, id);
	if (!r && c->wakers)
		r = wakers__see_thread(&d->wakers, rec, id);
	return r ? r : map64__set(&d->images, rec->id, rec->image);
}

/*
 * Is there room for one more wait with stacks of its own? Room is reserved in large pieces, because
 * asking the kernel for each wait would be slow.
 */
static bool has_room(struct drain *d)
{
	const u32 depth = 2 * CS_STACK_MAX;
	u64 more = d->full ? 0 : builder__growth(d->b, depth);

	if (more)
		d->full = !self_memory_allows(more) || builder__reserve(d->b, depth);
	return !d->full;
}

/*
 * Reads the ring while a window is drained: the trace goes on, the ring is bounded, and with
 * histograms each exited thread takes 2 KiB of it. These events belong to later windows.
 */
static void take_news(struct drain *d)
{
	const u32 turns = 128;

	if (d->c->ended || ++d->turn % turns)
		return;
	ring_buffer__consume(d->c->ring);
}

/* On-CPU samples of a thread; they are not waits. */
static int add_hot(struct drain *d, const struct cs_wait_key *k, u64 samples)
{
	struct profile_hot h = { .sysno = k->sysno, .samples = samples };
	u64 task, image;
	struct stack_owner owner;
	int r;

	if (!has_room(d) || !map64__get(&d->tasks, k->task, &task) ||
	    !map64__get(&d->images, k->task, &image)) {
		d->samples_lost += leavers__had(&d->c->leavers, k->task) ? 0 : samples;
		return 0;
	}
	d->stacks.bare = false;
	h.task = (u32)task;
	owner.image = image;
	owner.tgid = (u32)(task >> 32);
	r = profile_stacks__add(&d->stacks, k->ustack, &owner, &h.ustack);
	if (!r)
		r = profile_stacks__add(&d->stacks, k->kstack, &owner, &h.kstack);
	row_losses__samples(&d->missing, k, samples, d->stacks.bare);
	return r ? r : builder__hot(d->b, &h);
}

/* An object that did not fit in the programs' table or in our memory is shown as "other". */
static int add_wait_object(struct drain *d, u32 object, const struct cs_wait_sum *v, u32 *ret)
{
	int r = objects__at(&d->objects, object, ret);

	if (r || (object != CS_OBJECT_OTHER && (*ret || !object || !d->objects.full)))
		return r;
	row_losses__object(&d->missing, v);
	if (!*ret)
		r = objects__add_other(&d->objects);
	return r ? r : objects__at(&d->objects, CS_OBJECT_OTHER, ret);
}

/* Without objects the table has the first part of a key only. */
static int see_wait(struct drain *d, const void *key, const struct profile_wait *w)
{
	struct cs_wait_key whole = { 0 };

	memcpy(&whole, key, programs__wait_key_sz(d->c->programs));
	return wakers__see_wait(&d->wakers, &whole, w);
}

static int add_wait(void *arg, const void *key, const void *value)
{
	struct drain *d = arg;
	struct cs_wait_key whole = { 0 }, *k = &whole;
	const struct cs_wait_sum *v = value;
	struct profile_wait w = { 0 };
	u64 task, image, ns = v->blocked_ns + v->runq_ns;
	struct stack_owner owner;
	int r = 0;

	/* Behind a short key there is something else. */
	memcpy(k, key, d->has_objects ? sizeof(*k) : CS_WAIT_KEY_SZ);
	w.sysno = k->sysno;
	w.state = k->state;
	w.flags = wait_flags(k->flags);
	take_news(d);
	if (k->flags & CS_WAIT_ON_CPU)
		return add_hot(d, k, v->samples);
	if (!map64__get(&d->tasks, k->task, &task) || !map64__get(&d->images, k->task, &image)) {
		if (leavers__had(&d->c->leavers, k->task))
			return 0;
		d->orphans += v->count;
		d->orphans_ns += ns;
		return 0;
	}
	if (!has_room(d)) {
		d->left_out += v->count;
		d->left_out_ns += ns;
		return 0;
	}
	d->stacks.bare = false;
	w.task = (u32)task;
	if (d->has_objects) {
		r = add_wait_object(d, k->object, v, &w.object);
		objects__owner(&d->objects, k->owner, w.task, &w.owner, &w.owner_tid);
	}
	owner.image = image;
	owner.tgid = (u32)(task >> 32);
	if (!r)
		r = profile_stacks__add(&d->stacks, k->ustack, &owner, &w.ustack);
	if (!r)
		r = profile_stacks__add(&d->stacks, k->kstack, &owner, &w.kstack);
	row_losses__wait(&d->missing, k, v, d->c->sides & SIDE_KERNEL, d->stacks.bare);
	w.blocked_ns = v->blocked_ns;
	w.runq_ns = v->runq_ns;
	w.count = v->count;
	w.max_ns = v->max_ns;
	w.samples = v->samples;
	w.var_us2 = v->var_us2;
	if (d->c->visit_hz)
		w.var_us2 = estimate_visited_var(v->var_us2, ns, v->samples,
						 NSEC_PER_SEC / d->c->visit_hz);
	memcpy(w.hist, v->hist, sizeof(w.hist));
	if (!r)
		r = peers__add_waiter(&d->c->closed.peers, w.object, owner.tgid);
	if (!r)
		r = builder__wait(d->b, &w);
	if (!r && d->c->wakers)
		r = see_wait(d, key, &w);
	if (!r && d->c->max_moments)
		r = moment_drain__see(&d->moments, k, &w, builder__last_wait(d->b));
	return r ? r : replicates__give(&d->c->closed.replicates, k, v, d->b);
}

static int name_peer(void *arg, u32 object, const char *name)
{
	struct builder *b = arg;
	u32 str;
	int r = builder__str(b, name, &str);

	return r ? r : builder__object_peer(b, object, str);
}

/*
 * The sum of a thread's listed waits may be anything up to the window, and half of two gaps beyond
 * its birth and its end.
 */
static void fill_visits(const struct capture *c, struct profile_header *h)
{
	const struct sampler_counts *passes = &c->closed.passes;
	u64 period_ns = NSEC_PER_SEC / c->visit_hz;

	h->visit_hz = c->visit_hz;
	h->visit_sources = VISITS_OF_BPF;
	h->visited_ns = h->window_ns;
	h->visits = c->closed.stats.visits;
	h->visits_changed = c->closed.stats.visits_changed;
	h->visit_passes = passes->passes;
	h->visit_passes_missed = passes->missed;
	h->visit_late_ns = passes->late_ns;
	h->visit_late_max_ns = passes->late_max_ns;
	h->period_ns = h->period_min_ns = h->period_max_ns = period_ns;
	if (passes->gap_max_ns > period_ns)
		h->period_max_ns = passes->gap_max_ns;
	h->period_sum_ns = h->window_ns + 2 * h->period_max_ns;
}

static void fill_header(const struct drain *d)
{
	struct profile_header *h = builder__header(d->b);
	const struct capture *c = d->c;

	h->begin_mono_ns = c->closed.begin_ns;
	h->begin_wall_ns = c->closed.begin_wall_ns;
	h->window_ns = c->closed.end_ns - c->closed.begin_ns;
	h->min_ns = c->min_ns;
	h->max_ns = c->max_ns;
	h->filtered = c->filtered;
	h->hist_unit_ns = c->hist_unit_ns;
	h->sides = c->sides;
	h->switches_seen = c->closed.stats.switches;
	h->waits_chosen = c->closed.stats.chosen;
	h->period_ns = period_log__mean_ns(&c->closed.periods, c->closed.end_ns);
	h->period_min_ns = c->closed.periods.min_ns;
	h->period_max_ns = c->closed.periods.max_ns;
	/*
	 * A thread's estimate is off by up to one period for each period that was set, one for the
	 * phase it brings from the window before, and one for a wait that is open at the end.
	 */
	h->period_sum_ns = c->closed.periods.sum_ns + 2 * c->closed.periods.max_ns;
	h->period_changes = c->closed.periods.changes;
	h->prog_runs = c->closed.stats.self_runs;
	h->prog_ns = c->closed.stats.self_ns;
	if (!c->closed.stats.self_runs) {
		h->prog_runs = c->closed.cost.runs;
		h->prog_ns = c->closed.cost.ns;
	}
	h->self_cpu_ns = c->closed.self_cpu_ns;
	h->kernel_bytes = c->closed.memory_bytes;
	if (c->visit_hz)
		fill_visits(c, h);
	h->on_cpu_hz = c->on_cpu_hz;
	h->on_cpu_samples = c->closed.stats.samples;
	builder__str(d->b, programs__describe(c->programs), &h->hooks);
}

/* Gives each file once; later windows give only new ones. */
static int give_files(struct drain *d)
{
	struct vec *files = &d->c->mapped.files;
	int r = 0;

	for (size_t i = 0; !r && i < files->len; i++) {
		struct mapped_file *f = vec__at(files, i);

		if (!f->id || f->fd < 0)
			continue;
		r = d->files->give_file(d->files->arg, &f->file, f->fd);
		f->fd = -1;
		f->given = true;
	}
	return r;
}

/* The table of the last window is freed with the programs. */
static int read_waits(struct drain *d, struct err *err)
{
	const struct capture *c = d->c;
	int fd = programs__waits_fd(c->programs, c->closed.begin_ns);
	size_t key_sz = programs__wait_key_sz(c->programs), sum_sz = sizeof(struct cs_wait_sum);

	return c->ended ? table_read(fd, key_sz, sum_sz, add_wait, d, err) :
			  table_take(fd, key_sz, sum_sz, add_wait, d, err);
}

/* The profile now has all it needs from the tables that later windows share. */
static int age(struct drain *d, struct err *err)
{
	struct capture *c = d->c;
	struct ageing_use use = { .stacks = d->stacks.made.len,
				  .objects = d->objects.entries,
				  .wakers = d->wakers.links.len,
				  .outsiders = d->wakers.outsiders.len };

	memcpy(use.entries, c->stacks.entries, sizeof(use.entries));
	return c->ended ? 0 : ageing__read(&c->ageing, c->programs, &use, err);
}

/* A long trace meets any number of programs: forget those that have exited. */
static int forget_ended(struct drain *d)
{
	struct capture *c = d->c;
	struct ended ended;
	int r;

	if (c->ended)
		return 0;
	ended__init(&ended);
	r = endings__take(&c->endings, &ended);
	if (!r && ended.images.len) {
		readers__forget(&c->readers, &ended);
		thread_contexts__forget(&c->thread_contexts, &ended);
		d->files->forget(d->files->arg, &ended);
	}
	ended__done(&ended);
	return r;
}

/* ":8080", and ":8080 GET /users" where the request says so. */
static int class_of_probe(void *arg, u32 probe, const struct request_head *head,
			  struct profile_mark *to)
{
	const struct drain *d = arg;
	const struct capture *c = d->c;
	char port[REQUEST_PORT_SZ], buf[REQUEST_PORT_SZ + HTTP_NAME_SZ];
	const char *class = request_probes__class(&c->requests, probe, port);
	int r = 0;

	if (to->kind == MARK_BEGIN && request_probes__begins_anew(&c->requests, probe))
		to->kind = MARK_BEGIN_ANEW;
	if (head && head->name) {
		snprintf(buf, sizeof(buf), "%s %s", class,
			 strtab__get(&c->request_heads.names, head->name));
		class = buf;
	}
	if (head && *head->trace)
		r = builder__str(d->b, head->trace, &to->trace);
	return r ? r : builder__str(d->b, class, &to->class);
}

/* Once the waits and their wakers are in. */
static int give_moments(struct drain *d)
{
	const struct capture_window *w = &d->c->closed;

	int r = moment_drain__give(&d->moments, &w->moments, w->begin_ns, w->end_ns - w->begin_ns,
				   d->c->wakers ? &d->wakers : NULL, d->b);
	const struct mark_window marks = {
		.begin_ns = w->begin_ns,
		.end_ns = w->end_ns,
		.next = &d->c->now.moments,
		.tasks = &d->tasks,
		.class_of = class_of_probe,
		.arg = d,
	};

	return r ? r : moments__give_marks(&w->moments, &marks, d->b);
}

static int drain_all(struct drain *d, const struct kallsyms *k, struct err *err)
{
	const struct runtime_code_sink functions = { d->files->give_function, d->files->arg };
	const struct capture *c = d->c;
	int r;

	r = give_files(d);
	if (!r)
		r = readers__give(&d->c->readers, &functions);
	if (!r)
		r = code_places__give(&d->c->code_places, d->files->give_code, d->files->arg);
	if (!r)
		r = roots__give(&d->c->roots, d->files->give_root, d->files->arg);
	if (!r)
		r = profile_stacks__begin(&d->stacks, k);
	/* A record that arrives from now on is late, and is counted as lost. */
	for (size_t i = 0, len = c->closed.records.len; !r && i < len; i++) {
		take_news(d);
		r = add_task(d, i);
		if (!r)
			r = endings__see(&d->c->endings, vec__at(&c->closed.records, i));
	}
	if (!r)
		r = forget_ended(d);
	if (r)
		return err__wrap(err, r, "cannot take in the trace: %s", err_str(r));
	r = replicates__end(&d->c->closed.replicates, c->closed.end_ns, d->b);
	if (r)
		return err__wrap(err, r, "cannot take in the trace: %s", err_str(r));
	if (d->has_objects)
		r = objects__read(&d->objects, c->programs, &c->mapped, d->files, err);
	if (!r && c->wakers)
		r = wakers__read(&d->wakers, c->programs, err);
	if (!r)
		r = read_waits(d, err);
	if (!r && c->wakers)
		r = wakers__give(&d->wakers, c->programs, c->closed.begin_ns, c->ended,
				 c->closed.stats.wake_lost, err);
	if (!r && c->max_moments && give_moments(d))
		r = err__nomem(err);
	if (!r)
		r = age(d, err);
	if (r)
		return r;
	r = peers__each(&d->c->closed.peers, name_peer, d->b);
	if (r)
		return err__wrap(err, r, "cannot take in the trace: %s", err_str(r));
	fill_header(d);
	losses_add(d->b, &c->closed.stats, c->closed.cost.recursion_misses);
	builder__loss(d->b, LOSS_SAMPLES_LOST, d->samples_lost, 0);
	row_losses__give(&d->missing, d->b);
	if (c->visit_hz)
		builder__share_blocked(d->b);
	builder__loss(d->b, LOSS_VISITS, c->closed.passes.missed, 0);
	if (c->on_cpu_hz)
		builder__share_on_cpu(d->b);
	builder__loss(d->b, LOSS_TABLES_FULL, c->closed.tables_full, 0);
	builder__loss(d->b, LOSS_TABLES_LATE, mapped__waiting(&c->mapped), 0);
	builder__loss(d->b, LOSS_USER_MEMORY, d->left_out, d->left_out_ns);
	builder__loss(d->b, LOSS_TASK_RECORD, c->closed.records_lost + d->missing_records,
		      c->closed.records_lost_ns);
	/* the table also has objects of other windows */
	builder__loss(d->b, LOSS_PEERS,
		      c->closed.peers_left_out ? peers__bound(&d->c->closed.peers) : 0, 0);
	losses_add_functions(d->b, &c->closed.functions_lost);
	return builder__loss(d->b, LOSS_ORPHAN_WAIT, d->orphans, d->orphans_ns);
}

int capture__drain(struct capture *c, struct builder *b, const struct kallsyms *k,
		   const struct capture_files *files, struct err *err)
{
	struct drain d = {
		.c = c, .b = b, .files = files, .missing_records = c->closed.records_missing
	};
	int r;

	profile_stacks__init(&d.stacks, b, c, files);
	map64__init(&d.tasks);
	map64__init(&d.images);
	objects__init(&d.objects, b, &c->closed.peers);
	wakers__init(&d.wakers, b, &d.stacks);
	moment_drain__init(&d.moments);
	leavers__turn(&c->leavers);
	d.has_objects = programs__wait_key_sz(c->programs) == sizeof(struct cs_wait_key);
	r = drain_all(&d, k, err);
	/* Free the largest structures now: looking up names takes memory. */
	stacks__done(&c->stacks);
	stacks__init(&c->stacks);
	capture_window__done(&c->closed);
	profile_stacks__done(&d.stacks);
	map64__done(&d.tasks);
	map64__done(&d.images);
	objects__done(&d.objects);
	wakers__done(&d.wakers);
	moment_drain__done(&d.moments);
	return r;
}
