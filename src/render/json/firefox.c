/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processed profile format of the Firefox Profiler (https://profiler.firefox.com), in version
 * 66, which it has read since 2026 and upgrades itself. One track per thread; a sample is a listed
 * wait, its weight its off-CPU time in ms, to the nanosecond. Categories are causes: the leaf frame
 * has the category of its wait, so the colours of the tracks and the breakdown of a function in the
 * sidebar are by cause.
 *
 * A recording has sums and no points in time, but the format needs some: samples of a thread are in
 * sequence from the thread's start, each as long as its weight. This is explained in "extra", next
 * to the losses.
 */
#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "base/mem.h"
#include "profile/state.h"
#include "render/words/effort_text.h"
#include "render/json/firefox_code.h"
#include "render/json/firefox_markers.h"
#include "render/encode/json_writer.h"
#include "render/words/loss_text.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/words/scope_text.h"

#define VERSION 66
#define GECKO_VERSION 29 /* Firefox's format from which this one was converted; unused by us */

struct firefox {
	const struct profile *p;
	const struct render_options *opt;
	enum time_view view;
	struct json to;
	struct labels labels;
	struct causes causes;
	struct firefox_code code;
	u32 *stack_of_wait;
	u32 *next_wait; /* of the same task; 0: none */
	u32 *first_wait; /* by task */
	struct intern tids; /* struct seen, to distinguish the records of one thread */
	struct firefox_markers *markers; /* of a timeline; NULL: times are sums */
};

struct seen {
	u32 tgid; /* the key */
	u32 tid;
	u32 times;
};

static void put_category(struct json *to, const char *name, const char *color)
{
	json__line(to);
	json__object(to, NULL);
	json__text(to, "name", name);
	json__text(to, "color", color);
	json__array(to, "subcategories");
	json__text(to, NULL, "Other");
	json__end_array(to);
	json__end_object(to);
}

/* In the order of enum firefox_category. */
static void put_categories(struct json *to)
{
	int i;

	json__line(to);
	json__array(to, "categories");
	put_category(to, "Other", "grey");
	put_category(to, "User", "yellow");
	put_category(to, "Interpreted", "green");
	put_category(to, "Kernel", "orange");
	for (i = 0; i < CAUSE_CNT; i++)
		put_category(to, cause_name((enum cause)i), cause_color_firefox((enum cause)i));
	put_category(to, cause_shown_name(CAUSE_SHOWN_IDLE), "transparent");
	json__end_array(to);
}

static void put_entry(struct json *to, const char *label, const char *value)
{
	json__line(to);
	json__object(to, NULL);
	json__text(to, "label", label);
	json__text(to, "format", "string");
	json__text(to, "value", value);
	json__end_object(to);
}

static void put_entries(const struct firefox *f, struct json *to)
{
	char text[SCOPE_TEXT_SZ]; /* EFFORT_TEXT_SZ is smaller */
	char names[LOSS_TEXT_SZ];
	int i;

	put_entry(to, "Time axis",
		  f->markers ? "real: each sample is a wait, at its time" :
			       "synthetic: sums of a thread follow one another, each as long as "
			       "it is");
	if (scope_text(f->p, SCOPE_SOURCE, text, sizeof(text)))
		put_entry(to, "Source", text);
	if (scope_text(f->p, SCOPE_WINDOWS, text, sizeof(text)))
		put_entry(to, "Windows", text);
	if (scope_text(f->p, SCOPE_SELECTION, text, sizeof(text)))
		put_entry(to, "Selection", text);
	if (scope_text(f->p, SCOPE_TRIGGER, text, sizeof(text)))
		put_entry(to, "Trigger", text);
	put_entry(to, "Hooks", profile__str(f->p, f->p->hdr.hooks));
	effort_seen_text(f->p, text, sizeof(text));
	put_entry(to, "Seen", text);
	if (render_samples_text(f->p, text, sizeof(text)))
		put_entry(to, "Sampled", text);
	effort_cost_text(f->p, text, sizeof(text));
	put_entry(to, "Effort", text);
	for (i = 0; i < LOSS_CNT; i++) {
		if (loss_text(f->p, (enum profile_loss_kind)i, text, sizeof(text)))
			put_entry(to, "Lost", text);
	}
	if (!loss_kinds(f->p))
		put_entry(to, "Lost", profile__knows_losses(f->p) ? "nothing" : "not known");
	if (names_text(f->p, NULL, names, sizeof(names)))
		put_entry(to, "Names", names);
}

/* Shown under "More info" in the viewer. */
static void put_extra(const struct firefox *f, struct json *to)
{
	json__line(to);
	json__array(to, "extra");
	json__object(to, NULL);
	json__text(to, "label", "Recording");
	json__array(to, "entries");
	put_entries(f, to);
	json__end_array(to);
	json__end_object(to);
	json__end_array(to);
}

/* The title of the page. */
static void put_product(const struct firefox *f, struct json *to)
{
	const char *target = profile__str(f->p, f->p->hdr.target);
	char text[256];

	snprintf(text, sizeof(text), "%s of %s",
		 f->markers	      ? "Timeline" :
		 f->view == VIEW_ON   ? "On-CPU time" :
		 f->view == VIEW_WALL ? "Wall-clock time" :
					"Off-CPU time",
		 *target ? target : "unknown threads");
	json__line(to);
	json__text(to, "product", text);
}

static void put_meta(const struct firefox *f, struct json *to)
{
	const struct profile_header *h = &f->p->hdr;

	json__object(to, "meta");
	json__u64(to, "interval", 1);
	firefox_put_ms(to, "startTime", h->begin_wall_ns);
	json__u64(to, "startTimeAsClockMonotonicNanosecondsSinceBoot", h->begin_mono_ns);
	json__u64(to, "profilingStartTime", 0);
	firefox_put_ms(to, "profilingEndTime", h->window_ns);
	json__u64(to, "processType", 0);
	json__u64(to, "stackwalk", 1);
	json__u64(to, "version", GECKO_VERSION);
	json__u64(to, "preprocessedProfileVersion", VERSION);
	json__bool(to, "symbolicated", true);
	put_product(f, to);
	json__text(to, "platform", "Linux");
	json__text(to, "oscpu", profile__str(f->p, h->kernel));
	json__text(to, "importedFrom", "coldspot");
	json__text(to, "arguments", profile__str(f->p, h->command));
	if (h->ncpu)
		json__u64(to, "logicalCPUs", h->ncpu);
	json__line(to);
	json__bool(to, "usesOnlyOneStackType", true);
	json__bool(to, "sourceCodeIsNotOnSearchfox", true);
	json__bool(to, "keepProfileThreadOrder", true);
	firefox_markers_put_schema(f->markers, to);
	put_categories(to);
	put_extra(f, to);
	json__end_object(to);
	json__line(to);
	firefox_put_empty(to, "libs");
}

static void put_samples(const struct firefox *f, u32 task, struct json *to)
{
	u64 at_ns = f->p->tasks[task].begin_ns;
	u32 w, n = 0;

	json__line(to);
	json__object(to, "samples");
	json__array(to, "stack");
	for (w = f->first_wait[task]; w; w = f->next_wait[w], n++)
		json__u64(to, NULL, f->stack_of_wait[w]);
	json__end_array(to);
	json__array(to, "time");
	for (w = f->first_wait[task]; w; w = f->next_wait[w]) {
		firefox_put_ms(to, NULL, at_ns);
		at_ns += wait_ns(&f->p->waits[w]);
	}
	json__end_array(to);
	json__array(to, "weight");
	for (w = f->first_wait[task]; w; w = f->next_wait[w])
		firefox_put_ms(to, NULL, wait_ns(&f->p->waits[w]));
	json__end_array(to);
	json__text(to, "weightType", "tracing-ms");
	json__u64(to, "length", n);
	json__end_object(to);
}

/* A number, or for the second record of a thread (after an exec) "123.1". */
static int put_tid(struct firefox *f, const struct profile_task *t)
{
	struct seen fresh = { .tgid = t->tgid, .tid = t->tid }, *seen;
	u32 id;
	int r = intern__add(&f->tids, &fresh, &id);

	if (r)
		return r;
	seen = intern__at(&f->tids, id);
	if (seen->times++)
		json__printf(&f->to, "tid", "\"%u.%u\"", t->tid, seen->times - 1);
	else
		json__u64(&f->to, "tid", t->tid);
	return 0;
}

static int put_thread(struct firefox *f, u32 task)
{
	const struct profile_task *t = &f->p->tasks[task];
	struct json *to = &f->to;
	int r;

	json__line(to);
	json__object(to, NULL);
	json__text(to, "name", task ? profile__str(f->p, t->comm) : "unknown thread");
	json__text(to, "processName", task ? profile__str(f->p, t->group_comm) : "unknown process");
	json__bool(to, "isMainThread", t->tid == t->tgid);
	json__printf(to, "pid", "\"%u\"", t->tgid);
	r = put_tid(f, t);
	json__text(to, "processType", "default");
	json__u64(to, "processStartupTime", 0);
	json__null(to, "processShutdownTime");
	firefox_put_ms(to, "registerTime", t->begin_ns);
	if (t->flags & (TASK_EXITED | TASK_EXECED))
		firefox_put_ms(to, "unregisterTime", t->begin_ns + t->wall_ns);
	else
		json__null(to, "unregisterTime");
	firefox_put_empty(to, "pausedRanges");
	if (f->markers)
		firefox_markers__put_samples(f->markers, task, f->stack_of_wait, to);
	else
		put_samples(f, task, to);
	if (!r)
		r = firefox_markers__put(f->markers, task, to);
	json__end_object(to);
	return r;
}

static int put_threads(struct firefox *f)
{
	u32 i;
	int r = 0;

	json__line(&f->to);
	json__array(&f->to, "threads");
	for (i = 0; i < f->p->tasks_len && !r; i++) {
		if (f->first_wait[i] || (f->markers && i))
			r = put_thread(f, i);
	}
	json__end_array(&f->to);
	return r;
}

/* The category of a cause, as in put_categories(); that of waits for work comes after the last. */
static u32 category_of(const struct firefox *f, u32 wait)
{
	bool idle = causes__class(&f->causes, wait) == CLASS_IDLE;

	return FIREFOX_CAUSES + (idle ? (u32)CAUSE_CNT : (u32)causes__of(&f->causes, wait));
}

static int gather(struct firefox *f)
{
	const struct profile *p = f->p;
	u32 i;
	int r = 0;

	f->stack_of_wait = mem_array((size_t)p->waits_len + 1, sizeof(u32));
	f->next_wait = mem_array((size_t)p->waits_len + 1, sizeof(u32));
	f->first_wait = mem_array((size_t)p->tasks_len + 1, sizeof(u32));
	if (!f->stack_of_wait || !f->next_wait || !f->first_wait)
		return -ENOMEM;
	/* backwards, so that the waits of a task are in their order */
	for (i = p->waits_len; i-- > 1;) {
		f->next_wait[i] = f->first_wait[p->waits[i].task];
		f->first_wait[p->waits[i].task] = i;
	}
	for (i = 1; i < p->waits_len && !r; i++) {
		const struct wait_stacks s = wait_stacks_of(p, i, f->opt->sides);

		r = firefox_code__stack(&f->code, &s, category_of(f, i), &f->stack_of_wait[i]);
	}
	return r;
}

static int write_all(struct firefox *f)
{
	int r = labels__init(&f->labels, f->p, NULL);

	if (!r)
		r = causes__recall(&f->causes, f->p, f->opt->memo, NULL);
	if (!r)
		r = firefox_code__init(&f->code, f->p, &f->labels);
	if (!r)
		r = intern__init(&f->tids, sizeof(struct seen), offsetof(struct seen, times));
	if (!r && f->markers)
		r = firefox_markers__init(f->markers, f->p, &f->code, f->opt->memo);
	if (!r)
		r = gather(f);
	if (r)
		return r;
	json__object(&f->to, NULL);
	put_meta(f, &f->to);
	firefox_code__put(&f->code, &f->to);
	r = put_threads(f);
	json__end_object(&f->to);
	sink__puts(f->to.out, "\n");
	return r;
}

static void firefox__done(struct firefox *f)
{
	mem_free(f->stack_of_wait);
	mem_free(f->next_wait);
	mem_free(f->first_wait);
	intern__done(&f->tids);
	firefox_code__done(&f->code);
	causes__done(&f->causes);
	labels__done(&f->labels);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	struct firefox f = { .opt = opt, .to = JSON_TO(out), .view = shown_opt.view };
	struct shown shown;
	int r;

	r = shown__init(&shown, p, &shown_opt, NULL);
	f.p = shown.p;
	if (!r)
		r = write_all(&f);
	firefox__done(&f);
	shown__done(&shown);
	return r ? err__nomem(err) : 0;
}

static int render_timeline(const struct profile *p, const struct render_options *opt,
			   struct sink *out, struct err *err)
{
	struct firefox_markers markers = { 0 };
	struct firefox f = { .p = p, .opt = opt, .to = JSON_TO(out), .markers = &markers };
	int r = write_all(&f);

	firefox_markers__done(&markers);
	firefox__done(&f);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_firefox = {
	.name = "firefox",
	.endings = ".firefox.json",
	.mime = "application/json",
	.help = "for profiler.firefox.com: a track per thread, coloured by cause",
	.takes_wakers = true,
	.render = render,
};

const struct render_ops render_firefox_timeline = {
	.name = "firefox-timeline",
	.endings = ".timeline.firefox.json",
	.mime = "application/json",
	.help = "timeline for profiler.firefox.com, with markers; needs record --events",
	.needs_moments = true,
	.render = render_timeline,
};
