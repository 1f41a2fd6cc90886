/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_TARGET_H
#define PUSH_TARGET_H

#include "analysis/cause/cause_memo.h"
#include "base/err.h"
#include "base/sink.h"
#include "push/http.h"
#include "push/sent_stacks.h"
#include "push/url.h"
#include "store/day.h"

/*
 * A kind of target: one file with one const table, and one line in targets.c. Most are servers that
 * take windows: a window becomes one or more requests, which are sent in order; it is taken when
 * all are. Others take whole days: each file of the store when its day is over.
 */

/* A window to send. */
struct push_window {
	const struct profile *p;
	struct cause_memo *memo; /* its causes */
	const char *id; /* of host and window: the same whenever it is sent */
	struct sent_stacks *stacks; /* which stacks the server has */
};

/* What the server said to it. */
enum push_verdict {
	PUSH_TAKEN = 0,
	PUSH_LATER, /* it may take it later: nothing is wrong with the window */
	PUSH_REFUSED, /* it will never take it */
};

/* A file of the store, to keep elsewhere. */
struct push_day {
	const char *path; /* there may be a log beside it (store/copy.h) */
	const char *name; /* what it is called elsewhere: "HOST/2026-11-25.coldspot" */
	const char *scratch; /* where a copy may be made meanwhile */
	struct store_day file;
	u64 begin_wall_ns; /* of its first window; 0: not known */
};

/* What became of it. */
struct push_put {
	enum push_verdict verdict;
	bool needs_user; /* PUSH_LATER: time alone does not mend it */
	u32 retry_after_s; /* 0: nothing was asked for */
	u64 bytes;
};

/* Requests, in order. */
struct push_parts {
	struct vec parts; /* struct http_part */
};

struct push_target {
	const char *name; /* the scheme of its URLs is NAME+http or NAME+https; local: NAME */
	const char *path; /* where it listens, unless the URL has a path */
	const char *help; /* one line */
	const char *schema; /* statements that make its tables; NULL: none */
	/* Adds the requests of a window. -ENOMEM, -E2BIG, or an error of rendering. */
	int (*encode)(const struct push_window *w, const struct push_url *url,
		      struct push_parts *parts, struct err *err);
	/*
	 * Of an answer with status 200: whether it took everything. NULL: it did. `why` gets a
	 * sentence unless it did.
	 */
	enum push_verdict (*judge)(const struct http_answer *answer, struct err *why);
	/*
	 * Of targets for days, instead of encode(): `why` gets a sentence unless it was taken.
	 * Errors are those of store_copy_file(), -E2BIG and -ENOMEM. `http` is NULL if `is_local`.
	 */
	int (*put_day)(const struct push_day *day, const struct push_url *url, struct http *http,
		       struct push_put *ret, struct err *why);
	/* What is wrong with a URL; NULL: nothing can be. -EINVAL. */
	int (*check)(const struct push_url *url, struct err *err);
	/*
	 * What is wrong around it that the user must mend; NULL: nothing can be. -ENOKEY if it is
	 * the environment of this process, else another error.
	 */
	int (*find_fault)(const struct push_url *url, struct err *err);
	bool is_local; /* a directory: its URLs are NAME:/PATH */
};

/* "windows" or "days": what it takes. */
const char *push_target_takes(const struct push_target *target);

/* Every target, terminated by NULL. */
extern const struct push_target *const push_targets[];
extern const struct push_target push_otlp;
extern const struct push_target push_pyroscope;
extern const struct push_target push_parca;
extern const struct push_target push_clickhouse;
extern const struct push_target push_dir;
extern const struct push_target push_s3;

/* By its name; NULL if there is none. */
const struct push_target *push_target_find(const char *name);
/* The names of all that are servers, for messages: "otlp, pyroscope, ...". */
const char *push_target_names(void);

/*
 * What an answer means: of any status, and of none (answer->status is 0: nothing arrived). `why`
 * gets a sentence unless the window was taken.
 */
enum push_verdict push_judge(const struct push_target *target, const struct http_answer *answer,
			     struct err *why);

/* A new request; the body, which is compressed with gzip if `gzip`, is taken. -ENOMEM, -E2BIG. */
int push_parts__add(struct push_parts *parts, const struct http_part *part, struct sink *body,
		    bool gzip, struct err *err);
void push_parts__done(struct push_parts *parts);

#endif
