/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks and the like of user space. Who holds a lock is a thread of its own, and the harness wants
 * to see its tid. The objects are not static: coldspot knows them by name.
 */
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t kinds_mutex;
pthread_rwlock_t kinds_rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t kinds_cond = PTHREAD_COND_INITIALIZER;
pthread_barrier_t kinds_barrier;
pthread_once_t kinds_once = PTHREAD_ONCE_INIT;
sem_t kinds_sem;
int kinds_word, kinds_word2;

static pthread_mutex_t cond_mutex = PTHREAD_MUTEX_INITIALIZER;
static int cond_set;
static sem_t taken, let_go;

struct lock {
	int type, protocol, robust; /* of the mutex */
	void (*take)(void);
	void (*want)(void);
	void (*drop)(void);
};

static struct timespec in_ns(clockid_t clock, long ns)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	ts.tv_sec += (ts.tv_nsec + ns) / 1000000000;
	ts.tv_nsec = (ts.tv_nsec + ns) % 1000000000;
	return ts;
}

static struct timespec far_off(clockid_t clock)
{
	return in_ns(clock, 60000000000);
}

static void lock_mutex(void)
{
	pthread_mutex_lock(&kinds_mutex);
}

static void timedlock_mutex(void)
{
	struct timespec ts = far_off(CLOCK_REALTIME);

	pthread_mutex_timedlock(&kinds_mutex, &ts);
}

static void clocklock_mutex(void)
{
	struct timespec ts = far_off(CLOCK_MONOTONIC);

	pthread_mutex_clocklock(&kinds_mutex, CLOCK_MONOTONIC, &ts);
}

static void unlock_mutex(void)
{
	pthread_mutex_unlock(&kinds_mutex);
}

static void read_lock(void)
{
	pthread_rwlock_rdlock(&kinds_rwlock);
}

static void write_lock(void)
{
	pthread_rwlock_wrlock(&kinds_rwlock);
}

static void unlock_rwlock(void)
{
	pthread_rwlock_unlock(&kinds_rwlock);
}

static void lock_file(void)
{
	flockfile(stderr);
}

static void unlock_file(void)
{
	funlockfile(stderr);
}

static int make_mutex(pthread_mutex_t *m, const struct lock *l, int shared)
{
	pthread_mutexattr_t attr;
	int r;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, l->type);
	pthread_mutexattr_setprotocol(&attr, l->protocol);
	pthread_mutexattr_setrobust(&attr, l->robust);
	pthread_mutexattr_setpshared(&attr, shared);
	r = -pthread_mutex_init(m, &attr);
	pthread_mutexattr_destroy(&attr);
	return r;
}

static void hold(struct wait *w)
{
	const struct lock *l = w->kind->data;

	l->take();
	sem_post(&taken);
	sem_wait(&let_go);
	l->drop();
}

static int make_held(struct wait *w)
{
	int r = make_mutex(&kinds_mutex, w->kind->data, PTHREAD_PROCESS_PRIVATE);

	if (r)
		return r;
	kinds_help(w, hold);
	sem_wait(&taken);
	return 0;
}

static void wait_lock(struct wait *w)
{
	const struct lock *l = w->kind->data;

	l->want();
}

static void feed_lock(struct wait *w)
{
	(void)w;
	sem_post(&let_go);
}

/* A lock of two processes. */
struct shared {
	pthread_mutex_t mutex;
	sem_t taken;
};

static int make_shared(struct wait *w)
{
	static const struct lock plain = { 0 };
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char byte;

	if (s == MAP_FAILED || pipe2(w->fd, O_CLOEXEC))
		return -errno;
	make_mutex(&s->mutex, &plain, PTHREAD_PROCESS_SHARED);
	sem_init(&s->taken, 1, 0);
	w->map = (char *)s;
	w->pid = (int)kinds_check(fork(), "fork");
	if (!w->pid) {
		close(w->fd[1]);
		pthread_mutex_lock(&s->mutex);
		sem_post(&s->taken);
		kinds_check(read(w->fd[0], &byte, 1), "read");
		pthread_mutex_unlock(&s->mutex);
		/* whoever waited sees it before it is gone */
		_exit(read(w->fd[0], &byte, 1) < 0);
	}
	w->owner = w->pid;
	sem_wait(&s->taken);
	return 0;
}

