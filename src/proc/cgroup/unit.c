/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/cgroup/unit.h"

#include <stdbool.h>
#include <string.h>

#include "base/types.h"
#include "proc/cgroup/cgroup_search.h"

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && !strcmp(text + len - end_len, end);
}

/* The types of units that have processes. */
static bool has_type(const char *name)
{
	static const char *const types[] = { ".service", ".scope", ".slice",
					     ".socket",	 ".mount", ".swap" };

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (ends_with(name, types[i]))
			return true;
	return false;
}

/* systemd puts a '_' before names that would be taken for files of the kernel. */
static bool is_unit(const void *arg, const char *dir)
{
	const char *name = arg;
	size_t len = strlen(name);

	dir += dir[0] == '_' && name[0] != '_';
	return !strncmp(dir, name, len) && !strcmp(dir + len, has_type(name) ? "" : ".service");
}

int unit_find(const char *mount, const char *name, char *buf, size_t sz, struct err *err)
{
	const struct cgroup_search search = {
		.mount = mount, .noun = "unit", .name = name, .is = is_unit, .arg = name
	};

	return cgroup_search(&search, buf, sz, err);
}
