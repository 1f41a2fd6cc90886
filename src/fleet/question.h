/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEET_QUESTION_H
#define FLEET_QUESTION_H

#include "app/time_range.h"
#include "base/sink.h"
#include "base/vec.h"

/*
 * The statements for ClickHouse. Texts of the user are in them as literals in which only letters
 * and digits are plain. Columns are in the order in which load.c reads them.
 */
struct question {
	const struct vec *hosts; /* const char *: globs, any may match; empty: all */
	const struct vec *services; /* likewise */
	struct time_span span; /* windows that overlap it */
	bool once; /* rows that are there twice count once */
};

/* First begin, last end, number of rows: at any time. */
void question__bounds(const struct question *q, struct sink *sql);
/*
 * Of each window, by host and time: host, begin, length, rows, different numbers of rows, rows
 * without a number, how many rows were sent, whether that is known, whether it was sampled, ns, ns
 * of the services.
 */
void question__windows(const struct question *q, struct sink *sql);
/*
 * Sums: host, service, cause, class, state, syscall, cgroup, container, thread, pid, tid,
 * object, owner, stack, ns, count, ns of waiting for a CPU. Rows without a count are apart.
 */
void question__sums(const struct question *q, struct sink *sql);
/*
 * The stacks of these: number; frames, root first; their files; and how many of the last are the
 * kernel's.
 */
void question__stacks(const struct question *q, struct sink *sql);
/* By host: host, cause, class, ns. */
void question__hosts(const struct question *q, struct sink *sql);
/* Number of threads, of any service. */
void question__threads(const struct question *q, struct sink *sql);

#endif
