/* SPDX-License-Identifier: Apache-2.0 */
#include "async/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "async/tasks_priv.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

/*
 * How often processes are searched for, and what they run is looked at: 10 ms for 500 processes, so
 * less often where all of the machine are looked through.
 */
#define SEARCH_EVERY_NS (250 * NSEC_PER_MSEC)
#define SEARCH_ALL_EVERY_NS NSEC_PER_SEC
/* A recording begins when the debug information of programs with Tokio is read, or after that. */
#define SHELF_WAIT_NS (10 * NSEC_PER_SEC)

static void free_process(struct task_process *p)
{
	task_process__done(p);
	mem_free(p);
}

void tasks__free(struct tasks *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->processes.len; i++)
		free_process(tasks_process(t, i));
	vec__done(&t->processes);
	whom__done(&t->whom);
	go_reader__done(&t->readers.go);
	py_reader__done(&t->readers.py);
	tk_shelf__done(&t->shelf);
	if (t->functions.table.items.elem_sz)
		python_codes__done(&t->functions);
	ended__done(&t->ended);
	ended__done(&t->closed_ended);
	ended__done(&t->past);
	tasks_measure__done(&t->measure);
	task_sums__done(&t->sums);
	vec__done(&t->rows);
	vec__done(&t->running);
	vec__done(&t->ready);
	thread_shares__done(&t->shares);
	looker__done(&t->looker);
	if (t->groups.items.elem_sz)
		intern__done(&t->groups);
	strtab__done(&t->names);
	notices__done(&t->notices);
	mem_free(t);
}

u32 tasks__processes(const struct tasks *t)
{
	return (u32)t->processes.len;
}

u32 tasks__targets(const struct tasks *t)
{
	return whom__targets(&t->whom);
}

int tasks__add_target(struct tasks *t, u32 id, struct err *err)
{
	t->search_ns = 0;
	return whom__add(&t->whom, id) ? err__nomem(err) : 0;
}

int tasks__expect_target(struct tasks *t, u32 id, struct err *err)
{
	return tasks__add_target(t, id, err);
}

int tasks__remove_target(struct tasks *t, u32 id)
{
	whom__remove(&t->whom, id);
	return 0;
}

/* A thread of a target; its process is taken in once, with its first thread. */
static int found(void *arg, u32 tgid, u32 tid)
{
	struct tasks *t = arg;
	struct task_process **slot;

	if (tid != tgid)
		return 0;
	for (size_t i = t->processes.len; i-- > 0;) {
		if (tasks_process(t, i)->tgid == tgid)
			return 0;
	}
	slot = vec__push(&t->processes);
	if (!slot)
		return -ENOMEM;
	*slot = mem_alloc(sizeof(**slot));
	if (!*slot) {
		t->processes.len--;
		return -ENOMEM;
	}
	task_process__init(*slot, tgid, &t->looker.code, &t->looker.window, &t->functions,
			   &t->shelf);
	return 0;
}

/* Those that are gone are forgotten. */
static int look_all(struct tasks *t)
{
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < t->processes.len; i++) {
		struct task_process *p = tasks_process(t, i);

		if (!r && p->serial && !task_process__is_same(p))
			r = tasks_measure__leave(t, p);
		if (!r)
			r = task_process__look(p);
		/* it may end here, too */
		if (!r && p->serial && p->state == TASK_PROCESS_GONE)
			r = tasks_measure__leave(t, p);
		if (!r && p->state == TASK_PROCESS_GONE && p->walker.image)
			r = ended__add_image(&t->ended, p->walker.image);
		if (p->state == TASK_PROCESS_GONE) {
			*(struct task_process **)vec__at(&t->processes, i) = NULL;
			free_process(p);
		} else {
			*(struct task_process **)vec__at(&t->processes, kept++) = p;
		}
	}
	t->processes.len = kept;
	return r;
}

static int search(struct tasks *t)
{
	int r = whom__search(&t->whom, found, t);

	t->search_ns = clock_mono_ns();
	if (!r)
		r = look_all(t);
	return r ? r : tasks_measure__follow(t);
}

/* Refuses given processes if they have no tasks and never will. */
static int check(const struct tasks *t, const struct capture_options *opt, struct err *err)
{
	const struct task_process *p = t->processes.len ? tasks_process(t, 0) : NULL;

	for (size_t i = 0; i < t->processes.len; i++) {
		if (tasks_process(t, i)->state < TASK_PROCESS_PLAIN)
			return 0;
	}
	if (!p || opt->target == CAPTURE_ALL || opt->follow)
		return 0;
	if (p->state == TASK_PROCESS_REFUSED)
		return err__set(err, -ENOTSUP, "process %u (%s): %s", p->tgid, p->comm, p->why.msg);
	return err__set(err, -ENOTSUP,
			"process %u (%s) has no tasks: it is neither a Go program nor a Python, "
			"and has no Tokio in it",
			p->tgid, p->comm);
}

