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
/* Of a goroutine with ten frames, a task of asyncio that lies in no cache, and one of Tokio. */
#define COST_GUESS_GO_NS 4000
#define COST_GUESS_PYTHON_NS 12000
#define COST_GUESS_TOKIO_NS 2000

void task_process__init(struct task_process *p, u32 tgid, struct code_files *files,
			struct memory_window *window, struct python_codes *records,
			struct tk_shelf *shelf)
{
	*p = (struct task_process){
		.tgid = tgid, .mem.tgid = tgid, .records = records, .shelf = shelf
	};
	process__init(&p->walker, tgid, files, window);
}

void task_process__forget(struct task_process *p)
{
	p->is_lost = false;
	go_program__done(&p->go);
	go_layout__done(&p->layout);
	go_threads__done(&p->threads);
	py_tasks__done(&p->py);
	tk_tasks__done(&p->tokio);
	p->runtime = TASK_RUNTIME_NONE;
	p->mem = (struct task_memory){ .tgid = p->tgid };
	p->state = TASK_PROCESS_NEW;
}

void task_process__done(struct task_process *p)
{
	task_process__forget(p);
	process__done(&p->walker);
}

static void read_names(struct task_process *p)
{
	proc_task_comm(p->tgid, p->comm, sizeof(p->comm), NULL);
	proc_task_start(p->tgid, &p->start_boottime_ns, NULL);
}

static void refuse(struct task_process *p, enum task_process_state state)
{
	task_process__forget(p);
	p->state = state;
}

static void refuse_memory(struct task_process *p)
{
	refuse(p, TASK_PROCESS_REFUSED);
	err__set(&p->why, -EACCES,
		 "we may not read its memory: run coldspot as its user, or with CAP_SYS_PTRACE");
}

/* Before the first pass, so that it does not read all of very many. */
static void guess(struct task_process *p)
{
	switch (p->runtime) {
	case TASK_RUNTIME_GO:
		p->tasks = p->layout.count;
		p->cost_ns = COST_GUESS_GO_NS;
		break;
	case TASK_RUNTIME_PYTHON:
		p->tasks = py_list__count(&p->py.layout, &p->py.types, &p->mem);
		p->cost_ns = COST_GUESS_PYTHON_NS;
		break;
	default:
		p->tasks = p->tokio.layout.count;
		p->cost_ns = COST_GUESS_TOKIO_NS;
	}
	p->passes = 0;
}

/* What was found, as a state. */
static int settle(struct task_process *p, int r)
{
	if (r == -ENOMEM)
		return r;
	if (r == -EAGAIN) {
		/* the run time has yet to start; what is known of other files stays true */
		if (p->runtime == TASK_RUNTIME_GO)
			task_process__forget(p);
	} else if (r == -ENOTSUP) {
		refuse(p, TASK_PROCESS_REFUSED);
	} else if (p->mem.denied) {
		refuse_memory(p);
	} else if (r) {
		refuse(p, TASK_PROCESS_PLAIN);
	} else {
		p->state = TASK_PROCESS_READ;
		guess(p);
	}
	return 0;
}

static int open_go(struct task_process *p, const struct map_range *range)
{
	int fd, r = module_file_open(p->tgid, range, &fd, &p->why);

	if (r)
		return r;
	r = go_program__open(&p->go, fd, range->path, &p->why);
	close(fd);
	return r;
}

static int look_go(struct task_process *p, const struct task_home *home)
{
	int r = home->program ? open_go(p, home->program) : -ENOENT;

	if (r)
		return r;
	p->runtime = TASK_RUNTIME_GO;
	go_threads__init(&p->threads, p->tgid);
	r = go_layout__find(&p->layout, &p->go, &p->mem, home, &p->why);
	log_debug("process %u runs %s: %s", p->tgid, p->go.version,
		  r ? p->why.msg : "its goroutines can be read");
	return r;
}

static int find_python(struct task_process *p)
{
	int r = py_layout__find(&p->py.layout, &p->py.types, &p->mem, &p->why);

	if (r != -EAGAIN)
		log_debug("process %u runs Python 3.%u: %s", p->tgid,
			  p->py.layout.python.version & 0xff, r ? p->why.msg : "asyncio is found");
	return r;
}

/* The interpreter is in the program or in its library. */
static bool may_be_python(const struct map_range *range, const struct map_range *program)
{
	const char *slash = strrchr(range->path, '/');
	const char *name = slash ? slash + 1 : range->path;

	return range->exec && map_range__is_file(range) &&
	       (range == program || strncmp(name, "libpython3", 10) == 0 ||
		strncmp(name, "python3", 7) == 0);
}

