/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows change their places with each window, so the chosen row is followed by its text; but as long
 * as nobody moved, the first row stays chosen.
 */
#include "tui/viewer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void viewer__init(struct viewer *v, const struct viewer_options *opt)
{
	memset(v, 0, sizeof(*v));
	v->opt = *opt;
	v->page = 1;
	windows__init(&v->windows);
	vec__init(&v->busy, sizeof(u64));
}

static void drop_table(struct viewer *v)
{
	if (v->has_table)
		table__done(&v->table);
	v->has_table = false;
}

void viewer__done(struct viewer *v)
{
	drop_table(v);
	cause_memo__done(&v->memo);
	windows__done(&v->windows);
	vec__done(&v->busy);
}

bool viewer__has_tab(const struct viewer *v, enum tab tab)
{
	return tab != TAB_WAKERS || v->opt.wakers;
}

u32 viewer__number_of_tab(const struct viewer *v, enum tab tab)
{
	u32 n = 1, i;

	for (i = 0; i < tab; i++)
		n += viewer__has_tab(v, (enum tab)i);
	return n;
}

/* Goes to the chosen row again, or stays at its place if it is no longer there. */
static void follow(struct viewer *v)
{
	struct list *list = &v->lists[v->tab];
	u32 i;

	v->missing = false;
	if (!*list->chosen) {
		list->row = 0;
		return;
	}
	for (i = 0; i < v->table.shown_len; i++) {
		if (strncmp(v->table.texts[v->table.shown[i]], list->chosen,
			    sizeof(list->chosen) - 1) == 0) {
			list->row = i;
			return;
		}
	}
	v->missing = true;
	if (list->row >= v->table.shown_len)
		list->row = v->table.shown_len ? v->table.shown_len - 1 : 0;
}

static void choose(struct viewer *v)
{
	const struct table_choice choice = {
		.sort = v->lists[v->tab].sort,
		.idle = v->idle,
		.filter = v->filter,
	};

	if (!v->has_table)
		return;
	table__choose(&v->table, &choice);
	follow(v);
}

/* Another profile or another tab. */
static int build(struct viewer *v, struct err *err)
{
	int r;

	drop_table(v);
	if (!v->p || v->tab == TAB_COST)
		return 0;
	r = table__init(&v->table, v->p, &v->memo, v->tab, err);
	v->has_table = !r;
	if (r)
		table__done(&v->table);
	choose(v);
	return r;
}

