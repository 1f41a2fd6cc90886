/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each way to a debug file is one function in a table; they are tried in order. The image and its
 * path may be hostile: a debug link may not lead to another directory, only regular files are
 * opened, and whatever is found must prove that it belongs to the image, so the worst that a
 * stranger can do is to have us read a file for nothing.
 */
#include "elf/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINK_MAX_SZ 4096
#define CRC_CHUNK_SZ 65536

struct search {
	const struct image *img;
	const char *path;
	const char *debug_dir;
};

static int open_regular(const char *path)
{
	struct stat st;
	int fd;

	/* looked at first, because opening a FIFO or a device does something */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* The checksum of a whole file; false when it cannot be read. */
static bool crc_of(int fd, u32 *ret_crc)
{
	u8 buf[CRC_CHUNK_SZ];
	off_t off = 0;
	u32 crc = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), off)) > 0) {
		crc = lzma_crc32(buf, (size_t)n, crc);
		off += n;
	}
	*ret_crc = crc;
	return n == 0;
}

/* `crc` is NULL where no link vouches for the file. */
static bool belongs(const struct image *img, const struct image *found, const u32 *crc)
{
	u32 its_crc;

	if (found->machine != img->machine || found->type != img->type)
		return false;
	if (*img->build_id && *found->build_id)
		return strcmp(img->build_id, found->build_id) == 0;
	return crc && crc_of(found->fd, &its_crc) && its_crc == *crc;
}

static int try_file(const struct search *s, const char *path, const u32 *crc, struct image **ret)
{
	struct image *found;
	int r, fd = open_regular(path);

	if (fd < 0)
		return -ENOENT;
	r = image__open(fd, path, &found, NULL);
	close(fd);
	if (r)
		return r == -ENOMEM ? r : -ENOENT;
	if (!belongs(s->img, found, crc)) {
		image__free(found);
		return -ENOENT;
	}
	*ret = found;
	return 0;
}

static int find_by_build_id(const struct search *s, struct image **ret)
{
	char path[PATH_MAX];
	int n;

	if (strlen(s->img->build_id) < 4)
		return -ENOENT;
	n = snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", s->debug_dir,
		     s->img->build_id, s->img->build_id + 2);
	return (size_t)n < sizeof(path) ? try_file(s, path, NULL, ret) : -ENOENT;
}

/* .gnu_debuglink is a file name, zeros up to a multiple of 4, and a checksum. */
static bool read_link(const struct image *img, const char **ret_name, u32 *ret_crc)
{
	struct view link;
	size_t len;

	if (!image__section(img, ".gnu_debuglink", LINK_MAX_SZ, &link))
		return false;
	*ret_name = view__cstr(&link);
	if (!*ret_name || !**ret_name || strchr(*ret_name, '/'))
		return false;
	len = strlen(*ret_name) + 1;
	view__bytes(&link, (4 - len % 4) % 4);
	*ret_crc = view__u32(&link);
	return !link.bad;
}

static int find_by_link(const struct search *s, struct image **ret)
{
	/* the three places: prefix, directory of the image, subdirectory */
	const char *places[][2] = { { "", "" }, { "", "/.debug" }, { s->debug_dir, "" } };
	const char *slash = s->path ? strrchr(s->path, '/') : NULL, *name;
	char path[PATH_MAX];
	size_t i;
	u32 crc;

	if (!slash || *s->path != '/' || !read_link(s->img, &name, &crc))
		return -ENOENT;
	for (i = 0; i < ARRAY_LEN(places); i++) {
		int r, n;

		n = snprintf(path, sizeof(path), "%s%.*s%s/%s", places[i][0],
			     (int)(slash - s->path), s->path, places[i][1], name);
		if (n < 0 || (size_t)n >= sizeof(path))
			continue;
		r = try_file(s, path, &crc, ret);
		if (r != -ENOENT)
			return r;
	}
	return -ENOENT;
}

typedef int (*find_fn)(const struct search *s, struct image **ret);

static const find_fn finders[] = {
	find_by_build_id,
	find_by_link,
};

int debugfile_open(const struct image *img, const char *path, const char *debug_dir,
		   struct image **ret)
{
	struct search s = { .img = img, .path = path, .debug_dir = debug_dir };
	size_t i;
	int r = -ENOENT;

	for (i = 0; i < ARRAY_LEN(finders) && r == -ENOENT; i++)
		r = finders[i](&s, ret);
	return r;
}
