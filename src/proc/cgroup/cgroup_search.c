/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/cgroup/cgroup_search.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>

static int take(const struct cgroup_search *s, const char *path, char *buf, size_t sz,
		struct err *err)
{
	const char *below = path + strlen(s->mount);

	if (buf[0])
		return err__set(err, -EINVAL,
				"several cgroups are of %s '%s', such as %s and %s: "
				"give --cgroup PATH",
				s->noun, s->name, buf, below);
	if ((size_t)snprintf(buf, sz, "%s", below) >= sz)
		return err__set(err, -ENAMETOOLONG, "the path of the cgroup of %s '%s' is too long",
				s->noun, s->name);
	return 0;
}

/* Directories that vanish meanwhile, or are closed to us, are left out. */
static int walk(const struct cgroup_search *s, FTS *tree, char *buf, size_t sz, struct err *err)
{
	FTSENT *at;
	int r = 0;

	while (!r && (at = fts_read(tree))) {
		if (at->fts_info != FTS_D || !at->fts_level || !s->is(s->arg, at->fts_name))
			continue;
		r = take(s, at->fts_path, buf, sz, err);
		fts_set(tree, at, FTS_SKIP);
	}
	return r;
}

int cgroup_search(const struct cgroup_search *s, char *buf, size_t sz, struct err *err)
{
	char *roots[] = { (char *)(size_t)s->mount, NULL };
	FTS *tree;
	int r;

	buf[0] = '\0';
	if (!s->mount[0])
		return err__set(err, -ENOENT, "no cgroup v2 hierarchy is mounted here");
	tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	if (!tree)
		return err__set(err, -errno, "cannot read %s: %s", s->mount, err_str(errno));
	r = walk(s, tree, buf, sz, err);
	fts_close(tree);
	if (!r && !buf[0])
		return err__set(err, -ENOENT, "no %s '%s' has a cgroup below %s", s->noun, s->name,
				s->mount);
	return r;
}
