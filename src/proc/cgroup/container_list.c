/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/cgroup/container_list.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/types.h"

#define JSON_MAX_SZ (16UL << 20)

#define DOCKER_DIR "/var/lib/docker/containers"
#define PODMAN_FILE "/var/lib/containers/storage/overlay-containers/containers.json"
#define KUBERNETES_DIR "/var/log/containers"

struct listing {
	container_fn *fn;
	void *arg;
};

static bool is_id(const char *text)
{
	return strspn(text, CONTAINER_ID_DIGITS) == CONTAINER_ID_LEN && !text[CONTAINER_ID_LEN];
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
static int each_entry(const struct listing *l, const char *root, const char *dir_path,
		      int (*see)(const struct listing *l, const char *dir_path, const char *name))
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int r = 0;

	snprintf(path, sizeof(path), "%s%s", root, dir_path);
	dir = opendir(path);
	while (dir && !r && (entry = readdir(dir)))
		r = see(l, path, entry->d_name);
	if (dir)
		closedir(dir);
	return r;
}

/* Its name is in its configuration: "/web". */
static int see_docker(const struct listing *l, const char *dir_path, const char *id)
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
	if (name && name[0] == '/' && name[1])
		r = l->fn(l->arg, id, name + 1);
	json_decref(json);
	return r;
}

/* A list of all containers, each with its names. */
static int see_podman(const struct listing *l, const char *root)
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

			if (!r && id && is_id(id) && text && *text)
				r = l->fn(l->arg, id, text);
		}
	}
	json_decref(list);
	return r;
}

/* POD_NAMESPACE_CONTAINER-ID.log: none of the names has a '_'. */
static int see_kubernetes(const struct listing *l, const char *dir_path, const char *file)
{
	const char *first = strchr(file, '_'), *last = strrchr(file, '_');
	const char *id = strrchr(file, '-'), *end = strrchr(file, '.');
	char name[CONTAINER_NAME_SZ], digits[CONTAINER_ID_LEN + 1];

	(void)dir_path;
	if (!first || !id || !end || first == last || id < last || end - id != CONTAINER_ID_LEN + 1)
		return 0;
	snprintf(digits, sizeof(digits), "%s", id + 1);
	snprintf(name, sizeof(name), "%.*s/%.*s/%.*s", (int)(last - first - 1), first + 1,
		 (int)(first - file), file, (int)(id - last - 1), last + 1);
	return is_id(digits) ? l->fn(l->arg, digits, name) : 0;
}

int container_list_each(const char *root, container_fn *fn, void *arg)
{
	const struct listing l = { .fn = fn, .arg = arg };
	int r = each_entry(&l, root, KUBERNETES_DIR, see_kubernetes);

	if (!r)
		r = each_entry(&l, root, DOCKER_DIR, see_docker);
	return r ? r : see_podman(&l, root);
}
