/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/model/dominant.h"

#include "analysis/view/wait_stacks.h"

#define OBJECT_KEY_SZ offsetof(struct dominant_sum, tid)

/* An owner is identified by its thread: `id` is 0 in the table of owners. */
#define OWNER_KEY_SZ offsetof(struct dominant_sum, ns)

_Static_assert(OWNER_KEY_SZ == 16, "no padding in a key");

int dominant__init(struct dominant *f)
{
	int r = intern__init(&f->objects, sizeof(struct dominant_sum), OBJECT_KEY_SZ);
	int other = intern__init(&f->owners, sizeof(struct dominant_sum), OWNER_KEY_SZ);

	return r ? r : other;
}

void dominant__done(struct dominant *f)
{
	intern__done(&f->objects);
	intern__done(&f->owners);
}

static int add(struct intern *sums, const struct dominant_sum *key, u64 ns)
{
	u32 id;
	int r = intern__add(sums, key, &id);

	if (!r)
		((struct dominant_sum *)intern__at(sums, id))->ns += ns;
	return r;
}

int dominant__add(struct dominant *f, const struct profile *p, u32 group, u32 wait)
{
	const struct profile_wait *w = &p->waits[wait];
	const struct dominant_sum object = { .group = group, .id = w->object };
	const struct dominant_sum owner = { .group = group, .tid = w->owner_tid, .task = w->owner };
	int r = 0;

	if (w->object)
		r = add(&f->objects, &object, wait_ns(w));
	if (!r && w->owner_tid)
		r = add(&f->owners, &owner, wait_ns(w));
	return r;
}

static void pick(const struct intern *sums, struct dominant_sum *ret, u32 len)
{
	u32 i;

	memset(ret, 0, len * sizeof(*ret));
	for (i = 1; i < intern__len(sums); i++) {
		const struct dominant_sum *sum = intern__at(sums, i);

		if (sum->group < len && sum->ns > ret[sum->group].ns)
			ret[sum->group] = *sum;
	}
}

void dominant__of_groups(const struct dominant *f, struct dominant_sum *ret_objects,
			 struct dominant_sum *ret_owners, u32 len)
{
	pick(&f->objects, ret_objects, len);
	pick(&f->owners, ret_owners, len);
}
