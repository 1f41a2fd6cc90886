/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text format of Prometheus. Counters begin at 0 with the server; seconds have nine digits, so
 * that they are exact.
 */
#include <string.h>

#include "base/clock.h"
#include "profile/loss.h"
#include "web/source/own_cost.h"
#include "web/api/routes.h"

static void put_kind(struct sink *out, const char *name, const char *type, const char *help)
{
	sink__printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_seconds(struct sink *out, u64 ns)
{
	sink__printf(out, " %llu.%09llu\n", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

/* The names are harmless text; only two of their characters have a meaning here. */
static void put_label(struct sink *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			sink__puts(out, "\\");
		sink__put(out, text, 1);
	}
}

static void put_one(struct sink *out, const char *name, const char *type, const char *help, u64 n)
{
	put_kind(out, name, type, help);
	sink__printf(out, "%s %llu\n", name, n);
}

static void put_one_time(struct sink *out, const char *name, const char *help, u64 ns)
{
	put_kind(out, name, "counter", help);
	sink__puts(out, name);
	put_seconds(out, ns);
}

static void put_causes(struct sink *out, const struct totals *t)
{
	static const char name[] = "coldspot_offcpu_seconds_total";
	u32 cause, class;

	put_kind(out, name, "counter",
		 "Off-CPU time of listed waits, blocked and waiting for a CPU, by cause.");
	for (cause = 0; cause < CAUSE_CNT; cause++) {
		for (class = 0; class < CLASS_CNT; class ++) {
			if (!t->cause_ns[cause][class])
				continue;
			sink__printf(out, "%s{cause=\"%s\",class=\"%s\"}", name,
				     cause_name((enum cause)cause),
				     class_name((enum wait_class) class));
			put_seconds(out, t->cause_ns[cause][class]);
		}
	}
}

static void put_comm(struct sink *out, const char *name, const char *comm, const char *state,
		     u64 ns)
{
	sink__printf(out, "%s{comm=\"", name);
	put_label(out, comm);
	sink__printf(out, "\",state=\"%s\"}", state);
	put_seconds(out, ns);
}

static void put_comms(struct sink *out, const struct totals *t)
{
	static const char name[] = "coldspot_process_seconds_total";
	u32 i;

	put_kind(out, name, "counter",
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

	put_kind(out, "coldspot_lost_events_total", "counter",
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
	put_one_time(out, "coldspot_oncpu_seconds_total", "Time of all threads on a CPU.",
		     t->on_ns);
	put_one_time(out, "coldspot_runq_seconds_total", "Time of all threads waiting for a CPU.",
		     t->runq_ns);
	put_one_time(out, "coldspot_blocked_seconds_total", "Time of all threads blocked.",
		     t->blocked_ns);
	put_one_time(out, "coldspot_idle_seconds_total",
		     "Part of the off-CPU time that was waiting for work.", t->idle_ns);
	put_one_time(out, "coldspot_lost_seconds_total",
		     "Time of threads that is in no listed wait and in no other total.",
		     t->lost_ns);
	put_one_time(out, "coldspot_recorded_seconds_total", "Length of all windows.",
		     t->recorded_ns);
	put_one(out, "coldspot_windows_total", "counter", "Windows that have ended.", t->windows);
	put_one(out, "coldspot_windows_skipped_total", "counter",
		"Windows left out: they cannot be read, or there was no memory for them.",
		t->skipped);
	put_one(out, "coldspot_threads", "gauge", "Threads in the last window.", t->threads);
	put_comms(out, t);
	put_losses(out, t);
}

static void put_server(struct sink *out, struct web *w)
{
	u32 i;

	put_one(out, "coldspot_windows_dropped_total", "counter", "Windows no longer kept.",
		kept__span(&w->kept).dropped);
	put_one_time(out, "coldspot_own_cpu_seconds_total", "CPU time of coldspot itself.",
		     clock_cpu_ns());
	put_one(out, "coldspot_own_resident_bytes", "gauge", "Memory of coldspot itself.",
		own_rss_bytes());
	put_one(out, "coldspot_viewers", "gauge", "Open streams.", atomic_load(&w->viewers));
	put_one(out, "coldspot_requests_total", "counter", "Requests that were answered.",
		atomic_load(&w->requests));
	put_kind(out, "coldspot_refused_total", "counter",
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
