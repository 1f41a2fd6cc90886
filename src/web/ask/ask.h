/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_ASK_ASK_H
#define WEB_ASK_ASK_H

#include "app/selection.h"
#include "app/time_range.h"
#include "render/render.h"
#include "web/ask/query.h"

/*
 * Which profile is asked for, and how to show it: the parameters that requests for profiles
 * have in common, with the names and meanings of the options of `report`. Regular expressions are
 * not offered: the C library compiles some of them with all memory there is.
 */
struct ask {
	const char *recording; /* id; NULL: not given */
	struct query_range range;
	u64 last; /* of the range only so many windows, from its end; 0: all */
	struct time_range time; /* of ask_time(), by the caller; else empty */
	struct vec hosts; /* const char *, of ask_fleet(), by the caller; else empty */
	struct vec services; /* likewise */
	struct selection select;
	struct render_options render;
};

/* Texts are borrowed from the query. -EINVAL with a sentence, or -ENOMEM; ask__done() anyway. */
int ask__init(struct ask *a, struct query *q, struct err *err);
/* Only the filters. */
int ask__init_filters(struct ask *a, struct query *q, struct err *err);
/* Only which windows, and the filters. */
int ask__init_windows(struct ask *a, struct query *q, struct err *err);
/* Which time of a store: `since`, `until`, `at` and `on`, as the options. Others have no times. */
int ask_time(struct query *q, struct time_range *ret, struct err *err);
/* Which rows of ClickHouse: `host` and `service`, globs. -EINVAL with a sentence, or -ENOMEM. */
int ask_fleet(struct ask *a, struct query *q, struct err *err);
void ask__done(struct ask *a);
bool ask__has_filters(const struct ask *a);

#endif
