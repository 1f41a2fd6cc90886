/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds DIR [KIND...]: one wait of each kind there is, or of those that are named, one after the
 * other, each in a process of its own that tells what it waited for. `kinds -l` lists them.
 */
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct kind *const tables[] = {
	kinds_time,    kinds_lock, kinds_pipe,	 kinds_net,  kinds_poll, kinds_ipc,
	kinds_process, kinds_file, kinds_memory, kinds_stop, kinds_cpu,	 kinds_file_system,
};

const char *kinds_dir;

long kinds_check(long r, const char *what)
{
	if (r < 0)
		wl_die(what);
	return r;
}

u64 kinds_deadline(void)
{
	return mono_ns() + KINDS_LOOP_NS;
}

/*
 * Its state, and how often it gave up the CPU because it had to wait. 0: it is gone. Without
 * memory of its own: the allocator may be what is waited for.
 */
static int state_of(int pid, int tid, unsigned long long *ret_waits)
{
	static const char state[] = "\nState:\t", waits[] = "\nvoluntary_ctxt_switches:\t";
	char path[64], text[4096], *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	at = strstr(text, waits);
	*ret_waits = at ? strtoull(at + strlen(waits), NULL, 10) : 0;
	at = strstr(text, state);
	return at ? at[strlen(state)] : 0;
}

void kinds_asleep(int pid, int tid)
{
	unsigned long long before = 0, after = 0;
	int i, state;

	for (i = 0; i < 200; i++) {
		state = state_of(pid, tid, &before);
		if (!state)
			return;
		wl_pause(strchr("SDTt", state) ? KINDS_HOLD_NS : 5000000);
		if (strchr("SDTt", state) && state_of(pid, tid, &after) == state && before == after)
			return;
	}
	errno = ETIMEDOUT;
	wl_die("a thread does not come to its wait");
}

struct help {
	struct wait *w;
	void (*fn)(struct wait *w);
};

static void *help_main(void *arg)
{
	struct help h = *(struct help *)arg;

	prctl(PR_SET_NAME, "helper");
	__atomic_store_n(&h.w->owner, wl_gettid(), __ATOMIC_RELEASE);
	h.fn(h.w);
	return NULL;
}

void kinds_help(struct wait *w, void (*fn)(struct wait *w))
{
	struct help h = { w, fn };

	errno = pthread_create(&w->helper, NULL, help_main, &h);
	if (errno)
		wl_die("pthread_create");
	while (!__atomic_load_n(&w->owner, __ATOMIC_ACQUIRE))
		wl_pause(1000000);
}

void kinds_name(struct wait *w, const char *suffix)
{
	snprintf(w->path, sizeof(w->path), "%s/%s%s", kinds_dir, w->kind->name, suffix);
}

static void on_signal(int sig)
{
	(void)sig;
}

int kinds_make_signal(struct wait *w)
{
	struct sigaction sa = { .sa_handler = on_signal };

	(void)w;
	return sigaction(SIGUSR1, &sa, NULL) ? -errno : 0;
}

void kinds_feed_signal(struct wait *w)
{
	kinds_check(tgkill(getpid(), w->tid, SIGUSR1), "tgkill");
}

void kinds_read(struct wait *w)
{
	char bytes[8];

	kinds_check(read(w->fd[0], bytes, sizeof(bytes)), "read");
}

void kinds_write(struct wait *w)
{
	kinds_check(write(w->fd[1], "12345678", 8), "write");
}

void kinds_fill(int fd, size_t chunk)
{
	static const char zeros[65536];
	int flags = fcntl(fd, F_GETFL);

	kinds_check(fcntl(fd, F_SETFL, flags | O_NONBLOCK), "fcntl");
	while (write(fd, zeros, chunk) > 0)
		;
	kinds_check(fcntl(fd, F_SETFL, flags), "fcntl");
}

int kinds_make_child(struct wait *w)
{
	char byte;

	if (pipe2(w->fd, O_CLOEXEC))
		return -errno;
	w->pid = fork();
	if (w->pid < 0)
		return -errno;
	if (!w->pid) {
		prctl(PR_SET_NAME, "child");
		close(w->fd[1]);
		_exit(read(w->fd[0], &byte, 1) < 0);
	}
	w->owner = w->pid;
	return 0;
}

static void *waiter_main(void *arg)
{
	struct wait *w = arg;

	prctl(PR_SET_NAME, w->kind->name);
	if (!w->tid)
		__atomic_store_n(&w->tid, wl_gettid(), __ATOMIC_RELEASE);
	w->kind->wait(w);
	return NULL;
}

static u64 inode_of(int fd)
{
	struct stat st = { .st_ino = 0 };

	if (fd >= 0)
		fstat(fd, &st);
	return st.st_ino;
}

static void tell(const struct wait *w, u64 ino)
{
	wl_emit("{\"event\":\"wait\",\"kind\":\"%s\",\"pid\":%d,\"tid\":%d,\"owner\":%d,"
		"\"child\":%d,\"fd\":%d,\"ino\":%llu,\"port\":%u,\"path\":\"%s\"}",
		w->kind->name, getpid(), w->tid, w->owner, w->pid, w->fd[0],
		(unsigned long long)ino, w->port, w->path);
}

static void run(const struct kind *k)
{
	struct wait w = { .kind = k, .fd = { -1, -1, -1, -1 } };
	int r = k->make ? k->make(&w) : 0;
	u64 ino = inode_of(w.fd[0]);
	pthread_t waiter;

	if (r) {
		wl_emit("{\"event\":\"skip\",\"kind\":\"%s\",\"why\":\"%s\"}", k->name,
			strerror(-r));
		return;
	}
	errno = pthread_create(&waiter, NULL, waiter_main, &w);
	if (errno)
		wl_die("pthread_create");
	while (!__atomic_load_n(&w.tid, __ATOMIC_ACQUIRE))
		wl_pause(1000000);
	tell(&w, ino);
	while (__atomic_load_n(&w.busy, __ATOMIC_ACQUIRE))
		wl_pause(1000000);
	if (k->feed) {
		kinds_asleep(getpid(), w.tid);
		k->feed(&w);
	}
	pthread_join(waiter, NULL);
}

static void run_apart(const struct kind *k)
{
	int status, pid = (int)kinds_check(fork(), "fork");

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, k->name);
		run(k);
		_exit(0);
	}
	kinds_check(waitpid(pid, &status, 0), "waitpid");
	if (status)
		wl_emit("{\"event\":\"failed\",\"kind\":\"%s\",\"status\":%d}", k->name, status);
}

static int is_wanted(const struct kind *k, char **names)
{
	if (!*names)
		return 1;
	for (; *names; names++)
		if (!strcmp(*names, k->name))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	int list = argc == 2 && !strcmp(argv[1], "-l");
	const struct kind *k;
	size_t i;

	if (argc < 2)
		return 2;
	kinds_dir = argv[1];
	if (!list) {
		wl_emit("{\"event\":\"ready\",\"pid\":%d}", getpid());
		wl_expect("go");
	}
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (k = tables[i]; k->name; k++)
			if (list)
				puts(k->name);
			else if (is_wanted(k, argv + 2))
				run_apart(k);
	if (list)
		return 0;
	wl_emit("{\"event\":\"done\"}");
	wl_expect("quit");
	return 0;
}
