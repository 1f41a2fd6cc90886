/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of Go's pprof, which most profile stores accept: protobuf (profile.proto), gzipped.
 * One sample per listed wait, and per stack of a thread on a CPU if those were sampled, with its
 * off-CPU time and its count; thread, process, state, cause and system call are labels, so that
 * `-tagroot`, `-tagfocus` and `-tags` work. Samples are written as they are built, and the tables
 * they refer to after them, in one pass.
 *
 * Sums of sampled waits are written as estimates for all waits. The format can state losses only in
 * its comments, so they are there, with what was recorded and how.
 */
#include <errno.h>
#include <limits.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/name/cgroup_label.h"
#include "analysis/name/object_label.h"
#include "analysis/name/waker_label.h"
#include "analysis/cause/syscall_name.h"
#include "analysis/view/wait_stacks.h"
#include "profile/state.h"
#include "render/words/effort_text.h"
#include "render/words/loss_text.h"
#include "render/pprof/pprof_code.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/words/scope_text.h"

#define NO_STACK "[no stack]"

struct pprof {
	const struct profile *p;
	const struct render_options *opt;
	enum time_view view;
	struct labels labels;
	struct causes causes;
	struct code_book code;
	struct gzip gz;
	/* the current message: the field of the profile, the message, one in it */
	struct proto field;
	struct proto message;
	struct proto inner;
	int error;
};

/* Numbers in pprof are signed. */
static u64 number(u64 n)
{
	return n > LLONG_MAX ? LLONG_MAX : n;
}

static u32 str(struct pprof *w, const char *s)
{
	u32 id = 0;
	int r = w->error ? 0 : code_book__str(&w->code, s, &id);

	if (r)
		w->error = r;
	return id;
}

static void put_value_type(struct pprof *w, u32 field, const char *type, const char *unit)
{
	proto__u64(&w->message, 1, str(w, type));
	proto__u64(&w->message, 2, str(w, unit));
	proto__message(&w->field, field, &w->message);
}

static void put_location(struct pprof *w, u32 id)
{
	proto__varint(&w->inner, id);
}

static void put_note(struct pprof *w, const char *note)
{
	u32 id;
	int r = code_book__note(&w->code, note, &id);

	if (r)
		w->error = r;
	else
		put_location(w, id);
}

/* Leaf first. A missing part of a stack is marked at its root. */
static void put_stack(struct pprof *w, u32 leaf, const char *missed)
{
	u32 node = leaf, id;

	while (node && !w->error) {
		int r = code_book__location(&w->code, &node, &id);

		if (r)
			w->error = r;
		else
			put_location(w, id);
	}
	if (leaf && w->p->stacks[leaf].flags & STACK_CUT)
		put_note(w, NOTE_CUT);
	if (missed)
		put_note(w, missed);
}

static void put_stacks(struct pprof *w, u32 wait)
{
	const struct wait_stacks s = wait_stacks_of(w->p, wait, w->opt->sides);

	/*
	 * Tables of functions begin with the leaf: __schedule would be the first of each. The
	 * frames of wakers are behind the kernel's.
	 */
	if (w->opt->kernel_frames || w->opt->wakers || !s.user)
		put_stack(w, s.kernel, s.kernel_missed ? NOTE_MISSED_KERNEL : NULL);
	put_stack(w, s.user, s.user_missed ? NOTE_MISSED_USER : NULL);
	if (s.lost)
		put_note(w, s.lost);
	else if (!w->inner.bytes.len && !w->error)
		put_note(w, NO_STACK);
	proto__message(&w->message, 1, &w->inner);
}

static void put_label(struct pprof *w, const char *key, const char *value)
{
	if (!*value)
		return;
	proto__u64(&w->inner, 1, str(w, key));
	proto__u64(&w->inner, 2, str(w, value));
	proto__message(&w->message, 3, &w->inner);
}

static void put_number_label(struct pprof *w, const char *key, u64 value)
{
	if (!value)
		return;
	proto__u64(&w->inner, 1, str(w, key));
	proto__u64(&w->inner, 3, value);
	proto__message(&w->message, 3, &w->inner);
}

