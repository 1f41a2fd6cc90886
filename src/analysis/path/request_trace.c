/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/path/request_trace.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* So many that digits may mean are named. */
#define NAMED_MAX 3
/* Digits of a trace id; so many tell it from others of a recording. */
#define DIGITS 32
#define DIGITS_MIN 8

int request_trace_check(const char *trace, struct err *err)
{
	size_t len = strlen(trace);

	if (len < DIGITS_MIN || strspn(trace, "0123456789abcdefABCDEF") != len)
		return err__set(err, -EINVAL,
				"'%.80s' is not a trace id: it has %d digits, 0-9 and a-f, of "
				"which the first %d or more are enough",
				trace, DIGITS, DIGITS_MIN);
	if (len > DIGITS)
		return err__set(err, -EINVAL, "'%.80s' has %zu digits, a trace id has %d", trace,
				len, DIGITS);
	return 0;
}

static bool is_of(const struct profile *p, const struct profile_request *req, const char *trace)
{
	return !strncasecmp(profile__str(p, req->trace), trace, strlen(trace));
}

/* Requests of several traces side by side would look like those of one. */
static int check_one(const struct requests *rs, const struct profile *p, const char *trace,
		     struct err *err)
{
	const struct profile_request *list = rs->list.data;
	u32 found[NAMED_MAX] = { 0 }, len = 0, k;

	for (size_t i = 0; i < rs->list.len && len < NAMED_MAX; i++) {
		if (!is_of(p, &list[i], trace))
			continue;
		for (k = 0; k < len && found[k] != list[i].trace; k++)
			;
		if (k == len)
			found[len++] = list[i].trace;
	}
	if (!len)
		return err__set(err, -ENOENT,
				"no request has the trace id '%s'; trace ids are recorded with "
				"--request auto:http, and where threads publish them",
				trace);
	if (len == 1)
		return 0;
	return err__set(err, -EINVAL,
			"several traces begin with '%s': %s, %s%s; give more digits of one", trace,
			profile__str(p, found[0]), profile__str(p, found[1]),
			len > 2 ? " and others" : "");
}

int request_trace_keep(struct requests *rs, const struct profile *p, const char *trace,
		       struct err *err)
{
	struct profile_request *list = rs->list.data;
	struct request_rest *rests = rs->rests.data;
	size_t i, k, len = 0, rests_len = 0;
	int r;

	r = check_one(rs, p, trace, err);
	if (r)
		return r;
	for (i = 0; i < rs->list.len; i++)
		if (is_of(p, &list[i], trace))
			list[len++] = list[i];
	rs->list.len = len;
	for (i = 0; i < rs->rests.len; i++) {
		struct request_rest rest = { .class = rests[i].class };
		bool is_used = false;

		for (k = 0; k < len; k++) {
			is_used |= list[k].class == rest.class;
			rest.overlapping += list[k].class == rest.class && list[k].overlaps;
			rest.handed += list[k].class == rest.class && list[k].writer;
		}
		if (is_used)
			rests[rests_len++] = rest;
	}
	rs->rests.len = rests_len;
	return 0;
}