static void wait_shared(struct wait *w)
{
	pthread_mutex_lock(&((struct shared *)w->map)->mutex);
}

static void feed_byte(struct wait *w)
{
	kinds_check(write(w->fd[1], "x", 1), "write");
}

static void wait_cond(struct wait *w)
{
	(void)w;
	pthread_mutex_lock(&cond_mutex);
	while (!cond_set)
		pthread_cond_wait(&kinds_cond, &cond_mutex);
	pthread_mutex_unlock(&cond_mutex);
}

static void wait_cond_timed(struct wait *w)
{
	struct timespec ts = far_off(CLOCK_REALTIME);

	(void)w;
	pthread_mutex_lock(&cond_mutex);
	while (!cond_set)
		pthread_cond_timedwait(&kinds_cond, &cond_mutex, &ts);
	pthread_mutex_unlock(&cond_mutex);
}

static void feed_cond(struct wait *w)
{
	(void)w;
	pthread_mutex_lock(&cond_mutex);
	cond_set = 1;
	pthread_cond_signal(&kinds_cond);
	pthread_mutex_unlock(&cond_mutex);
}

static int make_sem(struct wait *w)
{
	(void)w;
	return sem_init(&kinds_sem, 0, 0) ? -errno : 0;
}

static void wait_sem(struct wait *w)
{
	(void)w;
	sem_wait(&kinds_sem);
}

static void wait_sem_timed(struct wait *w)
{
	struct timespec ts = far_off(CLOCK_REALTIME);

	(void)w;
	sem_timedwait(&kinds_sem, &ts);
}

static void feed_sem(struct wait *w)
{
	(void)w;
	sem_post(&kinds_sem);
}

static int make_barrier(struct wait *w)
{
	(void)w;
	return -pthread_barrier_init(&kinds_barrier, NULL, 2);
}

static void meet(struct wait *w)
{
	(void)w;
	pthread_barrier_wait(&kinds_barrier);
}

static void linger(struct wait *w)
{
	(void)w;
	sem_wait(&let_go);
}

static int make_thread(struct wait *w)
{
	kinds_help(w, linger);
	return 0;
}

static void wait_join(struct wait *w)
{
	pthread_join(w->helper, NULL);
}

static void first_time(void)
{
	sem_post(&taken);
	sem_wait(&let_go);
}

static void be_first(struct wait *w)
{
	(void)w;
	pthread_once(&kinds_once, first_time);
}

static int make_once(struct wait *w)
{
	kinds_help(w, be_first);
	sem_wait(&taken);
	w->owner = 0;
	return 0;
}

static void wait_once(struct wait *w)
{
	be_first(w);
}

