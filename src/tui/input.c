/* SPDX-License-Identifier: Apache-2.0 */
/* What keys do: first the line that is typed, then the view of the tab, then what is common. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tui/questions.h"
#include "tui/view.h"
#include "tui/viewer.h"

#define WHEEL_ROWS 3
#define FAR_WINDOWS 10

static bool is_page(const struct viewer *v)
{
	return v->help || v->detail == DETAIL_PAGE || !view_of_tab(v->tab)->act;
}

bool viewer__move(const struct viewer *v, enum action action, u32 last, u32 *at)
{
	u32 step = action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN ? v->page : 1;

	switch (action) {
	case ACTION_HOME:
		*at = 0;
		return true;
	case ACTION_END:
		*at = last;
		return true;
	case ACTION_UP:
	case ACTION_PAGE_UP:
		*at = *at > step ? *at - step : 0;
		return true;
	case ACTION_DOWN:
	case ACTION_PAGE_DOWN:
		*at = *at + step < last ? *at + step : last;
		return true;
	default:
		return false;
	}
}

/* Lines of a page, up and down. */
static void scroll(struct viewer *v, enum action action)
{
	u32 last = v->page_len > v->page ? v->page_len - v->page : 0;

	if (v->scroll > last)
		v->scroll = last;
	viewer__move(v, action, last, &v->scroll);
}

static int turn_tab(struct viewer *v, bool back, struct err *err)
{
	u32 tab = v->tab;

	do
		tab = (tab + (back ? TAB_CNT - 1 : 1)) % TAB_CNT;
	while (!viewer__has_tab(v, (enum tab)tab));
	return viewer__show_tab(v, (enum tab)tab, err);
}

static int number_key(struct viewer *v, u32 key, struct err *err)
{
	u32 number = key == '0' ? 10 : key - '0', i;

	for (i = 0; i < TAB_CNT; i++) {
		if (viewer__has_tab(v, (enum tab)i) &&
		    viewer__number_of_tab(v, (enum tab)i) == number)
			return viewer__show_tab(v, (enum tab)i, err);
	}
	return 0;
}

static int go_up(struct viewer *v, struct err *err)
{
	struct crumb last;

	if (!drill__pop(&v->drill, &last))
		return 0;
	v->tab = last.from;
	if (last.kind != TABLE_CNT) {
		v->lists[last.from].kind = last.kind;
		snprintf(v->lists[last.from].chosen, sizeof(v->lists[last.from].chosen), "%s",
			 last.text);
	}
	return viewer__show(v, err);
}

static int go_back(struct viewer *v, struct err *err)
{
	v->scroll = 0;
	if (v->help)
		v->help = false;
	else if (v->detail)
		v->detail = DETAIL_NONE;
	else if (!filter__is_empty(&v->filter))
		question_set_filter(v, "");
	else
		return go_up(v, err);
	return 0;
}

static int hold(struct viewer *v, struct err *err)
{
	int r;

	if (!v->windows.held)
		return windows__hold(&v->windows, true, err);
	/* what is shown may be freed */
	viewer__forget_base(v);
	r = windows__hold(&v->windows, false, err);
	return r ? r : viewer__show(v, err);
}

static int begin_again(struct viewer *v, struct err *err)
{
	int r;

	viewer__forget_base(v);
	r = windows__reset(&v->windows, err);
	return r ? r : viewer__show(v, err);
}

/* What comes is compared with what was. */
static int mark(struct viewer *v, struct err *err)
{
	int r;

	if (!v->base)
		return 0;
	r = comparison__mark(&v->comparison, v->base, err);
	if (r)
		return r;
	viewer__say(v, "marked as A; the sum begins again: tab %u shows what changes",
		    viewer__number_of_tab(v, TAB_DIFF));
	return begin_again(v, err);
}

/* Goes to another window of a store. */
static int step(struct viewer *v, int by, struct err *err)
{
	int r = 0;

	if (!viewer__is_of_store(v)) {
		viewer__say(v, "only of a store: coldspot top DIRECTORY");
		return 0;
	}
	if (v->windows.held)
		r = hold(v, err);
	return r ? r : v->opt.host->step(v->opt.host->arg, by, err);
}

