/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON lines of denet, for scripts and dashboards that were written for it: the keys, units and
 * types of its `ebpf.offcpu`, in the `aggregated` of one `tree` record for the whole window. denet
 * counts waits above 1 ms only and does not say so; here the threshold is the recording's own
 * (--min), and it stands beside the sums.
 *
 * denet's reader refuses a record without the numbers that it takes from /proc. We do not measure
 * these: they are 0, and `coldspot.not_measured` names them. It refuses as well a record without
 * the lists that denet declares and leaves empty, so they are written, empty.
 */
#include <errno.h>

#include "analysis/cause_memo.h"
#include "analysis/hist.h"
#include "analysis/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "profile/estimate.h"
#include "render/json_text.h"
#include "render/render.h"

#define TOP_THREADS 10

/* Of a thread, and of all. */
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
	struct sink *out;
	struct profile_budget budget;
	struct intern threads;
	u32 *order; /* ids of threads */
	u32 order_len;
	struct sums all;
};

static const char not_measured[] =
	"[\"mem_rss_kb\",\"mem_vms_kb\",\"disk_read_bytes\",\"disk_write_bytes\","
	"\"sys_net_rx_bytes\",\"sys_net_tx_bytes\"]";

/*
 * A recording keeps no shortest wait, but a histogram: the floor of the first bucket in use is what
 * the shortest one was at least. One wait alone is known to the nanosecond; where only a total is
 * known, nothing.
 */
static u64 at_least_ns(const struct profile *p, const struct profile_wait *w)
{
	u64 floor_ns;
	u32 i = 0;

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

/* n / 10^digits without zeros at the end, but one behind the point: a float of serde. */
static void put_decimal(struct sink *out, u64 n, u32 digits)
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
	sink__puts(out, text);
}

/* Half up, as denet rounds. */
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

static void put_thread_stats(const struct denet *d)
{
	const char *before = "";
	u32 i;

	sink__puts(d->out, "\"thread_stats\":{");
	for (i = 0; i < d->order_len; i++, before = ",") {
		const struct thread *t = thread_at(d, d->order[i]);
		const struct sums *s = &t->sums;

		sink__printf(d->out,
			     "%s\"%u:%u\":{\"tid\":%u,\"total_time_ns\":%llu,\"count\":%llu,"
			     "\"avg_time_ns\":%llu,\"max_time_ns\":%llu,\"min_time_ns\":%llu}",
			     before, t->tgid, t->tid, t->tid, s->total_ns, s->events, mean(s),
			     s->max_ns, least(s));
	}
	sink__puts(d->out, "},");
}

static void put_top(const struct denet *d)
{
	const char *before = "";
	u32 i;

	sink__puts(d->out, "\"top_blocking_threads\":[");
	for (i = 0; i < d->order_len && i < TOP_THREADS; i++, before = ",") {
		const struct thread *t = thread_at(d, d->order[i]);

		sink__printf(d->out, "%s{\"tid\":%u,\"pid\":%u,\"time_ms\":", before, t->tid,
			     t->tgid);
		put_decimal(d->out, t->sums.total_ns, 6);
		sink__puts(d->out, ",\"percentage\":");
		put_decimal(d->out, hundredths(t->sums.total_ns, d->all.total_ns), 2);
		sink__puts(d->out, "}");
	}
	sink__puts(d->out, "],");
}

static void put_offcpu(struct denet *d)
{
	const struct sums *s = &d->all;

	sink__printf(d->out,
		     "\"ebpf\":{\"offcpu\":{\"total_time_ns\":%llu,\"total_events\":%llu,"
		     "\"avg_time_ns\":%llu,\"max_time_ns\":%llu,\"min_time_ns\":%llu,",
		     s->total_ns, s->events, mean(s), s->max_ns, least(s));
	qsort_r(d->order, d->order_len, sizeof(*d->order), by_number, d);
	put_thread_stats(d);
	qsort_r(d->order, d->order_len, sizeof(*d->order), longest_first, d);
	put_top(d);
	sink__printf(d->out, "\"bottlenecks\":[],\"stack_traces\":[],\"threshold_ns\":%llu}}",
		     d->p->hdr.min_ns);
}

static u64 end_ms(const struct denet *d)
{
	return (d->p->hdr.begin_wall_ns + d->p->hdr.window_ns) / NSEC_PER_MSEC;
}

static void put_aggregated(struct denet *d)
{
	const struct profile_budget *b = &d->budget;

	sink__printf(d->out, "\"aggregated\":{\"ts_ms\":%llu,\"cpu_usage\":", end_ms(d));
	put_decimal(d->out, hundredths(b->on_ns, d->p->hdr.window_ns), 2);
	sink__printf(d->out,
		     ",\"mem_rss_kb\":0,\"mem_vms_kb\":0,\"disk_read_bytes\":0,"
		     "\"disk_write_bytes\":0,\"sys_net_rx_bytes\":0,\"sys_net_tx_bytes\":0,"
		     "\"thread_count\":%u,\"process_count\":%u,\"uptime_secs\":%llu,",
		     b->threads, b->processes, d->p->hdr.window_ns / NSEC_PER_SEC);
	put_offcpu(d);
	sink__puts(d->out, "},");
}

