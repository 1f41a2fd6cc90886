/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock, two who hold it, and one who wants it. An owner lets go only when the one who
 * waits is asleep, so whom the waiter sees holding it is who holds it when it falls asleep.
 */
#include "objects.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 60
#define OWNERS 2

struct lock {
	const char *kind;
	void (*make)(void);
	void (*hold)(void); /* and how the waiter takes it */
	void (*take)(void);
	void (*let_go)(void); /* either */
};

/* Named by coldspot. */
pthread_mutex_t owned_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t owned_pi;
pthread_mutex_t owned_robust;
pthread_rwlock_t owned_rwlock = PTHREAD_RWLOCK_INITIALIZER;

pthread_mutex_t early_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t early_pi;
pthread_rwlock_t early_rwlock = PTHREAD_RWLOCK_INITIALIZER;

static struct {
	const struct lock *lock;
	int waiter; /* tid */
	int owner; /* who has it; 0: nobody */
	int turn; /* of the owners */
	sem_t held;
	sem_t next;
} round_;

static void make_nothing(void)
{
}

static void make_mutex_of(pthread_mutex_t *m, int protocol, int robust)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, protocol);
	pthread_mutexattr_setrobust(&attr, robust);
	pthread_mutex_init(m, &attr);
	pthread_mutexattr_destroy(&attr);
}

