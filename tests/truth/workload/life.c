/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life [-o FILE] MODE [ARG...]: threads and processes that are born and die under a trace. With -o
 * the events go to the end of a file: for runs whose stdout is not ours.
 */
#include "life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct life_mode *const tables[] = {
	life_threads,
	life_procs,
	life_odd,
	life_files,
};

u64 life_number(const char *arg, u64 otherwise)
{
	return *arg ? strtoull(arg, NULL, 10) : otherwise;
}

void life_await_go(void)
{
	wl_emit("{\"event\":\"ready\",\"pid\":%d}", getpid());
	wl_expect("go");
	wl_emit("{\"event\":\"go\",\"mono_ns\":%llu}", (unsigned long long)mono_ns());
	wl_open(WL_GATE_GO);
}

void life_await_quit(void)
{
	wl_emit("{\"event\":\"done\",\"mono_ns\":%llu}", (unsigned long long)mono_ns());
	wl_expect("quit");
}

int main(int argc, char **argv)
{
	static char none[] = "";
	char *args[LIFE_ARGS] = { none, none, none };
	const struct life_mode *m;
	size_t i;
	int opt, k;

	while ((opt = getopt(argc, argv, "+o:")) != -1) {
		if (opt != 'o')
			return 2;
		wl_emit_to(optarg);
	}
	if (optind >= argc)
		return 2;
	for (k = 0; k < LIFE_ARGS && optind + 1 + k < argc; k++)
		args[k] = argv[optind + 1 + k];
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (m = tables[i]; m->name; m++) {
			if (strcmp(m->name, argv[optind]))
				continue;
			m->run(args);
			return 0;
		}
	}
	fprintf(stderr, "life: no mode '%s'\n", argv[optind]);
	return 2;
}
