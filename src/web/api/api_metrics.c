/* SPDX-License-Identifier: Apache-2.0 */
/* Counters for Prometheus, which begin at 0 with the server. */
#include "base/clock.h"
#include "base/self_memory.h"
#include "profile/loss.h"
#include "render/encode/prom_text.h"
#include "web/api/routes.h"

static void put_causes(struct sink *out, const struct totals *t)
{
	static const char name[] = "coldspot_offcpu_seconds_total";
	u32 cause, class;

	prom_put_head(out, name, "counter",
		      "Off-CPU time of listed waits, blocked and waiting for a CPU, by cause.");
	for (cause = 0; cause < CAUSE_CNT; cause++) {
		for (class = 0; class < CLASS_CNT; class ++) {
			if (!t->cause_ns[cause][class])
				continue;
			sink__printf(out, "%s{cause=\"%s\",class=\"%s\"}", name,
				     cause_name((enum cause)cause),
				     class_name((enum wait_class) class));
			prom_put_seconds(out, t->cause_ns[cause][class]);
		}
	}
}

static void put_comm(struct sink *out, const char *name, const char *comm, const char *state,
		     u64 ns)
{
	sink__printf(out, "%s{comm=\"", name);
	prom_put_label(out, comm);
	sink__printf(out, "\",state=\"%s\"}", state);
	prom_put_seconds(out, ns);
}

static void put_comms(struct sink *out, const struct totals *t)
{
	static const char name[] = "coldspot_process_seconds_total";
	u32 i;

	prom_put_head(out, name, "counter",
		      "Time of all threads of the processes of a name: on a CPU, waiting for one, "
		      "blocked. Names after the first 100 are in (other).");
	for (i = 0; i <= t->comms_len; i++) {
		const struct comm_total *c = i < t->comms_len ? &t->comms[i] : &t->other;
		const char *comm = i < t->comms_len ? strtab__get(&t->names, c->name) :
						      TOTALS_OTHER;

		put_comm(out, name, comm, "on", c->on_ns);
		put_comm(out, name, comm, "runq", c->runq_ns);
		put_comm(out, name, comm, "blocked", c->blocked_ns);
	}
}

static void put_losses(struct sink *out, const struct totals *t)
{
	int i;

	prom_put_head(out, "coldspot_lost_events_total", "counter",
		      "What the profiles do not contain, by kind.");
	for (i = 0; i < LOSS_CNT; i++) {
		if (i == LOSS_UNNAMED) /* listed, and not counted here */
			continue;
		sink__printf(out, "coldspot_lost_events_total{kind=\"%s\"} %llu\n",
			     loss_name((enum profile_loss_kind)i), t->losses[i].events);
	}
}

static void put_totals(struct sink *out, const struct totals *t)
{
	put_causes(out, t);
	prom_put_one_time(out, "coldspot_oncpu_seconds_total", "Time of all threads on a CPU.",
			  t->on_ns);
	prom_put_one_time(out, "coldspot_runq_seconds_total",
			  "Time of all threads waiting for a CPU.", t->runq_ns);
	prom_put_one_time(out, "coldspot_blocked_seconds_total", "Time of all threads blocked.",
			  t->blocked_ns);
	prom_put_one_time(out, "coldspot_idle_seconds_total",
			  "Part of the off-CPU time that was waiting for work.", t->idle_ns);
	prom_put_one_time(out, "coldspot_lost_seconds_total",
			  "Time of threads that is in no listed wait and in no other total.",
			  t->lost_ns);
	prom_put_one_time(out, "coldspot_recorded_seconds_total", "Length of all windows.",
			  t->recorded_ns);
	prom_put_one(out, "coldspot_windows_total", "counter", "Windows that have ended.",
		     t->windows);
	prom_put_one(out, "coldspot_windows_skipped_total", "counter",
		     "Windows left out: they cannot be read, or there was no memory for them.",
		     t->skipped);
	prom_put_one(out, "coldspot_threads", "gauge", "Threads in the last window.", t->threads);
	put_comms(out, t);
	put_losses(out, t);
}

static void put_server(struct sink *out, struct web *w)
{
	u32 i;

	prom_put_one(out, "coldspot_windows_dropped_total", "counter", "Windows no longer kept.",
		     kept__span(&w->kept).dropped);
	prom_put_one_time(out, "coldspot_own_cpu_seconds_total", "CPU time of coldspot itself.",
			  clock_cpu_ns());
	prom_put_one(out, "coldspot_own_resident_bytes", "gauge", "Memory of coldspot itself.",
		     self_memory_resident());
	prom_put_one(out, "coldspot_viewers", "gauge", "Open streams.", atomic_load(&w->viewers));
	prom_put_one(out, "coldspot_requests_total", "counter", "Requests that were answered.",
		     atomic_load(&w->requests));
	prom_put_head(out, "coldspot_refused_total", "counter",
		      "Connections and requests that were refused, by reason.");
	for (i = 0; i < WEB_REFUSED_CNT; i++)
		sink__printf(out, "coldspot_refused_total{reason=\"%s\"} %llu\n",
			     web_refusal_name((enum web_refusal)i),
			     (u64)atomic_load(&w->refused[i]));
}

int api_metrics(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	int r = query__check(&rq->query, err);

	if (r)
		return r;
	a->mime = "text/plain; version=0.0.4; charset=utf-8";
	pthread_mutex_lock(&w->totals.lock);
	put_totals(&a->body, &w->totals);
	pthread_mutex_unlock(&w->totals.lock);
	put_server(&a->body, w);
	return 0;
}
