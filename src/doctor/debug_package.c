/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dpkg keeps the paths of each package in a text file, without an index: `dpkg -S` reads them all
 * too. They are read here rather than with that program, because the process may be in a container,
 * and because doctor runs with privileges that no other program should get.
 *
 * Since directories moved below /usr, the lists have either form of a path, and the kernel has the
 * new one.
 */
#include "doctor/debug_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "elf/image.h"

#define LIST_MAX_SZ (64UL << 20)

/* Whether the complete line is there. */
static bool has_line(const char *text, size_t sz, const char *line)
{
	size_t len = strlen(line);
	const char *at = text, *end = text + sz;

	while ((at = memmem(at, (size_t)(end - at), line, len))) {
		if ((at == text || at[-1] == '\n') && (at + len == end || at[len] == '\n'))
			return true;
		at++;
	}
	return false;
}

static bool lists(const char *text, size_t sz, const char *path)
{
	if (has_line(text, sz, path))
		return true;
	return !strncmp(path, "/usr/", 5) && has_line(text, sz, path + 4);
}

/* "libfoo1:amd64.list" to "libfoo1-dbgsym"; the C library has an older kind. */
static void name_of(const char *list, char *buf, size_t sz)
{
	int len = (int)strcspn(list, ":");

	if (!list[len])
		len -= (int)strlen(".list");
	if (len == 5 && !strncmp(list, "libc6", 5))
		snprintf(buf, sz, "libc6-dbg");
	else
		snprintf(buf, sz, "%.*s-dbgsym", len, list);
}

static void look_in(const char *dir, const char *list, struct debug_package *packages, size_t len)
{
	char path[384], *text;
	size_t i, sz;

	snprintf(path, sizeof(path), "%s/%s", dir, list);
	if (file_read(path, LIST_MAX_SZ, &text, &sz, NULL))
		return;
	for (i = 0; i < len; i++) {
		if (!packages[i].name[0] && lists(text, sz, packages[i].path))
			name_of(list, packages[i].name, sizeof(packages[i].name));
	}
	mem_free(text);
}

void debug_package_find(u32 tgid, struct debug_package *packages, size_t len)
{
	const struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/root/var/lib/dpkg/info", tgid);
	dir = len ? opendir(path) : NULL;
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		size_t name_len = strlen(entry->d_name);

		if (name_len > 5 && !strcmp(entry->d_name + name_len - 5, ".list"))
			look_in(path, entry->d_name, packages, len);
	}
	closedir(dir);
}

static bool has_build_id(const char *path, const char *build_id)
{
	struct image *img = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool same = false;

	if (fd < 0)
		return false;
	if (!image__open(fd, path, &img, NULL))
		same = img->build_id[0] && !strcmp(img->build_id, build_id);
	close(fd);
	image__free(img);
	return same;
}

bool debug_package_of_build(const char *path, const char *build_id, struct debug_package *ret)
{
	*ret = (struct debug_package){ .path = path };
	if (has_build_id(path, build_id))
		debug_package_find((u32)getpid(), ret, 1);
	return ret->name[0];
}
