/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same as JSON for programs that read one line at a time (jq, DuckDB, ClickHouse, log
 * shippers): each line is a self-contained object with its `type`, so waits include the names of
 * their thread and frames. The last line counts the others, so that a truncated stream is noticed.
 */
#include "render/json/json_parts.h"
#include "render/json/json_parts_priv.h"
#include "render/render.h"
#include "render/render_view.h"

#define FORMAT "coldspot-ndjson"
#define VERSION 1

static const char schema[] =
#include "gen/coldspot-ndjson.schema.json.inc"
	;

/* Opens an object with its type; end() closes it and its line. */
static void begin(struct json_parts *j, const char *type)
{
	j->to.comma = false;
	json__object(&j->to, NULL);
	json__text(&j->to, "type", type);
}

static void end(struct json_parts *j)
{
	json__end_object(&j->to);
	sink__puts(j->to.out, "\n");
}

static void put_header(struct json_parts *j)
{
	begin(j, "header");
	json__text(&j->to, "format", FORMAT);
	json__u64(&j->to, "version", VERSION);
	json_parts__header(j);
	end(j);
}

static void put_line(struct json_parts *j, const char *type, void (*members)(struct json_parts *))
{
	begin(j, type);
	members(j);
	end(j);
}

static u32 put_losses(struct json_parts *j)
{
	u32 n = 0;
	int i;

	for (i = 0; i < LOSS_CNT; i++) {
		if (!json_parts__has_loss(j, (enum profile_loss_kind)i))
			continue;
		begin(j, "loss");
		json_parts__loss(j, (enum profile_loss_kind)i);
		end(j);
		n++;
	}
	return n;
}

static void put_tasks(struct json_parts *j)
{
	u32 i;

	for (i = 1; i < j->p->tasks_len && !j->error; i++) {
		begin(j, "task");
		json__u64(&j->to, "task", i - 1);
		json_parts__task(j, i);
		end(j);
	}
}

static void put_objects(struct json_parts *j)
{
	u32 i;

	for (i = 1; i < j->p->objects_len && !j->error; i++) {
		begin(j, "object");
		json__u64(&j->to, "object", i - 1);
		json_parts__object(j, i);
		end(j);
	}
}

/* A wait, hot, wake or measured wait, self-contained. */
static void begin_row(struct json_parts *j, const char *type, u32 task)
{
	const struct profile_task *t = &j->p->tasks[task];

	begin(j, type);
	json_put_known(j, "tgid", UNKNOWN_PROCESSES, t->tgid);
	json_put_known(j, "tid", UNKNOWN_THREADS, t->tid);
	json__text(&j->to, "group_comm", profile__str(j->p, t->group_comm));
	json__text(&j->to, "comm", profile__str(j->p, t->comm));
	json__text(&j->to, "cgroup", t->cgroup ? profile__str(j->p, t->cgroup) : NULL);
	if (t->container)
		json__text(&j->to, "container", profile__str(j->p, t->container));
}

static void put_waits(struct json_parts *j)
{
	u32 i;

	for (i = 1; i < j->p->waits_len && !j->error; i++) {
		begin_row(j, "wait", j->p->waits[i].task);
		json_parts__wait(j, i);
		end(j);
	}
}

static void put_hots(struct json_parts *j)
{
	u32 i;

	for (i = 1; i < j->p->hots_len && !j->error; i++) {
		begin_row(j, "hot", j->p->hots[i].task);
		json_parts__hot(j, i);
		end(j);
	}
}

static void put_wakers(struct json_parts *j)
{
	u32 i;

	for (i = 1; i < j->p->wakers_len && !j->error; i++) {
		begin(j, "waker");
		json__u64(&j->to, "waker", i - 1);
		json_parts__waker(j, i);
		end(j);
	}
	for (i = 1; i < j->p->wakes_len && !j->error; i++) {
		begin_row(j, "wake", j->p->wakes[i].task);
		json_parts__wake(j, i);
		end(j);
	}
}

static void put_measured(struct json_parts *j)
{
	for (u32 i = 1; i < j->p->measured_len && !j->error; i++) {
		begin_row(j, "measured", j->p->measured[i].task);
		json_parts__measured(j, i);
		end(j);
	}
}

static void put_end(struct json_parts *j, u32 losses, enum time_view view)
{
	begin(j, "end");
	json__u64(&j->to, "losses", losses);
	json__u64(&j->to, "tasks", j->p->tasks_len - 1);
	json__u64(&j->to, "objects", j->p->objects_len - 1);
	json__u64(&j->to, "waits", view == VIEW_ON ? 0 : j->p->waits_len - 1);
	if (profile__has_on_cpu(j->p))
		json__u64(&j->to, "hots", view == VIEW_OFF ? 0 : j->p->hots_len - 1);
	if (j->p->hdr.wakers) {
		json__u64(&j->to, "wakers", view == VIEW_ON ? 0 : j->p->wakers_len - 1);
		json__u64(&j->to, "wakes", view == VIEW_ON ? 0 : j->p->wakes_len - 1);
	}
	if (j->p->hdr.measured)
		json__u64(&j->to, "measured", view == VIEW_ON ? 0 : j->p->measured_len - 1);
	end(j);
}

static void put_all(struct json_parts *j, enum time_view view)
{
	u32 losses;

	put_header(j);
	if (j->p->hdr.windows > 1)
		put_line(j, "merged", json_parts__merged);
	if (j->p->hdr.selection)
		put_line(j, "selection", json_parts__selection);
	put_line(j, "budget", json_parts__budget);
	if (json_parts__has_user_stacks(j))
		put_line(j, "user_stacks", json_parts__user_stacks);
	losses = put_losses(j);
	put_tasks(j);
	put_objects(j);
	if (view != VIEW_ON)
		put_waits(j);
	if (view != VIEW_OFF)
		put_hots(j);
	if (view != VIEW_ON) {
		put_wakers(j);
		put_measured(j);
	}
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

	/* waits, hots and wakes have separate lines */
	shown_opt.view = VIEW_OFF;
	shown_opt.wakers = WAKERS_HIDDEN;
	r = shown__init(&shown, p, &shown_opt, NULL);
	if (!r)
		r = json_parts__init(&j, shown.p, opt->memo, out);
	if (!r) {
		j.alone = true;
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
	.help = "a stream of JSON objects, one per line: docs/formats.md",
	.schema = schema,
	.render = render,
};