static void make_pi(void)
{
	make_mutex_of(&owned_pi, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
}

static void make_robust(void)
{
	make_mutex_of(&owned_robust, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
}

static void take_mutex(void)
{
	pthread_mutex_lock(&owned_mutex);
}

static void take_timed(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += 60;
	pthread_mutex_timedlock(&owned_mutex, &ts);
}

static void drop_mutex(void)
{
	pthread_mutex_unlock(&owned_mutex);
}

static void take_pi(void)
{
	pthread_mutex_lock(&owned_pi);
}

static void drop_pi(void)
{
	pthread_mutex_unlock(&owned_pi);
}

static void take_robust(void)
{
	pthread_mutex_lock(&owned_robust);
}

static void drop_robust(void)
{
	pthread_mutex_unlock(&owned_robust);
}

static void take_write(void)
{
	pthread_rwlock_wrlock(&owned_rwlock);
}

static void take_read(void)
{
	pthread_rwlock_rdlock(&owned_rwlock);
}

static void drop_rwlock(void)
{
	pthread_rwlock_unlock(&owned_rwlock);
}

static const struct lock locks[] = {
	{ "mutex", make_nothing, take_mutex, take_mutex, drop_mutex },
	{ "timed", make_nothing, take_mutex, take_timed, drop_mutex },
	{ "pi", make_pi, take_pi, take_pi, drop_pi },
	{ "robust", make_robust, take_robust, take_robust, drop_robust },
	{ "read-lock", make_nothing, take_write, take_read, drop_rwlock },
	{ "write-lock", make_nothing, take_write, take_write, drop_rwlock },
};

/* Not alternating: confusing the owners must change the counts. */
static int owner_of(int i)
{
	return i % 3 == 2;
}

static void *owner_main(void *arg)
{
	int me = (int)(long)arg, i;
	char name[16];

	snprintf(name, sizeof(name), "owner-%d", me);
	prctl(PR_SET_NAME, name);
	for (i = 0; i < ROUNDS; i++) {
		if (owner_of(i) != me)
			continue;
		while (__atomic_load_n(&round_.turn, __ATOMIC_ACQUIRE) != i)
			wl_pause(200000);
		round_.lock->hold();
		__atomic_store_n(&round_.owner, wl_gettid(), __ATOMIC_RELEASE);
		sem_post(&round_.held);
		wl_pause(1000000);
		if (wl_asleep(round_.waiter))
			wl_die("nobody waits for the lock");
		round_.lock->let_go();
		sem_wait(&round_.next);
		__atomic_store_n(&round_.turn, i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void *waiter_main(void *arg)
{
	int tid[OWNERS] = { 0 }, count[OWNERS] = { 0 }, i, h;

	(void)arg;
	prctl(PR_SET_NAME, "waiter");
	__atomic_store_n(&round_.waiter, wl_gettid(), __ATOMIC_RELEASE);
	for (i = 0; i < ROUNDS; i++) {
		sem_wait(&round_.held);
		h = owner_of(i);
		tid[h] = __atomic_load_n(&round_.owner, __ATOMIC_ACQUIRE);
		round_.lock->take();
		count[h]++;
		round_.lock->let_go();
		sem_post(&round_.next);
	}
	for (h = 0; h < OWNERS; h++)
		wl_emit("{\"event\":\"owner\",\"kind\":\"%s\",\"tid\":%d,\"owner\":%d,"
			"\"count\":%d}",
			round_.lock->kind, round_.waiter, tid[h], count[h]);
	return NULL;
}

static void run(const struct lock *lock)
{
	pthread_t waiter, owner[OWNERS];
	int i;

	round_.lock = lock;
	round_.turn = -1;
	sem_init(&round_.held, 0, 0);
	sem_init(&round_.next, 0, 0);
	lock->make();
	round_.waiter = 0;
	pthread_create(&waiter, NULL, waiter_main, NULL);
	while (!__atomic_load_n(&round_.waiter, __ATOMIC_ACQUIRE))
		wl_pause(200000);
	for (i = 0; i < OWNERS; i++)
		pthread_create(&owner[i], NULL, owner_main, (void *)(long)i);
	__atomic_store_n(&round_.turn, 0, __ATOMIC_RELEASE);
	pthread_join(waiter, NULL);
	for (i = 0; i < OWNERS; i++)
		pthread_join(owner[i], NULL);
}

static void *sleeper_main(void *arg)
{
	__atomic_store_n((int *)arg, wl_gettid(), __ATOMIC_RELEASE);
	wl_pause(30000000);
	return NULL;
}

/* The end of a thread: it is what is waited for. */
static void *join_main(void *arg)
{
	pthread_t sleeper;
	int tid = 0;

	(void)arg;
	prctl(PR_SET_NAME, "joiner");
	pthread_create(&sleeper, NULL, sleeper_main, &tid);
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		wl_pause(1000000);
	pthread_join(sleeper, NULL);
	wl_emit("{\"event\":\"owner\",\"kind\":\"join\",\"tid\":%d,\"owner\":%d,\"count\":1}",
		wl_gettid(), tid);
	return NULL;
}

static void *early_mutex_main(void *arg)
{
	__atomic_store_n((int *)arg, wl_gettid(), __ATOMIC_RELEASE);
	pthread_mutex_lock(&early_mutex);
	return NULL;
}

static void *early_pi_main(void *arg)
{
	__atomic_store_n((int *)arg, wl_gettid(), __ATOMIC_RELEASE);
	pthread_mutex_lock(&early_pi);
	return NULL;
}

static void *early_rwlock_main(void *arg)
{
	__atomic_store_n((int *)arg, wl_gettid(), __ATOMIC_RELEASE);
	pthread_rwlock_rdlock(&early_rwlock);
	return NULL;
}

static int early_open(const char *name)
{
	char path[160];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", objects_dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		wl_die(path);
	return fd;
}

static void *early_flock_main(void *arg)
{
	int fd = early_open("early-flock");

	__atomic_store_n((int *)arg, wl_gettid(), __ATOMIC_RELEASE);
	flock(fd, LOCK_EX);
	return NULL;
}

static int record_lock(int fd, int cmd, off_t at)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };

	return fcntl(fd, cmd, &l);
}

static void *early_fcntl_main(void *arg)
{
	int fd = early_open("early-fcntl");

	__atomic_store_n((int *)arg, wl_gettid(), __ATOMIC_RELEASE);
	record_lock(fd, F_SETLKW, 1);
	return NULL;
}

/* A child that has byte `at` of the file until this process ends; returns its PID. */
static int early_holder(off_t at)
{
	int hold[2], held[2], pid;
	char byte;

	if (pipe2(hold, O_CLOEXEC) || pipe2(held, O_CLOEXEC))
		wl_die("pipe2");
	pid = fork();
	if (!pid) {
		close(hold[1]);
		if (record_lock(early_open("early-fcntl"), F_SETLK, at) ||
		    write(held[1], "x", 1) != 1)
			_exit(1);
		_exit(read(hold[0], &byte, 1) < 0);
	}
	if (pid < 0 || read(held[0], &byte, 1) != 1)
		wl_die("the holder of the lock");
	return pid;
}

static void wait_early(const char *kind, void *(*waiter_fn)(void *), int owner)
{
	pthread_t waiter;
	int tid = 0;

	pthread_create(&waiter, NULL, waiter_fn, &tid);
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		wl_pause(1000000);
	wl_pause(20000000);
	if (wl_asleep(tid))
		wl_die("nobody waits for the lock");
	wl_emit("{\"event\":\"owner\",\"kind\":\"early-%s\",\"tid\":%d,\"owner\":%d,\"count\":1}",
		kind, tid, owner);
}

/* The holders were not recorded: they are children, and only the other one is in the way. */
static void file_locks_early(void)
{
	if (flock(early_open("early-flock"), LOCK_EX))
		wl_die("flock");
	wait_early("flock", early_flock_main, getpid());
	early_holder(0);
	wait_early("fcntl", early_fcntl_main, early_holder(1));
}

void owners_early(void)
{
	make_mutex_of(&early_pi, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
	pthread_mutex_lock(&early_mutex);
	pthread_mutex_lock(&early_pi);
	pthread_rwlock_wrlock(&early_rwlock);
	wait_early("mutex", early_mutex_main, wl_gettid());
	wait_early("pi", early_pi_main, wl_gettid());
	wait_early("rwlock", early_rwlock_main, wl_gettid());
	file_locks_early();
}

void owners_run(void)
{
	pthread_t joiner;
	size_t i;

	for (i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		run(&locks[i]);
	pthread_create(&joiner, NULL, join_main, NULL);
	pthread_join(joiner, NULL);
}
