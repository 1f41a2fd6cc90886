/* SPDX-License-Identifier: Apache-2.0 */
#include "app/imports.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "profile/windows/merge.h"

static int read_file(const char *path, const struct import_options *all, struct profile **ret,
		     struct err *err)
{
	struct import_options opt = *all;
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return err__set(err, -errno, "cannot read '%s': %s", path, err_str(errno));
	opt.name = is_stdin ? "standard input" : path;
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
