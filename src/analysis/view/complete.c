/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One number tells whether to trust the user stacks, and the list after it what to do about the
 * rest. A stack is whole if its root frame is code: otherwise the walk put a FRAME_TRUNCATED there,
 * whose name is different for each reason and file. So that name is the key of a row.
 */
#include "analysis/view/complete.h"

#include <errno.h>

#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "profile/estimate.h"

struct row_key {
	u32 missing; /* enum missing */
	u32 name; /* string id of the truncated frame, or 0 */
};

enum missing {
	MISSING_ROOT, /* of the stack */
	MISSING_STACK,
	MISSING_WAIT,
};

struct row {
	struct row_key key;
	u32 frame; /* the truncated one, or 0 */
	u32 pad;
	u64 ns;
	u64 var_us2;
	u64 count;
};

static int add_row(struct intern *rows, const struct profile_wait *w, const struct row *fresh)
{
	struct row *row;
	u32 id;
	int r = intern__add(rows, fresh, &id);

	if (r)
		return r;
	row = intern__at(rows, id);
	row->ns += wait_ns(w);
	row->var_us2 = estimate_add_var(row->var_us2, w->var_us2);
	row->count += w->count;
	return 0;
}

static int add_wait(struct intern *rows, const struct profile *p, u32 wait, struct complete *c)
{
	const struct profile_wait *w = &p->waits[wait];
	struct wait_stacks s = wait_stacks_of(p, wait, SIDE_USER);
	struct row fresh = { 0 };
	enum stack_end end = profile__stack_end(p, s.user, &fresh.frame);
	bool is_whole = false;

	if (p->hdr.source)
		return 0; /* other tools do not say where a walk ended early */
	/* nor has one that a visit found runnable */
	if (w->flags & WAIT_NEW || (w->flags & WAIT_VISITED && !w->state))
		return 0; /* the thread had not run yet */
	if (s.lost) {
		if (p->tasks[w->task].flags & TASK_KTHREAD)
			return 0;
		fresh.key.missing = MISSING_WAIT;
	} else if (s.user_missed) {
		fresh.key.missing = MISSING_STACK;
	} else if (!s.user || (end != STACK_END_ROOT && !stack_end_is_loss(end))) {
		return 0;
	} else if (end != STACK_END_ROOT) {
		fresh.key.name = p->frames[fresh.frame].name;
	} else {
		is_whole = true;
		c->whole_ns += wait_ns(w);
		c->whole_var_us2 = estimate_add_var(c->whole_var_us2, w->var_us2);
	}
	c->total_ns += wait_ns(w);
	c->total_var_us2 = estimate_add_var(c->total_var_us2, w->var_us2);
	return is_whole ? 0 : add_row(rows, w, &fresh);
}

static int to_row(const struct profile *p, const struct row *from, struct arena *a,
		  struct complete_row *to)
{
	const struct profile_frame *f = &p->frames[from->frame];
	char words[256];

	to->ns = from->ns;
	to->var_us2 = from->var_us2;
	to->count = from->count;
	if (from->key.missing == MISSING_ROOT) {
		const struct profile_module *m = &p->modules[f->module];

		stack_end_describe((enum stack_end)f->addr, profile__str(p, m->path), words,
				   sizeof(words));
		to->reason = stack_end_name((enum stack_end)f->addr);
		to->words = arena__strdup(a, words);
		to->module = f->module;
	} else if (from->key.missing == MISSING_STACK) {
		to->reason = "no_stack";
		to->words = "no stack";
	} else {
		to->reason = "lost";
		to->words = "lost waits";
	}
	return to->words ? 0 : -ENOMEM;
}

static int longest_first(const void *a, const void *b)
{
	const struct complete_row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return strcmp(x->words, y->words);
}

static int freeze(const struct profile *p, const struct intern *rows, struct arena *a,
		  struct complete *c)
{
	u32 len = intern__len(rows) - 1, i;
	int r = 0;

	c->rows = arena__array(a, len, sizeof(*c->rows));
	if (!c->rows)
		return -ENOMEM;
	for (i = 0; i < len && !r; i++)
		r = to_row(p, intern__at(rows, i + 1), a, &c->rows[i]);
	c->len = len;
	if (!r && len)
		qsort(c->rows, len, sizeof(*c->rows), longest_first);
	return r;
}

int complete__build(const struct profile *p, struct arena *a, struct complete *ret_complete,
		    struct err *err)
{
	struct intern rows;
	u32 i;
	int r;

	memset(ret_complete, 0, sizeof(*ret_complete));
	if (p->hdr.sides && !(p->hdr.sides & SIDE_USER))
		return 0;
	r = intern__init(&rows, sizeof(struct row), sizeof(struct row_key));
	for (i = 1; i < p->waits_len && !r; i++)
		r = add_wait(&rows, p, i, ret_complete);
	if (!r)
		r = freeze(p, &rows, a, ret_complete);
	intern__done(&rows);
	return r ? err__nomem(err) : 0;
}
