/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes by all the calls that wait for them, and terminals. */
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#define CHUNK 4096

static char chunk[16 * CHUNK];

static int make_pipe(struct wait *w)
{
	return pipe2(w->fd, O_CLOEXEC) ? -errno : 0;
}

/* fd[0] is what is waited for: here the end that is written to. */
static int make_full(struct wait *w)
{
	int r = make_pipe(w), end = w->fd[1];

	if (r)
		return r;
	w->fd[1] = w->fd[0];
	w->fd[0] = end;
	kinds_fill(end, CHUNK);
	return 0;
}

static void wait_write(struct wait *w)
{
	kinds_check(write(w->fd[0], chunk, CHUNK), "write");
}

static void feed_drain(struct wait *w)
{
	kinds_check(read(w->fd[1], chunk, sizeof(chunk)), "read");
}

static int make_fifo_name(struct wait *w)
{
	kinds_name(w, "");
	unlink(w->path);
	return mkfifo(w->path, 0600) ? -errno : 0;
}

static void wait_open(struct wait *w)
{
	kinds_check(open(w->path, O_RDONLY | O_CLOEXEC), "open");
}

static void feed_open(struct wait *w)
{
	kinds_check(open(w->path, O_WRONLY | O_CLOEXEC), "open");
}

static int make_fifo(struct wait *w)
{
	int r = make_fifo_name(w);

	if (r)
		return r;
	w->fd[0] = w->fd[1] = open(w->path, O_RDWR | O_CLOEXEC);
	return w->fd[0] < 0 ? -errno : 0;
}

/* fd[0] is empty; bytes go on to fd[3]. */
static int make_two(struct wait *w)
{
	int r = make_pipe(w);

	return r ? r : pipe2(w->fd + 2, O_CLOEXEC) ? -errno : 0;
}

static void wait_splice(struct wait *w)
{
	kinds_check(splice(w->fd[0], NULL, w->fd[3], NULL, CHUNK, 0), "splice");
}

static void wait_tee(struct wait *w)
{
	kinds_check(tee(w->fd[0], w->fd[3], CHUNK, 0), "tee");
}

static void wait_vmsplice(struct wait *w)
{
	struct iovec io = { chunk, CHUNK };

	kinds_check(vmsplice(w->fd[0], &io, 1, 0), "vmsplice");
}

static int make_file_to_pipe(struct wait *w)
{
	int r = make_full(w);

	if (r)
		return r;
	kinds_name(w, "");
	w->fd[2] = open(w->path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	if (w->fd[2] < 0)
		return -errno;
	return pwrite(w->fd[2], chunk, CHUNK, 0) == CHUNK ? 0 : -EIO;
}

static void wait_sendfile(struct wait *w)
{
	off_t off = 0;

	kinds_check(sendfile(w->fd[0], w->fd[2], &off, CHUNK), "sendfile");
}

/* fd[0] is the slave, fd[1] the master: a terminal and who sits at it. */
static int make_pty(struct wait *w)
{
	struct termios raw;

	w->fd[1] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (w->fd[1] < 0 || grantpt(w->fd[1]) || unlockpt(w->fd[1]) ||
	    ptsname_r(w->fd[1], w->path, sizeof(w->path)))
		return -errno;
	w->fd[0] = open(w->path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (w->fd[0] < 0 || tcgetattr(w->fd[0], &raw))
		return -errno;
	cfmakeraw(&raw);
	return tcsetattr(w->fd[0], TCSANOW, &raw) ? -errno : 0;
}

static int make_full_pty(struct wait *w)
{
	int r = make_pty(w);

	if (!r)
		kinds_fill(w->fd[0], CHUNK);
	return r;
}

/* What was written is on its way through a worker of the kernel: there is more for a while. */
static void feed_pty(struct wait *w)
{
	int i;

	for (i = 0; i < 3; i++) {
		kinds_check(read(w->fd[1], chunk, sizeof(chunk)), "read");
		wl_pause(1000000);
	}
}

const struct kind kinds_pipe[] = {
	{ "pipe-read", make_pipe, kinds_read, kinds_write, NULL },
	{ "pipe-write", make_full, wait_write, feed_drain, NULL },
	{ "fifo-open", make_fifo_name, wait_open, feed_open, NULL },
	{ "fifo-read", make_fifo, kinds_read, kinds_write, NULL },
	{ "splice", make_two, wait_splice, kinds_write, NULL },
	{ "tee", make_two, wait_tee, kinds_write, NULL },
	{ "vmsplice", make_full, wait_vmsplice, feed_drain, NULL },
	{ "sendfile-pipe", make_file_to_pipe, wait_sendfile, feed_drain, NULL },
	{ "tty-read", make_pty, kinds_read, kinds_write, NULL },
	{ "tty-write", make_full_pty, wait_write, feed_pty, NULL },
	{ .name = NULL },
};
