/* SPDX-License-Identifier: Apache-2.0 */

/*
 * usage: storm THREADS
 *
 * As much as a scheduler can be made to do. On each CPU two pairs of threads wake each other all
 * the time; of one pair a thread sleeps below another of 2^17 call paths every time. Beside them
 * THREADS threads sleep, each below a path of its own, and wake once a second; threads are born and
 * die; and one thread looks every 10 ms how late a timer is.
 *
 * Talks as the workloads of tests/truth do: one JSON object a line goes out, the words "go",
 * "look", "calm" and "quit" come in: begin, tell what was counted, stop but stay, end.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEPTH 17
#define PATHS (1U << DEPTH)
#define CPUS_MAX 64
#define STACK_SZ 32768
#define SEC_NS 1000000000LL
#define PROBE_NS 10000000LL
#define BIRTH_NS 1000000LL

typedef unsigned int u32;
typedef unsigned long long u64;

struct pair {
	u32 turn; /* of a futex: whose it is */
	int cpu;
	bool paths;
	u64 rounds; /* of the first thread */
};

struct side {
	struct pair *pair;
	u32 me;
};

static struct pair pairs[2 * CPUS_MAX];
static struct side sides[4 * CPUS_MAX];
static u32 go; /* of a futex */
static volatile bool stop;
static u64 births;
static u64 late_most_ns, late_sum_ns, probes;

