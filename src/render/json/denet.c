/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON lines of denet, for scripts and dashboards written for it: the keys, units and types of its
 * `ebpf.offcpu`, in the `aggregated` of one `tree` record for the whole window. denet counts only
 * waits above 1 ms and does not say so; here the threshold is the recording's own (--min), stated
 * next to the sums.
 *
 * denet's reader refuses a record without the numbers that it takes from /proc. We do not measure
 * these: they are 0, and `coldspot.not_measured` names them. It also refuses a record without the
 * lists that denet declares and leaves empty, so they are written, empty.
 */
#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/model/hist.h"
#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "profile/estimate.h"
#include "render/encode/json_writer.h"
#include "render/render.h"
#include "render/words/scope_text.h"

#define TOP_THREADS 10

/* For a thread, and for all. */
struct sums {
	u64 total_ns;
	u64 events;
	u64 max_ns;
	u64 min_ns; /* ~0: no wait */
	u64 var_us2;
};

struct thread {
	u32 tgid; /* the key */
	u32 tid;
	struct sums sums;
};

struct denet {
	const struct render_options *opt;
	const struct profile *p;
	struct json to;
	struct profile_budget budget;
	struct intern threads;
	u32 *order; /* thread ids */
	u32 order_len;
	struct sums all;
};

static const char *const not_measured[] = { "mem_rss_kb",	"mem_vms_kb",
					    "disk_read_bytes",	"disk_write_bytes",
					    "sys_net_rx_bytes", "sys_net_tx_bytes" };

/*
 * A recording has no shortest wait, but a histogram: the floor of the first used bucket is a lower
 * bound. A single wait is known to the nanosecond; if only a total is known, nothing is.
 */
static u64 at_least_ns(const struct profile *p, const struct profile_wait *w)
{
	u64 floor_ns;
	u32 i = 0;

	if (w->flags & WAIT_NO_LENGTHS)
		return ~0ULL;
	if (w->count < 2)
		return w->count ? wait_ns(w) : ~0ULL;
	while (i < PROFILE_HIST_LEN - 1 && !w->hist[i])
		i++;
	floor_ns = hist_floor_ns(i);
	return floor_ns > p->hdr.min_ns ? floor_ns : p->hdr.min_ns;
}

static void add_wait(struct sums *s, const struct profile *p, const struct profile_wait *w)
{
	u64 least_ns = at_least_ns(p, w);

	s->total_ns += wait_ns(w);
	s->events += w->count;
	s->var_us2 = estimate_add_var(s->var_us2, w->var_us2);
	if (w->max_ns > s->max_ns)
		s->max_ns = w->max_ns;
	if (least_ns < s->min_ns)
		s->min_ns = least_ns;
}

static int sum_up(struct denet *d)
{
	u32 i, id;
	int r;

	d->all.min_ns = ~0ULL;
	r = intern__init(&d->threads, sizeof(struct thread), offsetof(struct thread, sums));
	for (i = 1; !r && i < d->p->waits_len; i++) {
		const struct profile_wait *w = &d->p->waits[i];
		const struct profile_task *t = &d->p->tasks[w->task];
		struct thread fresh = { .tgid = t->tgid, .tid = t->tid, .sums.min_ns = ~0ULL };

		r = intern__add(&d->threads, &fresh, &id);
		if (r)
			break;
		add_wait(&((struct thread *)intern__at(&d->threads, id))->sums, d->p, w);
		add_wait(&d->all, d->p, w);
	}
	return r;
}

static const struct thread *thread_at(const struct denet *d, u32 id)
{
	return intern__at(&d->threads, id);
}

