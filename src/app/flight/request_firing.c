/* SPDX-License-Identifier: Apache-2.0 */
#include "app/flight/request_firing.h"

#include <stdio.h>
#include <string.h>

#include "analysis/name/pattern.h"
#include "base/text/units.h"
#include "base/text/utf8.h"

static bool has_names(const struct trigger_spec *spec, const struct slow_requests *s,
		      const struct slow_request *req)
{
	const char *class = strtab__get(&s->classes, req->class);

	return (!spec->comm ||
		pattern_fits(spec->comm, spec->comm_len, req->comm, strlen(req->comm))) &&
	       (!spec->class || pattern_fits(spec->class, spec->class_len, class, strlen(class)));
}

/* Half of what the windows have of a request, so that the cause is what made it slow. */
static bool has_causes(const struct trigger_spec *spec, const struct slow_parts *parts)
{
	u64 ns = 0;

	if (!spec->causes)
		return true;
	for (u32 cause = 0; cause < CAUSE_CNT; cause++)
		if (spec->causes & CAUSE_SET(cause))
			ns += parts->cause_ns[cause];
	return ns && ns >= parts->seen_ns / 2;
}

int request_firing_find(const struct trigger_spec *spec, const struct slow_requests *s,
			const struct vec *slow, struct slow_windows *windows,
			const struct slow_request **ret, struct slow_parts *parts)
{
	*ret = NULL;
	for (size_t i = 0; i < slow->len; i++) {
		const struct slow_request *req = vec__at(slow, i);
		int r;

		if (slow_request_ns(req) <= spec->ns)
			return 0;
		if (req->before_ns > spec->ns || !has_names(spec, s, req))
			continue;
		r = slow_windows__parts(windows, req, parts);
		if (r)
			return r;
		if (has_causes(spec, parts)) {
			*ret = req;
			return 0;
		}
	}
	return 0;
}

/* The largest part; what the thread did in it. */
static u64 largest(const struct slow_parts *parts, char *buf, size_t sz)
{
	u64 ns = parts->on_ns;

	snprintf(buf, sz, "on a CPU");
	if (parts->runq_ns > ns) {
		ns = parts->runq_ns;
		snprintf(buf, sz, "waiting for a CPU");
	}
	for (u32 cause = 0; cause < CAUSE_CNT; cause++)
		if (parts->cause_ns[cause] > ns) {
			ns = parts->cause_ns[cause];
			snprintf(buf, sz, "blocked in %s", cause_name(cause));
		}
	if (parts->unsplit_ns > ns) {
		ns = parts->unsplit_ns;
		snprintf(buf, sz, "not split");
	}
	return ns;
}

/* ", 1.19 s of it blocked in pipe"; "of the last 2.00 s" if it began before the windows. */
static void put_largest(const struct slow_request *req, const struct slow_parts *parts, char *buf,
			size_t sz)
{
	char part[32], seen[32], doing[64];
	u64 ns = largest(parts, doing, sizeof(doing));

	units_format_ns(ns, part, sizeof(part));
	units_format_ns(parts->seen_ns, seen, sizeof(seen));
	if (ns && parts->seen_ns < slow_request_ns(req))
		snprintf(buf, sz, ", %s of the last %s %s", part, seen, doing);
	else if (ns)
		snprintf(buf, sz, ", %s of it %s", part, doing);
}

void request_firing_text(const struct slow_requests *s, const struct slow_request *req,
			 const struct slow_parts *parts, char *buf, size_t sz)
{
	char comm[64], class[160], length[32];
	int len;

	units_format_ns(slow_request_ns(req), length, sizeof(length));
	len = snprintf(buf, sz, "%s in %s (%u) %s %s",
		       utf8_copy_harmless(strtab__get(&s->classes, req->class), class,
					  sizeof(class)),
		       utf8_copy_harmless(req->comm, comm, sizeof(comm)), req->tid,
		       req->is_open ? "has taken" : "took", length);
	if (len < 0 || (size_t)len >= sz)
		return;
	put_largest(req, parts, buf + len, sz - (size_t)len);
	len = (int)strlen(buf);
	if (req->is_handed)
		snprintf(buf + len, sz - (size_t)len, "; another thread answered it");
}
