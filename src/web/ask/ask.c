/* SPDX-License-Identifier: Apache-2.0 */
#include "web/ask/ask.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "analysis/model/group_by.h"
#include "analysis/view/wake_view.h"
#include "app/selection_words.h"
#include "base/text/units.h"
#include "render/words/palette.h"

/* Filters by a parameter's name. */
struct text_list {
	const char *name;
	size_t off; /* of a vec in struct selection */
};

struct parsed {
	const char *name;
	size_t off;
	int (*parse)(const char *text, void *value, struct err *err);
};

static const struct text_list texts[] = {
	{ "comm", offsetof(struct selection, comms) },
	{ "cgroup", offsetof(struct selection, cgroups) },
	{ "unit", offsetof(struct selection, units) },
	{ "container", offsetof(struct selection, containers) },
	{ "pod", offsetof(struct selection, pods) },
	{ "under", offsetof(struct selection, under) },
	{ "not-under", offsetof(struct selection, not_under) },
	{ "module", offsetof(struct selection, modules) },
	{ "object", offsetof(struct selection, objects) },
	{ "owner", offsetof(struct selection, owners) },
	{ "waker", offsetof(struct selection, wakers) },
};

static const struct text_list ids[] = {
	{ "tid", offsetof(struct selection, tids) },
	{ "pid", offsetof(struct selection, pids) },
};

static const struct parsed words[] = {
	{ "cause", offsetof(struct selection, causes), selection_parse_causes },
	{ "class", offsetof(struct selection, classes), selection_parse_classes },
	{ "state", offsetof(struct selection, states), selection_parse_states },
	{ "min", offsetof(struct selection, min), selection_parse_bound },
	{ "max", offsetof(struct selection, max), selection_parse_bound },
};

#define X(NAME, name) name,
static const char *const by_choices[] = { "place", GROUPS(X) NULL };
#undef X
static const char *const view_choices[] = { "auto", "off", "on", "wall", NULL };
static const char *const idle_choices[] = { "hide", "show", "apart", "0", "1", NULL };
static const char *const waker_choices[] = { "hide", "one", "chain", NULL };
static const char *const unit_choices[] = { "us", "ns", NULL };

static void *field(struct ask *a, size_t off)
{
	return (char *)&a->select + off;
}

static int add_values(struct vec *to, struct query *q, const char *name, struct err *err)
{
	const char *value, **slot;
	size_t at = 0;

	while ((value = query__next(q, name, &at))) {
		if (!*value)
			return err__set(err, -EINVAL, "parameter '%s': no text", name);
		slot = vec__push(to);
		if (!slot)
			return err__nomem(err);
		*slot = value;
	}
	return 0;
}

/* "1,2" */
static int add_ids(struct ask *a, struct query *q, const struct text_list *list, struct err *err)
{
	const char *value;
	char one[16];
	size_t at = 0, len;
	u32 *slot;
	u64 id;
	int r;

	while ((value = query__next(q, list->name, &at))) {
		for (;; value += len + 1) {
			len = strcspn(value, ",");
			if (len >= sizeof(one))
				return err__set(err, -EINVAL,
						"parameter '%s': '%.16s' is not an ID", list->name,
						value);
			memcpy(one, value, len);
			one[len] = '\0';
			r = units_parse_u64(one, 1, ~0U, &id, err);
			if (r)
				return err__wrap(err, r, "parameter '%s'", list->name);
			slot = vec__push(field(a, list->off));
			if (!slot)
				return err__nomem(err);
			*slot = (u32)id;
			if (!value[len])
				break;
		}
	}
	return 0;
}

static int parse_words(struct ask *a, struct query *q, const struct parsed *p, struct err *err)
{
	const char *value;
	size_t at = 0;
	int r = 0;

	while (!r && (value = query__next(q, p->name, &at)))
		r = p->parse(value, field(a, p->off), err);
	return r ? err__wrap(err, r, "parameter '%s'", p->name) : 0;
}

static void init(struct ask *a)
{
	size_t i;

	memset(a, 0, sizeof(*a));
	a->range = (struct query_range){ 1, ~0ULL >> 1 };
	for (i = 0; i < ARRAY_LEN(texts); i++)
		vec__init(field(a, texts[i].off), sizeof(const char *));
	for (i = 0; i < ARRAY_LEN(ids); i++)
		vec__init(field(a, ids[i].off), sizeof(u32));
	vec__init(&a->hosts, sizeof(const char *));
	vec__init(&a->services, sizeof(const char *));
}

static int read_filters(struct ask *a, struct query *q, struct err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < ARRAY_LEN(texts) && !r; i++)
		r = add_values(field(a, texts[i].off), q, texts[i].name, err);
	for (i = 0; i < ARRAY_LEN(ids) && !r; i++)
		r = add_ids(a, q, &ids[i], err);
	for (i = 0; i < ARRAY_LEN(words) && !r; i++)
		r = parse_words(a, q, &words[i], err);
	if (!r)
		r = query__flag(q, "user-threads", &a->select.user_threads, err);
	if (!r)
		r = query__flag(q, "kernel-threads", &a->select.kernel_threads, err);
	if (!r && a->select.user_threads && a->select.kernel_threads)
		r = err__set(err, -EINVAL, "user-threads and kernel-threads exclude each other");
	return r;
}

