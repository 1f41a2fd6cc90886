/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ClickHouse, by its HTTP interface. A stack goes into a table of its own once a day, and rows have
 * its hash: a fleet runs the same code, and most of a row would be names. Rows are JSONEachRow, so
 * that a table may have columns that an older coldspot does not send, and gzip takes what the names
 * of columns add.
 *
 * A window has its waits numbered from 1, and each row has the number of all of them, so a reader
 * sees whether it is whole, and whether a row came twice (src/fleet). A table without these columns
 * still takes the rest.
 *
 * Times are whole nanoseconds, so that sums equal those of the store. Microseconds would take a
 * fifth less space.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cause/syscall_name.h"
#include "analysis/name/cgroup_label.h"
#include "analysis/name/label.h"
#include "analysis/name/object_label.h"
#include "analysis/view/shown.h"
#include "analysis/view/wait_stacks.h"
#include "base/clock.h"
#include "base/hash.h"
#include "profile/state.h"
#include "push/target.h"
#include "render/encode/json_writer.h"

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS offcpu_samples (\n"
	"  ts DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),\n"
	"  host LowCardinality(String),\n"
	"  service LowCardinality(String),\n"
	"  cause LowCardinality(String),\n"
	"  class LowCardinality(String),\n"
	"  state LowCardinality(String),\n"
	"  syscall LowCardinality(String),\n"
	"  cgroup LowCardinality(String),\n"
	"  thread LowCardinality(String),\n"
	"  pid UInt32 CODEC(T64, ZSTD(1)),\n"
	"  tid UInt32 CODEC(T64, ZSTD(1)),\n"
	"  object String CODEC(ZSTD(1)),\n"
	"  owner String CODEC(ZSTD(1)),\n"
	"  stack_id UInt64 CODEC(ZSTD(1)),\n"
	"  ns UInt64 CODEC(T64, ZSTD(1)),\n"
	"  count UInt64 CODEC(T64, ZSTD(1)),\n"
	"  begin_ns UInt64 DEFAULT toUInt64(toUnixTimestamp(ts)) * 1000000000 CODEC(ZSTD(1)),\n"
	"  window_ns UInt64 CODEC(ZSTD(1)),\n"
	"  wait UInt32 CODEC(T64, ZSTD(1)),\n"
	"  runq_ns UInt64 CODEC(T64, ZSTD(1)),\n"
	"  rows UInt32 CODEC(T64, ZSTD(1)),\n"
	"  sampled UInt8 CODEC(ZSTD(1)),\n"
	"  container LowCardinality(String)\n"
	") ENGINE = MergeTree\n"
	"PARTITION BY toDate(ts)\n"
	"ORDER BY (service, host, ts, cause, stack_id)\n"
	"TTL ts + INTERVAL 30 DAY\n"
	"SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000;\n"
	"\n"
	"CREATE TABLE IF NOT EXISTS offcpu_stacks (\n"
	"  stack_id UInt64,\n"
	"  frames Array(LowCardinality(String)) CODEC(ZSTD(3)),\n"
	"  last_seen Date,\n"
	"  files Array(LowCardinality(String)) CODEC(ZSTD(3)),\n"
	"  kernel UInt16 DEFAULT 65535\n"
	") ENGINE = ReplacingMergeTree(last_seen)\n"
	"ORDER BY stack_id\n"
	"TTL last_seen + INTERVAL 60 DAY;\n"
	"\n"
	/* a table of an older coldspot */
	"ALTER TABLE offcpu_samples\n"
	"  ADD COLUMN IF NOT EXISTS begin_ns UInt64\n"
	"    DEFAULT toUInt64(toUnixTimestamp(ts)) * 1000000000 CODEC(ZSTD(1)),\n"
	"  ADD COLUMN IF NOT EXISTS window_ns UInt64 CODEC(ZSTD(1)),\n"
	"  ADD COLUMN IF NOT EXISTS wait UInt32 CODEC(T64, ZSTD(1)),\n"
	"  ADD COLUMN IF NOT EXISTS runq_ns UInt64 CODEC(T64, ZSTD(1)),\n"
	"  ADD COLUMN IF NOT EXISTS rows UInt32 CODEC(T64, ZSTD(1)),\n"
	"  ADD COLUMN IF NOT EXISTS sampled UInt8 CODEC(ZSTD(1)),\n"
	"  ADD COLUMN IF NOT EXISTS container LowCardinality(String);\n"
	"\n"
	"ALTER TABLE offcpu_stacks\n"
	"  ADD COLUMN IF NOT EXISTS files Array(LowCardinality(String)) CODEC(ZSTD(3)),\n"
	"  ADD COLUMN IF NOT EXISTS kernel UInt16 DEFAULT 65535;\n";

struct shown_frame {
	const char *text;
	const char *file; /* path of what the code is in; "": the kernel's, or not known */
};

struct encoding {
	const struct push_window *w;
	const struct push_url *url;
	const struct profile *p; /* the view that is sent */
	struct labels labels;
	struct causes causes;
	struct vec frames; /* struct shown_frame, of one stack, root first */
	size_t kernel; /* so many at its end are the kernel's */
	struct sink rows;
	struct sink stacks;
	bool any_stack;
	int error;
};

static void add_frame(struct encoding *e, const char *text, const char *file)
{
	struct shown_frame *slot = vec__push(&e->frames);

	if (slot)
		*slot = (struct shown_frame){ text, file };
	else
		e->error = -ENOMEM;
}

static const char *file_of(const struct profile *p, const struct profile_frame *f)
{
	return f->flags & FRAME_KERNEL ? "" : profile__str(p, p->modules[f->module].path);
}

/* Leaf first: add_stack() turns it around. */
static void add_side(struct encoding *e, u32 leaf, const char *missed)
{
	const struct profile *p = e->p;

	for (u32 node = leaf; node; node = p->stacks[node].parent)
		add_frame(e, labels__frame(&e->labels, p->stacks[node].frame),
			  file_of(p, &p->frames[p->stacks[node].frame]));
	if (leaf && p->stacks[leaf].flags & STACK_CUT)
		add_frame(e, NOTE_CUT, "");
	if (missed)
		add_frame(e, missed, "");
}

static void gather_frames(struct encoding *e, u32 wait)
{
	const struct wait_stacks s = wait_stacks_of(e->p, wait, 0);
	struct shown_frame *frames;

	vec__reset(&e->frames);
	add_side(e, s.kernel, s.kernel_missed ? NOTE_MISSED_KERNEL : NULL);
	e->kernel = e->frames.len;
	add_side(e, s.user, s.user_missed ? NOTE_MISSED_USER : NULL);
	if (s.lost)
		add_frame(e, s.lost, "");
	frames = e->frames.data;
	for (size_t i = 0; i < e->frames.len / 2; i++) {
		struct shown_frame other = frames[e->frames.len - 1 - i];

		frames[e->frames.len - 1 - i] = frames[i];
		frames[i] = other;
	}
}

static const struct shown_frame *frame_at(const struct encoding *e, size_t i)
{
	return vec__at(&e->frames, i);
}

static u64 hash_of(const struct encoding *e)
{
	u64 hash = e->frames.len;

	for (size_t i = 0; i < e->frames.len; i++)
		hash = hash_u64(hash) ^ hash_text(frame_at(e, i)->text);
	return hash_u64(hash);
}

static void put_date(struct json *to, const char *key, u64 wall_ns)
{
	char text[32];

	clock_format_wall(wall_ns, text, sizeof(text));
	text[strcspn(text, "T")] = '\0';
	json__text(to, key, text);
}

/* Numbers of 64 bits as they are: json__u64() would cut those above 2^63. */
static void put_u64(struct json *to, const char *key, u64 n)
{
	json__printf(to, key, "%llu", (unsigned long long)n);
}

static u64 put_stack(struct encoding *e, u32 wait)
{
	struct json to = JSON_TO(&e->stacks);
	u64 hash;
	int r;

	gather_frames(e, wait);
	hash = hash_of(e);
	r = sent_stacks__add(e->w->stacks, hash);
	if (r < 0)
		e->error = r;
	if (r <= 0)
		return hash;
	e->any_stack = true;
	json__object(&to, NULL);
	put_u64(&to, "stack_id", hash);
	json__array(&to, "frames");
	for (size_t i = 0; i < e->frames.len; i++)
		json__text(&to, NULL, frame_at(e, i)->text);
	json__end_array(&to);
	json__array(&to, "files");
	for (size_t i = 0; i < e->frames.len; i++)
		json__text(&to, NULL, frame_at(e, i)->file);
	json__end_array(&to);
	put_date(&to, "last_seen", e->p->hdr.begin_wall_ns);
	json__u64(&to, "kernel", e->kernel);
	json__end_object(&to);
	sink__puts(&e->stacks, "\n");
	return hash;
}

static void put_row(struct encoding *e, u32 id)
{
	const struct profile_wait *wait = &e->p->waits[id];
	const struct profile_task *t = &e->p->tasks[wait->task];
	const char *call = syscall_name(profile__str(e->p, e->p->hdr.arch), wait->sysno);
	const char state[2] = { state_letter(wait->state), '\0' };
	char object[OBJECT_LABEL_SZ], owner[OWNER_LABEL_SZ], cgroup[CGROUP_ID_SZ];
	struct json to = JSON_TO(&e->rows);

	json__object(&to, NULL);
	json__u64(&to, "ts", e->p->hdr.begin_wall_ns / NSEC_PER_SEC);
	json__text(&to, "host", profile__str(e->p, e->p->hdr.host));
	json__text(&to, "service",
		   *e->url->service ? e->url->service : profile__str(e->p, t->group_comm));
	json__text(&to, "cause", cause_name(causes__of(&e->causes, id)));
	json__text(&to, "class", class_name(causes__class(&e->causes, id)));
	json__text(&to, "state", state);
	json__text(&to, "syscall", call ? call : "");
	json__text(&to, "cgroup", cgroup_label(e->p, t, cgroup));
	json__text(&to, "thread", profile__str(e->p, t->comm));
	json__u64(&to, "pid", t->tgid);
	json__u64(&to, "tid", t->tid);
	json__text(&to, "object", object_label(e->p, wait->object, object, sizeof(object)));
	json__text(&to, "owner", owner_label(e->p, wait, owner, sizeof(owner)));
	put_u64(&to, "stack_id", put_stack(e, id));
	put_u64(&to, "ns", wait_ns(wait));
	put_u64(&to, "count", wait->count);
	put_u64(&to, "begin_ns", e->p->hdr.begin_wall_ns);
	put_u64(&to, "window_ns", e->p->hdr.window_ns);
	put_u64(&to, "wait", id);
	put_u64(&to, "runq_ns", wait->runq_ns);
	json__u64(&to, "rows", e->p->waits_len - 1);
	json__u64(&to, "sampled", profile__is_sampled(e->p));
	json__text(&to, "container", profile__str(e->p, t->container));
	json__end_object(&to);
	sink__puts(&e->rows, "\n");
}

static int add_insert(struct push_parts *parts, const char *table, const char *id,
		      struct sink *body, struct err *err)
{
	struct http_part part = { .content_type = "application/x-ndjson" };

	snprintf(part.query, sizeof(part.query),
		 "query=INSERT%%20INTO%%20%s%%20FORMAT%%20JSONEachRow"
		 "&input_format_skip_unknown_fields=1"
		 "&insert_deduplication_token=%s-%s",
		 table, table, id);
	return push_parts__add(parts, &part, body, true, err);
}

/* Stacks first: a row never names one that is not there. */
static int put_all(struct encoding *e, struct push_parts *parts, struct err *err)
{
	int r = 0;

	for (u32 i = 1; i < e->p->waits_len && !e->error; i++)
		put_row(e, i);
	if (e->error)
		return err__nomem(err);
	if (e->any_stack)
		r = add_insert(parts, "offcpu_stacks", e->w->id, &e->stacks, err);
	if (!r && e->p->waits_len > 1)
		r = add_insert(parts, "offcpu_samples", e->w->id, &e->rows, err);
	return r;
}

static int encode(const struct push_window *w, const struct push_url *url, struct push_parts *parts,
		  struct err *err)
{
	const struct shown_options shown_opt = { .view = VIEW_OFF };
	struct encoding e = { .w = w, .url = url };
	struct shown shown;
	int r = shown__init(&shown, w->p, &shown_opt, err);

	e.p = shown.p;
	vec__init(&e.frames, sizeof(struct shown_frame));
	sink__init_mem(&e.rows);
	sink__init_mem(&e.stacks);
	if (!r)
		r = labels__init(&e.labels, e.p, err);
	if (!r)
		r = causes__recall(&e.causes, e.p, w->memo, err);
	if (!r)
		r = put_all(&e, parts, err);
	sink__done(&e.stacks);
	sink__done(&e.rows);
	vec__done(&e.frames);
	causes__done(&e.causes);
	labels__done(&e.labels);
	shown__done(&shown);
	return r;
}

/* An insert that worked says nothing. */
static enum push_verdict judge(const struct http_answer *answer, struct err *why)
{
	if (!answer->body.len)
		return PUSH_TAKEN;
	err__set(why, -EPROTO, "status %u, but not the answer of an insert: is it ClickHouse?",
		 answer->status);
	return PUSH_LATER;
}

const struct push_target push_clickhouse = {
	.name = "clickhouse",
	.path = "/",
	.help = "ClickHouse, into the tables of --clickhouse-schema",
	.schema = schema,
	.encode = encode,
	.judge = judge,
};
