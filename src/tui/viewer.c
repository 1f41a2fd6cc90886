/* SPDX-License-Identifier: Apache-2.0 */
/* What is shown, from windows to the model of a tab. Everything is made again for each window. */
#include "tui/viewer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/model/idle_time.h"
#include "tui/view.h"

void viewer__init(struct viewer *v, const struct viewer_options *opt)
{
	memset(v, 0, sizeof(*v));
	v->opt = *opt;
	v->page = 1;
	for (u32 i = 0; i < TAB_CNT; i++)
		v->lists[i].kind = table_first((enum tab)i);
	windows__init(&v->windows);
	drill__init(&v->drill);
	flame__init(&v->flame);
	comparison__init(&v->comparison);
	vec__init(&v->busy, sizeof(u64));
}

static void drop_model(struct viewer *v)
{
	if (v->has_table)
		table__done(&v->table);
	v->has_table = false;
	flame__drop(&v->flame);
	comparison__drop(&v->comparison);
}

void viewer__forget(struct viewer *v)
{
	drop_model(v);
	cause_memo__done(&v->part_memo);
	profile__free(v->part);
	v->part = NULL;
	v->p = NULL;
}

void viewer__forget_base(struct viewer *v)
{
	viewer__forget(v);
	cause_memo__done(&v->base_memo);
	v->base_memo = (struct cause_memo){ 0 };
	v->base = NULL;
}

void viewer__done(struct viewer *v)
{
	viewer__forget_base(v);
	if (v->strips_now != v->strips)
		strips__free(v->strips_now);
	strips__free(v->strips);
	flame__done(&v->flame);
	comparison__done(&v->comparison);
	output__done(&v->output);
	filter__done(&v->filter);
	drill__done(&v->drill);
	windows__done(&v->windows);
	vec__done(&v->busy);
}

struct list *viewer__list(struct viewer *v)
{
	return &v->lists[v->tab];
}

void viewer__say(struct viewer *v, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(v->said, sizeof(v->said), fmt, args);
	va_end(args);
}

bool viewer__has_tab(const struct viewer *v, enum tab tab)
{
	return tab == TAB_WAKERS ? v->opt.wakers : tab != TAB_OUTPUT || v->opt.output;
}

u32 viewer__number_of_tab(const struct viewer *v, enum tab tab)
{
	u32 n = 1, i;

	for (i = 0; i < tab; i++)
		n += viewer__has_tab(v, (enum tab)i);
	return n;
}

int viewer__build(struct viewer *v, struct err *err)
{
	const struct view *view = view_of_tab(v->tab);

	drop_model(v);
	return v->p && view->build ? view->build(v, err) : 0;
}

int viewer__show_tab(struct viewer *v, enum tab tab, struct err *err)
{
	v->tab = tab;
	v->detail = DETAIL_NONE;
	v->help = false;
	/* output is followed */
	v->scroll = tab == TAB_OUTPUT ? ~0U : 0;
	return viewer__build(v, err);
}

/* Totals of the threads, and of their waits for work. */
static int count(struct viewer *v, struct err *err)
{
	struct idle_time idle;
	struct causes causes;
	int r = causes__recall(&causes, v->base, &v->base_memo, err);

	if (!r) {
		profile__budget(v->base, &v->budget);
		idle = idle_time_of(v->base, &causes, NULL);
		v->idle_ns = 0;
		for (u32 i = 0; i < PROFILE_STATES; i++)
			v->idle_ns += idle.ns[i];
		v->idle_runq_ns = idle.ns[IDLE_TIME_RUNQ];
	}
	causes__done(&causes);
	return r;
}

/* What was drilled into; nothing of it in this window is no error. */
static int show_part(struct viewer *v, struct err *err)
{
	struct err none = { 0 };
	int r = drill__apply(&v->drill, v->base, &v->base_memo, &v->part, &none);

	if (r == -ENOENT)
		return 0;
	if (r)
		return err__set(err, r, "%s", none.msg);
	v->p = v->part ? v->part : v->base;
	v->memo = &v->base_memo;
	if (v->part) {
		v->part_memo = (struct cause_memo){ .p = v->part, .rules = v->opt.rules };
		v->memo = &v->part_memo;
	}
	return viewer__build(v, err);
}

