/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row for each listed wait, and for each stack of on-CPU samples, for spreadsheets and
 * databases (RFC 4180, but with a plain newline, which all of them accept and line tools prefer).
 * The header is the contract: columns are only added at the end. No field contains a line break, so
 * a line is a row.
 */
#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/name/cgroup_label.h"
#include "analysis/name/label.h"
#include "analysis/name/object_label.h"
#include "analysis/name/waker_label.h"
#include "analysis/cause/syscall_name.h"
#include "analysis/view/wait_stacks.h"
#include "analysis/view/waker_rows.h"
#include "base/mem.h"
#include "profile/estimate.h"
#include "profile/state.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/text/stack_rows.h"
#include "base/text/utf8.h"

static const char header[] = "pid,tid,process,thread,state,cause,syscall,flags,blocked_ns,runq_ns,"
			     "count,max_ns,samples,se_ns,user_stack,kernel_stack,"
			     "object,owner,class,on_ns,cgroup,waker";

struct csv {
	const struct profile *p;
	const struct render_options *opt;
	struct sink *out;
	struct labels labels;
	struct causes causes;
	u32 *waker_of_wait; /* NULL: rows have their own */
	u32 waits_len; /* of it: on-CPU rows come after */
};

/* Inside a quoted field. `frame`: the text must not contain the frame separator. */
static void put_quoted(struct sink *out, const char *text, bool frame)
{
	size_t plain;
	u32 cp;

	for (;;) {
		plain = utf8_plain(text, "\";");
		sink__put(out, text, plain);
		text += plain;
		cp = utf8_next(&text);
		if (!cp)
			break;
		if (cp == '"')
			sink__put(out, "\"", 1);
		if (cp == ';' && frame)
			cp = ':';
		utf8_put(out, utf8_harmless(cp));
	}
}

static void put_text(struct sink *out, const char *text)
{
	sink__puts(out, "\"");
	put_quoted(out, text, false);
	sink__puts(out, "\",");
}

static void put_flags(struct sink *out, u32 flags)
{
	static const struct {
		u32 bit;
		const char *name;
	} names[] = {
		{ WAIT_IOWAIT, "iowait" },
		{ WAIT_KILLABLE, "killable" },
		{ WAIT_PREEMPTED, "preempted" },
		{ WAIT_NEW, "new" },
		{ WAIT_PRE, "pre" },
		{ WAIT_OPEN, "open" },
		{ WAIT_LOST, "lost" },
		{ WAIT_NO_RESUME, "no_resume" },
		{ WAIT_ON_CPU, "on_cpu" },
		{ WAIT_NOT_SAMPLED, "not_sampled" },
		{ WAIT_THROTTLED, "throttled" },
		{ WAIT_SUMMED, "summed" },
		{ WAIT_VISITED, "visited" },
		{ WAIT_RUNNABLE, "runnable" },
	};
	const char *before = "";
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		if (!(flags & names[i].bit))
			continue;
		sink__printf(out, "%s%s", before, names[i].name);
		before = " ";
	}
	sink__puts(out, ",");
}

static int put_frames(const struct csv *c, u32 leaf, const char *note)
{
	const char *before = note ? ";" : "";
	u32 *nodes;
	int n, i;

	if (note)
		sink__puts(c->out, note);
	if (!leaf)
		return 0;
	n = stack_from_root(c->p, leaf, &nodes);
	if (n < 0)
		return n;
	if (c->p->stacks[leaf].flags & STACK_CUT) {
		sink__printf(c->out, "%s" NOTE_CUT, before);
		before = ";";
	}
	for (i = 0; i < n; i++) {
		sink__puts(c->out, before);
		put_quoted(c->out, labels__frame(&c->labels, c->p->stacks[nodes[i]].frame), true);
		before = ";";
	}
	mem_free(nodes);
	return 0;
}

static int put_stacks(const struct csv *c, u32 wait)
{
	const struct wait_stacks s = wait_stacks_of(c->p, wait, c->opt->sides);
	int r;

	sink__puts(c->out, "\"");
	r = put_frames(c, s.user, s.user_missed ? NOTE_MISSED_USER : s.lost);
	sink__puts(c->out, "\",\"");
	if (!r)
		r = put_frames(c, s.kernel, s.kernel_missed ? NOTE_MISSED_KERNEL : s.lost);
	sink__puts(c->out, "\",");
	return r;
}

static void put_object(const struct csv *c, u32 wait)
{
	const struct profile_wait *w = &c->p->waits[wait];
	char object[OBJECT_LABEL_SZ], owner[OWNER_LABEL_SZ];

	put_text(c->out, object_label(c->p, w->object, object, sizeof(object)));
	sink__puts(c->out, "\"");
	put_quoted(c->out, owner_label(c->p, w, owner, sizeof(owner)), false);
	sink__printf(c->out, "\",%s", class_name(causes__class(&c->causes, wait)));
}

