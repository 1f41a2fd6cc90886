/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processed profile format of the Firefox Profiler (https://profiler.firefox.com), in version
 * 66, which it has read since 2026 and brings up to date itself. One track a thread; a sample is
 * a listed wait, its weight its off-CPU time in ms, to the nanosecond. Categories are causes: the
 * frame at the leaf has that of its wait, and so the colours of the tracks and the breakdown of a
 * function in the sidebar are by cause.
 *
 * A recording keeps sums and no points in time, but the format wants some: samples of a thread
 * stand one behind the other from where the thread began, each for as long as it weighs. The viewer
 * is told so in "extra", beside the losses.
 */
#include <errno.h>

#include "analysis/cause_memo.h"
#include "base/mem.h"
#include "profile/state.h"
#include "render/effort_text.h"
#include "render/firefox_code.h"
#include "render/json_text.h"
#include "render/loss_text.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/scope_text.h"

#define VERSION 66
#define GECKO_VERSION 29 /* of the format that this one was made from, in Firefox; unused by us */

struct firefox {
	const struct profile *p;
	const struct render_options *opt;
	enum time_view view;
	struct sink *out;
	struct labels labels;
	struct causes causes;
	struct firefox_code code;
	u32 *stack_of_wait;
	u32 *next_wait; /* of the same task; 0: none */
	u32 *first_wait; /* by task */
	struct intern tids; /* struct seen, to tell the records of one thread apart */
};

struct seen {
	u32 tgid; /* the key */
	u32 tid;
	u32 times;
};

static void put_ms(struct sink *out, u64 ns)
{
	sink__printf(out, "%llu.%06llu", ns / NSEC_PER_MSEC, ns % NSEC_PER_MSEC);
}

static void put_category(struct sink *out, const char *before, const char *name, const char *color)
{
	sink__printf(out, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
		     before, name, color);
}

/* In the order of enum firefox_category. */
static void put_categories(struct sink *out)
{
	int i;

	sink__puts(out, "\"categories\":[");
	put_category(out, "\n", "Other", "grey");
	put_category(out, ",\n", "User", "yellow");
	put_category(out, ",\n", "Interpreted", "green");
	put_category(out, ",\n", "Kernel", "orange");
	for (i = 0; i < CAUSE_CNT; i++)
		put_category(out, ",\n", cause_name((enum cause)i),
			     cause_color_firefox((enum cause)i));
	put_category(out, ",\n", cause_shown_name(CAUSE_SHOWN_IDLE), "transparent");
	sink__puts(out, "],\n");
}

static void put_entry(struct sink *out, const char *before, const char *label, const char *value)
{
	sink__printf(out, "%s{\"label\":\"%s\",\"format\":\"string\",\"value\":", before, label);
	json_text_put(out, value);
	sink__puts(out, "}");
}

/* Shown under "More info" of the viewer. */
static void put_extra(const struct firefox *f)
{
	char text[SCOPE_TEXT_SZ]; /* EFFORT_TEXT_SZ is less */
	int i;

	sink__puts(f->out, "\"extra\":[{\"label\":\"Recording\",\"entries\":[");
	put_entry(f->out, "\n", "Time axis",
		  "made up: sums of a thread stand one behind the other, as long as they are");
	if (scope_windows_text(f->p, text, sizeof(text)))
		put_entry(f->out, ",\n", "Windows", text);
	if (scope_selection_text(f->p, text, sizeof(text)))
		put_entry(f->out, ",\n", "Selection", text);
	put_entry(f->out, ",\n", "Hooks", profile__str(f->p, f->p->hdr.hooks));
	effort_seen_text(f->p, text, sizeof(text));
	put_entry(f->out, ",\n", "Seen", text);
	if (render_samples_text(f->p, text, sizeof(text)))
		put_entry(f->out, ",\n", "Sampled", text);
	effort_cost_text(f->p, text, sizeof(text));
	put_entry(f->out, ",\n", "Effort", text);
	for (i = 0; i < LOSS_CNT; i++) {
		if (loss_text(f->p, (enum profile_loss_kind)i, text, sizeof(text)))
			put_entry(f->out, ",\n", "Lost", text);
	}
	if (!loss_kinds(f->p))
		put_entry(f->out, ",\n", "Lost", "nothing");
	sink__puts(f->out, "]}]");
}

/* The title of the page. */
static void put_product(const struct firefox *f)
{
	const char *target = profile__str(f->p, f->p->hdr.target);
	char text[256];

	snprintf(text, sizeof(text), "%s of %s",
		 f->view == VIEW_ON   ? "On-CPU time" :
		 f->view == VIEW_WALL ? "Wall-clock time" :
					"Off-CPU time",
		 *target ? target : "unknown threads");
	json_text_put(f->out, text);
}

static void put_meta(const struct firefox *f)
{
	const struct profile_header *h = &f->p->hdr;

	sink__puts(f->out, "{\"meta\":{\"interval\":1,\"startTime\":");
	put_ms(f->out, h->begin_wall_ns);
	sink__printf(f->out, ",\"startTimeAsClockMonotonicNanosecondsSinceBoot\":%llu",
		     h->begin_mono_ns);
	sink__puts(f->out, ",\"profilingStartTime\":0,\"profilingEndTime\":");
	put_ms(f->out, h->window_ns);
	sink__printf(f->out,
		     ",\"processType\":0,\"stackwalk\":1,\"version\":%u,"
		     "\"preprocessedProfileVersion\":%u,\"symbolicated\":true,\n\"product\":",
		     GECKO_VERSION, VERSION);
	put_product(f);
	sink__puts(f->out, ",\"platform\":\"Linux\",\"oscpu\":");
	json_text_put(f->out, profile__str(f->p, h->kernel));
	sink__puts(f->out, ",\"importedFrom\":\"coldspot\",\"arguments\":");
	json_text_put(f->out, profile__str(f->p, h->command));
	if (h->ncpu)
		sink__printf(f->out, ",\"logicalCPUs\":%u", h->ncpu);
	sink__puts(f->out, ",\n\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
			   "\"keepProfileThreadOrder\":true,\"markerSchema\":[],\n");
	put_categories(f->out);
	put_extra(f);
	sink__puts(f->out, "},\n\"libs\":[],\n");
}

static void put_samples(const struct firefox *f, u32 task)
{
	u64 at_ns = f->p->tasks[task].begin_ns;
	const char *before = "";
	u32 w, n = 0;

	sink__puts(f->out, "\"samples\":{\"stack\":[");
	for (w = f->first_wait[task]; w; w = f->next_wait[w], before = ",", n++)
		sink__printf(f->out, "%s%u", before, f->stack_of_wait[w]);
	sink__puts(f->out, "],\"time\":[");
	for (w = f->first_wait[task], before = ""; w; w = f->next_wait[w], before = ",") {
		sink__puts(f->out, before);
		put_ms(f->out, at_ns);
		at_ns += wait_ns(&f->p->waits[w]);
	}
	sink__puts(f->out, "],\"weight\":[");
	for (w = f->first_wait[task], before = ""; w; w = f->next_wait[w], before = ",") {
		sink__puts(f->out, before);
		put_ms(f->out, wait_ns(&f->p->waits[w]));
	}
	sink__printf(f->out, "],\"weightType\":\"tracing-ms\",\"length\":%u},", n);
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
		sink__printf(f->out, "\"%u.%u\"", t->tid, seen->times - 1);
	else
		sink__printf(f->out, "%u", t->tid);
	return 0;
}

static int put_thread(struct firefox *f, u32 task)
{
	const struct profile_task *t = &f->p->tasks[task];
	int r;

	sink__puts(f->out, "{\"name\":");
	json_text_put(f->out, task ? profile__str(f->p, t->comm) : "unknown thread");
	sink__puts(f->out, ",\"processName\":");
	json_text_put(f->out, task ? profile__str(f->p, t->group_comm) : "unknown process");
	sink__printf(f->out, ",\"isMainThread\":%s,\"pid\":\"%u\",\"tid\":",
		     t->tid == t->tgid ? "true" : "false", t->tgid);
	r = put_tid(f, t);
	sink__puts(f->out, ",\"processType\":\"default\",\"processStartupTime\":0,"
			   "\"processShutdownTime\":null,\"registerTime\":");
	put_ms(f->out, t->begin_ns);
	sink__puts(f->out, ",\"unregisterTime\":");
	if (t->flags & (TASK_EXITED | TASK_EXECED))
		put_ms(f->out, t->begin_ns + t->wall_ns);
	else
		sink__puts(f->out, "null");
	sink__puts(f->out, ",\"pausedRanges\":[],\n");
	put_samples(f, task);
	sink__puts(f->out, "\n\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
			   "\"phase\":[],\"category\":[],\"length\":0}}");
	return r;
}

static int put_threads(struct firefox *f)
{
	const char *before = "\n";
	u32 i;
	int r = 0;

	sink__puts(f->out, "\"threads\":[");
	for (i = 0; i < f->p->tasks_len && !r; i++) {
		if (!f->first_wait[i])
			continue;
		sink__puts(f->out, before);
		r = put_thread(f, i);
		before = ",\n";
	}
	sink__puts(f->out, "]}\n");
	return r;
}

/* Of a cause, as put_categories() has them; that of waits for work is behind the last. */
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
	if (!r)
		r = gather(f);
	if (r)
		return r;
	put_meta(f);
	firefox_code__put(&f->code, f->out);
	return put_threads(f);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	struct firefox f = { .opt = opt, .out = out, .view = shown_opt.view };
	struct shown shown;
	int r;

	r = shown__init(&shown, p, &shown_opt, NULL);
	f.p = shown.p;
	if (!r)
		r = write_all(&f);
	mem_free(f.stack_of_wait);
	mem_free(f.next_wait);
	mem_free(f.first_wait);
	intern__done(&f.tids);
	firefox_code__done(&f.code);
	causes__done(&f.causes);
	labels__done(&f.labels);
	shown__done(&shown);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_firefox = {
	.name = "firefox",
	.endings = ".firefox.json",
	.mime = "application/json",
	.help = "for profiler.firefox.com: a track a thread, coloured by cause",
	.render = render,
};