/* Refuses given processes if what they run can be read, but not measured. */
static int check_measured(const struct tasks *t, const struct capture_options *opt, struct err *err)
{
	const struct task_process *p = t->processes.len ? tasks_process(t, 0) : NULL;

	for (size_t i = 0; i < t->processes.len; i++) {
		const struct task_process *other = tasks_process(t, i);

		if (other->runtime == TASK_RUNTIME_GO || other->runtime == TASK_RUNTIME_NONE)
			return 0;
	}
	if (!opt->task_events || !p || opt->target == CAPTURE_ALL || opt->follow)
		return 0;
	return err__set(err, -ENOTSUP,
			"process %u (%s) runs tasks of %s: --task-events measures only waits of "
			"goroutines",
			p->tgid, p->comm, p->runtime == TASK_RUNTIME_PYTHON ? "asyncio" : "Tokio");
}

/* On such CPUs, counters of a thread that runs alone do not change for a second. */
static bool lacks_ticks(void)
{
	char *text;
	size_t sz;
	bool lacks;

	if (file_read("/sys/devices/system/cpu/nohz_full", 4096, &text, &sz, NULL))
		return false;
	lacks = text[0] >= '0' && text[0] <= '9'; /* else empty, or "(null)" */
	mem_free(text);
	return lacks;
}

static int init_looker(struct tasks *t, struct err *err)
{
	const struct look_options look = { .kernel_stacks = true, .objects = true };
	int r = looker__init(&t->looker, &look, "/proc");

	if (r == -ENOMEM)
		return err__nomem(err);
	return r ? err__set(err, r, "cannot open /proc: %s", err_str(r)) : 0;
}

static int init(struct tasks *t, const struct capture_options *opt, struct err *err)
{
	u64 ppm = opt->overhead_ppm ? opt->overhead_ppm : TASKS_OVERHEAD_PPM;
	int r;

	t->depth = opt->stack_depth ? opt->stack_depth : CS_STACK_DEFAULT;
	r = init_looker(t, err);
	if (r)
		return r;
	if (opt->task_events) {
		ppm /= 2; /* the other half is for readings */
		r = tasks_measure__open(&t->measure, ppm, err);
	}
	if (r)
		return r;
	t->budget.pass_ns = (u64)sysconf(_SC_NPROCESSORS_ONLN) * ppm * 1000 / t->rounds.hz;
	notices__init(&t->notices);
	vec__init(&t->processes, sizeof(struct task_process *));
	vec__init(&t->rows, sizeof(struct task_row));
	vec__init(&t->running, sizeof(struct task_runner));
	vec__init(&t->ready, sizeof(struct task_waiter));
	go_reader__init(&t->readers.go);
	py_reader__init(&t->readers.py);
	tk_shelf__init(&t->shelf);
	ended__init(&t->ended);
	ended__init(&t->closed_ended);
	ended__init(&t->past);
	thread_shares__init(&t->shares, lacks_ticks());
	if (whom__init(&t->whom, opt, t->looker.proc.root_fd) || task_sums__init(&t->sums) ||
	    intern__init(&t->groups, sizeof(struct task_group),
			 offsetof(struct task_group, process_name)) ||
	    strtab__init(&t->names) || python_codes__init(&t->functions) || search(t) ||
	    tk_shelf__wait(&t->shelf, whom__is_wide(&t->whom) ? 0 : SHELF_WAIT_NS))
		return err__nomem(err);
	r = check(t, opt, err);
	return r ? r : check_measured(t, opt, err);
}

int tasks__open(const struct capture_options *opt, u32 hz, struct tasks **ret, struct err *err)
{
	struct tasks *t = mem_alloc(sizeof(*t));
	int r;

	if (!t)
		return err__nomem(err);
	rounds__init(&t->rounds, hz);
	t->looker.proc.root_fd = -1;
	r = init(t, opt, err);
	if (r) {
		tasks__free(t);
		return r;
	}
	*ret = t;
	return 0;
}

/* With what it took to wait for it. */
static void spend(struct tasks *t)
{
	u64 cpu_ns = clock_thread_cpu_ns();

	task_budget__spent(&t->budget, cpu_ns - t->counted_cpu_ns);
	t->counted_cpu_ns = cpu_ns;
}

static int run_round(struct tasks *t)
{
	u64 every_ns = whom__is_wide(&t->whom) ? SEARCH_ALL_EVERY_NS : SEARCH_EVERY_NS;
	int r = 0;

	if (clock_mono_ns() - t->search_ns >= every_ns)
		r = search(t);
	if (!r)
		r = tk_shelf__turn(&t->shelf);
	if (task_budget__leaves_out(&t->budget, rounds__draw(&t->rounds))) {
		t->window.left_out++;
	} else if (!r) {
		rounds__begin(&t->rounds, &t->window.kept);
		task_sums__pass(&t->sums, clock_mono_ns());
		r = tasks_pass(t);
		spend(t);
	}
	if (!r)
		r = tasks_measure__turn(t);
	rounds__end(&t->rounds);
	return r;
}

