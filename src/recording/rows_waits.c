/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Query rows below those of threads: objects and owners of waits, functions on a CPU, histograms,
 * wakers. Stacks are only in the blocks, where they take a tenth of the bytes; so waits that differ
 * only in their stacks are one row.
 */
#include "recording/row.h"
#include "recording/rows.h"

#define OBJECT_COLUMNS 19
#define WAIT_COLUMNS 11
#define ON_CPU_COLUMNS 10
#define HISTOGRAM_COLUMNS 6
#define WAKE_COLUMNS 13

/* Names for which 0 means none. */
static const char *name_or_none(u32 value, const char *name)
{
	return value ? name : "";
}

static void put_object(struct row *row, const struct profile *p, const struct profile_object *o)
{
	bool is_socket = o->kind == OBJECT_SOCKET;

	row__text(row, object_kind_name(o->kind));
	row__text(row, profile__str(p, o->name));
	row__text(row, profile__str(p, o->peer));
	row__text(row, profile__str(p, o->file));
	row__text(row, name_or_none(o->futex, futex_kind_name(o->futex)));
	row__text(row, is_socket ? socket_role_name(o->role) : "");
	row__numbers(row,
		     (u64[]){ o->family, o->type, o->protocol, o->port, o->number, o->tgid, o->more,
			      o->dev, o->ino, o->addr, o->name_off },
		     11);
}

int rows_insert_objects(struct database *d, u32 window, const struct profile *p, struct err *err)
{
	struct row row;
	int r = row__begin(&row, d, "objects", OBJECT_COLUMNS, "", err);
	u32 i;

	for (i = 1; i < p->objects_len && !r; i++) {
		row__numbers(&row, (u64[]){ window, i }, 2);
		put_object(&row, p, &p->objects[i]);
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}

int rows_insert_waits(struct database *d, u32 window, const struct profile *p,
		      const struct recording_label *labels, const char *cause, struct err *err)
{
	static const char add[] =
		" ON CONFLICT(window, task, cause, class, object, owner, owner_tid) DO UPDATE SET"
		" count = coalesce(count + excluded.count, count, excluded.count),"
		" blocked_ns = blocked_ns + excluded.blocked_ns,"
		" runq_ns = runq_ns + excluded.runq_ns,"
		" max_ns = coalesce(max(max_ns, excluded.max_ns), max_ns, excluded.max_ns)";
	struct row row;
	int r = row__begin(&row, d, "waits", WAIT_COLUMNS, add, err);
	u32 i;

	for (i = 1; i < p->waits_len && !r; i++) {
		const struct profile_wait *w = &p->waits[i];
		const struct recording_label all = { cause, "none" };
		const struct recording_label *label = labels ? &labels[i] : &all;

		row__numbers(&row, (u64[]){ window, w->task }, 2);
		row__text(&row, label->cause);
		row__text(&row, label->class);
		row__numbers(&row, (u64[]){ w->object, w->owner, w->owner_tid }, 3);
		row__known(&row, w->count || rows_is_counted(p, w), w->count);
		row__numbers(&row, (u64[]){ w->blocked_ns, w->runq_ns }, 2);
		row__known(&row, w->max_ns || rows_is_counted(p, w), w->max_ns);
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}

/* The innermost frame: of the kernel if it was there. */
static const char *function_of(const struct profile *p, const struct profile_hot *h)
{
	u32 stack = h->kstack ? h->kstack : h->ustack;

	return profile__str(p, p->frames[p->stacks[stack].frame].name);
}

int rows_insert_on_cpu(struct database *d, u32 window, const struct profile *p, struct err *err)
{
	struct row row;
	int r = row__begin(&row, d, "on_cpu", ON_CPU_COLUMNS, "", err);
	u32 i;

	for (i = 1; i < p->hots_len && !r; i++) {
		const struct profile_hot *h = &p->hots[i];

		row__numbers(&row, (u64[]){ window, i, h->task, h->ustack, h->kstack }, 5);
		row__text(&row, function_of(p, h));
		row__s64(&row, h->sysno);
		row__numbers(&row, (u64[]){ !(h->flags & HOT_NOT_SAMPLED), h->samples, h->on_ns },
			     3);
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}

int rows_insert_histograms(struct database *d, u32 window, const struct profile *p, struct err *err)
{
	struct row row;
	int r = row__begin(&row, d, "histograms", HISTOGRAM_COLUMNS, "", err);
	u32 i;

	for (i = 1; i < p->bins_len && !r; i++) {
		const struct profile_bin *bin = &p->bins[i];
		u64 below_ns = bins_ceil_ns(p->hdr.hist_unit_ns, bin->bucket);

		row__numbers(&row, (u64[]){ window, bin->task }, 2);
		row__text(&row, hist_kind_name(bin->kind));
		row__u64(&row, bins_floor_ns(p->hdr.hist_unit_ns, bin->bucket));
		/* the last one is unbounded */
		if (below_ns == ~0ULL)
			row__null(&row);
		else
			row__u64(&row, below_ns);
		row__u64(&row, bin->count);
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}

static void put_wake(struct row *row, const struct profile *p, const struct profile_wake *w)
{
	const struct profile_waker *by = &p->wakers[w->waker];

	row__numbers(row, (u64[]){ w->task, w->object, by->task, by->tid, by->tgid }, 5);
	row__text(row, profile__str(p, by->group_comm));
	row__text(row, profile__str(p, by->comm));
	row__text(row, waker_context_name(by->context));
	row__text(row, doing_name(w->doing));
	row__numbers(row, (u64[]){ w->did_object, w->count, w->ns }, 3);
}

/* As with waits, those that differ only in stacks, system call or state are one row. */
int rows_insert_wakes(struct database *d, u32 window, const struct profile *p, struct err *err)
{
	static const char add[] =
		" ON CONFLICT(window, task, object, waker, waker_tid, waker_tgid, waker_process,"
		" waker_comm, context, doing, did_object) DO UPDATE SET"
		" count = count + excluded.count, ns = ns + excluded.ns";
	struct row row;
	int r = row__begin(&row, d, "wakes", WAKE_COLUMNS, add, err);
	u32 i;

	for (i = 1; i < p->wakes_len && !r; i++) {
		row__u64(&row, window);
		put_wake(&row, p, &p->wakes[i]);
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}
