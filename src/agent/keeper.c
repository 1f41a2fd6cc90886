/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window that cannot be written is dropped: waiting for space would stop the recording, and
 * keeping windows in memory would only delay the loss. A file that turned bad is left, and the
 * window goes to the next part of the day.
 */
#include "agent/keeper.h"

#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "app/recording_file.h"
#include "base/clock.h"
#include "profile/windows/fold.h"

/* Parts of the limit in bytes, so that whole files can be removed to stay within it. */
#define PARTS 8
#define STEADY_NS (600 * NSEC_PER_SEC)
/* Less is NTP at work. */
#define STEP_NS ((s64)NSEC_PER_SEC)

int keeper__init(struct keeper *k, const char *store, struct err *err)
{
	*k = (struct keeper){ 0 };
	return store_writer__open(store, &k->writer, err);
}

void keeper__done(struct keeper *k)
{
	store_writer__close(k->writer);
	k->writer = NULL;
}

int keeper__move(struct keeper *k, const char *store, struct err *err)
{
	struct store_writer *fresh;
	int r = store_writer__open(store, &fresh, err);

	if (r)
		return r;
	store_writer__close(k->writer);
	k->writer = fresh;
	return 0;
}

static int add(struct keeper *k, const struct agent_settings *s, const struct ruleset *rules,
	       const struct profile *p, struct err *err)
{
	struct cause_memo memo = { .rules = rules, .p = p };
	struct recorder *rec;
	int r = store_writer__recorder(k->writer, p->hdr.begin_wall_ns, s->retention_bytes / PARTS,
				       &rec, err);

	if (r)
		return r;
	r = recording_file_add(rec, p, &memo, err);
	cause_memo__done(&memo);
	if (r && r != -ENOSPC && r != -ENOMEM && r != -EINVAL)
		store_writer__set_aside(k->writer);
	return r;
}

/* Without memory to fold it, the window is kept as it is. */
int keeper__add(struct keeper *k, const struct agent_settings *s, const struct ruleset *rules,
		const struct profile *p, struct err *err)
{
	struct profile *folded = NULL;
	int r;

	if (!s->keep_short_threads && !profile_fold_ended(p, &folded, NULL))
		p = folded;
	r = add(k, s, rules, p, err);

	/* once more, in another part of the day if the file was bad */
	if (r && r != -ENOSPC && r != -ENOMEM && r != -EINVAL)
		r = add(k, s, rules, p, err);
	if (r) {
		k->dropped++;
		k->missing++;
	} else {
		k->windows++;
		k->missing = 0;
		k->end_mono_ns = p->hdr.begin_mono_ns + p->hdr.window_ns;
	}
	profile__free(folded);
	return r;
}

bool keeper__is_steady(struct keeper *k, u64 wall_ns, u64 mono_ns)
{
	s64 offset_ns = (s64)(wall_ns - mono_ns), step_ns = offset_ns - k->offset_ns;

	if (!k->steady_since_ns || step_ns > STEP_NS || step_ns < -STEP_NS)
		k->steady_since_ns = mono_ns;
	k->offset_ns = offset_ns;
	return mono_ns - k->steady_since_ns >= STEADY_NS;
}

int keeper__retain(struct keeper *k, const struct agent_settings *s, struct store_removed *ret,
		   struct err *err)
{
	const struct store_limits limits = { (u32)s->retention_days, s->retention_bytes };
	u64 wall_ns = clock_wall_ns();
	bool steady = keeper__is_steady(k, wall_ns, clock_mono_ns());
	int r = store_writer__retain(k->writer, &limits, wall_ns, steady, ret, err);

	k->removed += ret->files;
	if (!r) {
		k->bytes = ret->kept_bytes;
		k->files = ret->kept_files;
	}
	return r;
}