static int act(struct viewer *v, enum action action, struct err *err)
{
	switch (action) {
	case ACTION_NEXT:
	case ACTION_PREVIOUS:
		return turn_tab(v, action == ACTION_PREVIOUS, err);
	case ACTION_BACK:
		return go_back(v, err);
	case ACTION_FILTER:
		if (!is_page(v))
			prompt__begin(&v->prompt, PROMPT_FILTER, "");
		break;
	case ACTION_EXPORT:
		question_export(v);
		break;
	case ACTION_ADD:
		question_add(v);
		break;
	case ACTION_REMOVE:
		question_remove(v);
		break;
	case ACTION_IDLE:
		v->idle = !v->idle;
		return viewer__build(v, err);
	case ACTION_PERIOD:
		viewer__forget_base(v);
		v->period = (v->period + 1) % PERIOD_CNT;
		/* those before it may not have been kept */
		return viewer__is_of_store(v) ? step(v, 0, err) : viewer__show(v, err);
	case ACTION_RESET:
		return begin_again(v, err);
	case ACTION_MARK:
		return mark(v, err);
	case ACTION_EARLIER:
	case ACTION_FAR_EARLIER:
		return step(v, action == ACTION_EARLIER ? -1 : -FAR_WINDOWS, err);
	case ACTION_LATER:
	case ACTION_FAR_LATER:
		return step(v, action == ACTION_LATER ? 1 : FAR_WINDOWS, err);
	case ACTION_FREEZE:
		return hold(v, err);
	case ACTION_HELP:
		v->help = !v->help;
		v->scroll = 0;
		break;
	case ACTION_QUIT:
		v->quit = true;
		break;
	default:
		break;
	}
	return 0;
}

/* 0, or an error. */
static int do_action(struct viewer *v, enum action action, struct err *err)
{
	int r;

	if (is_page(v) && action >= ACTION_UP && action <= ACTION_END) {
		scroll(v, action);
		return 0;
	}
	if (!v->help && v->p && view_of_tab(v->tab)->act) {
		r = view_of_tab(v->tab)->act(v, action, err);
		if (r)
			return r < 0 ? r : 0;
	}
	return act(v, action, err);
}

int viewer__key(struct viewer *v, u32 key, struct err *err)
{
	enum action action = key_action(key);
	int r;

	v->said[0] = '\0';
	if (v->prompt.what) {
		r = question_key(v, key, err);
		if (r <= 0)
			return r;
	}
	if (key >= '0' && key <= '9')
		return number_key(v, key, err);
	return do_action(v, action, err);
}

static int click_tab(struct viewer *v, u32 col, struct err *err)
{
	u32 i;

	for (i = 0; i < TAB_CNT; i++) {
		if (viewer__has_tab(v, (enum tab)i) && col < v->tab_ends[i])
			return viewer__show_tab(v, (enum tab)i, err);
	}
	return 0;
}

static int click(struct viewer *v, const struct mouse *mouse, struct err *err)
{
	const struct view *view = view_of_tab(v->tab);
	bool there = !v->help && v->p && view->click && mouse->row >= v->rows_from &&
		     view->click(v, mouse->row - v->rows_from, mouse->col);

	if (mouse->row == v->tabs_row)
		return mouse->kind == MOUSE_CLICK ? click_tab(v, mouse->col, err) : 0;
	return there && mouse->kind == MOUSE_DOUBLE_CLICK ? do_action(v, ACTION_DRILL, err) : 0;
}

int viewer__mouse(struct viewer *v, const struct mouse *mouse, struct err *err)
{
	bool up = mouse->kind == MOUSE_WHEEL_UP;
	int i, r = 0;

	if (v->prompt.what)
		return 0;
	v->said[0] = '\0';
	if (!up && mouse->kind != MOUSE_WHEEL_DOWN)
		return click(v, mouse, err);
	for (i = 0; i < WHEEL_ROWS && !r; i++)
		r = do_action(v, up ? ACTION_UP : ACTION_DOWN, err);
	return r;
}
