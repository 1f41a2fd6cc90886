/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/container.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/types.h"
#include "base/vec.h"
#include "proc/cgroup_search.h"

#define DIGITS "0123456789abcdef"
#define ID_LEN 64
#define ID_PREFIX_MIN 4 /* fewer digits would be a name more often than an ID */
#define JSON_MAX_SZ (16UL << 20)

#define DOCKER_DIR "/var/lib/docker/containers"
#define PODMAN_FILE "/var/lib/containers/storage/overlay-containers/containers.json"
#define KUBERNETES_DIR "/var/log/containers"

struct container_id {
	char digits[ID_LEN + 1];
};

struct wanted {
	const char *name;
	struct vec ids; /* struct container_id: those that have this name */
};

static bool is_id(const char *text)
{
	return strspn(text, DIGITS) == ID_LEN && !text[ID_LEN];
}

static int add_id(struct wanted *w, const char *id)
{
	struct container_id *place;

	if (!is_id(id))
		return 0;
	place = vec__push(&w->ids);
	if (!place)
		return -ENOMEM;
	memcpy(place->digits, id, ID_LEN + 1);
	return 0;
}

/* NULL: it is not there, or not what it should be. */
static json_t *load_json(const char *path)
{
	json_t *json;
	size_t sz;
	char *text;

	if (file_read(path, JSON_MAX_SZ, &text, &sz, NULL))
		return NULL;
	json = json_loadb(text, sz, 0, NULL);
	mem_free(text);
	return json;
}

/* Calls `see` with each name in a directory. */
static int each_entry(struct wanted *w, const char *root, const char *dir_path,
		      int (*see)(struct wanted *w, const char *dir_path, const char *name))
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int r = 0;

	snprintf(path, sizeof(path), "%s%s", root, dir_path);
	dir = opendir(path);
	while (dir && !r && (entry = readdir(dir)))
		r = see(w, path, entry->d_name);
	if (dir)
		closedir(dir);
	return r;
}

/* Its name is in its configuration: "/web". */
static int see_docker(struct wanted *w, const char *dir_path, const char *id)
{
	char path[PATH_MAX];
	const char *name;
	json_t *json;
	int r = 0;

	if (!is_id(id) || (size_t)snprintf(path, sizeof(path), "%s/%s/config.v2.json", dir_path,
					   id) >= sizeof(path))
		return 0;
	json = load_json(path);
	name = json_string_value(json_object_get(json, "Name"));
	if (name && name[0] == '/' && !strcmp(name + 1, w->name))
		r = add_id(w, id);
	json_decref(json);
	return r;
}

/* A list of all containers, each with its names. */
static int see_podman(struct wanted *w, const char *root)
{
	char path[PATH_MAX];
	json_t *list, *container, *name;
	size_t i, k;
	int r = 0;

	snprintf(path, sizeof(path), "%s%s", root, PODMAN_FILE);
	list = load_json(path);
	json_array_foreach(list, i, container)
	{
		const char *id = json_string_value(json_object_get(container, "id"));

		json_array_foreach(json_object_get(container, "names"), k, name)
		{
			const char *text = json_string_value(name);

			if (!r && id && text && !strcmp(text, w->name))
				r = add_id(w, id);
		}
	}
	json_decref(list);
	return r;
}

/* POD_NAMESPACE_CONTAINER-ID.log: neither of the names has a '_'. */
static int see_kubernetes(struct wanted *w, const char *dir_path, const char *file)
{
	const char *first = strchr(file, '_'), *last = strrchr(file, '_');
	const char *id = strrchr(file, '-'), *end = strrchr(file, '.');
	size_t len = strlen(w->name);
	char digits[ID_LEN + 1];

	(void)dir_path;
	if (!first || !id || !end || first == last || id < last || end - id != ID_LEN + 1)
		return 0;
	snprintf(digits, sizeof(digits), "%s", id + 1);
	last++;
	if (((size_t)(first - file) == len && !strncmp(file, w->name, len)) ||
	    ((size_t)(id - last) == len && !strncmp(last, w->name, len)))
		return add_id(w, digits);
	return 0;
}

/* The ID in the name of a cgroup; the process that watches over a container has one, too. */
static bool read_id(const char *dir, struct container_id *ret)
{
	const char *begin = strrchr(dir, '-');

	begin = begin ? begin + 1 : dir;
	if (strstr(dir, "conmon") || strspn(begin, DIGITS) != ID_LEN ||
	    (begin[ID_LEN] && strcmp(begin + ID_LEN, ".scope") != 0))
		return false;
	memcpy(ret->digits, begin, ID_LEN);
	ret->digits[ID_LEN] = '\0';
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
	r = each_entry(&w, root, DOCKER_DIR, see_docker);
	if (!r)
		r = see_podman(&w, root);
	if (!r)
		r = each_entry(&w, root, KUBERNETES_DIR, see_kubernetes);
	r = r ? err__nomem(err) : cgroup_search(&search, buf, sz, err);
	vec__done(&w.ids);
	return r;
}
