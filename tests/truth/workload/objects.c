/* SPDX-License-Identifier: Apache-2.0 */
#include "objects.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#define LABEL(o, ...) snprintf((o)->label, sizeof((o)->label), __VA_ARGS__)

const char *objects_dir;

/* Named by coldspot, so they are not static. */
pthread_cond_t object_cond = PTHREAD_COND_INITIALIZER;
sem_t object_sem;
static pthread_mutex_t cond_mutex = PTHREAD_MUTEX_INITIALIZER;
static int cond_set;

const char *objects_device(int fd)
{
	static char text[2][128];
	static int turn;
	char path[64], target[128], *ret = text[turn ^= 1];
	const char *slash;
	struct stat st;
	ssize_t n;

	wl_checked(fstat(fd, &st), "fstat");
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
	n = readlink(path, target, sizeof(target) - 1);
	ret[0] = '\0';
	if (n <= 0)
		return ret;
	target[n] = '\0';
	slash = strrchr(target, '/');
	snprintf(ret, sizeof(text[0]), " on %.100s", slash ? slash + 1 : target);
	return ret;
}

static void read_one(struct object *o)
{
	char bytes[64];

	wl_checked((int)read(o->fd[0], bytes, sizeof(bytes)), "read");
}

static void write_one(struct object *o)
{
	wl_checked((int)write(o->fd[1], "12345678", 8), "write");
}

static void make_pipe(struct object *o)
{
	wl_checked(pipe(o->fd), "pipe");
	LABEL(o, "pipe:[%lu] from itself", wl_inode_of(o->fd[0]));
}

static void make_fifo(struct object *o)
{
	snprintf(o->path, sizeof(o->path), "%s/fifo", objects_dir);
	unlink(o->path);
	wl_checked(mkfifo(o->path, 0600), "mkfifo");
	o->fd[0] = o->fd[1] = wl_checked(open(o->path, O_RDWR), "open");
	LABEL(o, "fifo %s = itself", o->path);
}

static struct sockaddr_in bind_inet(int fd)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(in);

	wl_checked(bind(fd, (void *)&in, sizeof(in)), "bind");
	wl_checked(getsockname(fd, (void *)&in, &len), "getsockname");
	return in;
}

/* fd[2] listens. */
static unsigned make_listener(struct object *o)
{
	struct sockaddr_in in;

	o->fd[2] = wl_checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
	in = bind_inet(o->fd[2]);
	wl_checked(listen(o->fd[2], 4), "listen");
	return ntohs(in.sin_port);
}

static int connect_to(int listener)
{
	struct sockaddr_in in;
	socklen_t len = sizeof(in);
	int fd = wl_checked(socket(AF_INET, SOCK_STREAM, 0), "socket");

	wl_checked(getsockname(listener, (void *)&in, &len), "getsockname");
	wl_checked(connect(fd, (void *)&in, sizeof(in)), "connect");
	return fd;
}

static void make_listen(struct object *o)
{
	LABEL(o, "tcp listen :%u", make_listener(o));
}

static void wait_accept(struct object *o)
{
	o->fd[0] = wl_checked(accept(o->fd[2], NULL, NULL), "accept");
}

static void feed_connect(struct object *o)
{
	o->fd[1] = connect_to(o->fd[2]);
}

static void make_server(struct object *o)
{
	unsigned port = make_listener(o);

	o->fd[1] = connect_to(o->fd[2]);
	o->fd[0] = wl_checked(accept(o->fd[2], NULL, NULL), "accept");
	LABEL(o, "tcp :%u from 127.0.0.1 = itself", port);
}

static void make_client(struct object *o)
{
	unsigned port = make_listener(o);

	o->fd[0] = connect_to(o->fd[2]);
	o->fd[1] = wl_checked(accept(o->fd[2], NULL, NULL), "accept");
	LABEL(o, "tcp 127.0.0.1:%u = itself", port);
}

/* A service with a port that the kernel does not choose; fd[2] listens. */
static unsigned make_service(struct object *o)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	unsigned port = 20000;

	o->fd[2] = wl_checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
	do
		in.sin_port = htons((unsigned short)++port);
	while (bind(o->fd[2], (void *)&in, sizeof(in)) && port < 21000);
	wl_checked(listen(o->fd[2], 4), "listen");
	return port;
}

