/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window slides over the file, so a log of gigabytes costs a quarter of a mebibyte. Size and
 * times do not show whether a file only grew: a JVM that is asked for its map again rewrites the
 * same file from the start, and it is longer than before. So the last bytes read must still be
 * there.
 */
#include "symbol/growing.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* As much as is available, up to `sz`. */
static s64 read_at(int fd, void *buf, size_t sz, u64 off)
{
	size_t len = 0;

	while (len < sz) {
		ssize_t n = pread(fd, (u8 *)buf + len, sz - len, (off_t)(off + len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += (size_t)n;
	}
	return (s64)len;
}

bool growing__is_another(const struct growing *g, int fd)
{
	u8 tail[GROWING_TAIL_SZ];
	struct stat st;

	if (!g->off)
		return false;
	if (fstat(fd, &st) || st.st_dev != g->dev || st.st_ino != g->ino)
		return true;
	return read_at(fd, tail, g->tail_len, g->off - g->tail_len) != (s64)g->tail_len ||
	       memcmp(tail, g->tail, g->tail_len) != 0;
}

void growing__restart(struct growing *g)
{
	*g = (struct growing){ 0 };
}

/* Reads one window: 1 if there may be more, 0 at the end. */
static int read_window(struct growing *g, int fd, u8 *window, growing_take_fn take, void *arg)
{
	s64 len = read_at(fd, window, GROWING_WINDOW_SZ, g->off), done;

	if (len <= 0)
		return (int)len;
	done = take(arg, view__of(window, (size_t)len));
	if (done < 0)
		return (int)done;
	/* no valid writer makes a record larger than the window */
	if (!done && len == GROWING_WINDOW_SZ)
		done = len;
	if (!done)
		return 0;
	g->off += (u64)done;
	return 1;
}

static int keep_tail(struct growing *g, int fd)
{
	size_t len = g->off < GROWING_TAIL_SZ ? (size_t)g->off : GROWING_TAIL_SZ;
	struct stat st;
	s64 n;

	if (fstat(fd, &st))
		return -errno;
	/* skipped bytes may not be written yet; then the tail is shorter */
	n = read_at(fd, g->tail, len, g->off - len);
	if (n < 0)
		return (int)n;
	g->dev = st.st_dev;
	g->ino = st.st_ino;
	g->tail_len = n == (s64)len ? len : 0;
	return 0;
}

int growing__read(struct growing *g, int fd, growing_take_fn take, void *arg)
{
	u8 *window = mem_alloc(GROWING_WINDOW_SZ);
	int r = window ? 1 : -ENOMEM, kept;
	u64 windows;

	for (windows = 0; r > 0 && windows < GROWING_READ_MAX_SZ / GROWING_WINDOW_SZ; windows++)
		r = read_window(g, fd, window, take, arg);
	mem_free(window);
	kept = r < 0 ? r : keep_tail(g, fd);
	return kept ? kept : r;
}
