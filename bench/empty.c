/* SPDX-License-Identifier: Apache-2.0 */

/*
 * usage: empty 1|2
 *
 * Attaches one empty program (sched_switch) or two (sched_exit_tp as well), says "ready", and stays
 * until its standard input ends or a signal comes. Exit 77: this kernel has no such hook.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "gen/bench_empty.skel.h"

#define EXIT_NO_HOOK 77

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

static int attach(struct bench_empty *skel)
{
	int r = bench_empty__load(skel);

	r = r ? r : bench_empty__attach(skel);
	if (r)
		fprintf(stderr, "empty: %s\n", strerror(-r));
	return r == -ESRCH ? EXIT_NO_HOOK : r ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct bench_empty *skel;
	char byte;
	int r;

	if (argc != 2 || (strcmp(argv[1], "1") && strcmp(argv[1], "2"))) {
		fprintf(stderr, "usage: empty 1|2\n");
		return 2;
	}
	libbpf_set_print(say_nothing);
	skel = bench_empty__open();
	if (!skel) {
		fprintf(stderr, "empty: cannot open the programs\n");
		return 1;
	}
	bpf_program__set_autoload(skel->progs.on_exit, argv[1][0] == '2');
	r = attach(skel);
	if (!r) {
		puts("ready");
		fflush(stdout);
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
	}
	bench_empty__destroy(skel);
	return r;
}
