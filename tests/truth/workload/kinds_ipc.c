/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors without a file, and the messages and semaphores of old. */
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int make_eventfd(struct wait *w)
{
	w->fd[0] = w->fd[1] = eventfd(0, EFD_CLOEXEC);
	return w->fd[0] < 0 ? -errno : 0;
}

static void feed_one(struct wait *w)
{
	const u64 one = 1;

	kinds_check(write(w->fd[0], &one, sizeof(one)), "write");
}

static int make_full_eventfd(struct wait *w)
{
	const u64 most = ~1ULL;
	int r = make_eventfd(w);

	return r ? r : write(w->fd[0], &most, sizeof(most)) < 0 ? -errno : 0;
}

static int make_signalfd(struct wait *w)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	w->fd[0] = signalfd(-1, &set, SFD_CLOEXEC);
	return w->fd[0] < 0 ? -errno : 0;
}

static void wait_large(struct wait *w)
{
	char bytes[4096];

	kinds_check(read(w->fd[0], bytes, sizeof(bytes)), "read");
}

static void feed_usr2(struct wait *w)
{
	(void)w;
	kinds_check(kill(getpid(), SIGUSR2), "kill");
}

static int make_directory(struct wait *w)
{
	kinds_name(w, "");
	return mkdir(w->path, 0700) && errno != EEXIST ? -errno : 0;
}

static int make_inotify(struct wait *w)
{
	int r = make_directory(w);

	if (r)
		return r;
	w->fd[0] = inotify_init1(IN_CLOEXEC);
	if (w->fd[0] < 0 || inotify_add_watch(w->fd[0], w->path, IN_CREATE | IN_OPEN) < 0)
		return -errno;
	return 0;
}

static void feed_file(struct wait *w)
{
	char path[sizeof(w->path) + 8];

	snprintf(path, sizeof(path), "%s/made", w->path);
	kinds_check(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600), "open");
}

static int make_fanotify(struct wait *w)
{
	int r = make_directory(w);

	if (r)
		return r;
	w->fd[0] = fanotify_init(FAN_CLOEXEC | FAN_CLASS_NOTIF, O_RDONLY);
	if (w->fd[0] < 0 ||
	    fanotify_mark(w->fd[0], FAN_MARK_ADD, FAN_OPEN | FAN_EVENT_ON_CHILD, AT_FDCWD, w->path))
		return -errno;
	return 0;
}

/* One who must allow it that a file is opened: a scanner for viruses. */
static int make_guard(struct wait *w)
{
	int r = make_directory(w);

	if (r)
		return r;
	feed_file(w);
	w->fd[1] = fanotify_init(FAN_CLOEXEC | FAN_CLASS_CONTENT, O_RDONLY);
	if (w->fd[1] < 0 || fanotify_mark(w->fd[1], FAN_MARK_ADD,
					  FAN_OPEN_PERM | FAN_EVENT_ON_CHILD, AT_FDCWD, w->path))
		return -errno;
	return 0;
}

static void feed_allow(struct wait *w)
{
	struct fanotify_event_metadata event[16];
	struct fanotify_response answer = { .response = FAN_ALLOW };

	kinds_check(read(w->fd[1], event, sizeof(event)), "read");
	answer.fd = event[0].fd;
	kinds_check(write(w->fd[1], &answer, sizeof(answer)), "write");
}

static struct {
	long type;
	char text[1024];
} message = { .type = 1 };

static int make_queue(struct wait *w)
{
	w->port = (unsigned)kinds_check(msgget(IPC_PRIVATE, 0600), "msgget");
	return 0;
}

static int make_full_queue(struct wait *w)
{
	make_queue(w);
	while (!msgsnd((int)w->port, &message, sizeof(message.text), IPC_NOWAIT))
		;
	return errno == EAGAIN ? 0 : -errno;
}

/* Whoever comes second takes it away. */
static void wait_msgrcv(struct wait *w)
{
	kinds_check(msgrcv((int)w->port, &message, sizeof(message.text), 0, 0), "msgrcv");
	msgctl((int)w->port, IPC_RMID, NULL);
}

static void wait_msgsnd(struct wait *w)
{
	kinds_check(msgsnd((int)w->port, &message, sizeof(message.text), 0), "msgsnd");
	msgctl((int)w->port, IPC_RMID, NULL);
}

static void feed_msgsnd(struct wait *w)
{
	kinds_check(msgsnd((int)w->port, &message, sizeof(message.text), 0), "msgsnd");
}

static void feed_msgrcv(struct wait *w)
{
	kinds_check(msgrcv((int)w->port, &message, sizeof(message.text), 0, 0), "msgrcv");
}

static int make_mq(struct wait *w)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	char name[32];

	snprintf(name, sizeof(name), "/kinds-%d", getpid());
	w->fd[0] = w->fd[1] = mq_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600, &attr);
	if (w->fd[0] < 0)
		return -errno;
	mq_unlink(name);
	return 0;
}

static void mq_get(struct wait *w)
{
	char bytes[8];

	kinds_check(mq_receive(w->fd[0], bytes, sizeof(bytes), NULL), "mq_receive");
}

static void mq_put(struct wait *w)
{
	kinds_check(mq_send(w->fd[0], "12345678", 8, 0), "mq_send");
}

static int make_full_mq(struct wait *w)
{
	int r = make_mq(w);

	if (!r)
		mq_put(w);
	return r;
}

static int make_semaphore(struct wait *w)
{
	w->port = (unsigned)kinds_check(semget(IPC_PRIVATE, 1, 0600), "semget");
	return 0;
}

static void wait_semop(struct wait *w)
{
	struct sembuf down = { .sem_op = -1 };

	kinds_check(semop((int)w->port, &down, 1), "semop");
	semctl((int)w->port, 0, IPC_RMID);
}

static void wait_semtimedop(struct wait *w)
{
	struct timespec ts = { .tv_sec = 60 };
	struct sembuf down = { .sem_op = -1 };

	kinds_check(semtimedop((int)w->port, &down, 1, &ts), "semtimedop");
	semctl((int)w->port, 0, IPC_RMID);
}

static void feed_semop(struct wait *w)
{
	struct sembuf up = { .sem_op = 1 };

	kinds_check(semop((int)w->port, &up, 1), "semop");
}

const struct kind kinds_ipc[] = {
	{ "eventfd-read", make_eventfd, kinds_read, feed_one, NULL },
	{ "eventfd-write", make_full_eventfd, feed_one, kinds_read, NULL },
	{ "signalfd", make_signalfd, wait_large, feed_usr2, NULL },
	{ "inotify", make_inotify, wait_large, feed_file, NULL },
	{ "fanotify", make_fanotify, wait_large, feed_file, NULL },
	{ "fanotify-guard", make_guard, feed_file, feed_allow, NULL },
	{ "msgrcv", make_queue, wait_msgrcv, feed_msgsnd, NULL },
	{ "msgsnd", make_full_queue, wait_msgsnd, feed_msgrcv, NULL },
	{ "mq-receive", make_mq, mq_get, mq_put, NULL },
	{ "mq-send", make_full_mq, mq_put, mq_get, NULL },
	{ "semop", make_semaphore, wait_semop, feed_semop, NULL },
	{ "semtimedop", make_semaphore, wait_semtimedop, feed_semop, NULL },
	{ .name = NULL },
};
