/* SPDX-License-Identifier: Apache-2.0 */
#include "async/task_process.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "proc/mapfile.h"

/* A new measurement counts for so much of the cost. */
#define COST_SHARE 8
/* Of a task with a stack of ten frames, and twice as much to be careful. */
#define COST_GUESS_NS 4000

void task_process__init(struct task_process *p, u32 tgid, struct code_files *files,
			struct memory_window *window)
{
	*p = (struct task_process){ .tgid = tgid, .mem.tgid = tgid };
	process__init(&p->walker, tgid, files, window);
}

static void forget(struct task_process *p)
{
	go_program__done(&p->go);
	go_layout__done(&p->layout);
	p->mem = (struct task_memory){ .tgid = p->tgid };
	p->state = TASK_PROCESS_NEW;
}

void task_process__done(struct task_process *p)
{
	forget(p);
	process__done(&p->walker);
}

static void read_names(struct task_process *p)
{
	proc_task_comm(p->tgid, p->comm, sizeof(p->comm), NULL);
	proc_task_start(p->tgid, &p->start_boottime_ns, NULL);
}

/* The first code of a file in its memory is that of its program. */
static const struct map_range *program_of(const struct maps *maps)
{
	for (size_t i = 0; i < maps->len; i++) {
		if (maps->ranges[i].exec && map_range__is_file(&maps->ranges[i]))
			return &maps->ranges[i];
	}
	return NULL;
}

static void refuse(struct task_process *p, enum task_process_state state)
{
	forget(p);
	p->state = state;
}

static void refuse_memory(struct task_process *p)
{
	refuse(p, TASK_PROCESS_REFUSED);
	read_names(p);
	err__set(&p->why, -EACCES,
		 "we may not read its memory: run coldspot as its user, or with CAP_SYS_PTRACE");
}

/* What go_program__open() and go_layout__find() say, as a state. */
static int settle(struct task_process *p, int r)
{
	if (r == -ENOMEM)
		return r;
	if (r == -EAGAIN) {
		forget(p); /* the run time of the program has yet to start */
	} else if (r == -ENOTSUP) {
		refuse(p, TASK_PROCESS_REFUSED);
	} else if (p->mem.denied) {
		refuse_memory(p);
	} else if (r) {
		refuse(p, TASK_PROCESS_PLAIN);
	} else {
		p->state = TASK_PROCESS_READ;
		p->tasks = p->layout.count;
		p->cost_ns = COST_GUESS_NS;
		p->passes = 0;
	}
	return 0;
}

static int open_program(struct task_process *p, const struct map_range *range)
{
	int fd, r = module_file_open(p->tgid, range, &fd, &p->why);

	if (r)
		return r;
	r = go_program__open(&p->go, fd, range->path, &p->why);
	close(fd);
	return r;
}

static int look(struct task_process *p, const struct maps *maps, const struct map_range *range)
{
	const struct go_place place = { maps, range->dev, range->ino };
	int r;

	p->dev = range->dev;
	p->ino = range->ino;
	read_names(p);
	r = open_program(p, range);
	if (!r) {
		r = go_layout__find(&p->layout, &p->go, &p->mem, &place, &p->why);
		log_debug("process %u runs %s: %s", p->tgid, p->go.version,
			  r ? p->why.msg : "its goroutines can be read");
	}
	return settle(p, r);
}

int task_process__look(struct task_process *p)
{
	const struct map_range *range;
	struct maps maps;
	int r = maps__read_all(&maps, p->tgid, &p->why);

	range = r ? NULL : program_of(&maps);
	if (r == -ENOMEM)
		return r;
	if (r == -EACCES)
		refuse_memory(p);
	else if (!range)
		refuse(p, TASK_PROCESS_GONE);
	else if (p->state == TASK_PROCESS_NEW || p->dev != range->dev || p->ino != range->ino) {
		forget(p);
		r = look(p, &maps, range);
		maps__done(&maps);
		return r;
	}
	maps__done(&maps);
	return 0;
}

/* Not of the first pass, which also reads the tables of the program. */
static void measure(struct task_process *p, u64 cpu_ns, u32 one_in)
{
	u64 cost = cpu_ns / (p->tasks / one_in + 1);

	if (p->passes++)
		p->cost_ns = p->cost_ns - p->cost_ns / COST_SHARE + cost / COST_SHARE;
}

int task_process__pass(struct task_process *p, struct go_reader *reader,
		       const struct task_pass *pass)
{
	u64 before_ns = clock_thread_cpu_ns();
	int r = go_reader__pass(reader, &p->layout, &p->mem, pass, &p->tasks);

	measure(p, clock_thread_cpu_ns() - before_ns, pass->one_in);
	if (r == -ESRCH || r == -EACCES) {
		forget(p);
		r = 0;
	}
	return r;
}

const char *task_process__start_name(const struct task_process *p, u64 start)
{
	const char *name;
	u64 at;

	if (p->state != TASK_PROCESS_READ || !start ||
	    !go_program__function(&p->go, start - p->layout.bias, &at, &name))
		return NULL;
	return name;
}