/* A client with an address of its own, and any port. */
static void make_bound(struct object *o)
{
	unsigned port = make_service(o);
	struct sockaddr_in in;
	socklen_t len = sizeof(in);

	o->fd[0] = wl_checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
	bind_inet(o->fd[0]);
	wl_checked(getsockname(o->fd[2], (void *)&in, &len), "getsockname");
	wl_checked(connect(o->fd[0], (void *)&in, sizeof(in)), "connect");
	o->fd[1] = wl_checked(accept(o->fd[2], NULL, NULL), "accept");
	LABEL(o, "tcp 127.0.0.1:%u = itself", port);
}

/* Who serves it, from who has chosen no port either. */
static void make_served(struct object *o)
{
	unsigned port = make_service(o);

	o->fd[1] = connect_to(o->fd[2]);
	o->fd[0] = wl_checked(accept(o->fd[2], NULL, NULL), "accept");
	LABEL(o, "tcp :%u from 127.0.0.1 = itself", port);
}

/* Nobody asked for the port that it got, nor has it a peer: there is nothing to name it by. */
static void make_udp(struct object *o)
{
	struct sockaddr_in in;

	o->fd[0] = wl_checked(socket(AF_INET, SOCK_DGRAM, 0), "socket");
	in = bind_inet(o->fd[0]);
	o->fd[1] = wl_checked(socket(AF_INET, SOCK_DGRAM, 0), "socket");
	wl_checked(connect(o->fd[1], (void *)&in, sizeof(in)), "connect");
	LABEL(o, "udp unconnected");
}

