/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What unwind tables cost: time to build, and memory, per file. Arguments are files; each is built
 * as often as fits into a tenth of a second, at least twice, and the first and the best time are
 * printed: the first one reads the file. All files share one dictionary of rules, so "rules" is by
 * how much a file made it grow.
 *
 *	usage: tables FILE...
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "unwind/table.h"

#define FILE_NS (100 * NSEC_PER_MSEC)

struct measured {
	u64 first_ns;
	u64 best_ns;
	u32 rules;
	size_t rows;
	u64 bytes;
};

static int build_once(int fd, const char *path, struct rules *rules, struct measured *m,
		      struct err *err)
{
	u64 start = clock_mono_ns(), took;
	struct table *t = NULL;
	int r = table__build_fd(fd, path, rules, &t, err);

	if (r)
		return r;
	took = clock_mono_ns() - start;
	if (!m->first_ns)
		m->first_ns = took;
	if (!m->best_ns || took < m->best_ns)
		m->best_ns = took;
	m->rows = t->rows.len;
	m->bytes = table__bytes(t);
	table__free(t);
	return 0;
}

static int measure(const char *path, struct rules *rules, struct measured *m, struct err *err)
{
	u64 start = clock_mono_ns();
	u32 known = rules->len, times = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return err__set(err, -errno, "cannot open '%s'", path);
	while (!r && (times < 2 || clock_mono_ns() - start < FILE_NS)) {
		r = build_once(fd, path, rules, m, err);
		times++;
	}
	m->rules = rules->len - known;
	close(fd);
	return r;
}

static double ms(u64 ns)
{
	return (double)ns / (double)NSEC_PER_MSEC;
}

int main(int argc, char **argv)
{
	static struct cs_unwind_rule dictionary[CS_RULES_MAX];
	struct rules rules;
	u64 bytes = 0, rows = 0, first_ns = 0, best_ns = 0;
	int i, built = 0;

	if (argc < 2 || rules__init(&rules, dictionary))
		return EXIT_FAILURE;
	printf("%10s %6s %9s %9s %9s  file\n", "rows", "rules", "first ms", "best ms", "KiB");
	for (i = 1; i < argc; i++) {
		struct measured m = { 0 };
		struct err err = { 0 };

		if (measure(argv[i], &rules, &m, &err)) {
			fprintf(stderr, "tables: %s\n", err.msg);
			continue;
		}
		printf("%10zu %6u %9.2f %9.2f %9llu  %s\n", m.rows, m.rules, ms(m.first_ns),
		       ms(m.best_ns), m.bytes >> 10, argv[i]);
		built++;
		rows += m.rows;
		bytes += m.bytes;
		first_ns += m.first_ns;
		best_ns += m.best_ns;
	}
	printf("%10llu %6u %9.2f %9.2f %9llu  %d files\n", rows, rules.len, ms(first_ns),
	       ms(best_ns), bytes >> 10, built);
	rules__done(&rules);
	return built ? EXIT_SUCCESS : EXIT_FAILURE;
}
