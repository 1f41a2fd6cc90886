/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/cgroup/container.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/types.h"
#include "base/vec.h"
#include "proc/cgroup/cgroup_search.h"
#include "proc/cgroup/container_list.h"

#define ID_PREFIX_MIN 4 /* fewer digits would be a name more often than an ID */

struct container_id {
	char digits[CONTAINER_ID_LEN + 1];
};

struct wanted {
	const char *name;
	struct vec ids; /* struct container_id: those that have this name */
};

static int add_id(struct wanted *w, const char *id)
{
	struct container_id *place = vec__push(&w->ids);

	if (!place)
		return -ENOMEM;
	memcpy(place->digits, id, CONTAINER_ID_LEN + 1);
	return 0;
}

/* "web", or one of the names in "namespace/pod/container" but the first. */
static bool is_named_so(const char *name, const char *wanted)
{
	const char *slash = strchr(name, '/'), *last = strrchr(name, '/');
	size_t len = strlen(wanted);

	if (!strcmp(name, wanted))
		return true;
	return slash && (!strcmp(slash + 1, wanted) || !strcmp(last + 1, wanted) ||
			 ((size_t)(last - slash - 1) == len && !memcmp(slash + 1, wanted, len)));
}

static int see(void *arg, const char *id, const char *name)
{
	struct wanted *w = arg;

	return is_named_so(name, w->name) ? add_id(w, id) : 0;
}

/* The ID in the name of a cgroup; the process that watches over a container has one, too. */
static bool read_id(const char *dir, struct container_id *ret)
{
	const char *begin = strrchr(dir, '-');

	begin = begin ? begin + 1 : dir;
	if (strstr(dir, "conmon") || strspn(begin, CONTAINER_ID_DIGITS) != CONTAINER_ID_LEN ||
	    (begin[CONTAINER_ID_LEN] && strcmp(begin + CONTAINER_ID_LEN, ".scope") != 0))
		return false;
	memcpy(ret->digits, begin, CONTAINER_ID_LEN);
	ret->digits[CONTAINER_ID_LEN] = '\0';
	return true;
}

/* "machine-web.scope" for web. */
static bool is_named(const char *dir, const char *name)
{
	static const char *const around[][2] = {
		{ "lxc.payload.", "" },
		{ "machine-", ".scope" },
		{ "systemd-nspawn@", ".service" },
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(around); i++) {
		size_t before = strlen(around[i][0]);

		if (!strncmp(dir, around[i][0], before) && !strncmp(dir + before, name, len) &&
		    !strcmp(dir + before + len, around[i][1]))
			return true;
	}
	return false;
}

static bool is_wanted(const void *arg, const char *dir)
{
	const struct wanted *w = arg;
	size_t len = strlen(w->name);
	struct container_id id;

	if (!read_id(dir, &id))
		return is_named(dir, w->name);
	if (len >= ID_PREFIX_MIN && !strncmp(id.digits, w->name, len))
		return true;
	for (size_t i = 0; i < w->ids.len; i++) {
		const struct container_id *named = vec__at(&w->ids, i);

		if (!strcmp(named->digits, id.digits))
			return true;
	}
	return false;
}

int container_find(const char *mount, const char *root, const char *name, char *buf, size_t sz,
		   struct err *err)
{
	struct wanted w = { .name = name };
	const struct cgroup_search search = {
		.mount = mount, .noun = "container", .name = name, .is = is_wanted, .arg = &w
	};
	int r;

	vec__init(&w.ids, sizeof(struct container_id));
	r = container_list_each(root, see, &w);
	r = r ? err__nomem(err) : cgroup_search(&search, buf, sz, err);
	vec__done(&w.ids);
	return r;
}
