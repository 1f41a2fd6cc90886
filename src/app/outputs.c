/* SPDX-License-Identifier: Apache-2.0 */

/* Files to which a profile is written; the extension selects the format. */
#include "app/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text/utf8.h"
#include "app/recording_file.h"

struct output {
	const char *path;
	const struct render_ops *format; /* NULL: a recording */
	int fd;
	char *made; /* the file, if we created it: `path` may be a link to it; or NULL */
	bool fresh; /* we created it, and it is still empty */
};

void outputs__init(struct outputs *o)
{
	vec__init(&o->list, sizeof(struct output));
}

static void known_endings(char *buf, size_t sz)
{
	size_t len = (size_t)snprintf(buf, sz, "%s", RECORDING_ENDING);

	for (size_t i = 0; render_formats[i] && len < sz; i++)
		if (render_formats[i]->endings[0])
			len += (size_t)snprintf(buf + len, sz - len, " %s",
						render_formats[i]->endings);
}

int output_check(const char *path, struct err *err)
{
	char endings[384];

	if (recording_file_is(path) || render_find_by_path(path))
		return 0;
	if (strcmp(path, "-") == 0)
		return err__set(err, -EINVAL,
				"--output: '-' is not a file: use -f NAME to write "
				"to standard output");
	known_endings(endings, sizeof(endings));
	return err__set(err, -EINVAL, "--output: unknown extension of '%s'; known extensions: %s",
			path, endings);
}

/*
 * A descriptor, with the content unchanged, or a negative errno. O_EXCL follows no link. The kernel
 * must follow a link to a missing file: it refuses links that others put into a world-writable
 * directory (fs.protected_symlinks).
 */
static int open_or_make(const char *path, bool *ret_made)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct stat st;

	*ret_made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		*ret_made = fd >= 0 && !fstat(fd, &st) && !st.st_size;
	}
	return fd < 0 ? -errno : fd;
}

static int cannot_open(const char *path, int r, struct err *err)
{
	char to[256];
	ssize_t len = r == -ENOENT ? readlink(path, to, sizeof(to) - 1) : -1;

	if (len < 0)
		return err__set(err, r, "cannot write '%s': %s", path, err_str(r));
	to[len] = '\0';
	return err__set(err, r, "cannot write '%s', a link to '%s': %s", path, to, err_str(r));
}

/*
 * The same with a message. *ret_made: the path of a created file, which the caller frees, or NULL.
 */
static int open_kept(const char *path, char **ret_made, struct err *err)
{
	char at[PATH_MAX];
	bool made;
	int fd = open_or_make(path, &made);

	*ret_made = NULL;
	if (fd < 0)
		return cannot_open(path, fd, err);
	if (!made || !realpath(path, at))
		return fd;
	*ret_made = mem_strdup(at);
	if (!*ret_made) {
		close(fd);
		unlink(at);
		return err__nomem(err);
	}
	return fd;
}

/* A pipe or a device has no old content. */
static int empty(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && ftruncate(fd, 0))
		return err__set(err, -errno, "cannot write '%s': %s", path, err_str(errno));
	return 0;
}

int outputs__add(struct outputs *o, const char *path, struct err *err)
{
	struct output *out;
	char *made = NULL;
	int fd = output_check(path, err);

	if (!fd)
		fd = open_kept(path, &made, err);
	if (fd < 0)
		return fd;
	out = vec__push(&o->list);
	if (!out) {
		close(fd);
		if (made)
			unlink(made);
		mem_free(made);
		return err__nomem(err);
	}
	out->path = path;
	out->format = render_find_by_path(path);
	out->fd = fd;
	out->made = made;
	out->fresh = made;
	return 0;
}

int output_spare(const char *path, const char *recording, struct err *err)
{
	struct stat read, written;

	if (stat(recording, &read) || stat(path, &written) || !S_ISREG(written.st_mode) ||
	    written.st_dev != read.st_dev || written.st_ino != read.st_ino)
		return 0;
	return err__set(err, -EINVAL, "'%s' is an input recording: write to another file", path);
}

int outputs__spare(const struct outputs *o, const char *recording, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < o->list.len && !r; i++)
		r = output_spare(((const struct output *)vec__at(&o->list, i))->path, recording,
				 err);
	return r;
}

