/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gates are futex words and not pthread barriers: a barrier would mix the waits of the gate
 * into those of the mutex kinds, and its frames are the C library's.
 */
#include "wl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rawcall.h"

static struct {
	int gate[2];
	int out_fd; /* 0: stdout */
} wl;

void wl_die(const char *what)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(errno));
	_exit(1);
}

int wl_checked(int r, const char *what)
{
	if (r < 0)
		wl_die(what);
	return r;
}

unsigned long wl_inode_of(int fd)
{
	struct stat st;

	wl_checked(fstat(fd, &st), "fstat");
	return st.st_ino;
}

noinline void wl_gate(int gate)
{
	int *word = &wl.gate[gate];

	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		rawcall4(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, 0);
}

void wl_open(int gate)
{
	__atomic_store_n(&wl.gate[gate], 1, __ATOMIC_RELEASE);
	rawcall3(SYS_futex, &wl.gate[gate], FUTEX_WAKE_PRIVATE, INT_MAX);
}

void wl_emit_to(const char *path)
{
	wl.out_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (wl.out_fd < 0)
		wl_die(path);
}

void wl_emit(const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (n < 0 || n >= (int)sizeof(line) - 1)
		wl_die("line too long");
	line[n++] = '\n';
	if (write(wl.out_fd ? wl.out_fd : STDOUT_FILENO, line, (size_t)n) != n)
		wl_die("write");
}

void wl_expect(const char *word)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!strcmp(line, word))
			return;
	}
	_exit(0);
}

noinline void wl_pause(u64 ns)
{
	struct timespec ts = { (time_t)(ns / 1000000000ULL), (long)(ns % 1000000000ULL) };

	rawcall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, 0);
}

int wl_gettid(void)
{
	return (int)syscall(SYS_gettid);
}

int wl_pin(int tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
}

static int state_of(int tid)
{
	char path[64], buf[512];
	const char *paren;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	buf[n] = 0;
	paren = strrchr(buf, ')');
	return paren && paren[1] ? paren[2] : 0;
}

int wl_in_state(int tid, char state)
{
	int i;

	for (i = 0; i < 5000; i++) {
		if (state_of(tid) == state)
			return 0;
		wl_pause(1000000);
	}
	return -1;
}

int wl_asleep(int tid)
{
	return wl_in_state(tid, 'S');
}

/* Touches the stack and the code that a bracket needs: page faults are not to fall into one. */
static noinline void warm_up(void)
{
	struct truth t = { 0 };

	truth__begin(&t);
	truth__end(&t);
}

static void *thread_main(void *arg)
{
	struct wl_thread *t = arg;

	prctl(PR_SET_NAME, t->name);
	warm_up();
	__atomic_store_n(&t->tid, wl_gettid(), __ATOMIC_RELEASE);
	if (!t->early)
		wl_gate(WL_GATE_GO);
	t->go_ns = mono_ns();
	t->run(t);
	__atomic_store_n(&t->park_ns, mono_ns(), __ATOMIC_RELEASE);
	wl_gate(WL_GATE_QUIT);
	return NULL;
}

void wl_thread__start(struct wl_thread *t)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 * 1024);
	errno = pthread_create(&t->handle, &attr, thread_main, t);
	if (errno)
		wl_die("pthread_create");
	pthread_attr_destroy(&attr);
}

void wl_thread__ready(struct wl_thread *t)
{
	while (!__atomic_load_n(&t->tid, __ATOMIC_ACQUIRE))
		wl_pause(100000);
	if (wl_asleep(t->tid))
		wl_die("a thread does not come to its gate");
}

void wl_thread__join(struct wl_thread *t)
{
	pthread_join(t->handle, NULL);
}

const char *wl_truth(const struct truth *w, char buf[WL_TRUTH_SZ])
{
	snprintf(buf, WL_TRUTH_SZ,
		 "\"count\":%llu,\"mono_ns\":%llu,\"off_ns\":%llu,\"max_mono_ns\":%llu,"
		 "\"blocked\":%llu,\"preempted\":%llu,\"moved\":%llu",
		 (unsigned long long)w->count, (unsigned long long)w->mono_ns,
		 (unsigned long long)w->off_ns, (unsigned long long)w->max_mono_ns,
		 (unsigned long long)w->blocked, (unsigned long long)w->preempted,
		 (unsigned long long)w->moved);
	return buf;
}

void wl_thread__emit(const struct wl_thread *t)
{
	char text[WL_TRUTH_SZ];

	wl_emit("{\"event\":\"thread\",\"kind\":\"%s\",\"name\":\"%s\",\"tid\":%d,%s,"
		"\"go_ns\":%llu,\"park_ns\":%llu}",
		t->kind, t->name, t->tid, wl_truth(&t->truth, text), (unsigned long long)t->go_ns,
		(unsigned long long)t->park_ns);
}
