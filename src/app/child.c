/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Two pipes: one holds the child back; the other is closed automatically when exec succeeds, and
 * carries errno if it fails.
 */
#include "app/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_CANNOT_RUN 127
#define OUTPUT_PIPE_BYTES (1 << 20)
#define SIGNAL_STATUS 128 /* and the signal, as shells have it */

/* `output_fd`: where it writes to; -1: /dev/null. */
static void silence(int output_fd)
{
	int fd = open("/dev/null", O_RDWR);

	for (int i = STDIN_FILENO; fd >= 0 && i <= STDERR_FILENO; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
	if (output_fd >= 0) {
		dup2(output_fd, STDOUT_FILENO);
		dup2(output_fd, STDERR_FILENO);
	}
}

/* The ends of its pipes that belong to the child. */
struct ends {
	int hold_fd;
	int failed_fd;
	int output_fd;
};

static void run_in_child(char **argv, bool silent, const struct ends *ends)
{
	char go;
	int code;

	if (silent)
		silence(ends->output_fd);

	signal(SIGPIPE, SIG_DFL); /* main ignores it, and the child would inherit that */
	if (read(ends->hold_fd, &go, 1) == 1) {
		execvp(argv[0], argv);
		code = errno;
		(void)!write(ends->failed_fd, &code, sizeof(code));
	}
	_exit(STATUS_CANNOT_RUN);
}

/* Both ends close by themselves when the program runs. */
static int make_pipe(int ret[2], struct err *err)
{
	ret[0] = ret[1] = -1;
	if (pipe2(ret, O_CLOEXEC))
		return err__set(err, -errno, "cannot make a pipe: %s", err_str(errno));
	return 0;
}

static void close_pipe(const int ends[2])
{
	for (int i = 0; i < 2; i++) {
		if (ends[i] >= 0)
			close(ends[i]);
	}
}

/* A larger pipe, so that the child need not wait for a slow reader. */
static void keep_output(struct child *c, const int output[2])
{
	close(output[1]);
	c->output_fd = output[0];
	fcntl(c->output_fd, F_SETPIPE_SZ, OUTPUT_PIPE_BYTES);
	fcntl(c->output_fd, F_SETFL, O_NONBLOCK);
}

int child__start(struct child *c, char **argv, struct err *err)
{
	int hold[2] = { -1, -1 }, failed[2] = { -1, -1 }, output[2] = { -1, -1 };
	int r = make_pipe(hold, err);

	if (!r)
		r = make_pipe(failed, err);
	if (!r && c->captured)
		r = make_pipe(output, err);
	if (!r) {
		c->pid = fork();
		if (c->pid < 0)
			r = err__set(err, -errno, "cannot start '%s': %s", argv[0], err_str(errno));
	}
	if (r) {
		c->pid = 0;
		close_pipe(hold);
		close_pipe(failed);
		close_pipe(output);
		return r;
	}
	if (!c->pid) {
		close(hold[1]);
		run_in_child(argv, c->silent, &(struct ends){ hold[0], failed[1], output[1] });
	}
	close(hold[0]);
	close(failed[1]);
	c->name = argv[0];
	c->release_fd = hold[1];
	c->failed_fd = failed[0];
	if (c->captured)
		keep_output(c, output);
	return 0;
}

size_t child__read(struct child *c, char *buf, size_t sz)
{
	ssize_t n = c->output_fd > 0 ? read(c->output_fd, buf, sz) : 0;

	return n > 0 ? (size_t)n : 0;
}

int child__release(struct child *c, struct err *err)
{
	ssize_t n;
	int code;

	(void)!write(c->release_fd, "g", 1);
	close(c->release_fd);
	c->release_fd = -1;
	do {
		n = read(c->failed_fd, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	close(c->failed_fd);
	c->failed_fd = -1;
	if (n == (ssize_t)sizeof(code))
		return err__set(err, -code, "cannot run '%s': %s", c->name, err_str(code));
	return 0;
}

bool child__ended(const struct child *c)
{
	siginfo_t info = { 0 };

	if (!c->pid || c->reaped)
		return c->reaped;
	return !waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

static bool reap(struct child *c)
{
	if (!c->reaped && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->reaped = true;
	return c->reaped;
}

/* A build that failed at once has few waits, and nothing else shows why. */
bool child__fate(struct child *c, char *buf, size_t sz)
{
	int sig;

	if (!c->pid)
		return false;
	if (!reap(c)) {
		snprintf(buf, sz, "'%.64s' (PID %d) is still running", c->name, c->pid);
		return true;
	}
	sig = WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
	if (sig)
		snprintf(buf, sz, "'%.64s' was killed by signal %d (%s)", c->name, sig,
			 strsignal(sig));
	else
		snprintf(buf, sz, "'%.64s' exited with status %d", c->name, WEXITSTATUS(c->status));
	return sig ? sig != SIGINT : WEXITSTATUS(c->status) != 0;
}

int child__exit_status(struct child *c)
{
	if (!c->pid || !reap(c))
		return 0;
	return WIFSIGNALED(c->status) ? SIGNAL_STATUS + WTERMSIG(c->status) :
					WEXITSTATUS(c->status);
}

void child__done(struct child *c)
{
	if (!c->pid)
		return;
	if (c->release_fd >= 0) {
		/* Its read returns 0, and it exits by itself. */
		close(c->release_fd);
		close(c->failed_fd);
		waitpid(c->pid, &c->status, 0);
	} else {
		reap(c);
	}
	if (c->output_fd > 0)
		close(c->output_fd);
	c->output_fd = 0;
	c->pid = 0;
}