/* A partial text looks like a complete shorter one. A recording has checksums, so it is kept. */
static void drop_part(struct output *out)
{
	if (out->format && !empty(out->fd, out->path, NULL))
		out->fresh = out->made;
}

static int write_one(struct output *out, const struct profile *p, const struct render_options *opt,
		     struct err *err)
{
	struct sink sink;
	int r, end;

	r = out->format ? render_check(out->format, p, err) : 0;
	/* the old content goes only now */
	if (!r)
		r = empty(out->fd, out->path, err);
	if (r)
		return r;
	out->fresh = false;
	sink__init_fd(&sink, out->fd);
	r = out->format ? out->format->render(p, opt, &sink, err) :
			  recording_file_write(p, opt->memo, &sink, err);
	end = sink__finish(&sink, NULL);
	sink__done(&sink);
	if (r || end)
		drop_part(out);
	if (end)
		return err__set(err, end, "cannot write '%s': %s", out->path, err_str(-end));
	return r ? err__wrap(err, r, "cannot write '%s'", out->path) : 0;
}

int outputs__write(struct outputs *o, const struct profile *p, const struct render_options *opt,
		   struct err *err)
{
	struct err all = { 0 };
	int first = 0;

	for (size_t i = 0; i < o->list.len; i++) {
		struct err one = { 0 };
		int r = write_one(vec__at(&o->list, i), p, opt, &one);

		if (!r)
			continue;
		first = first ? first : r;
		err__set(&all, first, "%s%s%s", all.msg, all.msg[0] ? "; " : "", one.msg);
	}
	return first ? err__set(err, first, "%s", all.msg) : 0;
}

void outputs__done(struct outputs *o)
{
	for (size_t i = 0; i < o->list.len; i++) {
		struct output *out = vec__at(&o->list, i);

		close(out->fd);
		if (out->fresh)
			unlink(out->made);
		mem_free(out->made);
	}
	vec__done(&o->list);
}

int output_text(int fd, const struct sink *text, bool ascii, struct err *err)
{
	struct sink out;
	int r;

	sink__init_fd(&out, fd);
	if (ascii && text->len)
		utf8_put_ascii(&out, text->buf);
	else
		sink__put(&out, text->buf, text->len);
	r = sink__finish(&out, err);
	sink__done(&out);
	return r;
}

static int put_screen(int fd, const struct render_ops *format, const struct profile *p,
		      const struct render_options *opt, struct err *err)
{
	struct sink text;
	int r;

	sink__init_mem(&text);
	r = format->render(p, opt, &text, err);
	if (!r)
		r = sink__finish(&text, err);
	if (!r)
		r = output_text(fd, &text, opt->ascii, err);
	sink__done(&text);
	return r;
}

int output_put(int fd, const struct render_ops *format, const struct profile *p,
	       const struct render_options *opt, struct err *err)
{
	struct sink sink;
	int r, end;

	r = render_check(format, p, err);
	if (r)
		return r;
	if (opt->ascii && format->is_screen)
		return put_screen(fd, format, p, opt, err);
	sink__init_fd(&sink, fd);
	r = format->render(p, opt, &sink, err);
	end = sink__finish(&sink, r ? NULL : err);
	sink__done(&sink);
	return r ? r : end;
}

static int put_bytes(int fd, const char *path, const struct sink *bytes, struct err *err)
{
	struct sink sink;
	int r;

	sink__init_fd(&sink, fd);
	sink__put(&sink, bytes->buf, bytes->len);
	r = sink__finish(&sink, NULL);
	sink__done(&sink);
	return r ? err__set(err, r, "cannot write '%s': %s", path, err_str(r)) : 0;
}

int output_replace(const char *path, const struct sink *bytes, struct err *err)
{
	char *made = NULL;
	int fd, r;

	if (strcmp(path, "-") == 0)
		return put_bytes(STDOUT_FILENO, "standard output", bytes, err);
	fd = open_kept(path, &made, err);
	if (fd < 0)
		return fd;
	r = empty(fd, path, err);
	if (!r)
		r = put_bytes(fd, path, bytes, err);
	if (r)
		(void)empty(fd, path, NULL);
	close(fd);
	if (r && made)
		unlink(made);
	mem_free(made);
	return r;
}
