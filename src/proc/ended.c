/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/ended.h"

void ended__init(struct ended *e)
{
	map64__init(&e->images);
	map64__init(&e->tgids);
}

void ended__done(struct ended *e)
{
	map64__done(&e->images);
	map64__done(&e->tgids);
}

int ended__add_image(struct ended *e, u64 image)
{
	return map64__set(&e->images, image, 1);
}

int ended__add_process(struct ended *e, u32 tgid)
{
	return map64__set(&e->tgids, tgid, 1);
}

static bool has(const struct map64 *m, u64 key)
{
	u64 one;

	return map64__get(m, key, &one);
}

bool ended__has_image(const struct ended *e, u64 image)
{
	return has(&e->images, image);
}

bool ended__has_process(const struct ended *e, u32 tgid)
{
	return has(&e->tgids, tgid);
}
