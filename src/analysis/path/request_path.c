/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/path/request_path.h"

#include <errno.h>
#include <string.h>

/* A table needs the parts, and not how the path came to them. */
static int append(struct vec *parts, const struct critical_path *path)
{
	struct path_part *to;

	if (!path->parts.len)
		return 0;
	to = vec__push_n(parts, path->parts.len);
	if (!to)
		return -ENOMEM;
	memcpy(to, path->parts.data, path->parts.len * sizeof(*to));
	for (size_t i = 0; i < path->parts.len; i++)
		to[i].link = 0;
	return 0;
}

static int collect(struct critical_path *one, const struct request_class *c, struct vec *parts)
{
	u32 i;
	int r = 0;

	for (i = 0; i < c->len && !r; i++) {
		const struct profile_request *req = &c->requests[i];

		if (req->begin_ns == req->end_ns)
			continue;
		r = critical_path__again(one, (struct path_range){ one->lanes->of_task[req->task],
								   req->begin_ns, req->end_ns });
		if (!r)
			r = append(parts, one);
	}
	return r;
}

int request_path__build(const struct lanes *lanes, const struct request_class *c,
			struct cause_memo *memo, struct arena *a, struct path_table *ret,
			struct err *err)
{
	struct critical_path one = { 0 }, all = { .lanes = lanes };
	int r;

	vec__init(&all.parts, sizeof(struct path_part));
	r = critical_path__init(&one, lanes, (struct path_range){ 0, 0, 1 });
	if (!r)
		r = collect(&one, c, &all.parts);
	r = r ? err__nomem(err) : path_table__build(&all, memo, a, ret, err);
	critical_path__done(&one);
	vec__done(&all.parts);
	return r;
}