/* Nothing if wakers are not shown, or the waker is not known. */
static void put_waker_labels(struct pprof *w, u32 waker)
{
	char name[WAKER_LABEL_SZ];

	if (!waker)
		return;
	put_label(w, "waker", waker_label(w->p, waker, name, sizeof(name)));
	put_number_label(w, "waker_tid", w->p->wakers[waker].tid);
}

static void put_labels(struct pprof *w, u32 id)
{
	const struct profile_wait *wait = &w->p->waits[id];
	const struct profile_task *t = &w->p->tasks[wait->task];
	const char *call = syscall_name(profile__str(w->p, w->p->hdr.arch), wait->sysno);
	const char state[2] = { state_letter(wait->state), '\0' };
	char object[OBJECT_LABEL_SZ], owner[OWNER_LABEL_SZ], cgroup[CGROUP_ID_SZ];

	put_label(w, "thread", w->opt->few_labels ? "" : profile__str(w->p, t->comm));
	put_label(w, "process", profile__str(w->p, t->group_comm));
	put_label(w, "state", wait->flags & WAIT_ON_CPU || w->opt->few_labels ? "" : state);
	put_label(w, "cause", cause_name(causes__of(&w->causes, id)));
	put_label(w, "class", class_name(causes__class(&w->causes, id)));
	if (w->opt->few_labels)
		return;
	put_label(w, "syscall", call ? call : "");
	put_number_label(w, "pid", t->tgid);
	put_number_label(w, "tid", t->tid);
	put_label(w, "object", object_label(w->p, wait->object, object, sizeof(object)));
	put_label(w, "owner", owner_label(w->p, wait, owner, sizeof(owner)));
	put_label(w, "cgroup", cgroup_label(w->p, t, cgroup));
	put_label(w, "container", profile__str(w->p, t->container));
	put_waker_labels(w, wait->waker);
}

/* In the order of the types; counts of waits and of samples are different types. */
static void put_values(struct pprof *w, const struct profile_wait *row)
{
	bool on_cpu = row->flags & WAIT_ON_CPU;

	if (w->view != VIEW_ON) {
		proto__varint(&w->inner, number(on_cpu ? 0 : wait_ns(row)));
		proto__varint(&w->inner, number(row->count));
	}
	if (w->view != VIEW_OFF) {
		proto__varint(&w->inner, number(row->on_ns));
		proto__varint(&w->inner, on_cpu ? number(row->samples) : 0);
	}
	if (w->view == VIEW_WALL)
		proto__varint(&w->inner, number(wait_ns(row)));
}

static void put_sample(struct pprof *w, u32 id)
{
	const struct profile_wait *wait = &w->p->waits[id];

	put_stacks(w, id);
	put_values(w, wait);
	proto__message(&w->message, 2, &w->inner);
	put_labels(w, id);
	proto__message(&w->field, PPROF_SAMPLE, &w->message);
	pprof_put(&w->gz, &w->field);
}

static void put_comment(struct pprof *w, const char *about, const char *text)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s: %s", about, text);
	if (*text)
		proto__u64(&w->field, PPROF_COMMENT, str(w, line));
}

static void put_comments(struct pprof *w)
{
	const struct profile_header *h = &w->p->hdr;
	char text[EFFORT_TEXT_SZ], scope[SCOPE_TEXT_SZ], names[LOSS_TEXT_SZ];
	int i;

	put_comment(w, "coldspot", profile__str(w->p, h->version));
	put_comment(w, "command", profile__str(w->p, h->command));
	put_comment(w, "target", profile__str(w->p, h->target));
	put_comment(w, "host", profile__str(w->p, h->host));
	put_comment(w, "kernel", profile__str(w->p, h->kernel));
	if (scope_text(w->p, SCOPE_SOURCE, scope, sizeof(scope)))
		put_comment(w, "source", scope);
	if (scope_text(w->p, SCOPE_WINDOWS, scope, sizeof(scope)))
		put_comment(w, "merged", scope);
	if (scope_text(w->p, SCOPE_SELECTION, scope, sizeof(scope)))
		put_comment(w, "part", scope);
	effort_seen_text(w->p, text, sizeof(text));
	put_comment(w, "seen", text);
	render_samples_text(w->p, text, sizeof(text));
	put_comment(w, "sampled", text);
	for (i = 0; i < LOSS_CNT; i++) {
		if (loss_text(w->p, (enum profile_loss_kind)i, text, sizeof(text)))
			put_comment(w, "lost", text);
	}
	names_text(w->p, NULL, names, sizeof(names));
	put_comment(w, "names", names);
}