/* Shows what `windows` has. */
static int show(struct viewer *v, struct err *err)
{
	struct profile_budget budget;
	int r;

	drop_table(v);
	v->p = NULL;
	r = v->all ? windows__sum(&v->windows, err) : 0;
	if (r)
		return r;
	v->p = v->all ? v->windows.all : v->windows.last;
	if (v->memo.p != v->p) {
		cause_memo__done(&v->memo);
		v->memo = (struct cause_memo){ .p = v->p, .rules = v->opt.rules };
	}
	if (!v->p)
		return 0;
	if (!v->windows.held)
		v->busy_shown = (u32)v->busy.len;
	profile__budget(v->p, &budget);
	v->threads = budget.threads;
	return build(v, err);
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

int viewer__add(struct viewer *v, struct profile *p, struct err *err)
{
	struct cause_memo memo = { .p = p, .rules = v->opt.rules };
	int r = add_busy(v, p, &memo);

	if (!v->windows.held) {
		drop_table(v);
		v->p = NULL;
		cause_memo__done(&v->memo);
		v->memo = memo;
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
	return show(v, err);
}

void viewer__end(struct viewer *v, const char *why)
{
	v->over = why;
}

static void choose_row(struct viewer *v, u32 row)
{
	struct list *list = &v->lists[v->tab];
	u32 len = v->has_table ? v->table.shown_len : 0;

	list->row = row < len ? row : len ? len - 1 : 0;
	list->chosen[0] = '\0';
	if (list->row)
		snprintf(list->chosen, sizeof(list->chosen), "%s",
			 v->table.texts[v->table.shown[list->row]]);
}

static bool is_table(const struct viewer *v)
{
	return !v->help && !v->detail && v->tab != TAB_COST;
}

/* Up and down, by rows of a table or lines of a page. */
static void move(struct viewer *v, enum action action)
{
	bool table = is_table(v);
	u32 at = table ? v->lists[v->tab].row : v->scroll;
	u32 step = action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN ? v->page : 1;
	u32 last = v->page_len > v->page ? v->page_len - v->page : 0;

	if (action == ACTION_HOME)
		at = 0;
	else if (action == ACTION_END)
		at = ~0U;
	else if (action == ACTION_UP || action == ACTION_PAGE_UP)
		at = at > step ? at - step : 0;
	else
		at += step;
	if (table)
		choose_row(v, at);
	else
		v->scroll = at < last ? at : last;
}

static int show_tab(struct viewer *v, enum tab tab, struct err *err)
{
	v->tab = tab;
	v->detail = false;
	v->help = false;
	v->scroll = 0;
	return build(v, err);
}

static int turn_tab(struct viewer *v, bool back, struct err *err)
{
	u32 tab = v->tab;

	do
		tab = (tab + (back ? TAB_CNT - 1 : 1)) % TAB_CNT;
	while (!viewer__has_tab(v, (enum tab)tab));
	return show_tab(v, (enum tab)tab, err);
}

static int number_key(struct viewer *v, u32 number, struct err *err)
{
	u32 i;

	for (i = 0; i < TAB_CNT; i++) {
		if (viewer__has_tab(v, (enum tab)i) &&
		    viewer__number_of_tab(v, (enum tab)i) == number)
			return show_tab(v, (enum tab)i, err);
	}
	return 0;
}

static void open_detail(struct viewer *v)
{
	struct list *list = &v->lists[v->tab];

	if (!is_table(v) || !v->has_table || list->row >= v->table.shown_len)
		return;
	/* it stays on this row, also if that is the first one */
	snprintf(list->chosen, sizeof(list->chosen), "%s",
		 v->table.texts[v->table.shown[list->row]]);
	v->detail = true;
	v->scroll = 0;
}

static void go_back(struct viewer *v)
{
	v->scroll = 0;
	if (v->help) {
		v->help = false;
	} else if (v->detail) {
		v->detail = false;
		choose_row(v, v->lists[v->tab].row);
	} else {
		v->filter[0] = '\0';
		choose(v);
	}
}

static int hold(struct viewer *v, struct err *err)
{
	int r;

	if (!v->windows.held)
		return windows__hold(&v->windows, true, err);
	/* what is shown may be freed */
	drop_table(v);
	v->p = NULL;
	cause_memo__done(&v->memo);
	v->memo = (struct cause_memo){ 0 };
	r = windows__hold(&v->windows, false, err);
	return r ? r : show(v, err);
}

static int act(struct viewer *v, enum action action, struct err *err)
{
	switch (action) {
	case ACTION_NEXT:
	case ACTION_PREVIOUS:
		return turn_tab(v, action == ACTION_PREVIOUS, err);
	case ACTION_DETAIL:
		open_detail(v);
		break;
	case ACTION_BACK:
		go_back(v);
		break;
	case ACTION_SORT:
		v->lists[v->tab].sort = (v->lists[v->tab].sort + 1) % SORT_CNT;
		choose(v);
		break;
	case ACTION_FILTER:
		v->typing = is_table(v);
		break;
	case ACTION_IDLE:
		v->idle = !v->idle;
		choose(v);
		break;
	case ACTION_ALL:
		v->all = !v->all;
		return show(v, err);
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

static void cut_last_character(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		len--;
	if (len)
		text[len - 1] = '\0';
}

static void type(struct viewer *v, u32 key)
{
	size_t len = strlen(v->filter), i;
	struct sink one;

	if (key == KEY_OF_ENTER || key == KEY_OF_ESC) {
		v->typing = false;
		if (key == KEY_OF_ESC)
			v->filter[0] = '\0';
	} else if (key == KEY_OF_BACKSPACE) {
		cut_last_character(v->filter);
	} else if (key >= ' ' && key < KEY_OF_UP) {
		sink__init_mem(&one);
		utf8_put(&one, key);
		for (i = 0; !one.error && i < one.len && len + one.len < sizeof(v->filter); i++) {
			v->filter[len + i] = one.buf[i];
			v->filter[len + i + 1] = '\0';
		}
		sink__done(&one);
	}
	choose(v);
}

int viewer__key(struct viewer *v, u32 key, struct err *err)
{
	enum action action = key_action(key);

	if (v->typing && key < KEY_OF_UP && key != KEY_OF_TAB) {
		type(v, key);
		return 0;
	}
	if (key >= '1' && key <= '9')
		return number_key(v, key - '0', err);
	if (action >= ACTION_UP && action <= ACTION_END) {
		move(v, action);
		return 0;
	}
	return act(v, action, err);
}
