/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two builds of a program have the same functions at other addresses, and libraries with a newer
 * version in their name; for a comparison both are the same.
 */
#include "analysis/diff/symbol_key.h"

#include <stdio.h>
#include <string.h>

#include "analysis/name/label.h"
#include "base/text/suffix.h"

/* Length without the version after ".so". */
static size_t without_version(const char *name)
{
	const char *so = strstr(name, ".so.");

	return so ? (size_t)(so - name) + 3 : strlen(name);
}

void symbol_key_module(const struct profile *p, u32 frame, char *buf, size_t sz)
{
	u32 module = p->frames[frame].module;
	const char *name = label_basename(profile__str(p, p->modules[module].path));
	size_t len = without_version(name);

	if (len > 2 && name[0] == '[' && name[len - 1] == ']') {
		name++;
		len -= 2;
	}
	snprintf(buf, sz, "%.*s", (int)(len < sz ? len : sz - 1), name);
}

void symbol_key_name(const struct profile *p, u32 frame, char *buf, size_t sz)
{
	const struct profile_frame *f = &p->frames[frame];
	char module[256];

	if (f->name) {
		snprintf(buf, sz, "%s", profile__str(p, f->name));
		suffix_strip(buf, buf, sz);
		return;
	}
	symbol_key_module(p, frame, module, sizeof(module));
	snprintf(buf, sz, "[%s]", *module ? module : "unknown");
}