static void put_types(struct pprof *w)
{
	static const char *const usual[] = {
		[VIEW_OFF] = "off_cpu",
		[VIEW_ON] = "on_cpu",
		[VIEW_WALL] = "wall",
	};
	const struct profile_header *h = &w->p->hdr;
	u64 period_ns = h->period_ns ? h->period_ns : 1;

	if (w->view != VIEW_ON) {
		put_value_type(w, PPROF_SAMPLE_TYPE, "off_cpu", "nanoseconds");
		put_value_type(w, PPROF_SAMPLE_TYPE, "events", "count");
	}
	if (w->view != VIEW_OFF) {
		put_value_type(w, PPROF_SAMPLE_TYPE, "on_cpu", "nanoseconds");
		put_value_type(w, PPROF_SAMPLE_TYPE, "samples", "count");
	}
	if (w->view == VIEW_WALL)
		put_value_type(w, PPROF_SAMPLE_TYPE, "wall", "nanoseconds");
	if (w->view == VIEW_ON)
		period_ns = NSEC_PER_SEC / h->on_cpu_hz;
	put_value_type(w, PPROF_PERIOD_TYPE, w->view == VIEW_ON ? "on_cpu" : "off_cpu",
		       "nanoseconds");
	proto__u64(&w->field, PPROF_PERIOD, number(period_ns));
	proto__u64(&w->field, PPROF_DEFAULT_SAMPLE_TYPE, str(w, usual[w->view]));
}

static void put_head(struct pprof *w)
{
	const struct profile_header *h = &w->p->hdr;

	put_types(w);
	proto__u64(&w->field, PPROF_TIME_NS, number(h->begin_wall_ns));
	proto__u64(&w->field, PPROF_DURATION_NS, number(h->window_ns));
	put_comments(w);
	pprof_put(&w->gz, &w->field);
}

static int put_all(struct pprof *w)
{
	u32 i;
	int r;

	put_head(w);
	for (i = 1; i < w->p->waits_len && !w->error && !w->field.error; i++)
		put_sample(w, i);
	if (w->error || w->field.error)
		return w->error ? w->error : w->field.error;
	r = pprof_put_code(&w->code, &w->gz);
	return r ? r : gzip__finish(&w->gz);
}

static int start(struct pprof *w, struct sink *out)
{
	int r;

	proto__init(&w->field);
	proto__init(&w->message);
	proto__init(&w->inner);
	r = labels__init(&w->labels, w->p, NULL);
	if (!r)
		r = causes__recall(&w->causes, w->p, w->opt->memo, NULL);
	if (!r)
		r = code_book__init(&w->code, w->p, &w->labels);
	return r ? r : gzip__init(&w->gz, out);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	struct pprof w = { .opt = opt, .view = shown_opt.view };
	struct shown shown;
	int r;

	r = shown__init(&shown, p, &shown_opt, NULL);
	w.p = shown.p;
	if (!r)
		r = start(&w, out);
	if (!r)
		r = put_all(&w);
	gzip__done(&w.gz);
	code_book__done(&w.code);
	proto__done(&w.field);
	proto__done(&w.message);
	proto__done(&w.inner);
	causes__done(&w.causes);
	labels__done(&w.labels);
	shown__done(&shown);
	if (!r)
		return 0;
	return r == -ENOMEM ? err__nomem(err) : err__set(err, r, "cannot make a pprof profile");
}

const struct render_ops render_pprof = {
	.name = "pprof",
	.endings = ".pb.gz .pprof",
	.mime = "application/octet-stream",
	.help = "gzipped profile.proto, for `go tool pprof` and compatible tools",
	.takes_wakers = true,
	.render = render,
};
