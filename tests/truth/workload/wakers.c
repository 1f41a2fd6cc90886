/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wake each other in a known order, and wakers that do known things while somebody
 * waits for them. Usage:
 *
 *   relay KIND DEPTH ROUNDS   thread 0 is woken by thread 1, which was woken by 2, and so on;
 *                             thread DEPTH sleeps before it wakes the next one
 *   queue DEPTH ROUNDS        the same over futexes; threads begin to wait in the other order
 *   blame ROUNDS              one thread waits for another, which computes, sleeps and waits for a
 *                             lock in turn
 *   herd COUNT ROUNDS         so many threads are woken at once
 *
 * In a relay, a thread goes back to its wait the later, the nearer it is to the head: so the wait
 * of each waker lies inside the wait that it ends.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "crew.h"

/* Longer than a busy machine keeps a thread from its wait, mostly. */
#define STEP_NS 8000000ULL
#define WORK_NS 200000ULL
#define ull unsigned long long

enum kind { FUTEX, PIPE, EVENTFD, TCP, SIGNAL };

static const char *const kinds[] = { "futex", "pipe", "eventfd", "tcp", "signal" };

/* Where a thread waits. */
struct place {
	sem_t sem;
	int in;
	int out;
};

static struct place places[CREW_MOST];
static enum kind kind;
static int depth, rounds;
static bool is_queue;

/* Computes for so long, by the thread's own clock. */
static noinline void burn(u64 ns)
{
	struct timespec ts;
	u64 begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	begin = (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		now = (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
	} while (now - begin < ns);
}

static void make_tcp(struct place *p)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int listener = wl_checked(socket(AF_INET, SOCK_STREAM, 0), "socket");

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	wl_checked(bind(listener, (struct sockaddr *)&at, sizeof(at)), "bind");
	wl_checked(listen(listener, 1), "listen");
	wl_checked(getsockname(listener, (struct sockaddr *)&at, &len), "getsockname");
	p->out = wl_checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
	wl_checked(connect(p->out, (struct sockaddr *)&at, sizeof(at)), "connect");
	p->in = wl_checked(accept(listener, NULL, NULL), "accept");
	close(listener);
}

static void make_place(struct place *p)
{
	int fd[2];

	sem_init(&p->sem, 0, 0);
	if (kind == PIPE) {
		wl_checked(pipe(fd), "pipe");
		p->in = fd[0];
		p->out = fd[1];
	} else if (kind == EVENTFD) {
		/* A late reader gets each word by itself, not their sum. */
		p->in = p->out = wl_checked(eventfd(0, EFD_SEMAPHORE), "eventfd");
	} else if (kind == TCP) {
		make_tcp(p);
	}
}

static noinline void relay_wait(struct place *p)
{
	u64 word;
	sigset_t set;
	int sig;

	switch (kind) {
	case FUTEX:
		while (sem_wait(&p->sem))
			;
		break;
	case SIGNAL:
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigwait(&set, &sig);
		break;
	default:
		if (read(p->in, &word, sizeof(word)) != sizeof(word))
			wl_die("read");
	}
}

static noinline void relay_wake(struct place *p)
{
	u64 word = 1;

	switch (kind) {
	case FUTEX:
		sem_post(&p->sem);
		break;
	case SIGNAL:
		wl_checked((int)syscall(SYS_tgkill, getpid(), crew[p - places].tid, SIGUSR1),
			   "tgkill");
		break;
	default:
		if (write(p->out, &word, sizeof(word)) != sizeof(word))
			wl_die("write");
	}
}

