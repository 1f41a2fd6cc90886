/* SPDX-License-Identifier: Apache-2.0 */
/* The footer of every format describes losses in the same words. */
#include "render/words/loss_text.h"

#include "analysis/view/unnamed.h"
#include "base/units.h"

/* The last part of a path. */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

bool loss_reason_text(const struct profile *p, enum profile_loss_kind kind, char *buf, size_t sz)
{
	struct unnamed un;

	buf[0] = '\0';
	if (kind != LOSS_UNNAMED || unnamed__find(&un, p) || !un.most)
		return false;
	if (un.module)
		snprintf(buf, sz, "%u of %u such frames are in %s: %s", un.most, un.frames,
			 file_name(profile__str(p, p->modules[un.module].path)),
			 frame_reason_sentence(un.reason));
	else
		snprintf(buf, sz, "%u of %u such frames: %s", un.most, un.frames,
			 frame_reason_sentence(un.reason));
	return true;
}

bool loss_text(const struct profile *p, enum profile_loss_kind kind, char *buf, size_t sz)
{
	const struct profile_loss *loss = &p->losses[kind];
	const char *sentence = loss->events == 1 ? loss_sentence_of_one(kind) : loss_sentence(kind);
	char events[32], time[32];

	buf[0] = '\0';
	if (!loss->events && !loss->ns)
		return false;
	units_format_count(loss->events, events, sizeof(events));
	units_format_ns(loss->ns, time, sizeof(time));
	if (loss->ns)
		snprintf(buf, sz, "%s %s (%s)", events, sentence, time);
	else
		snprintf(buf, sz, "%s %s", events, sentence);
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
