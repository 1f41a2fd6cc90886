/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread held by a tracer, and threads that get the tid of one that died before. The kernel gives
 * the next free number after ns_last_pid, so a number comes back when that is set; somebody else
 * may be quicker, hence the tries.
 */
#include "life.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELD_NS 200000000ULL

static noinline void block_traced(struct wl_thread *t)
{
	truth__begin(&t->truth);
	wl_pause(50000000);
	truth__end(&t->truth);
}

static noinline void run_traced(struct wl_thread *t)
{
	u64 end = mono_ns() + 3 * HELD_NS;

	while (mono_ns() < end)
		block_traced(t);
}

/* In the child: holds the thread for HELD_NS. Returns what the child exits with. */
static int hold(int tid)
{
	u64 ask, seen, release;

	wl_pause(HELD_NS / 2);
	ask = mono_ns();
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL))
		return errno;
	if (waitpid(tid, NULL, __WALL) != tid)
		return errno;
	seen = mono_ns();
	wl_pause(HELD_NS);
	release = mono_ns();
	if (ptrace(PTRACE_DETACH, tid, NULL, NULL))
		return errno;
	wl_emit("{\"event\":\"held\",\"tid\":%d,\"ask_ns\":%llu,\"seen_ns\":%llu,"
		"\"release_ns\":%llu,\"released_ns\":%llu}",
		tid, (unsigned long long)ask, (unsigned long long)seen, (unsigned long long)release,
		(unsigned long long)mono_ns());
	return 0;
}

/* ptrace */
static void run_ptrace(char **args)
{
	static struct wl_thread t = { .kind = "ptrace", .name = "traced", .run = run_traced };
	int status;
	pid_t pid;

	(void)args;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	wl_thread__start(&t);
	wl_thread__ready(&t);
	life_await_go();
	pid = fork();
	if (pid < 0)
		wl_die("fork");
	if (!pid)
		_exit(hold(t.tid));
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status))
		wl_emit("{\"event\":\"skip\",\"why\":\"ptrace: %s\"}",
			strerror(WEXITSTATUS(status)));
	while (!__atomic_load_n(&t.park_ns, __ATOMIC_ACQUIRE))
		wl_pause(1000000);
	wl_thread__emit(&t);
	life_await_quit();
}

struct reused {
	pthread_t handle;
	struct truth truth;
	int want;
	int tid;
	u64 sleep_ns;
	u64 created_ns;
	u64 born_ns;
	u64 dying_ns;
};

static noinline void block_reuse(struct reused *r)
{
	truth__begin(&r->truth);
	wl_pause(r->sleep_ns);
	truth__end(&r->truth);
}

static void *reuse_main(void *arg)
{
	struct reused *r = arg;

	r->born_ns = mono_ns();
	r->tid = wl_gettid();
	if (!r->want || r->want == r->tid) {
		prctl(PR_SET_NAME, "reuse");
		block_reuse(r);
	}
	r->dying_ns = mono_ns();
	return NULL;
}

/* The thread that joins is woken before the tid is free: ask until it is. */
static void await_gone(int tid)
{
	char path[64];
	int i;

	snprintf(path, sizeof(path), "/proc/self/task/%d", tid);
	for (i = 0; i < 1000 && !access(path, F_OK); i++)
		wl_pause(100000);
}

static int set_last_pid(int fd, int pid)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", pid);

	return pwrite(fd, text, (size_t)n, 0) == n ? 0 : -errno;
}

/* One thread with the tid `want` (0: any); its tid, or 0. */
static int live_once(int fd, int want, u64 sleep_ns)
{
	struct reused r = { .want = want, .sleep_ns = sleep_ns };
	char text[WL_TRUTH_SZ];

	if (want && set_last_pid(fd, want - 1))
		return 0;
	r.created_ns = mono_ns();
	errno = pthread_create(&r.handle, NULL, reuse_main, &r);
	if (errno)
		wl_die("pthread_create");
	pthread_join(r.handle, NULL);
	await_gone(r.tid);
	if (want && r.tid != want)
		return 0;
	wl_emit("{\"event\":\"life\",\"tid\":%d,%s,\"created_ns\":%llu,\"born_ns\":%llu,"
		"\"dying_ns\":%llu,\"joined_ns\":%llu}",
		r.tid, wl_truth(&r.truth, text), (unsigned long long)r.created_ns,
		(unsigned long long)r.born_ns, (unsigned long long)r.dying_ns,
		(unsigned long long)mono_ns());
	return r.tid;
}

/* reuse [COUNT] */
static void run_reuse(char **args)
{
	u64 n = life_number(args[0], 20), i;
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
	int tid, try;

	life_await_go();
	tid = live_once(fd, 0, 2000000);
	for (i = 1; i < n && fd >= 0; i++)
		for (try = 0; try < 50; try++)
			if (live_once(fd, tid, (i + 1) * 2000000))
				break;
	life_await_quit();
}

const struct life_mode life_odd[] = {
	{ "ptrace", run_ptrace },
	{ "reuse", run_reuse },
	{ 0 },
};
