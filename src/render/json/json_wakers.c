/* SPDX-License-Identifier: Apache-2.0 */
/* Who ended waits. Links of chains are objects of their own, because several waits share them. */
#include "render/json/json_parts_priv.h"

static const struct flag_name waker_flags[] = {
	{ WAKER_KTHREAD, "kthread" },
	{ WAKER_EXITING, "exiting" },
	{ WAKER_SELF, "self" },
	{ 0, NULL },
};

static void put_stack(struct json_parts *j, const char *key, u32 leaf)
{
	if (!j->alone)
		json_put_index(j, key, leaf);
}

void json_parts__waker(struct json_parts *j, u32 id)
{
	const struct profile_waker *w = &j->p->wakers[id];
	bool thread = w->context == WAKER_THREAD;

	json_put_index(j, "task", w->task);
	json_put_number_or_null(j, "tid", thread, w->tid);
	json_put_number_or_null(j, "tgid", thread, w->tgid);
	json_put_str_or_null(j, "comm", w->comm);
	json_put_str_or_null(j, "group_comm", w->group_comm);
	json__text(&j->to, "context", waker_context_name((enum profile_waker_context)w->context));
	json_put_flags(j, "flags", w->flags, waker_flags);
	json_put_index(j, "next", w->next);
	json__text(&j->to, "end", w->next ? NULL : chain_end_name((enum profile_chain_end)w->end));
	put_stack(j, "user_stack", w->ustack);
	put_stack(j, "kernel_stack", w->kstack);
	json_put_names(j, "user", w->ustack);
	json_put_names(j, "kernel", w->kstack);
}

/* What a line must have to be read alone. */
static void put_waker(struct json_parts *j, const struct row_column *c,
		      const struct profile_wake *wake)
{
	const struct profile_waker *w = &j->p->wakers[wake->waker];

	json_put_column(j, c, wake);
	json_put_number_or_null(j, "waker_tid", w->context == WAKER_THREAD, w->tid);
	json_put_str_or_null(j, "waker_comm", w->comm);
	json__text(&j->to, "waker_context",
		   waker_context_name((enum profile_waker_context)w->context));
}

static void put_wake_column(struct json_parts *j, const struct row_column *c,
			    const struct profile_wake *wake)
{
	const u64 value = row_column__get(c, wake);

	if (c->kind == ROW_FLAGS)
		json_put_flags(j, c->name, (u32)value, json_wait_flags);
	else if (c->kind == ROW_WAKER)
		put_waker(j, c, wake);
	else if (c->off == offsetof(struct profile_wake, owner))
		json_put_owner(j, wake->owner, wake->owner_tid);
	else if (c->off == offsetof(struct profile_wake, did_state) && !value)
		json__null(&j->to, c->name); /* no own wait: in such a wait, the state is never R */
	else if (c->off != offsetof(struct profile_wake, owner_tid))
		json_put_column(j, c, wake);
}

void json_parts__wake(struct json_parts *j, u32 id)
{
	const struct profile_wake *wake = &j->p->wakes[id];
	u32 i;

	for (i = 0; i < wake_row_type.columns_len; i++)
		put_wake_column(j, &wake_row_type.columns[i], wake);
	json_put_names(j, "user", wake->ustack);
	json_put_names(j, "kernel", wake->kstack);
	json_put_names(j, "did_user", wake->did_ustack);
	json_put_names(j, "did_kernel", wake->did_kstack);
}
