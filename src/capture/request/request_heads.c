/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/request/request_heads.h"

#include <errno.h>
#include <string.h>

int request_heads__init(struct request_heads *h)
{
	u32 other;
	int r = strtab__init(&h->names);

	return r ? r : strtab__add(&h->names, REQUEST_HEADS_OTHER, &other);
}

void request_heads__done(struct request_heads *h)
{
	strtab__done(&h->names);
}

/* The id of a name that is there, or 0. */
static u32 find(const struct request_heads *h, const char *name)
{
	for (u32 i = 1; i < strtab__len(&h->names); i++)
		if (!strcmp(strtab__get(&h->names, i), name))
			return i;
	return 0;
}

int request_heads__see(struct request_heads *h, const struct cs_head *head,
		       struct request_head *ret)
{
	struct http_head parsed;
	u32 len = head->len < CS_HEAD_SZ ? head->len : CS_HEAD_SZ;
	const char *name = parsed.name;

	*ret = (struct request_head){ 0 };
	if (!http_head_parse(&parsed, view__of(head->bytes, len)))
		return 0;
	memcpy(ret->trace, parsed.trace, sizeof(ret->trace));
	ret->is_cut = parsed.is_cut && !*parsed.trace;
	/* the first id is "", and the second the name of others */
	if (strtab__len(&h->names) >= REQUEST_HEADS_MAX + 2 && !find(h, name))
		name = REQUEST_HEADS_OTHER;
	return strtab__add(&h->names, name, &ret->name);
}