static void connect_unix(struct object *o, const char *name)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	snprintf(o->path, sizeof(o->path), "%s/%s", objects_dir, name);
	memcpy(un.sun_path, o->path, sizeof(un.sun_path));
	unlink(o->path);
	o->fd[2] = wl_checked(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
	wl_checked(bind(o->fd[2], (void *)&un, sizeof(un)), "bind");
	wl_checked(listen(o->fd[2], 4), "listen");
	o->fd[3] = wl_checked(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
	wl_checked(connect(o->fd[3], (void *)&un, sizeof(un)), "connect");
}

static void make_unix(struct object *o)
{
	connect_unix(o, "client");
	o->fd[0] = o->fd[3];
	o->fd[1] = wl_checked(accept(o->fd[2], NULL, NULL), "accept");
	LABEL(o, "unix %s = itself", o->path);
}

static void make_unix_server(struct object *o)
{
	connect_unix(o, "server");
	o->fd[1] = o->fd[3];
	o->fd[0] = wl_checked(accept(o->fd[2], NULL, NULL), "accept");
	LABEL(o, "unix %s (server) = itself", o->path);
}

static void make_pair(struct object *o)
{
	wl_checked(socketpair(AF_UNIX, SOCK_STREAM, 0, o->fd), "socketpair");
	LABEL(o, "unix:[%lu] = itself", wl_inode_of(o->fd[0]));
}

static void make_eventfd(struct object *o)
{
	o->fd[0] = o->fd[1] = wl_checked(eventfd(0, 0), "eventfd");
	LABEL(o, "eventfd fd %d of %d", o->fd[0], getpid());
}

static void make_timerfd(struct object *o)
{
	o->fd[0] = wl_checked(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd");
	LABEL(o, "timerfd fd %d of %d", o->fd[0], getpid());
}

static void feed_timer(struct object *o)
{
	const struct itimerspec now = { .it_value.tv_nsec = 1 };

	wl_checked(timerfd_settime(o->fd[0], 0, &now, NULL), "timerfd_settime");
}

static void make_inotify(struct object *o)
{
	o->fd[0] = wl_checked(inotify_init(), "inotify");
	/* a directory of its own: other kinds make files too */
	snprintf(o->path, sizeof(o->path), "%s/watched", objects_dir);
	mkdir(o->path, 0700);
	wl_checked(inotify_add_watch(o->fd[0], o->path, IN_CREATE), "inotify_add_watch");
	snprintf(o->path, sizeof(o->path), "%s/watched/made", objects_dir);
	unlink(o->path);
	LABEL(o, "inotify fd %d of %d", o->fd[0], getpid());
}

static void wait_inotify(struct object *o)
{
	char bytes[4096];

	wl_checked((int)read(o->fd[0], bytes, sizeof(bytes)), "read");
}

static void feed_create(struct object *o)
{
	close(wl_checked(open(o->path, O_CREAT | O_WRONLY, 0600), "open"));
}

static void make_epoll(struct object *o)
{
	struct epoll_event ev = { .events = EPOLLIN };

	make_pipe(o);
	o->fd[2] = wl_checked(epoll_create1(0), "epoll");
	wl_checked(epoll_ctl(o->fd[2], EPOLL_CTL_ADD, o->fd[0], &ev), "epoll_ctl");
	LABEL(o, "epoll fd %d of %d", o->fd[2], getpid());
}

static void wait_epoll(struct object *o)
{
	struct epoll_event ev;

	wl_checked(epoll_wait(o->fd[2], &ev, 1, -1), "epoll_wait");
}

static void make_poll(struct object *o)
{
	make_pipe(o);
	o->fd[2] = wl_checked(eventfd(0, 0), "eventfd");
	LABEL(o, "pipe:[%lu] from itself and 1 more", wl_inode_of(o->fd[0]));
}

/* poll() skips the first. */
static void wait_poll(struct object *o)
{
	struct pollfd fds[3] = { { .fd = -1 },
				 { .fd = o->fd[0], .events = POLLIN },
				 { .fd = o->fd[2], .events = POLLIN } };

	wl_checked(poll(fds, 3, -1), "poll");
}

static void wait_select(struct object *o)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(o->fd[0], &set);
	FD_SET(o->fd[2], &set);
	wl_checked(select(o->fd[2] + 1, &set, NULL, NULL, NULL), "select");
}

static void make_flock(struct object *o)
{
	snprintf(o->path, sizeof(o->path), "%s/locked", objects_dir);
	o->fd[0] = wl_checked(open(o->path, O_CREAT | O_RDWR, 0600), "open");
	o->fd[1] = wl_checked(open(o->path, O_RDWR), "open");
	wl_checked(flock(o->fd[1], LOCK_EX), "flock");
	LABEL(o, "file %s%s", o->path, objects_device(o->fd[0]));
}

static void wait_flock(struct object *o)
{
	wl_checked(flock(o->fd[0], LOCK_EX), "flock");
}

static void feed_unlock(struct object *o)
{
	wl_checked(flock(o->fd[1], LOCK_UN), "flock");
}

static void make_cond(struct object *o)
{
	LABEL(o, "condvar object_cond (objects)");
}

static void wait_cond(struct object *o)
{
	(void)o;
	pthread_mutex_lock(&cond_mutex);
	while (!cond_set)
		pthread_cond_wait(&object_cond, &cond_mutex);
	pthread_mutex_unlock(&cond_mutex);
}

static void feed_cond(struct object *o)
{
	(void)o;
	pthread_mutex_lock(&cond_mutex);
	cond_set = 1;
	pthread_cond_signal(&object_cond);
	pthread_mutex_unlock(&cond_mutex);
}

/* What glibc 2.41 has in place of pthread_cond_t, used and with one who waits. */
struct cond_241 {
	unsigned wseq[2], g1_start[2], size[2], orig_size, wrefs, signals[2], unused[2];
};

struct cond_241 object_cond_241 = { .wrefs = 8, .signals = { 5, 4 } };
struct cond_241 object_cond_242 = { .wrefs = 8, .signals = { 3, 2 } };

static void make_cond_241(struct object *o)
{
	o->word = &object_cond_241.signals[0];
	LABEL(o, "condvar object_cond_241 (objects)");
}

static void make_cond_242(struct object *o)
{
	o->word = &object_cond_242.signals[1];
	LABEL(o, "condvar object_cond_242 (objects)");
}

static void wait_word(struct object *o)
{
	syscall(SYS_futex, o->word, FUTEX_WAIT_BITSET_PRIVATE, *o->word, NULL, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

static void feed_word(struct object *o)
{
	syscall(SYS_futex, o->word, FUTEX_WAKE_PRIVATE, 1);
}

static void make_sem(struct object *o)
{
	wl_checked(sem_init(&object_sem, 0, 0), "sem_init");
	LABEL(o, "semaphore object_sem (objects)");
}

static void wait_sem(struct object *o)
{
	(void)o;
	wl_checked(sem_wait(&object_sem), "sem_wait");
}

static void feed_sem(struct object *o)
{
	(void)o;
	wl_checked(sem_post(&object_sem), "sem_post");
}

struct object objects[] = {
	{ "pipe", make_pipe, read_one, write_one, .fd = { 0 } },
	{ "fifo", make_fifo, read_one, write_one, .fd = { 0 } },
	{ "tcp-listen", make_listen, wait_accept, feed_connect, .fd = { 0 } },
	{ "tcp-server", make_server, read_one, write_one, .fd = { 0 } },
	{ "tcp-client", make_client, read_one, write_one, .fd = { 0 } },
	{ "tcp-bound", make_bound, read_one, write_one, .fd = { 0 } },
	{ "tcp-served", make_served, read_one, write_one, .fd = { 0 } },
	{ "udp", make_udp, read_one, write_one, .fd = { 0 } },
	{ "unix-client", make_unix, read_one, write_one, .fd = { 0 } },
	{ "unix-server", make_unix_server, read_one, write_one, .fd = { 0 } },
	{ "unix-pair", make_pair, read_one, write_one, .fd = { 0 } },
	{ "eventfd", make_eventfd, read_one, write_one, .fd = { 0 } },
	{ "timerfd", make_timerfd, read_one, feed_timer, .fd = { 0 } },
	{ "inotify", make_inotify, wait_inotify, feed_create, .fd = { 0 } },
	{ "epoll", make_epoll, wait_epoll, write_one, .fd = { 0 } },
	{ "poll", make_poll, wait_poll, write_one, .fd = { 0 } },
	{ "select", make_poll, wait_select, write_one, .fd = { 0 } },
	/* Of any child first: there must be others still. */
	{ "any", objects_make_any_child, objects_wait_any_child, write_one, .fd = { 0 } },
	{ "wait4", objects_make_child, objects_wait_child, write_one, .fd = { 0 } },
	{ "waitid", objects_make_child, objects_wait_child_id, write_one, .fd = { 0 } },
	{ "pidfd", objects_make_child, objects_wait_child_fd, write_one, .fd = { 0 } },
	{ "brood", objects_make_brood, objects_wait_brood, objects_feed_nothing, .fd = { 0 } },
	{ "flock", make_flock, wait_flock, feed_unlock, .fd = { 0 } },
	{ "condvar", make_cond, wait_cond, feed_cond, .fd = { 0 } },
	{ "condvar-241", make_cond_241, wait_word, feed_word, .fd = { 0 } },
	{ "condvar-242", make_cond_242, wait_word, feed_word, .fd = { 0 } },
	{ "semaphore", make_sem, wait_sem, feed_sem, .fd = { 0 } },
	{ .name = NULL },
};

static void *object_main(void *arg)
{
	struct object *o = arg;

	prctl(PR_SET_NAME, o->name);
	wl_emit("{\"event\":\"object\",\"name\":\"%s\",\"tid\":%d,\"label\":\"%s\","
		"\"early\":\"%s\"}",
		o->name, wl_gettid(), o->label, *o->early ? o->early : o->label);
	o->wait(o);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	struct object *o;

	if (argc != 2)
		return 2;
	objects_dir = argv[1];
	/* Its children must have none of what the objects are made of. */
	owners_early();
	for (o = objects; o->name; o++)
		o->make(o);
	disk_make();
	wl_emit("{\"event\":\"ready\",\"pid\":%d}", getpid());
	wl_expect("go");
	for (o = objects; o->name; o++) {
		if (pthread_create(&thread, NULL, object_main, o))
			wl_die("pthread_create");
		wl_pause(30000000);
		o->feed(o);
		pthread_join(thread, NULL);
	}
	owners_run();
	again_run();
	disk_run();
	kernel_owners_run();
	wl_emit("{\"event\":\"done\"}");
	wl_expect("quit");
	return 0;
}
