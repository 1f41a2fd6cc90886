/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same as JSON for programs that take one line at a time (jq, DuckDB, ClickHouse, log
 * shippers): each line is an object that says its `type` and can be understood alone, so waits
 * carry the names of their thread and of their frames. The last line counts the others: a stream
 * that was cut off is seen to be.
 */
#include <errno.h>

#include "render/json_parts.h"
#include "render/render.h"
#include "render/render_view.h"

#define FORMAT "coldspot-ndjson"
#define VERSION 1

static const char schema[] =
#include "gen/coldspot-ndjson.schema.json.inc"
	;

/* An object that begins with its type; put_line() ends it. */
static json_t *begin(struct json_parts *j, const char *type)
{
	json_t *o = json_object();

	json_parts__set_text(j, o, "type", type);
	return o;
}

/* Writes `o` with what is in `rest`; frees both. */
static void put_line(struct json_parts *j, json_t *o, json_t *rest)
{
	if (!o || !rest || json_object_update(o, rest))
		j->error = -ENOMEM;
	json_decref(rest);
	json_parts__put(j, o);
	sink__puts(j->out, "\n");
}

static void put_header(struct json_parts *j)
{
	json_t *o = begin(j, "header");

	json_parts__set_text(j, o, "format", FORMAT);
	json_parts__set_number(j, o, "version", VERSION);
	put_line(j, o, json_parts__header(j));
}

/* Modules have no lines here, so nothing may name one by its index. */
static void put_user_stacks(struct json_parts *j)
{
	json_t *stacks = json_parts__user_stacks(j), *row;
	size_t i;

	if (json_is_null(stacks)) {
		json_decref(stacks);
		return;
	}
	json_array_foreach(json_object_get(stacks, "rest"), i, row) json_object_del(row, "module");
	put_line(j, begin(j, "user_stacks"), stacks);
}

static u32 put_losses(struct json_parts *j)
{
	u32 n = 0;
	int i;

	for (i = 0; i < LOSS_CNT; i++) {
		json_t *loss = json_parts__loss(j, (enum profile_loss_kind)i);

		if (!loss)
			continue;
		put_line(j, begin(j, "loss"), loss);
		n++;
	}
	return n;
}

static void put_tasks(struct json_parts *j)
{
	u32 i;

	for (i = 1; i < j->p->tasks_len && !j->error; i++) {
		json_t *o = begin(j, "task");

		json_parts__set_number(j, o, "task", i - 1);
		put_line(j, o, json_parts__task(j, i));
	}
}

static void put_objects(struct json_parts *j)
{
	u32 i;

	for (i = 1; i < j->p->objects_len && !j->error; i++) {
		json_t *o = begin(j, "object");

		json_parts__set_number(j, o, "object", i - 1);
		put_line(j, o, json_parts__object(j, i));
	}
}

/* A wait or a hot, with what it takes to understand it alone. */
static void put_row(struct json_parts *j, const char *type, u32 task, json_t *row)
{
	const struct profile_task *t = &j->p->tasks[task];
	json_t *o = begin(j, type);

	json_parts__set_number(j, o, "tgid", t->tgid);
	json_parts__set_number(j, o, "tid", t->tid);
	json_parts__set_text(j, o, "group_comm", profile__str(j->p, t->group_comm));
	json_parts__set_text(j, o, "comm", profile__str(j->p, t->comm));
	json_parts__set_str(j, o, "cgroup", t->cgroup);
	json_object_del(row, "user_stack");
	json_object_del(row, "kernel_stack");
	put_line(j, o, row);
}

static void put_waits(struct json_parts *j)
{
	u32 i;

	for (i = 1; i < j->p->waits_len && !j->error; i++)
		put_row(j, "wait", j->p->waits[i].task, json_parts__wait(j, i));
}

static void put_hots(struct json_parts *j)
{
	u32 i;

	for (i = 1; i < j->p->hots_len && !j->error; i++)
		put_row(j, "hot", j->p->hots[i].task, json_parts__hot(j, i));
}

static void put_end(struct json_parts *j, u32 losses, enum time_view view)
{
	json_t *o = json_object();

	json_parts__set_number(j, o, "losses", losses);
	json_parts__set_number(j, o, "tasks", j->p->tasks_len - 1);
	json_parts__set_number(j, o, "objects", j->p->objects_len - 1);
	json_parts__set_number(j, o, "waits", view == VIEW_ON ? 0 : j->p->waits_len - 1);
	if (profile__has_on_cpu(j->p))
		json_parts__set_number(j, o, "hots", view == VIEW_OFF ? 0 : j->p->hots_len - 1);
	put_line(j, begin(j, "end"), o);
}

static void put_all(struct json_parts *j, enum time_view view)
{
	u32 losses;

	put_header(j);
	if (j->p->hdr.windows > 1)
		put_line(j, begin(j, "merged"), json_parts__merged(j));
	if (j->p->hdr.selection)
		put_line(j, begin(j, "selection"), json_parts__selection(j));
	put_line(j, begin(j, "budget"), json_parts__budget(j));
	put_user_stacks(j);
	losses = put_losses(j);
	put_tasks(j);
	put_objects(j);
	if (view != VIEW_ON)
		put_waits(j);
	if (view != VIEW_OFF)
		put_hots(j);
	put_end(j, losses, view);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const enum time_view view = render_view(p, opt, VIEW_WALL);
	struct shown_options shown_opt = render_shown(p, opt, view);
	struct json_parts j = { 0 };
	struct shown shown;
	int r;

	shown_opt.view = VIEW_OFF; /* waits and hots have lines of their own */
	r = shown__init(&shown, p, &shown_opt, NULL);
	if (!r)
		r = json_parts__init(&j, shown.p, opt->memo, out);
	if (!r) {
		put_all(&j, view);
		r = j.error;
	}
	json_parts__done(&j);
	shown__done(&shown);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_ndjson = {
	.name = "ndjson",
	.endings = ".ndjson .jsonl",
	.mime = "application/x-ndjson",
	.help = "a stream of JSON objects, one a line: docs/formats.md",
	.schema = schema,
	.render = render,
};
