/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/block/string_set.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "recording/block/sections.h"

int string_set__init(struct string_set *set, const struct profile *p)
{
	*set = (struct string_set){ .p = p, .len = 1 };
	section_out__init(&set->section, SECTION_STRINGS, STRINGS_COLUMNS, SECTION_NEEDED);
	set->ids = mem_array(strtab__len(&p->strings), sizeof(u32));
	return set->ids ? 0 : -ENOMEM;
}

static void string_set__done(struct string_set *set)
{
	mem_free(set->ids);
	section_out__done(&set->section);
}

u32 string_set__number(struct string_set *set, u32 str)
{
	const char *text = profile__str(set->p, str);

	if (!*text || set->ids[str])
		return set->ids[str];
	set->ids[str] = set->len++;
	section_out__uleb(&set->section, STRINGS_SZ, strlen(text));
	section_out__bytes(&set->section, STRINGS_BYTES, text, strlen(text));
	set->section.rows++;
	return set->ids[str];
}

u64 string_set__ref(struct string_set *set, u32 str)
{
	u32 next = set->len, number = string_set__number(set, str);

	return number ? 1 + (u64)(next - number) : 0;
}

int string_set__finish(struct string_set *set, struct section_out *outs, size_t len, int r,
		       struct vec *sections)
{
	size_t i;

	if (!r)
		r = section_out__append(&set->section, sections);
	for (i = 0; i < len; i++) {
		if (!r)
			r = section_out__append(&outs[i], sections);
		section_out__done(&outs[i]);
	}
	string_set__done(set);
	return r;
}
