/* SPDX-License-Identifier: Apache-2.0 */
#include "app/piped.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define SAID_SZ 200

/* A file in memory: a pipe would need a second process to fill it. */
static int open_input(const char *input)
{
	size_t len = input ? strlen(input) : 0;
	int fd = input ? memfd_create("input", MFD_CLOEXEC) :
			 open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && input &&
	    (write(fd, input, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		return -EIO;
	}
	return fd < 0 ? -errno : fd;
}

/* Signals are as a shell would have them: we ignore SIGPIPE. Returns an errno. */
static int spawn(struct piped *p, const char *const *argv, const int fds[3])
{
	union {
		const char *const *is;
		char *const *as;
	} args = { .is = argv }; /* not written to */
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t pipes;
	int i, r = posix_spawn_file_actions_init(&files);

	if (r)
		return r;
	r = posix_spawnattr_init(&attr);
	if (r) {
		posix_spawn_file_actions_destroy(&files);
		return r;
	}
	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE);
	r = posix_spawnattr_setsigdefault(&attr, &pipes);
	if (!r)
		r = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	for (i = 0; i < 3 && !r; i++)
		r = posix_spawn_file_actions_adddup2(&files, fds[i], i);
	if (!r)
		r = posix_spawnp(&p->pid, argv[0], &files, &attr, args.as, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return r;
}

int piped__start(struct piped *p, const char *const *argv, const char *input, struct err *err)
{
	int out[2] = { -1, -1 }, in, r;

	*p = (struct piped){ .name = argv[0], .fd = -1 };
	p->said_fd = memfd_create("said", MFD_CLOEXEC);
	in = open_input(input);
	if (p->said_fd < 0 || in < 0 || pipe2(out, O_CLOEXEC))
		r = errno ? errno : EIO;
	else
		r = spawn(p, argv, (int[]){ in, out[1], p->said_fd });
	if (in >= 0)
		close(in);
	if (out[1] >= 0)
		close(out[1]);
	p->fd = out[0];
	if (!r)
		return 0;
	p->pid = 0;
	piped__finish(p, true, NULL);
	return err__set(err, -r, "cannot run '%s': %s", argv[0], err_str(r));
}

/* The last line that is not empty. */
static void last_said(int fd, char *buf, size_t sz)
{
	off_t end = lseek(fd, 0, SEEK_END), from = end > (off_t)sz - 1 ? end - (off_t)sz + 1 : 0;
	ssize_t n = pread(fd, buf, sz - 1, from);
	char *line;

	buf[n > 0 ? n : 0] = '\0';
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		buf[--n] = '\0';
	line = strrchr(buf, '\n');
	if (line)
		memmove(buf, line + 1, strlen(line));
}

int piped__finish(struct piped *p, bool stop, struct err *err)
{
	char said[SAID_SZ] = "";
	int status = 0;

	if (p->fd >= 0)
		close(p->fd);
	if (p->pid && stop)
		kill(p->pid, SIGTERM);
	while (p->pid && waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (p->said_fd >= 0) {
		last_said(p->said_fd, said, sizeof(said));
		close(p->said_fd);
	}
	p->fd = p->said_fd = -1;
	if (stop || !status)
		return 0;
	if (WIFSIGNALED(status))
		return err__set(err, WTERMSIG(status) == SIGPIPE ? -EPIPE : -EIO,
				"'%s' was killed by signal %d", p->name, WTERMSIG(status));
	return err__set(err, -EIO, "'%s' failed with status %d%s%s", p->name, WEXITSTATUS(status),
			*said ? ": " : "", said);
}
