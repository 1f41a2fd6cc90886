/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A format that only its own tool reads well is read from what that tool prints. When the format
 * changes, the tool follows, and coldspot need not.
 */
#include "app/imports.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "app/piped.h"
#include "base/mem.h"
#include "profile/windows/merge.h"

/* perf's data in the byte order of the machine, or of another one. */
static bool is_perf_data(int fd)
{
	char magic[8];

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       (memcmp(magic, "PERFILE2", sizeof(magic)) == 0 ||
		memcmp(magic, "2ELIFREP", sizeof(magic)) == 0);
}

static int read_piped(const char *const *argv, const char *input, const struct import_options *opt,
		      struct profile **ret, struct err *err)
{
	struct err why = { 0 }, failed = { 0 };
	struct piped p;
	int r = piped__start(&p, argv, input, err), status;

	if (r)
		return r;
	r = import_read(p.fd, opt, ret, &why);
	status = piped__finish(&p, false, &failed);
	/* why it failed says more than where; if we stopped reading, a signal ended it */
	if (status && !(r && status == -EPIPE)) {
		profile__free(*ret);
		*ret = NULL;
		return err__set(err, status, "cannot read '%s': %s", opt->name, failed.msg);
	}
	return r ? err__set(err, r, "%s", why.msg) : 0;
}

static int read_perf_data(const char *path, const struct import_options *opt, struct profile **ret,
			  struct err *err)
{
	const char *const argv[] = { "perf",
				     "script",
				     "--header",
				     "--ns",
				     "--show-lost-events",
				     "-F",
				     "comm,pid,tid,cpu,time,event,trace,ip,sym,symoff,dso",
				     "-i",
				     path,
				     NULL };
	struct import_options by_perf = *opt;
	int r;

	by_perf.format = "perf-script";
	by_perf.lost_shown = true;
	r = read_piped(argv, NULL, &by_perf, ret, err);
	if (r == -ENOENT)
		return err__set(err, r,
				"'%s' is a perf.data file, and perf is not installed: run `perf "
				"script` where it is, and import its output",
				path);
	return r;
}

static int read_file(const char *path, const struct import_options *all, struct profile **ret,
		     struct err *err)
{
	struct import_options opt = *all;
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return err__set(err, -errno, "cannot read '%s': %s", path, err_str(errno));
	opt.name = is_stdin ? "standard input" : path;
	if (!is_stdin && is_perf_data(fd))
		r = read_perf_data(path, &opt, ret, err);
	else
		r = import_read(fd, &opt, ret, err);
	if (!is_stdin)
		close(fd);
	return r;
}

static int merge(struct profile **parts, size_t len, struct profile **ret, struct err *err)
{
	if (len > 1)
		return profile_merge((const struct profile *const *)parts, len, ret, err);
	*ret = parts[0];
	parts[0] = NULL;
	return 0;
}

int imports_load(const struct vec *files, const struct import_options *opt, struct profile **ret,
		 struct err *err)
{
	struct profile **parts = mem_array(files->len, sizeof(*parts));
	size_t i;
	int r = parts ? 0 : err__nomem(err);

	for (i = 0; i < files->len && !r; i++)
		r = read_file(((const char **)files->data)[i], opt, &parts[i], err);
	if (!r)
		r = merge(parts, files->len, ret, err);
	for (i = 0; i < files->len && parts; i++)
		profile__free(parts[i]);
	mem_free(parts);
	return r;
}
