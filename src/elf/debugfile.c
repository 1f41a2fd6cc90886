/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each way to a debug file is a function in a table; they are tried in order, in each root. The
 * image and its path may be hostile, and so may the root of a container. A debug link may not lead
 * to another directory, and no link may lead out of a root. Only regular files are opened, and a
 * file must prove that it belongs to the image. So the worst outcome is that we read a file for
 * nothing.
 */
#include "elf/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINK_MAX_SZ 4096
#define CRC_CHUNK_SZ 65536
/* Takes two seconds to check. Larger debug files have build IDs. */
#define CRC_MAX_SZ (2LL << 30)

/* One root to search: ours, or that of a container. */
struct search {
	const struct image *img;
	const char *path;
	const char *debug_dir;
	int root_fd; /* AT_FDCWD: ours */
};

/* Opens with O_PATH, because opening a FIFO or a device has side effects. */
static int open_path(int root_fd, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };

	if (root_fd == AT_FDCWD)
		return open(path, O_PATH | O_CLOEXEC);
	return (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
}

static int open_regular(int root_fd, const char *path)
{
	int fd = -1, path_fd = open_path(root_fd, path);
	char self[32];
	struct stat st;

	if (path_fd < 0)
		return -ENOENT;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	if (!fstat(path_fd, &st) && S_ISREG(st.st_mode))
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	close(path_fd);
	return fd < 0 ? -ENOENT : fd;
}

/* The checksum of a whole file; false if it cannot be read, or is too large. */
static bool crc_of(int fd, u32 *ret_crc)
{
	u8 buf[CRC_CHUNK_SZ];
	off_t off = 0;
	u32 crc = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), off)) > 0 && off < CRC_MAX_SZ) {
		crc = lzma_crc32(buf, (size_t)n, crc);
		off += n;
	}
	*ret_crc = crc;
	return n == 0;
}

/* `crc` is NULL if there is no link. */
static bool belongs(const struct image *img, const struct image *found, const u32 *crc)
{
	u32 its_crc;

	if (found->machine != img->machine || found->type != img->type)
		return false;
	if (*img->build_id && *found->build_id)
		return strcmp(img->build_id, found->build_id) == 0;
	return crc && crc_of(found->fd, &its_crc) && its_crc == *crc;
}

/* Takes `fd`, which may be negative. */
static int try_fd(const struct image *img, int fd, const char *path, const u32 *crc,
		  struct image **ret)
{
	struct image *found;
	int r;

	if (fd < 0)
		return -ENOENT;
	r = image__open(fd, path, &found, NULL);
	close(fd);
	if (r)
		return r == -ENOMEM ? r : -ENOENT;
	if (!belongs(img, found, crc)) {
		image__free(found);
		return -ENOENT;
	}
	*ret = found;
	return 0;
}

static int try_file(const struct search *s, const char *path, const u32 *crc, struct image **ret)
{
	return try_fd(s->img, open_regular(s->root_fd, path), path, crc, ret);
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

static int search_root(const struct search *s, struct image **ret)
{
	size_t i;
	int r = -ENOENT;

	for (i = 0; i < ARRAY_LEN(finders) && r == -ENOENT; i++)
		r = finders[i](s, ret);
	return r;
}

static int ask_debuginfod(const struct image *img, struct debuginfod *d, struct image **ret)
{
	int fd, r = debuginfod__find(d, img->build_id, &fd);

	return r ? r : try_fd(img, fd, "debuginfod", NULL, ret);
}

int debugfile_open(const struct image *img, const struct symtab_options *opt, struct image **ret)
{
	struct search s = { .img = img, .path = opt->path, .root_fd = AT_FDCWD };
	size_t i;
	int r = -ENOENT;

	s.debug_dir = opt->debug_dir ? opt->debug_dir : SYMTAB_DEBUG_DIR;
	if (*s.debug_dir)
		r = search_root(&s, ret);
	for (i = 0; *s.debug_dir && i < opt->root_fds_len && r == -ENOENT; i++) {
		struct search other = s;

		other.debug_dir = SYMTAB_DEBUG_DIR;
		other.root_fd = opt->root_fds[i];
		r = search_root(&other, ret);
	}
	if (r == -ENOENT && opt->debuginfod)
		r = ask_debuginfod(img, opt->debuginfod, ret);
	return r;
}

static int open_alt_in(int root_fd, const char *debug_dir, const char *path, const char *build_id)
{
	char by_id[PATH_MAX];
	int n, fd = -ENOENT;

	n = snprintf(by_id, sizeof(by_id), "%s/.build-id/%.2s/%s.debug", debug_dir, build_id,
		     build_id + 2);
	if ((size_t)n < sizeof(by_id))
		fd = open_regular(root_fd, by_id);
	return fd < 0 && *path == '/' ? open_regular(root_fd, path) : fd;
}

int debugfile_open_alt(const char *path, const char *build_id, const struct symtab_options *opt)
{
	const char *dir = opt->debug_dir ? opt->debug_dir : SYMTAB_DEBUG_DIR;
	int fd = -ENOENT, found;
	size_t i;

	if (*dir)
		fd = open_alt_in(AT_FDCWD, dir, path, build_id);
	for (i = 0; *dir && i < opt->root_fds_len && fd < 0; i++)
		fd = open_alt_in(opt->root_fds[i], SYMTAB_DEBUG_DIR, path, build_id);
	if (fd < 0 && opt->debuginfod && !debuginfod__find(opt->debuginfod, build_id, &found))
		fd = found;
	return fd;
}