static int by_number(const void *a, const void *b, void *arg)
{
	const struct thread *x = thread_at(arg, *(const u32 *)a);
	const struct thread *y = thread_at(arg, *(const u32 *)b);

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int longest_first(const void *a, const void *b, void *arg)
{
	const struct thread *x = thread_at(arg, *(const u32 *)a);
	const struct thread *y = thread_at(arg, *(const u32 *)b);

	if (x->sums.total_ns != y->sums.total_ns)
		return x->sums.total_ns > y->sums.total_ns ? -1 : 1;
	return by_number(a, b, arg);
}

/* n / 10^digits without trailing zeros, except one after the point: a float in serde. */
static void put_decimal(struct json *to, const char *key, u64 n, u32 digits)
{
	char text[32];
	u64 unit = 1;
	u32 i;
	size_t len;

	for (i = 0; i < digits; i++)
		unit *= 10;
	snprintf(text, sizeof(text), "%llu.%0*llu", n / unit, (int)digits, n % unit);
	for (len = strlen(text); text[len - 1] == '0' && text[len - 2] != '.';)
		text[--len] = '\0';
	json__printf(to, key, "%s", text);
}

/* Rounded half up, as in denet. */
static u64 hundredths(u64 part, u64 whole)
{
	return whole ? (u64)(((unsigned __int128)part * 10000 + whole / 2) / whole) : 0;
}

static u64 mean(const struct sums *s)
{
	return s->events ? s->total_ns / s->events : 0;
}

static u64 least(const struct sums *s)
{
	return s->min_ns == ~0ULL ? 0 : s->min_ns;
}

static void put_sums(struct json *to, const char *events, const struct sums *s)
{
	json__u64(to, "total_time_ns", s->total_ns);
	json__u64(to, events, s->events);
	json__u64(to, "avg_time_ns", mean(s));
	json__u64(to, "max_time_ns", s->max_ns);
	json__u64(to, "min_time_ns", least(s));
}

static void put_thread_stats(struct denet *d)
{
	char name[32];
	u32 i;

	json__object(&d->to, "thread_stats");
	for (i = 0; i < d->order_len; i++) {
		const struct thread *t = thread_at(d, d->order[i]);

		snprintf(name, sizeof(name), "%u:%u", t->tgid, t->tid);
		json__object(&d->to, name);
		json__u64(&d->to, "tid", t->tid);
		put_sums(&d->to, "count", &t->sums);
		json__end_object(&d->to);
	}
	json__end_object(&d->to);
}

static void put_top(struct denet *d)
{
	u32 i;

	json__array(&d->to, "top_blocking_threads");
	for (i = 0; i < d->order_len && i < TOP_THREADS; i++) {
		const struct thread *t = thread_at(d, d->order[i]);

		json__object(&d->to, NULL);
		json__u64(&d->to, "tid", t->tid);
		json__u64(&d->to, "pid", t->tgid);
		put_decimal(&d->to, "time_ms", t->sums.total_ns, 6);
		put_decimal(&d->to, "percentage", hundredths(t->sums.total_ns, d->all.total_ns), 2);
		json__end_object(&d->to);
	}
	json__end_array(&d->to);
}

static void put_empty(struct json *to, const char *key)
{
	json__array(to, key);
	json__end_array(to);
}

static void put_offcpu(struct denet *d)
{
	json__object(&d->to, "ebpf");
	json__object(&d->to, "offcpu");
	put_sums(&d->to, "total_events", &d->all);
	qsort_r(d->order, d->order_len, sizeof(*d->order), by_number, d);
	put_thread_stats(d);
	qsort_r(d->order, d->order_len, sizeof(*d->order), longest_first, d);
	put_top(d);
	put_empty(&d->to, "bottlenecks");
	put_empty(&d->to, "stack_traces");
	json__u64(&d->to, "threshold_ns", d->p->hdr.min_ns);
	json__end_object(&d->to);
	json__end_object(&d->to);
}

static u64 end_ms(const struct denet *d)
{
	return (d->p->hdr.begin_wall_ns + d->p->hdr.window_ns) / NSEC_PER_MSEC;
}

static void put_aggregated(struct denet *d)
{
	const struct profile_budget *b = &d->budget;
	size_t i;

	json__object(&d->to, "aggregated");
	json__u64(&d->to, "ts_ms", end_ms(d));
	put_decimal(&d->to, "cpu_usage", hundredths(b->on_ns, d->p->hdr.window_ns), 2);
	for (i = 0; i < ARRAY_LEN(not_measured); i++)
		json__u64(&d->to, not_measured[i], 0);
	json__u64(&d->to, "thread_count", b->threads);
	json__u64(&d->to, "process_count", b->processes);
	json__u64(&d->to, "uptime_secs", d->p->hdr.window_ns / NSEC_PER_SEC);
	put_offcpu(d);
	json__end_object(&d->to);
}

static void put_losses(struct denet *d)
{
	int i;

	json__object(&d->to, "losses");
	for (i = 0; i < LOSS_CNT; i++) {
		const struct profile_loss *loss = &d->p->losses[i];

		if (!loss->events && !loss->ns)
			continue;
		json__object(&d->to, loss_name((enum profile_loss_kind)i));
		json__u64(&d->to, "events", loss->events);
		json__u64(&d->to, "ns", loss->ns);
		json__end_object(&d->to);
	}
	json__end_object(&d->to);
}

static void put_time(struct json *to, const char *name, u64 ns)
{
	if (ns)
		json__u64(to, name, ns);
}

static int put_causes(struct denet *d)
{
	u64 ns[CAUSE_CNT] = { 0 }, of_class_ns[CLASS_CNT] = { 0 };
	struct causes causes;
	int r = causes__recall(&causes, d->p, d->opt->memo, NULL);
	u32 i;

	for (i = 1; !r && i < d->p->waits_len; i++) {
		ns[causes__of(&causes, i)] += wait_ns(&d->p->waits[i]);
		of_class_ns[causes__class(&causes, i)] += wait_ns(&d->p->waits[i]);
	}
	causes__done(&causes);
	json__object(&d->to, "time_by_cause_ns");
	for (i = 0; i < CAUSE_CNT; i++)
		put_time(&d->to, cause_name((enum cause)i), ns[i]);
	json__end_object(&d->to);
	json__object(&d->to, "time_by_class_ns");
	for (i = 0; i < CLASS_CNT; i++)
		put_time(&d->to, class_name((enum wait_class)i), of_class_ns[i]);
	json__end_object(&d->to);
	return r;
}

/* What denet's format lacks. */
static int put_ours(struct denet *d)
{
	const struct profile_header *h = &d->p->hdr;
	struct json *to = &d->to;
	char source[SCOPE_TEXT_SZ];
	size_t i;
	int r;

	json__object(to, "coldspot");
	json__text(to, "version", profile__str(d->p, h->version));
	json__text(to, "target", profile__str(d->p, h->target));
	json__text(to, "selection", profile__str(d->p, h->selection));
	if (scope_text(d->p, SCOPE_SOURCE, source, sizeof(source)))
		json__text(to, "source", source);
	json__u64(to, "windows", h->windows > 1 ? h->windows : 1);
	json__u64(to, "threshold_ns", h->min_ns);
	json__u64(to, "window_ns", h->window_ns);
	json__bool(to, "sampled", profile__is_sampled(d->p));
	json__u64(to, "period_ns", h->period_ns);
	json__u64(to, "total_time_se_ns", estimate_se_ns(d->all.var_us2));
	json__u64(to, "blocked_ns", d->budget.listed_blocked_ns);
	json__u64(to, "runq_ns", d->budget.listed_runq_ns);
	r = put_causes(d);
	json__text(to, "min_time_ns", "at least");
	json__array(to, "not_measured");
	for (i = 0; i < ARRAY_LEN(not_measured); i++)
		json__text(to, NULL, not_measured[i]);
	json__end_array(to);
	put_losses(d);
	json__end_object(to);
	return r;
}

/* A record is a line. */
static void end_record(struct denet *d)
{
	json__end_object(&d->to);
	sink__puts(d->to.out, "\n");
	d->to.comma = false;
}

/* denet follows one process and its children: we use the one that began first. */
static void put_metadata(struct denet *d)
{
	const struct profile_task *first = NULL;
	u32 i;

	for (i = 1; i < d->p->tasks_len; i++) {
		const struct profile_task *t = &d->p->tasks[i];

		if (!first || t->start_boottime_ns < first->start_boottime_ns)
			first = t;
	}
	json__object(&d->to, NULL);
	json__text(&d->to, "kind", "metadata");
	json__u64(&d->to, "pid", first ? first->tgid : 0);
	json__array(&d->to, "cmd");
	json__text(&d->to, NULL, first ? profile__str(d->p, first->group_comm) : "");
	json__end_array(&d->to);
	json__text(&d->to, "executable", "");
	json__u64(&d->to, "t0_ms", d->p->hdr.begin_wall_ns / NSEC_PER_MSEC);
	end_record(d);
}

static int put_all(struct denet *d)
{
	u32 i;
	int r;

	d->order_len = intern__len(&d->threads) - 1;
	d->order = mem_array((size_t)d->order_len + 1, sizeof(*d->order));
	if (!d->order)
		return -ENOMEM;
	for (i = 0; i < d->order_len; i++)
		d->order[i] = i + 1;
	put_metadata(d);
	json__object(&d->to, NULL);
	json__text(&d->to, "kind", "tree");
	json__u64(&d->to, "ts_ms", end_ms(d));
	json__null(&d->to, "parent");
	put_empty(&d->to, "children");
	put_aggregated(d);
	r = put_ours(d);
	end_record(d);
	return r;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct denet d = { .p = p, .to = JSON_TO(out) };
	int r;

	d.opt = opt;
	r = profile__budget(p, &d.budget);
	if (!r)
		r = sum_up(&d);
	if (!r)
		r = put_all(&d);
	intern__done(&d.threads);
	mem_free(d.order);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_denet = {
	.name = "denet",
	.endings = ".denet.json .denet.jsonl",
	.mime = "application/x-ndjson",
	.help = "sums by thread in denet's ebpf.offcpu format",
	.render = render,
};