static int read_idle(struct ask *a, struct query *q, struct err *err)
{
	u32 idle = 1;
	int r = query__choice(q, "idle", idle_choices, &idle, err);

	a->select.no_idle = idle == 0 || idle == 3;
	a->render.idle_apart = idle == 2;
	a->render.idle_shown = query__text(q, "idle") && !a->select.no_idle && idle != 2;
	return r;
}

static int read_view(struct ask *a, struct query *q, struct err *err)
{
	struct render_options *o = &a->render;
	u64 rows = 0, width = 0;
	u32 by = 0, wakers = 0;
	int r = query__choice(q, "by", by_choices, &by, err);

	o->root = by ? (enum group_by)(by - 1) : GROUP_BY_COMM;
	o->groups = by;
	if (!r)
		r = query__choice(q, "view", view_choices, &o->view, err);
	if (!r)
		r = query__choice(q, "wakers", waker_choices, &wakers, err);
	o->wakers = wakers;
	if (!r)
		r = query__choice(q, "unit", unit_choices, &o->unit, err);
	if (!r)
		r = query__flag(q, "invert", &o->invert, err);
	if (!r)
		r = query__flag(q, "icicle", &o->icicle, err);
	if (!r)
		r = query__u64(q, "top", 100000, &rows, err);
	if (!r)
		r = query__u64(q, "width", 20000, &width, err);
	o->rows = (u32)rows;
	o->width = (u32)width;
	o->palette = query__text(q, "palette");
	if (!r && o->palette && !palette_find(o->palette))
		r = err__set(err, -EINVAL,
			     "parameter 'palette': '%.40s' is no palette; try " PALETTE_NAMES,
			     o->palette);
	return r ? r : read_idle(a, q, err);
}

int ask__init_filters(struct ask *a, struct query *q, struct err *err)
{
	init(a);
	return read_filters(a, q, err);
}

int ask__init_windows(struct ask *a, struct query *q, struct err *err)
{
	u64 max = ~0ULL >> 1;
	int r = ask__init_filters(a, q, err);

	a->recording = query__text(q, "recording");
	if (!r)
		r = query__u64(q, "from", max, &a->range.from, err);
	if (!r)
		r = query__u64(q, "to", max, &a->range.to, err);
	if (!r)
		r = query__u64(q, "last", max, &a->last, err);
	if (!r && a->range.to < a->range.from)
		r = err__set(err, -EINVAL, "parameter 'to': the range ends before it begins");
	return r;
}

int ask__init(struct ask *a, struct query *q, struct err *err)
{
	int r = ask__init_windows(a, q, err);

	return r ? r : read_view(a, q, err);
}

int ask_fleet(struct ask *a, struct query *q, struct err *err)
{
	int r = add_values(&a->hosts, q, "host", err);

	return r ? r : add_values(&a->services, q, "service", err);
}

int ask_time(struct query *q, struct time_range *ret, struct err *err)
{
	static const struct parsed times[] = {
		{ "since", offsetof(struct time_range, from), time_point_parse },
		{ "until", offsetof(struct time_range, to), time_point_parse },
		{ "at", offsetof(struct time_range, at), time_point_parse },
		{ "on", offsetof(struct time_range, on), time_day_parse },
	};
	int r = 0;

	*ret = (struct time_range){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(times) && !r; i++) {
		const char *text = query__text(q, times[i].name);

		if (text)
			r = times[i].parse(text, (char *)ret + times[i].off, err);
		if (r)
			r = err__wrap(err, r, "parameter '%s'", times[i].name);
	}
	if (!r && ret->at.kind && (ret->from.kind || ret->to.kind))
		r = err__set(err, -EINVAL, "parameter 'at' excludes 'since' and 'until'");
	return r;
}

void ask__done(struct ask *a)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(texts); i++)
		vec__done(field(a, texts[i].off));
	for (i = 0; i < ARRAY_LEN(ids); i++)
		vec__done(field(a, ids[i].off));
	vec__done(&a->hosts);
	vec__done(&a->services);
}

bool ask__has_filters(const struct ask *a)
{
	const struct selection *s = &a->select;

	return s->comms.len || s->tids.len || s->pids.len || s->cgroups.len || s->units.len ||
	       s->containers.len || s->pods.len || s->under.len || s->not_under.len ||
	       s->modules.len || s->objects.len || s->owners.len || s->wakers.len ||
	       s->user_threads || s->kernel_threads || s->causes || s->classes || s->no_idle ||
	       s->states || s->min.ns || s->min.ppm || s->max.ns || s->max.ppm;
}
