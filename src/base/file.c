/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of /proc and /sys have size 0 and may grow while they are read, so the size is only a hint
 * and reading continues until read() returns 0. The caller sets the limit: the file may belong to
 * someone who wants us to run out of memory.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "base/view.h"

#define CHUNK_SZ 65536

/* Appends up to `sz` bytes; returns how many there were, 0 at the end. */
static ssize_t read_some(int fd, struct vec *bytes, size_t sz)
{
	size_t old_len = bytes->len;
	char *tail = vec__push_n(bytes, sz);
	ssize_t n;

	if (!tail)
		return -ENOMEM;
	do {
		n = read(fd, tail, sz);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	bytes->len = old_len + (n > 0 ? (size_t)n : 0);
	return n;
}

/* The size of the first read: the whole file and one byte to find its end, if the size is known. */
static size_t first_chunk(int fd, size_t max_sz)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || (u64)st.st_size > max_sz)
		return CHUNK_SZ;
	return (size_t)st.st_size + 1;
}

/* All of `fd` and a NUL. */
static int read_all(int fd, size_t max_sz, struct vec *bytes)
{
	size_t chunk = first_chunk(fd, max_sz);
	ssize_t n;

	do {
		n = read_some(fd, bytes, chunk);
		if (n < 0)
			return (int)n;
		if (bytes->len > max_sz)
			return -EFBIG;
		chunk = CHUNK_SZ;
	} while (n);
	return vec__push(bytes) ? 0 : -ENOMEM;
}

int file_read_fd(int fd, const char *name, size_t max_sz, char **ret_data, size_t *ret_sz,
		 struct err *err)
{
	struct vec bytes;
	int r;

	vec__init(&bytes, 1);
	r = read_all(fd, max_sz, &bytes);
	if (r == -EFBIG)
		err__set(err, r, "'%s' is larger than %zu bytes", name, max_sz);
	else if (r)
		err__set(err, r, "cannot read '%s': %s", name, err_str(r));
	if (!r) {
		*ret_data = vec__steal(&bytes, ret_sz);
		--*ret_sz;
	}
	vec__done(&bytes);
	return r;
}

int file_read(const char *path, size_t max_sz, char **ret_data, size_t *ret_sz, struct err *err)
{
	/* the path may lead into another root: a FIFO there must not block us */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r;

	if (fd < 0) {
		r = -errno;
		return err__set(err, r, "cannot open '%s': %s", path, err_str(r));
	}
	r = file_read_fd(fd, path, max_sz, ret_data, ret_sz, err);
	close(fd);
	return r;
}

int file_read_u64(const char *path, u64 *ret_value, struct err *err)
{
	struct view v;
	char *data;
	size_t sz;
	u64 value;
	bool ok;
	int r;

	r = file_read(path, 4096, &data, &sz, err);
	if (r)
		return r;
	v = view__of(data, sz);
	view__blank(&v);
	value = view__dec(&v);
	view__blank(&v);
	view__accept(&v, '\n');
	ok = !v.bad && !view__left(&v);
	mem_free(data);
	if (!ok)
		return err__set(err, -EINVAL, "'%s' does not hold a number", path);
	*ret_value = value;
	return 0;
}

int file_map__open(struct file_map *m, int fd, const char *name, struct err *err)
{
	struct stat st;
	void *data;
	int r;

	*m = (struct file_map){ 0 };
	if (fstat(fd, &st)) {
		r = -errno;
		return err__set(err, r, "cannot stat '%s': %s", name, err_str(r));
	}
	if (!S_ISREG(st.st_mode))
		return err__set(err, -EINVAL, "'%s' is not a regular file", name);
	if (st.st_size <= 0 || (u64)st.st_size > PTRDIFF_MAX)
		return err__set(err, -EINVAL, "'%s' is empty", name);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED) {
		r = -errno;
		return err__set(err, r, "cannot map '%s': %s", name, err_str(r));
	}
	m->data = data;
	m->sz = (size_t)st.st_size;
	return 0;
}

void file_map__done(struct file_map *m)
{
	if (!m || !m->data)
		return;
	munmap((void *)(uintptr_t)m->data, m->sz);
	*m = (struct file_map){ 0 };
}
