/* SPDX-License-Identifier: Apache-2.0 */
/* A file system whose server is this program: the least of FUSE that somebody can wait for. */
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static char request[1 << 16];
static sem_t answer_now;

static void answer(int fd, const struct fuse_in_header *in, int error, const void *body, size_t sz)
{
	char reply[256];
	struct fuse_out_header *out = (void *)reply;

	out->len = (unsigned)(sizeof(*out) + sz);
	out->error = error;
	out->unique = in->unique;
	memcpy(reply + sizeof(*out), body, sz);
	(void)!write(fd, reply, out->len);
}

static void greet(int fd, const struct fuse_in_header *in)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
				      .minor = FUSE_KERNEL_MINOR_VERSION,
				      .max_write = 4096 };

	answer(fd, in, 0, &init, sizeof(init));
}

/* Each question but the first is answered late: there is no such file. */
static void serve(struct wait *w)
{
	const struct fuse_in_header *in = (const void *)request;

	while (read(w->fd[1], request, sizeof(request)) > 0) {
		if (in->opcode == FUSE_INIT) {
			greet(w->fd[1], in);
			continue;
		}
		sem_wait(&answer_now);
		answer(w->fd[1], in, -ENOENT, "", 0);
	}
}

static int make_mount(struct wait *w)
{
	char options[64];

	kinds_name(w, "");
	if (mkdir(w->path, 0700) && errno != EEXIST)
		return -errno;
	w->fd[1] = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (w->fd[1] < 0)
		return -errno;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", w->fd[1]);
	/* in a world of its own, with which it goes */
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("kinds", w->path, "fuse", MS_NOSUID | MS_NODEV, options))
		return -errno;
	kinds_help(w, serve);
	return 0;
}

static void wait_stat(struct wait *w)
{
	char path[sizeof(w->path) + 8];
	struct stat st;

	snprintf(path, sizeof(path), "%s/file", w->path);
	stat(path, &st);
}

static void feed_answers(struct wait *w)
{
	int i;

	(void)w;
	for (i = 0; i < 8; i++)
		sem_post(&answer_now);
}

const struct kind kinds_file_system[] = {
	{ "fuse", make_mount, wait_stat, feed_answers, NULL },
	{ .name = NULL },
};
