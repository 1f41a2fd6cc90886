/* SPDX-License-Identifier: Apache-2.0 */
/* All rows and all parts: what is left out on a terminal is here. */
#include "render/json/json_path.h"

#include "render/encode/json_writer.h"

static void put_known(struct json *j, const char *key, const char *text)
{
	json__text(j, key, *text ? text : NULL);
}

static void put_thread(struct json *j, const char *key, const struct profile *p, u32 task)
{
	const struct profile_task *t = &p->tasks[task];

	json__object(j, key);
	json__u64(j, "tid", t->tid);
	json__u64(j, "pid", t->tgid);
	json__text(j, "comm", profile__str(p, t->comm));
	json__end_object(j);
}

static void put_row(struct json *j, const struct profile *p, const struct path_row *row)
{
	bool is_wait = row->kind != PATH_RUNNING && row->kind != PATH_RUNQ &&
		       row->kind != PATH_LOST;

	json__line(j);
	json__object(j, NULL);
	json__text(j, "comm", row->comm);
	if (row->threads == 1)
		json__u64(j, "tid", p->tasks[row->task].tid);
	else
		json__null(j, "tid");
	json__u64(j, "threads", row->threads);
	json__text(j, "kind", path_kind_name((enum path_kind)row->kind));
	json__bool(j, "known", path_kind_is_known((enum path_kind)row->kind));
	json__text(j, "cause", is_wait ? cause_name((enum cause)row->cause) : NULL);
	put_known(j, "place", row->place);
	put_known(j, "object", row->object);
	put_known(j, "waker", row->waker);
	json__u64(j, "ns", row->ns);
	json__u64(j, "longest_ns", row->longest_ns);
	json__u64(j, "parts", row->parts);
	json__end_object(j);
}

/* The threads that waited for the one of this part, the first of them first. */
static void put_chain(struct json *j, const struct critical_path *path, u32 link)
{
	const struct path_link *l = vec__at(&path->links, link);

	if (!link)
		return;
	put_chain(j, path, l->parent);
	json__u64(j, NULL, path->lanes->p->tasks[l->task].tid);
}

static void put_part(struct json *j, const struct critical_path *path,
		     const struct path_table *table, u32 idx)
{
	const struct path_part *part = vec__at(&path->parts, idx);

	json__line(j);
	json__object(j, NULL);
	json__u64(j, "begin_ns", part->begin_ns);
	json__u64(j, "ns", part->ns);
	json__u64(j, "tid", path->lanes->p->tasks[part->task].tid);
	json__u64(j, "row", table->row_of_part[idx]);
	json__array(j, "waited");
	put_chain(j, path, part->link);
	json__end_array(j);
	json__end_object(j);
}

void json_path_put(const struct critical_path *path, const struct path_table *table,
		   struct sink *out)
{
	const struct profile *p = path->lanes->p;
	struct json j = JSON_TO(out);
	u32 i;

	json__object(&j, NULL);
	put_thread(&j, "thread", p, path->lanes->lanes[path->range.lane].last_task);
	json__u64(&j, "begin_ns", path->range.begin_ns);
	json__u64(&j, "end_ns", path->range.end_ns);
	json__u64(&j, "wall_ns", path->range.end_ns - path->range.begin_ns);
	json__u64(&j, "known_ns", table->known_ns);
	json__array(&j, "rows");
	for (i = 0; i < table->len; i++)
		put_row(&j, p, &table->rows[i]);
	json__end_array(&j);
	json__array(&j, "parts");
	for (i = 0; i < path->parts.len; i++)
		put_part(&j, path, table, i);
	json__end_array(&j);
	json__end_object(&j);
	sink__puts(out, "\n");
}
