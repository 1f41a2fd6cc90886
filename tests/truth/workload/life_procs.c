/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes: children that live for a moment, in a program of their own, and a thread that is not
 * the leader of its group and calls exec, upon which it takes the leader's tid.
 */
#include "life.h"

#include <limits.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH 8

/* `out`: the file for the events of the new program; "": they go to stdout. */
static void exec_self(const char *mode, const char *arg, const char *out)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0)
		wl_die("readlink");
	exe[n] = 0;
	if (*out)
		execl(exe, exe, "-o", out, mode, arg, (char *)NULL);
	else
		execl(exe, exe, mode, arg, (char *)NULL);
	wl_die(exe);
}

static noinline void block_leaf(struct truth *t, u64 ns)
{
	truth__begin(t);
	wl_pause(ns);
	truth__end(t);
}

static noinline void run_leaf(struct truth *t, u64 ns)
{
	block_leaf(t, ns);
}

/* leaf [NS] */
static void run_leaf_mode(char **args)
{
	struct truth t = { 0 };
	char text[WL_TRUTH_SZ];
	u64 born = mono_ns();

	run_leaf(&t, life_number(args[0], 1000000));
	wl_emit("{\"event\":\"leaf\",\"pid\":%d,%s,\"born_ns\":%llu,\"dying_ns\":%llu}", getpid(),
		wl_truth(&t, text), (unsigned long long)born, (unsigned long long)mono_ns());
}

/* procs COUNT NS [FILE]: so many leaves, each exec'ed; the events of all go to FILE */
static void run_procs(char **args)
{
	u64 left = life_number(args[0], 200);
	pid_t pid[BATCH];
	u64 forked[BATCH];
	int i, n;

	if (*args[2])
		wl_emit_to(args[2]);
	else
		life_await_go();
	for (; left; left -= (u64)n) {
		n = left < BATCH ? (int)left : BATCH;
		for (i = 0; i < n; i++) {
			forked[i] = mono_ns();
			pid[i] = fork();
			if (pid[i] < 0)
				wl_die("fork");
			if (!pid[i])
				exec_self("leaf", args[1], args[2]);
		}
		for (i = 0; i < n; i++) {
			waitpid(pid[i], NULL, 0);
			wl_emit("{\"event\":\"child\",\"pid\":%d,\"forked_ns\":%llu,"
				"\"reaped_ns\":%llu}",
				pid[i], (unsigned long long)forked[i],
				(unsigned long long)mono_ns());
		}
	}
	if (!*args[2])
		life_await_quit();
}

/* crowd COUNT: so many children, all alive at the same time, that do nothing */
static void run_crowd(char **args)
{
	u64 count = life_number(args[0], 100), i;
	int gate[2];
	char byte;

	if (pipe(gate))
		wl_die("pipe");
	life_await_go();
	for (i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			wl_die("fork");
		if (pid)
			continue;
		close(gate[1]);
		_exit(read(gate[0], &byte, 1) != 0);
	}
	close(gate[1]);
	for (i = 0; i < count; i++)
		wait(NULL);
	life_await_quit();
}

/* tree [NS] FILE: a child and its child, each a program of its own, and leaves below */
static void run_tree(char **args)
{
	pid_t pid = fork();

	if (pid < 0)
		wl_die("fork");
	if (!pid) {
		char count[] = "3";
		char *deeper[LIFE_ARGS] = { count, args[0], args[1] };

		run_procs(deeper);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static noinline void block_before_exec(struct wl_thread *t)
{
	truth__begin(&t->truth);
	wl_pause(100000000);
	truth__end(&t->truth);
}

static noinline void run_execer(struct wl_thread *t)
{
	block_before_exec(t);
	wl_thread__emit(t);
	prctl(PR_SET_NAME, "renamed");
	wl_emit("{\"event\":\"exec\",\"mono_ns\":%llu}", (unsigned long long)mono_ns());
	exec_self("after-exec", "", "");
}

/* exec */
static void run_exec(char **args)
{
	static struct wl_thread execer = { .kind = "exec", .name = "execer", .run = run_execer };

	(void)args;
	wl_thread__start(&execer);
	wl_thread__ready(&execer);
	life_await_go();
	wl_gate(WL_GATE_QUIT);
}

static noinline void block_after_exec(struct truth *t)
{
	truth__begin(t);
	wl_pause(100000000);
	truth__end(t);
}

static noinline void run_after_exec(char **args)
{
	struct truth t = { 0 };
	char text[WL_TRUTH_SZ];

	(void)args;
	block_after_exec(&t);
	wl_emit("{\"event\":\"after\",\"pid\":%d,\"tid\":%d,%s}", getpid(), wl_gettid(),
		wl_truth(&t, text));
	life_await_quit();
}

const struct life_mode life_procs[] = {
	{ "leaf", run_leaf_mode },
	{ "procs", run_procs },
	{ "tree", run_tree },
	{ "exec", run_exec },
	{ "after-exec", run_after_exec },
	{ "crowd", run_crowd },
	{ 0 },
};
