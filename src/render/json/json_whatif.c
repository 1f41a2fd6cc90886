/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/json_whatif.h"

#include "render/encode/json_writer.h"
#include "render/words/whatif_text.h"

static void put_row(struct json *j, const struct whatif_row *row)
{
	u32 i;

	json__line(j);
	json__object(j, NULL);
	json__text(j, "cause", cause_name((enum cause)row->cause));
	json__text(j, "object", *row->object ? row->object : NULL);
	json__text(j, "place", *row->place ? row->place : NULL);
	json__u64(j, "waits", row->waits);
	json__u64(j, "path_ns", row->path_ns);
	json__array(j, "predicted");
	for (i = 0; i < WHATIF_STEPS; i++) {
		json__object(j, NULL);
		json__u64(j, "percent", whatif_percent[i]);
		json__u64(j, "ns", row->ns[i]);
		json__end_object(j);
	}
	json__end_array(j);
	json__end_object(j);
}

void json_whatif_put(const struct profile *p, u32 task, const struct whatif *w, struct sink *out)
{
	struct json j = JSON_TO(out);
	u32 i;

	json__object(&j, NULL);
	json__object(&j, "thread");
	json__u64(&j, "tid", p->tasks[task].tid);
	json__u64(&j, "pid", p->tasks[task].tgid);
	json__text(&j, "comm", profile__str(p, p->tasks[task].comm));
	json__end_object(&j);
	json__u64(&j, "measured_ns", w->measured_ns);
	json__u64(&j, "replay_ns", w->replay_ns);
	json__u64(&j, "recorded_cpus", w->recorded_cpus);
	json__u64(&j, "cpus", w->cpus);
	json__u64(&j, "cpus_ns", w->cpus_ns);
	json__u64(&j, "twice_ns", w->twice_ns);
	json__u64(&j, "all_ns", w->all_ns);
	json__u64(&j, "on_cpu_ns", w->on_cpu_ns);
	json__u64(&j, "runq_ns", w->runq_ns);
	json__u64(&j, "unknown_ns", w->unknown_ns);
	json__u64(&j, "forced", w->forced);
	json__array(&j, "waits");
	for (i = 0; i < w->len; i++)
		put_row(&j, &w->rows[i]);
	json__end_array(&j);
	json__array(&j, "assumptions");
	for (i = 0; whatif_assumptions[i]; i++)
		json__text(&j, NULL, whatif_assumptions[i]);
	json__end_array(&j);
	json__end_object(&j);
	sink__puts(out, "\n");
}
