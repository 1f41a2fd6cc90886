/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/request/mark_pair.h"

#include <string.h>

bool mark_class_tells_more(const char *first, const char *further)
{
	size_t len = strlen(first);

	return !strchr(first, ' ') && !strncmp(first, further, len) && further[len] == ' ';
}

static enum mark_step begin(struct mark_pair *p, u64 at_ns)
{
	*p = (struct mark_pair){ .begin_ns = at_ns, .depth = 1 };
	return MARK_BEGAN;
}

static enum mark_step take_bytes(struct mark_pair *p, enum mark_kind kind, u64 at_ns)
{
	if (kind != MARK_END)
		return p->depth && !p->answered_ns ? MARK_INSIDE : begin(p, at_ns);
	if (!p->depth)
		return MARK_STRAY;
	p->answered_ns = at_ns;
	return MARK_WROTE;
}

enum mark_step mark_pair__take(struct mark_pair *p, enum mark_kind kind, bool of_connection,
			       u64 at_ns)
{
	if (of_connection)
		return take_bytes(p, kind, at_ns);
	if (kind == MARK_BEGIN_ANEW || (kind == MARK_BEGIN && !p->depth))
		return begin(p, at_ns);
	if (kind == MARK_BEGIN) {
		p->depth++;
		return MARK_INSIDE;
	}
	if (!p->depth)
		return MARK_STRAY;
	return --p->depth ? MARK_INSIDE : MARK_ENDED;
}
