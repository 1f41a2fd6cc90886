/* SPDX-License-Identifier: Apache-2.0 */

/*
 * usage: cores_count FILE...
 *
 * How often our programs make CPUs fetch memory from each other, per 1000 switches, by what the
 * memory is, on 1 to 64 CPUs that a model plays: see tests/lib/line_model.h for what it knows of a
 * machine, and tests/lib/host_switch.h for what is not as in the kernel. Nothing is timed, so the
 * output is the same each time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/types.h"
#include "lib/line_model.h"
#include "lib/switch_world.h"

static const char *const layouts[WORLD_LAYOUTS] = {
	[WORLD_APART] = "apart",
	[WORLD_WOKEN] = "woken from afar",
	[WORLD_MOVING] = "moving",
	[WORLD_ONE_KEY] = "one key",
};

static const u64 periods_ns[] = { 0, 10000000 };
static const u32 cpus[] = { 1, 2, 4, 16, 64 };

static void print_head(void)
{
	int i;

	printf("  %-16s %4s %7s", "threads", "CPUs", "atomics");
	for (i = 0; switch_world_regions[i]; i++)
		printf(" %*s", (int)strlen(switch_world_regions[i]) + 1, switch_world_regions[i]);
	printf("\n");
}

/* The second pass: the first one fills the tables. */
static int count(const struct switch_stream *stream, u32 cpu_cnt, enum world_layout layout,
		 u64 period_ns)
{
	struct switch_world *w = switch_world__new(stream, cpu_cnt, layout, period_ns);
	u64 switches, atomics = 0;
	int i;

	if (!w)
		return -ENOMEM;
	line_model__begin();
	switch_world__show_lines(w);
	switch_world__pass(w);
	switches = switch_world__switches(w);
	line_model__reset_counts();
	switch_world__pass(w);
	switches = switch_world__switches(w) - switches;
	for (i = 0; switch_world_regions[i]; i++)
		atomics += line_model__count(switch_world_regions[i]).atomics;
	printf("  %-16s %4u %7llu", layouts[layout], cpu_cnt, atomics * 1000 / switches);
	for (i = 0; switch_world_regions[i]; i++)
		printf(" %*llu", (int)strlen(switch_world_regions[i]) + 1,
		       line_model__count(switch_world_regions[i]).transfers * 1000 / switches);
	printf("\n");
	line_model__end();
	switch_world__free(w);
	return 0;
}

static int count_all(const struct switch_stream *stream, u64 period_ns)
{
	int layout, r;
	size_t i;

	print_head();
	for (layout = 0; layout < WORLD_LAYOUTS; layout++)
		for (i = 0; i < ARRAY_LEN(cpus); i++) {
			r = count(stream, cpus[i], layout, period_ns);
			if (r)
				return r;
		}
	return 0;
}

int main(int argc, char **argv)
{
	struct switch_stream stream;
	u32 line;
	size_t p;
	int i, r;

	if (argc < 2) {
		fprintf(stderr, "usage: cores_count FILE...\n");
		return 2;
	}
	printf("Fetches of a line of memory from another CPU, per 1000 switches: a model\n");
	for (i = 1; i < argc; i++) {
		r = switch_stream__read(&stream, argv[i], &line);
		for (p = 0; !r && p < ARRAY_LEN(periods_ns); p++) {
			printf("\n%s, %u switches of each CPU, sampling period %llu ms\n", argv[i],
			       stream.switches, periods_ns[p] / 1000000);
			r = count_all(&stream, periods_ns[p]);
		}
		if (r) {
			fprintf(stderr, "cores_count: %s, line %u: %s\n", argv[i], line,
				strerror(-r));
			return 1;
		}
		switch_stream__done(&stream);
	}
	return 0;
}
