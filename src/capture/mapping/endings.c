/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/mapping/endings.h"

#include <errno.h>
#include <signal.h>

struct ending {
	u64 image;
	u32 tgid;
	bool execed;
	bool here; /* the window at hand has a record of it */
};

void endings__init(struct endings *e)
{
	vec__init(&e->waiting, sizeof(struct ending));
	map64__init(&e->images);
}

void endings__done(struct endings *e)
{
	vec__done(&e->waiting);
	map64__done(&e->images);
}

int endings__see(struct endings *e, const struct cs_task_record *rec)
{
	/* Nobody tells of the end of one that is no target any more. */
	bool ended = rec->flags & (CS_TASK_GONE | CS_TASK_LEFT);
	struct ending *ending = NULL;
	u64 idx;

	if (rec->flags & CS_TASK_KTHREAD)
		return 0;
	if (map64__get(&e->images, rec->image, &idx)) {
		ending = vec__at(&e->waiting, idx);
	} else if (ended) {
		ending = vec__push(&e->waiting);
		if (!ending || map64__set(&e->images, rec->image, e->waiting.len - 1))
			return -ENOMEM;
		*ending = (struct ending){ .image = rec->image, .tgid = rec->tgid };
	}
	if (ending) {
		ending->here = true;
		ending->execed |= !!(rec->flags & CS_TASK_EXECED);
	}
	return 0;
}

/* Another process with the same number is taken for it, until that has ended too. */
static bool is_gone(const struct ending *ending)
{
	return kill((pid_t)ending->tgid, 0) && errno == ESRCH;
}

static int tell(const struct ending *ending, bool gone, struct ended *ret)
{
	int r = ended__add_image(ret, ending->image);

	return r || !gone ? r : ended__add_process(ret, ending->tgid);
}

int endings__take(struct endings *e, struct ended *ret)
{
	struct map64 left;
	size_t n = 0;
	int r = 0;

	map64__init(&left);
	for (size_t i = 0; !r && i < e->waiting.len; i++) {
		struct ending *ending = vec__at(&e->waiting, i);
		bool gone = !ending->here && is_gone(ending);

		if (gone || (!ending->here && ending->execed)) {
			r = tell(ending, gone, ret);
			continue;
		}
		ending->here = false;
		r = map64__set(&left, ending->image, n);
		*(struct ending *)vec__at(&e->waiting, n++) = *ending;
	}
	e->waiting.len = n;
	map64__done(&e->images);
	e->images = left;
	return r;
}