static void begin_window(struct tasks *t, u64 at_ns)
{
	t->window = (struct task_window){
		.begin_ns = at_ns,
		.begin_wall_ns = clock_wall_ns() - (clock_mono_ns() - at_ns),
		.begin_cpu_ns = clock_cpu_ns(),
	};
}

int tasks__start(struct tasks *t, struct err *err)
{
	u64 now;

	if (tasks_measure__discard(t))
		return err__nomem(err);
	now = clock_mono_ns();
	begin_window(t, now);
	tasks_measure__begin(t, now);
	task_sums__begin(&t->sums, now);
	t->counted_cpu_ns = clock_thread_cpu_ns();
	rounds__start(&t->rounds);
	return 0;
}

int tasks__poll(struct tasks *t, int wake_fd, int timeout_ms, struct err *err)
{
	u64 until_ns = clock_mono_ns() + (u64)timeout_ms * NSEC_PER_MSEC;
	bool due;
	int r;

	task_turn__take(&t->turn);
	do {
		r = rounds__wait(&t->rounds, wake_fd, until_ns, &due);
		if (!r && due && run_round(t))
			r = -ENOMEM;
	} while (!r && clock_mono_ns() < until_ns);
	task_turn__give_back(&t->turn);
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r < 0 && r != -EINTR)
		return err__set(err, r, "cannot wait: %s", err_str(r));
	return r < 0 ? r : 0;
}

/* The sums of the window that ends, so that those of the next can begin. */
static int keep_rows(struct tasks *t)
{
	vec__reset(&t->rows);
	for (u32 i = 1; i < task_sums__len(&t->sums); i++) {
		const struct task_sum *sum = task_sums__at(&t->sums, i);
		struct task_row *row;

		if (!sum->seen)
			continue;
		row = vec__push(&t->rows);
		if (!row)
			return -ENOMEM;
		*row = (struct task_row){ sum->key, sum->ns, sum->seen,
					  task_sums__variance_us2(&t->sums, sum) };
	}
	return 0;
}

/* Of all processes, those that have not begun with tasks are no news. */
static bool is_missing(const struct tasks *t, const struct task_process *p)
{
	return p->state == TASK_PROCESS_REFUSED ||
	       (p->state == TASK_PROCESS_NEW && p->runtime != TASK_RUNTIME_NONE &&
		!whom__is_wide(&t->whom));
}

/* Whose debug information could not be read, once for each program. */
static int say_bad_books(struct tasks *t)
{
	const struct tk_book *b;
	char text[512];
	int r = 0;

	while (!r && (b = tk_shelf__next_bad(&t->shelf))) {
		snprintf(text, sizeof(text),
			 "'%.200s': it is not known where its tasks of Tokio wait: %.200s", b->path,
			 b->why.msg);
		r = notices__add(&t->notices, text);
	}
	return r;
}

/* What was left out, once for each process. */
static int say_refused(struct tasks *t)
{
	char text[512];
	int r = 0;

	for (size_t i = 0; !r && i < t->processes.len; i++) {
		struct task_process *p = tasks_process(t, i);

		if (!is_missing(t, p) || p->said)
			continue;
		p->said = true;
		snprintf(text, sizeof(text), "tasks of process %u (%s) are missing: %.400s",
			 p->tgid, p->comm, p->why.msg);
		r = notices__add(&t->notices, text);
	}
	return r ? r : say_bad_books(t);
}

int tasks__cut(struct tasks *t, u64 at_ns, bool last, struct err *err)
{
	u64 now;
	int r = 0;

	while (!r && clock_mono_ns() + NSEC_PER_MSEC < at_ns) {
		r = tasks__poll(t, -1, 1, err);
		r = r == -EINTR ? 0 : r;
	}
	if (r)
		return r;
	if (at_ns)
		clock_sleep_until_mono_ns(at_ns);
	now = clock_mono_ns();
	task_sums__end(&t->sums, now);
	if (keep_rows(t) || tasks_measure__end(t, now) || say_refused(t))
		return err__nomem(err);
	if (last)
		tasks_measure__stop(t);
	tasks_measure__begin(t, now);
	task_sums__begin(&t->sums, now);
	t->window.end_ns = now;
	t->window.cpu_ns = clock_cpu_ns() - t->window.begin_cpu_ns;
	ended__done(&t->past);
	t->past = t->closed_ended;
	t->closed_ended = t->ended;
	ended__init(&t->ended);
	t->closed = t->window;
	begin_window(t, now);
	return 0;
}

const char *tasks__notice(const struct tasks *t, size_t idx)
{
	return notices__at(&t->notices, idx);
}
