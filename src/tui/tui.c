/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/tui.h"

#include <string.h>

static int draw(struct tui *t, struct err *err)
{
	struct screen s;
	int r = terminal__screen(t->terminal, &s);

	if (!r)
		r = viewer__paint(&t->viewer, &s);
	if (!r)
		terminal__show(t->terminal, &s);
	screen__done(&s);
	return r ? err__nomem(err) : 0;
}

int tui__init(struct tui *t, const struct viewer_options *view, const struct terminal_options *opt,
	      struct err *err)
{
	int r;

	memset(t, 0, sizeof(*t));
	viewer__init(&t->viewer, view);
	r = terminal__open(opt, &t->terminal, err);
	return r ? r : draw(t, err);
}

void tui__done(struct tui *t)
{
	terminal__close(t->terminal);
	t->terminal = NULL;
	viewer__done(&t->viewer);
}

int tui__add(struct tui *t, struct profile *p, struct err *err)
{
	int r = viewer__add(&t->viewer, p, err);

	return r || tui__is_over(t) ? r : draw(t, err);
}

void tui__skip(struct tui *t)
{
	viewer__skip(&t->viewer);
}

static int take_key(struct tui *t, struct err *err)
{
	u32 key = terminal__key(t->terminal);
	struct mouse mouse;

	if (key == KEY_OF_MOUSE)
		return terminal__mouse(t->terminal, &mouse) ?
			       viewer__mouse(&t->viewer, &mouse, err) :
			       0;
	return key ? viewer__key(&t->viewer, key, err) : 0;
}

int tui__output(struct tui *t, const char *bytes, size_t len, struct err *err)
{
	t->changed |= t->viewer.tab == TAB_OUTPUT;
	return viewer__output(&t->viewer, bytes, len) ? err__nomem(err) : 0;
}

int tui__turn(struct tui *t, struct err *err)
{
	bool changed = terminal__resize(t->terminal) || t->changed;
	int r = 0;

	t->changed = false;

	while (!r && !tui__is_over(t) && terminal__has_key(t->terminal)) {
		r = take_key(t, err);
		changed = true;
	}
	return r || !changed || tui__is_over(t) ? r : draw(t, err);
}

int tui__end(struct tui *t, const char *why, struct err *err)
{
	viewer__end(&t->viewer, why);
	return tui__is_over(t) ? 0 : draw(t, err);
}

bool tui__is_over(const struct tui *t)
{
	return t->viewer.quit || terminal__is_gone(t->terminal);
}
