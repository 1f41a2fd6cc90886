/* SPDX-License-Identifier: Apache-2.0 */
/* The foot of every format tells losses in the same words. */
#include "render/loss_text.h"

#include "base/units.h"

bool loss_text(const struct profile *p, enum profile_loss_kind kind, char *buf, size_t sz)
{
	const struct profile_loss *loss = &p->losses[kind];
	char events[32], time[32];

	buf[0] = '\0';
	if (!loss->events && !loss->ns)
		return false;
	units_format_count(loss->events, events, sizeof(events));
	units_format_ns(loss->ns, time, sizeof(time));
	if (loss->ns)
		snprintf(buf, sz, "%s %s (%s)", events, loss_sentence(kind), time);
	else
		snprintf(buf, sz, "%s %s", events, loss_sentence(kind));
	return true;
}

u32 loss_kinds(const struct profile *p)
{
	u32 n = 0;
	int i;

	for (i = 0; i < LOSS_CNT; i++)
		n += p->losses[i].events || p->losses[i].ns;
	return n;
}
