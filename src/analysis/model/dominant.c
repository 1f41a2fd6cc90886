/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/model/dominant.h"

#include "analysis/view/wait_stacks.h"

#define KEY_SZ offsetof(struct dominant_sum, ns)

_Static_assert(KEY_SZ == 16, "no padding in a key");

int dominant__init(struct dominant *f)
{
	return intern__init(&f->owners, sizeof(struct dominant_sum), KEY_SZ);
}

void dominant__done(struct dominant *f)
{
	intern__done(&f->owners);
}

int dominant__add(struct dominant *f, const struct profile *p, u32 group, u32 wait)
{
	const struct profile_wait *w = &p->waits[wait];
	const struct dominant_sum key = { .group = group, .tid = w->owner_tid, .task = w->owner };
	u32 id;
	int r;

	if (!w->owner_tid)
		return 0;
	r = intern__add(&f->owners, &key, &id);
	if (!r)
		((struct dominant_sum *)intern__at(&f->owners, id))->ns += wait_ns(w);
	return r;
}

void dominant__of_groups(const struct dominant *f, struct dominant_sum *ret_owners, u32 len)
{
	u32 i;

	memset(ret_owners, 0, len * sizeof(*ret_owners));
	for (i = 1; i < intern__len(&f->owners); i++) {
		const struct dominant_sum *sum = intern__at(&f->owners, i);

		if (sum->group < len && sum->ns > ret_owners[sum->group].ns)
			ret_owners[sum->group] = *sum;
	}
}
