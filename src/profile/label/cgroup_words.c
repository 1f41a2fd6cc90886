/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats, from the sources of the runtimes: docker-ID.scope or docker/ID; libpod-ID.scope;
 * cri-containerd-ID.scope and crio-ID.scope; under kubepods without systemd, podUID/ID. The
 * processes that watch over a container (conmon) are in a cgroup whose name is alike.
 *
 * A pod is kubepods-burstable-podUID.slice with '_' for '-', or podUID. Static pods have 32 digits
 * in place of a UUID.
 */
#include "profile/label/cgroup_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/types.h"

#define ID_LEN 64
#define UUID_LEN 36
#define HASH_LEN 32
#define HEX "0123456789abcdef"

/* A part of the path between slashes. */
struct dir {
	const char *at;
	size_t len;
};

static bool begins(const struct dir *d, const char *with)
{
	size_t len = strlen(with);

	return d->len >= len && !memcmp(d->at, with, len);
}

static bool ends(const struct dir *d, const char *with)
{
	size_t len = strlen(with);

	return d->len > len && !memcmp(d->at + d->len - len, with, len);
}

static void put(char *to, size_t sz, const char *from, size_t len)
{
	snprintf(to, sz, "%.*s", (int)(len < sz ? len : sz - 1), from);
}

/* systemd puts a '_' before names that would be taken for files of the kernel. */
static void find_unit(const struct dir *d, struct cgroup_words *w)
{
	static const char *const types[] = { ".service", ".scope", ".socket", ".mount", ".swap" };
	size_t skip = d->len && d->at[0] == '_';

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (ends(d, types[i]))
			put(w->unit, sizeof(w->unit), d->at + skip, d->len - skip);
	}
}

static bool is_id(const char *at, size_t len)
{
	return len == ID_LEN && strspn(at, HEX) >= ID_LEN;
}

static void take_container(struct cgroup_words *w, const char *at, size_t len, const char *runtime)
{
	put(w->container, sizeof(w->container), at, len);
	snprintf(w->runtime, sizeof(w->runtime), "%s", runtime);
}

/* `parent`: the directory above. */
static void find_container(const struct dir *d, const struct dir *parent, struct cgroup_words *w)
{
	static const struct {
		const char *before;
		const char *after;
		const char *runtime;
		bool is_id;
	} forms[] = {
		{ "docker-", ".scope", "docker", true },
		{ "libpod-", ".scope", "podman", true },
		{ "libpod-", "", "podman", true },
		{ "cri-containerd-", ".scope", "containerd", true },
		{ "crio-", ".scope", "cri-o", true },
		{ "crio-", "", "cri-o", true },
		{ "lxc.payload.", "", "lxc", false },
		{ "machine-", ".scope", "nspawn", false },
		{ "systemd-nspawn@", ".service", "nspawn", false },
	};
	bool docker = parent->len == 6 && begins(parent, "docker");

	if (is_id(d->at, d->len))
		take_container(w, d->at, d->len, docker ? "docker" : "");
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		size_t before = strlen(forms[i].before), around = before + strlen(forms[i].after);

		if (begins(d, forms[i].before) && d->len > around &&
		    (!*forms[i].after || ends(d, forms[i].after)) &&
		    (!forms[i].is_id || is_id(d->at + before, d->len - around)))
			take_container(w, d->at + before, d->len - around, forms[i].runtime);
	}
}

/* Digits and '-' of a UUID, or only digits; 0 if it is neither. */
static size_t pod_len(const char *at, size_t len)
{
	if (len == UUID_LEN && strspn(at, HEX "-") >= UUID_LEN && at[8] == '-' && at[23] == '-')
		return len;
	return len == HASH_LEN && strspn(at, HEX) >= HASH_LEN ? len : 0;
}

static void find_pod(const struct dir *d, struct cgroup_words *w)
{
	char text[96];
	const char *pod;
	bool slice = ends(d, ".slice") && begins(d, "kubepods");

	if (d->len >= sizeof(text) || !(slice || begins(d, "pod")))
		return;
	put(text, sizeof(text), d->at, slice ? d->len - strlen(".slice") : d->len);
	for (char *p = text; slice && *p; p++)
		*p = *p == '_' ? '-' : *p;
	pod = slice ? strstr(text, "-pod") : text;
	if (!pod)
		return;
	pod += slice ? strlen("-pod") : strlen("pod");
	if (pod_len(pod, strlen(pod)))
		put(w->pod, sizeof(w->pod), pod, strlen(pod));
}

/* "NAMESPACE/POD/CONTAINER", or the name alone. */
static void split_name(const char *name, struct cgroup_words *w)
{
	const char *slash = strchr(name, '/'), *last = strrchr(name, '/');

	if (!slash || slash == last) {
		put(w->container_name, sizeof(w->container_name), name, strlen(name));
		return;
	}
	put(w->namespace, sizeof(w->namespace), name, (size_t)(slash - name));
	put(w->pod_name, sizeof(w->pod_name), slash + 1, (size_t)(last - slash - 1));
	put(w->container_name, sizeof(w->container_name), last + 1, strlen(last + 1));
}

void cgroup_words_of(const char *path, const char *name, struct cgroup_words *ret)
{
	struct dir parent = { "", 0 };

	*ret = (struct cgroup_words){ .unit = "" };
	split_name(name, ret);
	while (*path) {
		struct dir d = { path, strcspn(path, "/") };

		find_unit(&d, ret);
		find_container(&d, &parent, ret);
		find_pod(&d, ret);
		parent = d;
		path += d.len;
		path += strspn(path, "/");
	}
}