static void wait_futex(struct wait *w)
{
	(void)w;
	syscall(SYS_futex, &kinds_word, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static void wait_bitset(struct wait *w)
{
	(void)w;
	syscall(SYS_futex, &kinds_word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 7);
}

static void feed_futex(struct wait *w)
{
	(void)w;
	syscall(SYS_futex, &kinds_word, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/* A signal does not end it. */
static void wait_requeue(struct wait *w)
{
	struct timespec ts = in_ns(CLOCK_MONOTONIC, (long)KINDS_HOLD_NS);

	(void)w;
	syscall(SYS_futex, &kinds_word, FUTEX_WAIT_REQUEUE_PI_PRIVATE, 0, &ts, &kinds_word2, 0);
}

/* Linux 5.16; not in the headers of all who build this. */
struct waitv {
	u64 val;
	u64 addr;
	unsigned flags, reserved;
};
#define WAITV_32_PRIVATE (2 | 128)
#define SYS_WAITV 449

static int make_waitv(struct wait *w)
{
	(void)w;
	/* with no futexes: refused for that where it is known */
	return syscall(SYS_WAITV, NULL, 0, 0, NULL, 0) && errno == ENOSYS ? -ENOSYS : 0;
}

static void wait_waitv(struct wait *w)
{
	struct waitv v[2] = { { 0, (u64)(unsigned long)&kinds_word, WAITV_32_PRIVATE, 0 },
			      { 0, (u64)(unsigned long)&kinds_word2, WAITV_32_PRIVATE, 0 } };

	(void)w;
	kinds_check(syscall(SYS_WAITV, v, 2, 0, NULL, 0), "futex_waitv");
}

#define PLAIN PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED

static const struct lock normal = { PLAIN, lock_mutex, lock_mutex, unlock_mutex };
static const struct lock timed = { PLAIN, lock_mutex, timedlock_mutex, unlock_mutex };
static const struct lock clocked = { PLAIN, lock_mutex, clocklock_mutex, unlock_mutex };
static const struct lock recursive = { PTHREAD_MUTEX_RECURSIVE,
				       PTHREAD_PRIO_NONE,
				       PTHREAD_MUTEX_STALLED,
				       lock_mutex,
				       lock_mutex,
				       unlock_mutex };
static const struct lock checking = { PTHREAD_MUTEX_ERRORCHECK,
				      PTHREAD_PRIO_NONE,
				      PTHREAD_MUTEX_STALLED,
				      lock_mutex,
				      lock_mutex,
				      unlock_mutex };
static const struct lock adaptive = { PTHREAD_MUTEX_ADAPTIVE_NP,
				      PTHREAD_PRIO_NONE,
				      PTHREAD_MUTEX_STALLED,
				      lock_mutex,
				      lock_mutex,
				      unlock_mutex };
static const struct lock robust = { PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST,
				    lock_mutex,		  lock_mutex,	     unlock_mutex };
static const struct lock inherits = {
	PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED,
	lock_mutex,	      lock_mutex,	    unlock_mutex
};
static const struct lock read_behind_write = { PLAIN, write_lock, read_lock, unlock_rwlock };
static const struct lock write_behind_write = { PLAIN, write_lock, write_lock, unlock_rwlock };
static const struct lock write_behind_read = { PLAIN, read_lock, write_lock, unlock_rwlock };
static const struct lock stdio = { PLAIN, lock_file, lock_file, unlock_file };

const struct kind kinds_lock[] = {
	{ "mutex", make_held, wait_lock, feed_lock, &normal },
	{ "mutex-timed", make_held, wait_lock, feed_lock, &timed },
	{ "mutex-clock", make_held, wait_lock, feed_lock, &clocked },
	{ "mutex-recursive", make_held, wait_lock, feed_lock, &recursive },
	{ "mutex-checking", make_held, wait_lock, feed_lock, &checking },
	{ "mutex-adaptive", make_held, wait_lock, feed_lock, &adaptive },
	{ "mutex-robust", make_held, wait_lock, feed_lock, &robust },
	{ "mutex-pi", make_held, wait_lock, feed_lock, &inherits },
	{ "mutex-shared", make_shared, wait_shared, feed_byte, NULL },
	{ "read-lock", make_held, wait_lock, feed_lock, &read_behind_write },
	{ "write-lock", make_held, wait_lock, feed_lock, &write_behind_write },
	{ "write-lock-read", make_held, wait_lock, feed_lock, &write_behind_read },
	{ "stdio-lock", make_held, wait_lock, feed_lock, &stdio },
	{ "condvar", NULL, wait_cond, feed_cond, NULL },
	{ "condvar-timed", NULL, wait_cond_timed, feed_cond, NULL },
	{ "semaphore", make_sem, wait_sem, feed_sem, NULL },
	{ "semaphore-timed", make_sem, wait_sem_timed, feed_sem, NULL },
	{ "barrier", make_barrier, meet, meet, NULL },
	{ "join", make_thread, wait_join, feed_lock, NULL },
	{ "once", make_once, wait_once, feed_lock, NULL },
	{ "futex", NULL, wait_futex, feed_futex, NULL },
	{ "futex-bitset", NULL, wait_bitset, feed_futex, NULL },
	{ "futex-requeue", NULL, wait_requeue, NULL, NULL },
	{ "futex-waitv", make_waitv, wait_waitv, feed_futex, NULL },
	{ .name = NULL },
};
