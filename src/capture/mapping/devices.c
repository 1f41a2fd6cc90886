/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/mapping/devices.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "capture/mapping/kernel_dev.h"
#include "proc/mountinfo.h"

#define DEV_PATH "/dev/"

void devices__init(struct devices *d)
{
	map64__init(&d->names);
}

void devices__done(struct devices *d)
{
	map64__done(&d->names);
}

static bool block_name(u32 major, u32 minor, char *buf)
{
	char path[64], target[PATH_MAX];
	const char *slash;
	ssize_t n;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	slash = strrchr(target, '/');
	snprintf(buf, MOUNT_TEXT_SZ, "%s", slash ? slash + 1 : target);
	return true;
}

/* A device by a name, which may be a link to another: /dev/mapper/root is dm-0. */
static bool block_name_at(const char *path, char *buf)
{
	struct stat st;

	return !stat(path, &st) && S_ISBLK(st.st_mode) &&
	       block_name(major(st.st_rdev), minor(st.st_rdev), buf);
}

/* The layer to which an overlay writes; files that are read may be on others too. */
static bool overlay_name(const struct mount_line *line, char *buf)
{
	struct view upper;
	struct stat st;

	return mountinfo__option(line->options, "upperdir", &upper) &&
	       mountinfo__unescape(upper, buf, MOUNT_TEXT_SZ) && !stat(buf, &st) &&
	       block_name(major(st.st_dev), minor(st.st_dev), buf);
}

static bool source_name(const struct mount_line *line, char *buf)
{
	char source[MOUNT_TEXT_SZ];

	if (view__eq(&line->fs, "overlay"))
		return overlay_name(line, buf);
	if (!mountinfo__unescape(line->source, source, sizeof(source)))
		return false;
	if (!strncmp(source, DEV_PATH, strlen(DEV_PATH))) {
		if (!block_name_at(source, buf))
			snprintf(buf, MOUNT_TEXT_SZ, "%s", source + strlen(DEV_PATH));
		return true;
	}
	if (!strstr(source, ":/") && strncmp(source, "//", 2) != 0)
		return false; /* "tmpfs", "proc" and similar */
	snprintf(buf, MOUNT_TEXT_SZ, "%s", source);
	return true;
}

static bool mounted_name(const char *path, u32 major, u32 minor, char *buf)
{
	struct mount_line line;
	bool found = false;
	char *text;
	size_t sz;

	if (file_read(path, MOUNTINFO_MAX_SZ, &text, &sz, NULL))
		return false;
	if (mountinfo__find(view__of(text, sz), major, minor, &line))
		found = source_name(&line, buf);
	mem_free(text);
	return found;
}

static void find_name(u32 major, u32 minor, u32 tgid, char *buf)
{
	char path[64];

	if (block_name(major, minor, buf))
		return;
	snprintf(path, sizeof(path), "/proc/%u/mountinfo", tgid);
	/* Only numbers without a device have major 0. */
	if (major || (!mounted_name("/proc/self/mountinfo", major, minor, buf) &&
		      !mounted_name(path, major, minor, buf)))
		buf[0] = '\0';
}

int devices__name(struct devices *d, struct builder *b, u64 dev, u32 tgid, u32 *ret)
{
	char buf[MOUNT_TEXT_SZ];
	u64 known;
	int r;

	if (map64__get(&d->names, dev, &known)) {
		*ret = (u32)known;
		return 0;
	}
	find_name(kernel_dev_major(dev), kernel_dev_minor(dev), tgid, buf);
	r = builder__str(b, buf, ret);
	return r ? r : map64__set(&d->names, dev, *ret);
}
