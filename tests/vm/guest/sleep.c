/* SPDX-License-Identifier: Apache-2.0 */

/*
 * usage: sleep SECONDS
 *
 * A sleep that says how long it was: an emulated machine may stand still for a while.
 * The nanoseconds go into the file that the variable SLEPT names, a line for each sleep.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? strtod(argv[1], NULL) : 0;
	struct timespec wanted = { .tv_sec = (time_t)seconds };
	const char *path = getenv("SLEPT");
	long begin_ns, slept_ns;
	FILE *out;

	wanted.tv_nsec = (long)((seconds - (double)wanted.tv_sec) * 1e9);
	begin_ns = now_ns();
	if (nanosleep(&wanted, NULL))
		return 1;
	slept_ns = now_ns() - begin_ns;
	out = path ? fopen(path, "a") : NULL;
	if (out) {
		fprintf(out, "%ld\n", slept_ns);
		fclose(out);
	}
	return 0;
}
