/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live/top_host.h"

#include <errno.h>
#include <sys/stat.h>

#include "app/outputs.h"

/* Also of a link to nothing: it stands for a file of someone. */
static bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static int write_profile(void *arg, const struct profile *p, struct cause_memo *memo,
			 const char *path, bool replace, struct err *err)
{
	const struct render_options opt = { .memo = memo };
	const struct top_host *h = arg;
	struct outputs outputs;
	int r;

	if (output_check(path, NULL))
		return err__set(err, -EINVAL,
				"unknown ending of '%.100s'; known: .html .svg .folded .txt .json "
				".pb.gz .csv .coldspot",
				path);
	r = h->file ? output_spare(path, h->file, err) : 0;
	if (r)
		return r;
	if (!replace && exists(path))
		return err__set(err, -EEXIST, "'%s' exists", path);
	outputs__init(&outputs);
	r = outputs__add(&outputs, path, err);
	if (!r)
		r = outputs__write(&outputs, p, &opt, err);
	outputs__done(&outputs);
	return r;
}

static int change_target(void *arg, bool add, const char *whom, struct err *err)
{
	struct top_host *h = arg;

	return target_post__change(h->post, add, whom, err);
}

void top_host__init(struct top_host *h, const struct live_targets *targets)
{
	h->asked = (struct viewer_host){
		.write = write_profile,
		.no_targets = targets->fixed,
		.by_cgroup = targets->by_cgroup,
		.change_target = change_target,
		.arg = h,
	};
}
