/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time on a CPU is stored separately from waits in a profile, so that nothing that counts waits can
 * confuse them. To be drawn together they become rows of one type, here and nowhere else;
 * everything that reads rows gets their time from wait_ns().
 */
#include "analysis/view/time_view.h"

#include "base/mem.h"

u64 time_view_task_ns(enum time_view view, const struct profile_task *t)
{
	u64 ns = t->preempted_ns + t->runq_ns;
	u32 s;

	if (view == VIEW_ON)
		return t->on_ns;
	for (s = 0; s < PROFILE_STATES; s++)
		ns += t->blocked_ns[s];
	return view == VIEW_WALL ? ns + t->on_ns : ns;
}

static struct profile_wait row_of(const struct profile_hot *h)
{
	return (struct profile_wait){
		.task = h->task,
		.ustack = h->ustack,
		.kstack = h->kstack,
		.sysno = h->sysno,
		.flags = WAIT_ON_CPU | (h->flags & HOT_NOT_SAMPLED ? WAIT_NOT_SAMPLED : 0),
		.samples = h->samples,
		.var_us2 = h->var_us2,
		.on_ns = h->on_ns,
	};
}

int viewed__init(struct viewed *v, const struct profile *p, enum time_view view, struct err *err)
{
	u32 waits_len = view == VIEW_ON ? 1 : p->waits_len, i;

	memset(v, 0, sizeof(*v));
	v->p = p;
	if (view != VIEW_ON && (view != VIEW_WALL || p->hots_len == 1))
		return 0;
	v->rows = mem_array((size_t)waits_len + p->hots_len, sizeof(*v->rows));
	if (!v->rows)
		return err__nomem(err);
	memcpy(v->rows, p->waits, waits_len * sizeof(*v->rows));
	for (i = 1; i < p->hots_len; i++)
		v->rows[waits_len + i - 1] = row_of(&p->hots[i]);
	v->copy = *p;
	v->copy.waits = v->rows;
	v->copy.waits_len = waits_len + p->hots_len - 1;
	if (view == VIEW_ON) {
		v->copy.wakes_len = 1;
		v->copy.hdr.max_moments = v->copy.moments_len = v->copy.marks_len = 0;
	}
	v->p = &v->copy;
	return 0;
}

void viewed__done(struct viewed *v)
{
	if (!v)
		return;
	mem_free(v->rows);
	memset(v, 0, sizeof(*v));
}
