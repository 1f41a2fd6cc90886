/* SPDX-License-Identifier: Apache-2.0 */
/* One sentence for each kind of pattern, and behind it the cost. */
#include "render/words/pattern_text.h"

#include <stdio.h>

#include "base/sink.h"
#include "base/text/units.h"

/* Before the place and after "for". */
static void put_after(struct sink *out, const char *word, const char *text)
{
	if (*text)
		sink__printf(out, " %s %s", word, text);
}

static void put_often(struct sink *out, u64 times, u64 window_ns)
{
	u64 tenths = window_ns ? (u64)((unsigned __int128)times * 10 * NSEC_PER_SEC / window_ns) :
				 0;
	char count[32];

	units_format_count(tenths / 10, count, sizeof(count));
	if (tenths >= 100)
		sink__printf(out, " %s times a second", count);
	else
		sink__printf(out, " %llu.%llu times a second", tenths / 10, tenths % 10);
}

static void put_brief(struct sink *out, u64 part, const struct wake_pattern *w)
{
	char brief[32];

	units_format_ns(WAKE_BRIEF_NS, brief, sizeof(brief));
	sink__printf(out, "; after %llu%% of the wakeups a thread runs for less than %s",
		     units_percent(part, w->wakes), brief);
}

static void put_waker(struct sink *out, const struct wake_pattern *w)
{
	sink__puts(out, w->who);
	if (w->wakers > 1)
		sink__printf(out, " and %u more", w->wakers - 1);
	put_after(out, "in", w->place);
	sink__puts(out, w->wakers > 1 ? " wake" : " wakes");
}

static void put_herd(struct sink *out, const struct wake_pattern *w, u64 window_ns)
{
	u64 bursts = w->bursts ? w->bursts : 1;

	put_waker(out, w);
	sink__printf(out, " %llu threads at once", (w->wakes + bursts / 2) / bursts);
	put_after(out, "from waits for", w->object);
	sink__puts(out, ",");
	put_often(out, bursts, window_ns);
	put_brief(out, w->brief, w);
	sink__puts(out, " and waits again");
	put_after(out, "or, often, waits for", w->then);
}

static void put_storm(struct sink *out, const struct wake_pattern *w, u64 window_ns)
{
	put_waker(out, w);
	if (w->sleepers > 1)
		sink__printf(out, " %u threads", w->sleepers);
	else
		sink__printf(out, " %s", w->whom);
	put_after(out, "from waits for", w->object);
	sink__puts(out, ",");
	put_often(out, w->wakes, window_ns);
	put_brief(out, w->again, w);
	sink__puts(out, " and waits in the same place again");
}

static void put_convoy(struct sink *out, const struct wake_pattern *w, u64 window_ns)
{
	char wait[32];

	units_format_ns(w->wait_ns, wait, sizeof(wait));
	sink__printf(out, "%u threads hand %s to each other", w->sleepers, w->object);
	put_after(out, "in", w->place);
	sink__puts(out, ",");
	put_often(out, w->wakes, window_ns);
	sink__printf(out, "; they wait for %s in all, mostly for others that wait too", wait);
}

static void put_ping_pong(struct sink *out, const struct wake_pattern *w, u64 window_ns)
{
	sink__printf(out, "%s and %s wake each other", w->who, w->whom);
	put_after(out, "in", w->place);
	sink__puts(out, ",");
	put_often(out, w->wakes, window_ns);
	put_brief(out, w->brief, w);
}

/* Of one CPU, so that it does not depend on how many there are. */
static void put_cost(struct sink *out, const struct wake_pattern *w, u64 window_ns)
{
	u64 tenths = window_ns ? (u64)((unsigned __int128)w->cpu_ns * 1000 / window_ns) : 0;
	char count[32];

	units_format_count(w->wakes, count, sizeof(count));
	sink__printf(out, ". Cost: %s switches", count);
	if (w->cpu_ns)
		sink__printf(out, ", %llu.%llu%% of a CPU in such runs", tenths / 10, tenths % 10);
}

char *pattern_text(const struct wake_pattern *w, u64 window_ns)
{
	static void (*const put[PATTERN_KINDS])(struct sink *, const struct wake_pattern *, u64) = {
		[PATTERN_HERD] = put_herd,
		[PATTERN_STORM] = put_storm,
		[PATTERN_CONVOY] = put_convoy,
		[PATTERN_PING_PONG] = put_ping_pong,
	};

	struct sink out;
	char *text;
	size_t sz;

	sink__init_mem(&out);
	put[w->kind](&out, w, window_ns);
	put_cost(&out, w, window_ns);
	sink__finish(&out, NULL);
	text = sink__steal(&out, &sz);
	sink__done(&out);
	return text;
}