/* Each followed by a comma. */
static void put_numbers(struct sink *out, const struct profile_wait *w)
{
	bool summed = w->flags & WAIT_SUMMED;
	const struct {
		bool known;
		u64 n;
	} numbers[] = {
		{ true, w->blocked_ns },	   { true, w->runq_ns },
		{ w->count || !summed, w->count }, { !summed, w->max_ns },
		{ !summed, w->samples },	   { !summed, estimate_se_ns(w->var_us2) },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(numbers); i++) {
		if (numbers[i].known)
			sink__put_u64(out, numbers[i].n);
		sink__put(out, ",", 1);
	}
}

/* Of several wakers, the one that ended most of a wait's time; of equals, the first. */
static int find_wakers(struct csv *c, const struct profile *p)
{
	struct waker_rows rows = { 0 };
	u64 *most = mem_array(p->waits_len, sizeof(*most));
	int r;
	u32 i;

	c->waker_of_wait = mem_array(p->waits_len, sizeof(*c->waker_of_wait));
	c->waits_len = p->waits_len;
	r = most && c->waker_of_wait ? waker_rows__init(&rows, p, NULL) : -ENOMEM;
	for (i = 1; !r && i < rows.rows_len; i++) {
		const struct profile_wait *row = &rows.rows[i];
		u32 wait = rows.wait_of_row[i];
		u64 ns = row->blocked_ns + row->runq_ns;

		if (!row->waker || (c->waker_of_wait[wait] && ns <= most[wait]))
			continue;
		most[wait] = ns;
		c->waker_of_wait[wait] = row->waker;
	}
	waker_rows__done(&rows);
	mem_free(most);
	return r;
}

static void put_waker(const struct csv *c, u32 wait)
{
	u32 waker = c->p->waits[wait].waker;
	char label[WAKER_LABEL_SZ];

	if (c->waker_of_wait)
		waker = wait < c->waits_len ? c->waker_of_wait[wait] : 0;
	sink__puts(c->out, ",\"");
	put_quoted(c->out, waker_label(c->p, waker, label, sizeof(label)), false);
	sink__puts(c->out, "\"\n");
}

/* Empty where the source of an import does not tell it. */
static void put_id(struct sink *out, bool known, u32 id)
{
	if (known)
		sink__put_u64(out, id);
	sink__put(out, ",", 1);
}

static int put_wait(const struct csv *c, u32 id)
{
	const struct profile_wait *w = &c->p->waits[id];
	const struct profile_task *t = &c->p->tasks[w->task];
	const char *call = syscall_name(profile__str(c->p, c->p->hdr.arch), w->sysno);
	char cgroup[CGROUP_ID_SZ];
	int r;

	put_id(c->out, !(c->p->hdr.unknown & UNKNOWN_PROCESSES), t->tgid);
	put_id(c->out, !(c->p->hdr.unknown & UNKNOWN_THREADS), t->tid);
	put_text(c->out, profile__str(c->p, t->group_comm));
	put_text(c->out, profile__str(c->p, t->comm));
	if (w->flags & WAIT_ON_CPU)
		sink__puts(c->out, "-");
	else
		sink__printf(c->out, "%c", state_letter(w->state));
	sink__printf(c->out, ",%s,", cause_name(causes__of(&c->causes, id)));
	if (call)
		sink__puts(c->out, call);
	else if (w->sysno >= 0)
		sink__printf(c->out, "%d", w->sysno);
	sink__puts(c->out, ",");
	put_flags(c->out, w->flags);
	put_numbers(c->out, w);
	r = put_stacks(c, id);
	put_object(c, id);
	sink__printf(c->out, ",%llu,\"", w->on_ns);
	put_quoted(c->out, cgroup_label(c->p, t, cgroup), false);
	sink__puts(c->out, "\"");
	put_waker(c, id);
	return r;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	struct csv c = { .opt = opt, .out = out };
	struct shown shown;
	u32 i;
	int r;

	r = shown__init(&shown, p, &shown_opt, NULL);
	c.p = shown.p;
	if (!r)
		r = labels__init(&c.labels, c.p, NULL);
	if (!r)
		r = causes__recall(&c.causes, c.p, opt->memo, NULL);
	if (!r && p->hdr.wakers && !opt->wakers && !waker_rows_are_divided(p))
		r = find_wakers(&c, p);
	if (!r)
		sink__printf(out, "%s\n", header);
	for (i = 1; !r && i < c.p->waits_len; i++)
		r = put_wait(&c, i);
	mem_free(c.waker_of_wait);
	causes__done(&c.causes);
	labels__done(&c.labels);
	shown__done(&shown);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_csv = {
	.name = "csv",
	.endings = ".csv",
	.bare = true,
	.mime = "text/csv; charset=utf-8; header=present",
	.help = "a table with one row per listed wait, for databases and spreadsheets",
	.takes_wakers = true,
	.render = render,
};
