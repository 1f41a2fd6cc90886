/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits [-C DIR] KIND...: runs the kinds of wait that are named, all at once, each in threads of
 * its own, and prints what every thread knows of its waits. `waits -l` lists the kinds.
 */
#include "waits.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 64

static const struct waits_kind *const tables[] = {
	waits_time, waits_lock, waits_ipc, waits_disk, waits_child, waits_cpu,
};

const char *waits_dir = ".";

static struct {
	struct wl_thread thread[MAX_THREADS];
	struct wl_pair pair[MAX_THREADS];
	int threads;
	int pairs;
} run;

static const struct waits_kind *find_kind(const char *name)
{
	const struct waits_kind *k;
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (k = tables[i]; k->name; k++)
			if (!strcmp(k->name, name))
				return k;
	return NULL;
}

static void list_kinds(void)
{
	const struct waits_kind *k;
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (k = tables[i]; k->name; k++)
			puts(k->name);
}

static void add_kind(const struct waits_kind *k)
{
	struct wl_pair *p = &run.pair[run.pairs++];
	int i, r;

	p->rounds = k->rounds;
	p->pause_ns = k->pause_ns;
	r = k->setup ? k->setup(p) : 0;
	if (r) {
		wl_emit("{\"event\":\"skip\",\"kind\":\"%s\",\"why\":\"%s\"}", k->name,
			strerror(-r));
		return;
	}
	for (i = 0; i < WAITS_ROLES && k->role[i].name; i++)
		run.thread[run.threads++] = (struct wl_thread){
			.kind = k->name,
			.name = k->role[i].name,
			.run = k->role[i].run,
			.pair = p,
			.early = k->early,
		};
}

static void start_threads(void)
{
	struct wl_thread *t, *end = run.thread + run.threads;

	for (t = run.thread; t < end; t++)
		wl_thread__start(t);
	for (t = run.thread; t < end; t++) {
		wl_thread__ready(t);
		if (t->pair == (t + 1)->pair)
			continue;
		/* the first of a pair is the one whose wait is looked at */
		t->pair->partner_tid = t > run.thread && t[-1].pair == t->pair ? t[-1].tid : t->tid;
	}
}

static void await_parked(void)
{
	struct wl_thread *t;

	for (t = run.thread; t < run.thread + run.threads; t++) {
		if (t->early)
			continue;
		while (!__atomic_load_n(&t->park_ns, __ATOMIC_ACQUIRE))
			wl_pause(1000000);
		if (wl_asleep(t->tid))
			wl_die("a thread does not come to its second gate");
	}
}

int main(int argc, char **argv)
{
	int i, opt;

	while ((opt = getopt(argc, argv, "C:l")) != -1) {
		if (opt == 'l') {
			list_kinds();
			return 0;
		}
		if (opt != 'C')
			return 2;
		waits_dir = optarg;
	}
	for (i = optind; i < argc; i++) {
		const struct waits_kind *k = find_kind(argv[i]);

		if (!k || run.threads + WAITS_ROLES > MAX_THREADS - 1) {
			fprintf(stderr, "waits: no kind '%s'\n", argv[i]);
			return 2;
		}
		add_kind(k);
	}
	start_threads();
	wl_emit("{\"event\":\"ready\",\"pid\":%d,\"threads\":%d}", getpid(), run.threads);
	wl_expect("go");
	wl_emit("{\"event\":\"go\",\"mono_ns\":%llu}", (unsigned long long)mono_ns());
	wl_open(WL_GATE_GO);
	await_parked();
	for (i = 0; i < run.threads; i++)
		wl_thread__emit(&run.thread[i]);
	wl_emit("{\"event\":\"done\",\"mono_ns\":%llu}", (unsigned long long)mono_ns());
	wl_expect("quit");
	return 0;
}
