/* SPDX-License-Identifier: Apache-2.0 */
#include "async/task_process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

static int look(struct task_process *p, const struct maps *maps)
{
	const struct map_range *range = program_of(maps);
	struct go_place place = { .maps = maps };
	int r = range ? open_program(p, range) : -ENOENT;

	if (!r) {
		place.dev = range->dev;
		place.ino = range->ino;
		r = go_layout__find(&p->layout, &p->go, &p->mem, &place, &p->why);
		log_debug("process %u runs %s: %s", p->tgid, p->go.version,
			  r ? p->why.msg : "its goroutines can be read");
	}
	return settle(p, r);
}

/* -ENOENT: it runs none, as a kernel thread; -ESRCH: it is gone; -EACCES. */
static int find_program(const struct task_process *p, struct stat *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/exe", p->tgid);
	if (!stat(path, ret))
		return 0;
	if (errno == EACCES || errno == EPERM)
		return -EACCES;
	*strrchr(path, '/') = '\0';
	return access(path, F_OK) ? -ESRCH : -ENOENT;
}

/* Mappings are read only of a new program: most processes of a machine stay what they are. */
int task_process__look(struct task_process *p)
{
	struct stat st = { 0 };
	struct maps maps;
	int r = find_program(p, &st);

	if (r == -ESRCH) {
		refuse(p, TASK_PROCESS_GONE);
		return 0;
	}
	if (p->state != TASK_PROCESS_NEW && st.st_dev == p->dev && st.st_ino == p->ino)
		return 0;
	forget(p);
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	read_names(p);
	if (!r)
		r = maps__read_all(&maps, p->tgid, &p->why);
	if (r) {
		if (r == -EACCES)
			refuse_memory(p);
		else if (r != -ENOMEM)
			refuse(p, TASK_PROCESS_PLAIN);
		return r == -ENOMEM ? r : 0;
	}
	r = look(p, &maps);
	maps__done(&maps);
	return r;
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
		p->failed += !p->mem.gone;
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
