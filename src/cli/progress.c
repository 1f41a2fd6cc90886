/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text/utf8.h"

static void announce_it(void *arg)
{
	(void)arg;
	fprintf(stderr, "coldspot: recording\n");
}

static void count(void *arg, u64 since_ns)
{
	const struct progress *p = arg;
	double secs = (double)since_ns / NSEC_PER_SEC;
	char target[256];

	utf8_copy_harmless(p->target, target, sizeof(target));
	if (p->duration_ns)
		fprintf(stderr, "\r\033[Krecording %s: %.1f of %.1f s (Ctrl-C to stop)", target,
			secs, (double)p->duration_ns / NSEC_PER_SEC);
	else
		fprintf(stderr, "\r\033[Krecording %s: %.1f s (Ctrl-C to stop)", target, secs);
}

static void wipe(void *arg)
{
	(void)arg;
	fprintf(stderr, "\r\033[K");
}

void progress__init(struct progress *p, bool announce, const char *target, u64 duration_ns)
{
	bool counts = !announce && isatty(STDERR_FILENO);

	*p = (struct progress){
		.watcher = {
			.began = announce ? announce_it : NULL,
			.goes_on = counts ? count : NULL,
			.ended = counts ? wipe : NULL,
			.arg = p,
		},
		.target = target,
		.duration_ns = duration_ns,
	};
}