/* -ENOENT: there is no Python in it. */
static int look_python(struct task_process *p, const struct task_home *home)
{
	const struct maps *maps = home->maps;
	int fd, r = -ENOENT;

	for (size_t i = 0; r == -ENOENT && i < maps->len; i++) {
		if (!may_be_python(&maps->ranges[i], home->program))
			continue;
		r = module_file_open(p->tgid, &maps->ranges[i], &fd, &p->why);
		if (r)
			continue;
		r = py_layout__open(&p->py.layout, fd, &maps->ranges[i], &p->why);
		close(fd);
	}
	if (r)
		return r;
	p->runtime = TASK_RUNTIME_PYTHON;
	return find_python(p);
}

static int find_tokio(struct task_process *p)
{
	int r = tk_tasks__find(&p->tokio, &p->mem, &p->why);

	if (r != -EAGAIN)
		log_debug("process %u runs Tokio %s: %s", p->tgid, p->tokio.program.version,
			  r ? p->why.msg : "its tasks can be read");
	return r;
}

/* -ENOENT: there is no Tokio in it. */
static int look_tokio(struct task_process *p, const struct task_home *home)
{
	const struct map_range *range = home->program;
	int fd, r = range ? module_file_open(p->tgid, range, &fd, &p->why) : -ENOENT;

	if (r)
		return r;
	r = tk_tasks__open(&p->tokio, fd, range->path, p->shelf, &p->why);
	close(fd);
	if (r)
		return r;
	p->runtime = TASK_RUNTIME_TOKIO;
	return find_tokio(p);
}

static int look(struct task_process *p, const struct maps *maps)
{
	const struct task_home home = task_home_of(maps);
	int r = look_go(p, &home);

	if (r != -ENOENT && r != -EINVAL)
		return settle(p, r);
	r = py_tasks__init(&p->py, p->records);
	if (!r)
		r = look_python(p, &home);
	if (r == -ENOENT || r == -EINVAL)
		r = look_tokio(p, &home);
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

bool task_process__is_same(const struct task_process *p)
{
	struct stat st = { 0 };

	return !find_program(p, &st) && st.st_dev == p->dev && st.st_ino == p->ino;
}

/* Other runtimes of Tokio may have begun since. */
static int find_more(struct task_process *p)
{
	struct err ignored;

	return tk_tasks__find(&p->tokio, &p->mem, &ignored) == -ENOMEM ? -ENOMEM : 0;
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
	if (st.st_dev == p->dev && st.st_ino == p->ino) {
		if (p->state == TASK_PROCESS_READ && p->runtime == TASK_RUNTIME_TOKIO)
			return find_more(p);
		if (p->state != TASK_PROCESS_NEW)
			return 0;
		if (p->runtime == TASK_RUNTIME_PYTHON)
			return settle(p, find_python(p));
		if (p->runtime == TASK_RUNTIME_TOKIO)
			return settle(p, find_tokio(p));
	}
	task_process__forget(p);
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

/* *ret_list_ns: CPU time that does not depend on how many are read. */
static int read_tasks(struct task_process *p, struct task_readers *readers,
		      const struct task_pass *pass, u64 *ret_list_ns)
{
	*ret_list_ns = 0;
	switch (p->runtime) {
	case TASK_RUNTIME_PYTHON:
		return py_reader__pass(&readers->py, &p->py, &p->mem, &p->walker, pass, &p->tasks);
	case TASK_RUNTIME_TOKIO:
		return tk_reader__pass(&readers->tk, &p->tokio, &p->mem, pass, &p->tasks,
				       ret_list_ns);
	default:
		return go_reader__pass(&readers->go, &p->layout, &p->threads, &p->mem, pass,
				       &p->tasks);
	}
}

int task_process__pass(struct task_process *p, struct task_readers *readers,
		       const struct task_pass *pass)
{
	u64 before_ns = clock_thread_cpu_ns(), list_ns;
	int r = read_tasks(p, readers, pass, &list_ns);

	measure(p, clock_thread_cpu_ns() - before_ns - list_ns, pass->one_in);
	if (r == -ESRCH || r == -EACCES) {
		p->failed += !p->mem.gone;
		p->is_lost = true;
		r = 0;
	}
	return r;
}

const char *task_process__start_name(const struct task_process *p, u64 start)
{
	const char *name;
	u64 at;

	if (p->state != TASK_PROCESS_READ || p->runtime != TASK_RUNTIME_GO || !start ||
	    !go_program__function(&p->go, start - p->layout.bias, &at, &name))
		return NULL;
	return name;
}