static void die(const char *what)
{
	fprintf(stderr, "storm: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long futex(u32 *word, int op, u32 value)
{
	return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static u64 mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * SEC_NS + (u64)ts.tv_nsec;
}

static void sleep_until(u64 at_ns)
{
	struct timespec ts = { .tv_sec = (time_t)(at_ns / SEC_NS),
			       .tv_nsec = (long)(at_ns % SEC_NS) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* What happens at the end of a path. */
typedef int (*leaf_fn)(void *arg);

struct walk {
	u32 path;
	leaf_fn leaf;
	void *arg;
};

typedef int (*step_fn)(const struct walk *w, int level);

static int left(const struct walk *w, int level);
static int right(const struct walk *w, int level);

static const step_fn steps[2] = { left, right };

/* Both add to what comes back, so that no call is the last thing they do, and none is a jump. */
static int go_on(const struct walk *w, int level)
{
	if (level == DEPTH)
		return w->leaf(w->arg);
	return steps[w->path >> level & 1](w, level + 1);
}

static int __attribute__((noinline)) left(const struct walk *w, int level)
{
	return go_on(w, level) + 1;
}

static int __attribute__((noinline)) right(const struct walk *w, int level)
{
	return go_on(w, level) + 2;
}

static int take_path(u32 path, leaf_fn leaf, void *arg)
{
	struct walk w = { .path = path, .leaf = leaf, .arg = arg };

	return go_on(&w, 0);
}

static void await_go(void)
{
	while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
		futex(&go, FUTEX_WAIT, 0);
}

static int __attribute__((noinline)) await_turn(void *arg)
{
	const struct side *s = arg;
	u32 *turn = &s->pair->turn;

	while (__atomic_load_n(turn, __ATOMIC_ACQUIRE) != s->me && !stop)
		futex(turn, FUTEX_WAIT, !s->me);
	return 0;
}

static void *run_side(void *arg)
{
	struct side *s = arg;
	struct pair *p = s->pair;
	u32 path = p->cpu & 1 ? PATHS / 2 : 0;

	await_go();
	while (!stop) {
		if (p->paths && !s->me)
			take_path(path++ & (PATHS - 1), await_turn, s);
		else
			await_turn(s);
		p->rounds += !s->me;
		__atomic_store_n(&p->turn, !s->me, __ATOMIC_RELEASE);
		futex(&p->turn, FUTEX_WAKE, 1);
	}
	futex(&p->turn, FUTEX_WAKE, 1);
	sleep_until(mono_ns() + 1000 * SEC_NS);
	return NULL;
}

static int sleep_on(void *arg)
{
	u64 *at_ns = arg;

	while (!stop) {
		sleep_until(*at_ns);
		*at_ns += SEC_NS;
	}
	sleep_until(mono_ns() + 1000 * SEC_NS);
	return 0;
}

static void *run_idle(void *arg)
{
	u32 number = (u32)(unsigned long)arg;
	u64 at_ns;

	await_go();
	at_ns = mono_ns() + (u64)number * 2654435761U % SEC_NS;
	take_path(number & (PATHS - 1), sleep_on, &at_ns);
	return NULL;
}

static void *run_short(void *arg)
{
	sched_yield();
	return arg;
}

static void *run_births(void *arg)
{
	const pthread_attr_t *attr = arg;
	pthread_t t;

	await_go();
	for (u64 at_ns = mono_ns(); !stop; at_ns += BIRTH_NS) {
		sleep_until(at_ns);
		if (pthread_create(&t, attr, run_short, NULL))
			die("thread");
		pthread_join(t, NULL);
		births++;
	}
	sleep_until(mono_ns() + 1000 * SEC_NS);
	return NULL;
}

static void *run_probe(void *arg)
{
	await_go();
	for (u64 at_ns = mono_ns() + PROBE_NS; !stop; at_ns = mono_ns() + PROBE_NS) {
		u64 late_ns;

		sleep_until(at_ns);
		late_ns = mono_ns() - at_ns;
		if (late_ns > late_most_ns)
			late_most_ns = late_ns;
		late_sum_ns += late_ns;
		probes++;
	}
	sleep_until(mono_ns() + 1000 * SEC_NS);
	return arg;
}

static void start(const pthread_attr_t *attr, const char *name, void *(*run)(void *), void *arg,
		  int cpu)
{
	cpu_set_t set;
	pthread_t t;

	errno = pthread_create(&t, attr, run, arg);
	if (errno)
		die("thread");
	pthread_setname_np(t, name);
	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	if (cpu >= 0)
		pthread_setaffinity_np(t, sizeof(set), &set);
}

static int start_pairs(const pthread_attr_t *attr)
{
	cpu_set_t may;
	int n = 0;

	sched_getaffinity(0, sizeof(may), &may);
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		for (int paths = 0; CPU_ISSET(cpu, &may) && paths < 2; paths++) {
			pairs[n] = (struct pair){ .cpu = cpu, .paths = paths };
			for (u32 me = 0; me < 2; me++) {
				sides[2 * n + me] = (struct side){ &pairs[n], me };
				start(attr, paths ? "storm-path" : "storm-hot", run_side,
				      &sides[2 * n + me], cpu);
			}
			n++;
		}
	}
	return n;
}

/* One event with all that was counted until now. */
static void tell(const char *event, int pairs_len)
{
	u64 rounds = 0, paths = 0;
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	for (int i = 0; i < pairs_len; i++)
		*(pairs[i].paths ? &paths : &rounds) += pairs[i].rounds;
	printf("{\"event\":\"%s\",\"pid\":%d,\"mono_ns\":%llu,\"switches\":%ld,\"hot\":%llu,"
	       "\"paths\":%llu,\"births\":%llu,\"probes\":%llu,\"late_most_ns\":%llu,"
	       "\"late_sum_ns\":%llu}\n",
	       event, getpid(), mono_ns(), u.ru_nvcsw + u.ru_nivcsw, rounds, paths, births, probes,
	       late_most_ns, late_sum_ns);
	fflush(stdout);
}

static void expect(const char *word)
{
	char line[64];

	do {
		if (!fgets(line, sizeof(line), stdin))
			exit(0); /* the harness is gone */
		line[strcspn(line, "\n")] = 0;
	} while (strcmp(line, word));
}

int main(int argc, char **argv)
{
	unsigned long threads = argc == 2 ? strtoul(argv[1], NULL, 10) : 0, i;
	static pthread_attr_t attr;
	int n;

	if (!threads || threads > PATHS) {
		fprintf(stderr, "usage: storm THREADS, at most %u\n", PATHS);
		return 2;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SZ);
	pthread_setname_np(pthread_self(), "storm-main");
	/* Those first that make the storm: they are the last that a limit leaves out. */
	n = start_pairs(&attr);
	start(&attr, "storm-births", run_births, &attr, -1);
	start(&attr, "storm-probe", run_probe, NULL, -1);
	for (i = 0; i < threads; i++)
		start(&attr, "storm-idle", run_idle, (void *)i, -1);
	tell("ready", n);
	expect("go");
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	futex(&go, FUTEX_WAKE, (u32)-1 >> 1);
	tell("begun", n);
	expect("look");
	tell("done", n);
	expect("calm");
	stop = true;
	expect("quit");
	tell("end", n);
	_exit(0);
}
