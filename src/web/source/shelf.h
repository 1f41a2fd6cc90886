/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_SHELF_H
#define WEB_SOURCE_SHELF_H

#include <limits.h>
#include <pthread.h>

#include "analysis/cause/cause.h"
#include "base/err.h"
#include "base/vec.h"

/*
 * The recordings in a directory. A viewer knows them by an id that is made of the name; no text of
 * a request becomes part of a path. Thread-safe.
 */
#define SHELF_MAX_BOOKS 10000
/* Of a recording with more windows, only the length and number are given. */
#define SHELF_MAX_WINDOWS 1000

struct book {
	char id[17];
	char name[NAME_MAX + 1];
	u64 bytes;
	u64 changed_ns;
	bool there; /* at the last look */
	bool is_read; /* the rest is known */
	bool in_reading; /* another list reads it now */
	char error[240]; /* why it cannot be read; "": it can */
	char host[65];
	char target[256];
	u64 begin_wall_ns;
	u64 length_ns; /* of all windows */
	u32 windows;
	bool has_sums;
	u32 threads; /* most in one window */
	u64 blocked_ns;
	u64 idle_ns;
	u32 top_cause; /* of waits that are not for work; CAUSE_CNT: none */
};

struct shelf {
	char *dir; /* NULL: none */
	const struct ruleset *rules;
	pthread_mutex_t lock;
	struct vec books; /* struct book */
};

/* -ENOTDIR, -ENOENT or another error of opening it, -ENOMEM, or 0. `dir`: NULL is no directory. */
int shelf__init(struct shelf *s, const char *dir, const struct ruleset *rules, struct err *err);
void shelf__done(struct shelf *s);
/*
 * Looks at the directory again, and reads what is new until that instant (CLOCK_MONOTONIC): what is
 * left has !is_read. Adds a copy of each, by name, to a vec of struct book.
 */
int shelf__list(struct shelf *s, u64 until_ns, struct vec *books, struct err *err);
/* The path of a recording, of PATH_MAX bytes. -ENOENT with a sentence. */
int shelf__path(struct shelf *s, const char *id, char *path, struct err *err);

#endif
