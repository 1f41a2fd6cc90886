/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information is large, and comes from files that may be hostile. libdw supports all of it,
 * but needs the file mapped or in memory, allocates as much as the file says, follows references to
 * other files, and has no time limit. So a child process reads it, and frees everything when it
 * exits. If the file makes it crash, or its owner truncates the mapped file, nothing else happens.
 */
#include "elf/dwarf/dwarf_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/view.h"

/* What the child may allocate on top of what it inherits; mapped files do not count. */
#define CHILD_MEMORY_SZ (512UL << 20)
#define ANSWERS_MAX_SZ (64UL << 20)
#define CHUNK_SZ 65536
/* So that the child seldom waits for a reader that comes now and then. */
#define PIPE_SZ (1 << 20)

static void limit(int resource, rlim_t value)
{
	const struct rlimit l = { .rlim_cur = value, .rlim_max = value };

	setrlimit((__rlimit_resource_t)resource, &l);
}

/* What counts against RLIMIT_DATA now: the sixth number of statm, in pages. */
static u64 data_sz(void)
{
	struct view text, number = { 0 };
	char *data;
	size_t sz;
	u64 pages;
	int i;

	if (file_read("/proc/self/statm", 4096, &data, &sz, NULL))
		return 0;
	text = view__of(data, sz);
	for (i = 0; i < 6; i++)
		view__token(&text, &number);
	pages = view__dec(&number);
	mem_free(data);
	return pages * (u64)sysconf(_SC_PAGESIZE);
}

static void lock_in(u64 limit_ns)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CPU, limit_ns / NSEC_PER_SEC + 1);
	limit(RLIMIT_DATA, data_sz() + CHILD_MEMORY_SZ);
	limit(RLIMIT_NOFILE, 0);
}

static void __attribute__((noreturn))
run_child(dwarf_child_fn *fn, const void *job, u64 limit_ns, int out_fd)
{
	struct sink out;
	int r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lock_in(limit_ns);
	sink__init_fd(&out, out_fd);
	r = fn(job, &out);
	if (sink__finish(&out, NULL))
		r = -EIO;
	_exit(r ? 1 : 0);
}

int dwarf_child__start(struct dwarf_child *c, dwarf_child_fn *fn, const void *job, u64 limit_ns,
		       struct err *err)
{
	int fds[2], r;

	*c = (struct dwarf_child){ .deadline_mono_ns = clock_mono_ns() + limit_ns };
	vec__init(&c->answers, 1);
	if (pipe2(fds, O_CLOEXEC))
		return err__set(err, -errno, "no pipe: %s", err_str(errno));
	(void)fcntl(fds[1], F_SETPIPE_SZ, PIPE_SZ); /* a smaller one does as well */
	c->pid = fork();
	if (c->pid == 0)
		run_child(fn, job, limit_ns, fds[1]);
	r = c->pid < 0 ? -errno : 0;
	close(fds[1]);
	c->fd = fds[0];
	if (!r)
		return 0;
	close(c->fd);
	c->pid = 0;
	return err__set(err, r, "no process: %s", err_str(r));
}

/* Reads to the end of the pipe. */
static int read_all(struct dwarf_child *c, u64 until_mono_ns, struct err *err)
{
	for (;;) {
		u64 now = clock_mono_ns();
		u64 left = now < until_mono_ns ? until_mono_ns - now : 0;
		struct pollfd p = { .fd = c->fd, .events = POLLIN };
		u8 *chunk;
		ssize_t n;

		if (now >= c->deadline_mono_ns)
			return err__set(err, -ETIME, "it takes too long");
		if (c->answers.len > ANSWERS_MAX_SZ)
			return err__set(err, -E2BIG, "it says too much");
		if (poll(&p, 1, left ? (int)(left / NSEC_PER_MSEC) + 1 : 0) <= 0) {
			if (!left || (errno == EINTR && until_mono_ns < c->deadline_mono_ns))
				return -EAGAIN;
			continue;
		}
		chunk = vec__push_n(&c->answers, CHUNK_SZ);
		if (!chunk)
			return err__nomem(err);
		n = read(c->fd, chunk, CHUNK_SZ);
		c->answers.len -= CHUNK_SZ - (n > 0 ? (size_t)n : 0);
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return err__set(err, -errno, "cannot read a pipe: %s", err_str(errno));
	}
}

/* Kills the child if it has not exited; whether it failed. */
static bool end(struct dwarf_child *c, bool early)
{
	int status;
	pid_t ended;

	if (early)
		kill(c->pid, SIGKILL);
	do
		ended = waitpid(c->pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	close(c->fd);
	ended = ended == c->pid;
	c->pid = 0;
	return ended && !early && status;
}

int dwarf_child__gather(struct dwarf_child *c, u64 until_mono_ns, struct err *err)
{
	u64 until = until_mono_ns < c->deadline_mono_ns ? until_mono_ns : c->deadline_mono_ns;
	int r = read_all(c, until, err);

	if (r == -EAGAIN)
		return r;
	if (end(c, r))
		r = err__set(err, -EINVAL, "its debug information cannot be read");
	return r;
}

void dwarf_child__done(struct dwarf_child *c)
{
	if (c->pid)
		end(c, true);
	if (c->answers.elem_sz)
		vec__done(&c->answers);
	*c = (struct dwarf_child){ 0 };
}