static void put_losses(const struct denet *d)
{
	const char *before = "";
	int i;

	sink__puts(d->out, "\"losses\":{");
	for (i = 0; i < LOSS_CNT; i++) {
		const struct profile_loss *loss = &d->p->losses[i];

		if (!loss->events && !loss->ns)
			continue;
		sink__printf(d->out, "%s\"%s\":{\"events\":%llu,\"ns\":%llu}", before,
			     loss_name((enum profile_loss_kind)i), loss->events, loss->ns);
		before = ",";
	}
	sink__puts(d->out, "}");
}

static void put_time(const struct denet *d, const char **before, const char *name, u64 ns)
{
	if (!ns)
		return;
	sink__printf(d->out, "%s\"%s\":%llu", *before, name, ns);
	*before = ",";
}

static int put_causes(const struct denet *d)
{
	u64 ns[CAUSE_CNT] = { 0 }, of_class_ns[CLASS_CNT] = { 0 };
	const char *before = "";
	struct causes causes;
	int r = causes__recall(&causes, d->p, d->opt->memo, NULL);
	u32 i;

	for (i = 1; !r && i < d->p->waits_len; i++) {
		ns[causes__of(&causes, i)] += wait_ns(&d->p->waits[i]);
		of_class_ns[causes__class(&causes, i)] += wait_ns(&d->p->waits[i]);
	}
	causes__done(&causes);
	sink__puts(d->out, "\"time_by_cause_ns\":{");
	for (i = 0; i < CAUSE_CNT; i++)
		put_time(d, &before, cause_name((enum cause)i), ns[i]);
	before = "";
	sink__puts(d->out, "},\"time_by_class_ns\":{");
	for (i = 0; i < CLASS_CNT; i++)
		put_time(d, &before, class_name((enum wait_class)i), of_class_ns[i]);
	sink__puts(d->out, "},");
	return r;
}

/* What denet's form has no place for. */
static int put_ours(const struct denet *d)
{
	const struct profile_header *h = &d->p->hdr;
	int r;

	sink__puts(d->out, "\"coldspot\":{\"version\":");
	json_text_put(d->out, profile__str(d->p, h->version));
	sink__puts(d->out, ",\"target\":");
	json_text_put(d->out, profile__str(d->p, h->target));
	sink__puts(d->out, ",\"selection\":");
	json_text_put(d->out, profile__str(d->p, h->selection));
	sink__printf(d->out, ",\"windows\":%u", h->windows > 1 ? h->windows : 1);
	sink__printf(d->out,
		     ",\"threshold_ns\":%llu,\"window_ns\":%llu,\"sampled\":%s,"
		     "\"period_ns\":%llu,\"total_time_se_ns\":%llu,\"blocked_ns\":%llu,"
		     "\"runq_ns\":%llu,",
		     h->min_ns, h->window_ns, profile__is_sampled(d->p) ? "true" : "false",
		     h->period_ns, estimate_se_ns(d->all.var_us2), d->budget.listed_blocked_ns,
		     d->budget.listed_runq_ns);
	r = put_causes(d);
	sink__printf(d->out, "\"min_time_ns\":\"at least\",\"not_measured\":%s,", not_measured);
	put_losses(d);
	sink__puts(d->out, "}");
	return r;
}

/* denet follows one process and its children: that is the one which began first. */
static void put_metadata(const struct denet *d)
{
	const struct profile_task *first = NULL;
	u32 i;

	for (i = 1; i < d->p->tasks_len; i++) {
		const struct profile_task *t = &d->p->tasks[i];

		if (!first || t->start_boottime_ns < first->start_boottime_ns)
			first = t;
	}
	sink__printf(d->out, "{\"kind\":\"metadata\",\"pid\":%u,\"cmd\":[",
		     first ? first->tgid : 0);
	json_text_put(d->out, first ? profile__str(d->p, first->group_comm) : "");
	sink__printf(d->out, "],\"executable\":\"\",\"t0_ms\":%llu}\n",
		     d->p->hdr.begin_wall_ns / NSEC_PER_MSEC);
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
	sink__printf(d->out, "{\"kind\":\"tree\",\"ts_ms\":%llu,\"parent\":null,\"children\":[],",
		     end_ms(d));
	put_aggregated(d);
	r = put_ours(d);
	sink__puts(d->out, "}\n");
	return r;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct denet d = { .p = p, .out = out };
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
	.help = "sums by thread in the form of denet's ebpf.offcpu, for scripts made for it",
	.render = render,
};