static noinline void relay_sleep(u64 ns)
{
	struct timespec ts = { .tv_sec = 0, .tv_nsec = (long)ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void run_relay(struct wl_thread *t)
{
	int me = (int)(t - crew);

	for (int i = 0; i < rounds; i++) {
		if (me < depth)
			relay_wait(&places[me]);
		else
			relay_sleep(STEP_NS * (u64)(depth + 2));
		burn(WORK_NS);
		if (me)
			relay_wake(&places[me - 1]);
		wl_pause(STEP_NS * (u64)(is_queue ? depth - me : me) + 1);
	}
}

static void relay(char **args)
{
	sigset_t set;

	for (int i = 0; i < (int)(sizeof(kinds) / sizeof(*kinds)); i++)
		if (!strcmp(args[0], kinds[i]))
			kind = (enum kind)i;
	depth = atoi(args[1]);
	rounds = atoi(args[2]);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < depth; i++)
		make_place(&places[i]);
	crew_start(depth + 1, run_relay, "relay");
	crew_converse(depth + 1);
}

static void queue(char **args)
{
	is_queue = true;
	depth = atoi(args[0]);
	rounds = atoi(args[1]);
	for (int i = 0; i < depth; i++)
		make_place(&places[i]);
	crew_start(depth + 1, run_relay, "relay");
	crew_converse(depth + 1);
}

/* What the waker did in one round. */
struct did {
	u64 mono_ns;
	u64 cpu_ns;
};

static pthread_mutex_t blame_mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t lock_wanted, lock_held, round_begins;
static struct did sums[3]; /* computes, sleeps, waits for the lock */

static u64 cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

static noinline void blame_sleep(void)
{
	relay_sleep(8000000);
}

static noinline void blame_lock(void)
{
	pthread_mutex_lock(&blame_mutex);
	pthread_mutex_unlock(&blame_mutex);
}

static void timed(struct did *d, u64 *mono, u64 *cpu)
{
	u64 m = mono_ns(), c = cpu_now();

	d->mono_ns += m - *mono;
	d->cpu_ns += c - *cpu;
	*mono = m;
	*cpu = c;
}

static void run_waker(struct wl_thread *t)
{
	(void)t;
	for (int i = 0; i < rounds; i++) {
		u64 mono, cpu;

		while (sem_wait(&round_begins))
			;
		wl_pause(2000000); /* the other one waits by now, and this is not measured */
		mono = mono_ns();
		cpu = cpu_now();
		burn(12000000);
		timed(&sums[0], &mono, &cpu);
		blame_sleep();
		timed(&sums[1], &mono, &cpu);
		sem_post(&lock_wanted);
		while (sem_wait(&lock_held))
			;
		mono = mono_ns();
		cpu = cpu_now();
		blame_lock();
		timed(&sums[2], &mono, &cpu);
		relay_wake(&places[0]);
	}
}

static void run_sleeper(struct wl_thread *t)
{
	(void)t;
	for (int i = 0; i < rounds; i++) {
		sem_post(&round_begins);
		relay_wait(&places[0]);
	}
}

static void run_owner(struct wl_thread *t)
{
	(void)t;
	for (int i = 0; i < rounds; i++) {
		while (sem_wait(&lock_wanted))
			;
		pthread_mutex_lock(&blame_mutex);
		sem_post(&lock_held);
		wl_pause(10000000);
		pthread_mutex_unlock(&blame_mutex);
	}
}

static void run_blame_thread(struct wl_thread *t)
{
	static void (*const run[])(struct wl_thread *t) = { run_sleeper, run_waker, run_owner };

	run[t - crew](t);
}

static void blame(char **args)
{
	static const char *const names_of[] = { "computes", "sleeps", "locks" };

	rounds = atoi(args[0]);
	kind = PIPE;
	make_place(&places[0]);
	sem_init(&lock_wanted, 0, 0);
	sem_init(&lock_held, 0, 0);
	sem_init(&round_begins, 0, 0);
	crew_start(3, run_blame_thread, "blame");
	wl_emit("{\"event\":\"ready\",\"pid\":%d}", getpid());
	wl_expect("go");
	wl_open(WL_GATE_GO);
	for (int i = 0; i < 3; i++)
		while (!__atomic_load_n(&crew[i].park_ns, __ATOMIC_ACQUIRE))
			usleep(1000);
	for (int i = 0; i < 3; i++) {
		wl_emit("{\"event\":\"waker\",\"index\":%d,\"tid\":%d}", i, crew[i].tid);
		wl_emit("{\"event\":\"did\",\"what\":\"%s\",\"mono_ns\":%llu,\"cpu_ns\":%llu}",
			names_of[i], (ull)sums[i].mono_ns, (ull)sums[i].cpu_ns);
	}
	wl_emit("{\"event\":\"done\"}");
	wl_expect("quit");
	wl_open(WL_GATE_QUIT);
	for (int i = 0; i < 3; i++)
		wl_thread__join(&crew[i]);
}

static pthread_mutex_t herd_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t herd_cond = PTHREAD_COND_INITIALIZER;
static int herd_round, herd_waiting;

static noinline void herd_wait(int round)
{
	pthread_mutex_lock(&herd_mutex);
	herd_waiting++;
	while (herd_round <= round)
		pthread_cond_wait(&herd_cond, &herd_mutex);
	pthread_mutex_unlock(&herd_mutex);
}

static noinline void herd_wake(void)
{
	pthread_mutex_lock(&herd_mutex);
	herd_waiting = 0;
	herd_round++;
	pthread_mutex_unlock(&herd_mutex);
	pthread_cond_broadcast(&herd_cond);
}

/* Thread 0 wakes all others. */
static void run_herd(struct wl_thread *t)
{
	for (int i = 0; i < rounds; i++) {
		if (t != crew) {
			herd_wait(i);
			continue;
		}
		while (__atomic_load_n(&herd_waiting, __ATOMIC_ACQUIRE) < depth)
			wl_pause(1000000);
		wl_pause(5000000);
		herd_wake();
	}
}

static void herd(char **args)
{
	depth = atoi(args[0]);
	rounds = atoi(args[1]);
	crew_start(depth + 1, run_herd, "herd");
	crew_converse(depth + 1);
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "relay") && atoi(argv[3]) < CREW_MOST)
		relay(argv + 2);
	else if (argc == 4 && !strcmp(argv[1], "queue") && atoi(argv[2]) < CREW_MOST)
		queue(argv + 2);
	else if (argc == 3 && !strcmp(argv[1], "blame"))
		blame(argv + 2);
	else if (argc == 4 && !strcmp(argv[1], "herd") && atoi(argv[2]) < CREW_MOST)
		herd(argv + 2);
	else
		wl_die("usage: wakers relay KIND DEPTH ROUNDS | queue DEPTH ROUNDS | "
		       "blame ROUNDS | herd COUNT ROUNDS");
	return 0;
}