static int choose_base(struct viewer *v, struct err *err)
{
	struct windows *w = &v->windows;
	int r = windows__keep_latest(w, v->period == PERIOD_LATEST, err);

	if (!r && v->period == PERIOD_LATEST)
		r = windows__sum_latest(w, err);
	if (!r && v->period == PERIOD_ALL)
		r = windows__sum(w, err);
	v->base = v->period == PERIOD_ALL ? w->all : v->period == PERIOD_LATEST ? w->some : w->last;
	return r;
}

/* What has windows as its columns goes on. */
static void show_newest(struct viewer *v)
{
	v->busy_shown = (u32)v->busy.len;
	if (v->strips != v->strips_now)
		strips__free(v->strips);
	v->strips = v->strips_now;
}

int viewer__show(struct viewer *v, struct err *err)
{
	int r;

	viewer__forget(v);
	r = choose_base(v, err);
	if (r)
		return r;
	if (v->base_memo.p != v->base) {
		cause_memo__done(&v->base_memo);
		v->base_memo = (struct cause_memo){ .p = v->base, .rules = v->opt.rules };
	}
	if (!v->base)
		return 0;
	if (!v->windows.held)
		show_newest(v);
	r = count(v, err);
	return r ? r : show_part(v, err);
}

/* Blocked time of a second, without waits for work. */
static int add_busy(struct viewer *v, const struct profile *p, struct cause_memo *memo)
{
	u64 *busy = vec__push(&v->busy), ns = 0;
	struct causes causes;
	u32 i;
	int r = causes__recall(&causes, p, memo, NULL);

	for (i = 1; i < p->waits_len && !r; i++) {
		if (causes__class(&causes, i) != CLASS_IDLE)
			ns += p->waits[i].blocked_ns;
	}
	causes__done(&causes);
	if (r || !busy)
		return -ENOMEM;
	*busy = p->hdr.window_ns ? (u64)((unsigned __int128)ns * NSEC_PER_SEC / p->hdr.window_ns) :
				   0;
	return 0;
}

static int add_strips(struct viewer *v, const struct profile *p, struct cause_memo *memo)
{
	struct strips *next;
	int r = strips__next(v->strips_now, p, memo, &next, NULL);

	if (r)
		return r;
	if (v->strips_now != v->strips)
		strips__free(v->strips_now);
	v->strips_now = next;
	return 0;
}

int viewer__add(struct viewer *v, struct profile *p, struct err *err)
{
	struct cause_memo memo = { .p = p, .rules = v->opt.rules };
	int r = add_busy(v, p, &memo);

	if (!r)
		r = add_strips(v, p, &memo);
	if (!v->windows.held) {
		viewer__forget_base(v);
		v->base_memo = memo;
	} else {
		cause_memo__done(&memo);
	}
	if (r) {
		profile__free(p);
		return err__nomem(err);
	}
	r = windows__add(&v->windows, p, err);
	if (r || v->windows.held)
		return r;
	return viewer__show(v, err);
}

bool viewer__is_of_store(const struct viewer *v)
{
	return v->opt.host && v->opt.host->step;
}

void viewer__rewind(struct viewer *v)
{
	viewer__forget_base(v);
	if (v->strips_now != v->strips)
		strips__free(v->strips_now);
	strips__free(v->strips);
	v->strips = v->strips_now = NULL;
	v->busy_shown = 0;
	vec__reset(&v->busy);
	windows__done(&v->windows);
}

void viewer__skip(struct viewer *v)
{
	windows__skip(&v->windows);
}

int viewer__output(struct viewer *v, const char *bytes, size_t len)
{
	/* who has scrolled up stays there */
	if (v->tab == TAB_OUTPUT && !v->help && v->scroll + v->page >= v->page_len)
		v->scroll = ~0U;
	return output__add(&v->output, bytes, len);
}

void viewer__end(struct viewer *v, const char *why)
{
	v->over = why;
}
