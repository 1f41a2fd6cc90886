/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/notes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/*
 * Told before the trace, because ten minutes later it is too late to do something about it; and
 * only what touches this recording: a missing capability is no news for who does not need it.
 */

static void note_kernel_names(const struct features *f, struct sink *out)
{
	const struct feature *k = &f->at[FEATURE_KALLSYMS];

	if (k->state == FEATURE_NO)
		sink__printf(out, "coldspot: kernel frames will have no names: %s; %s\n", k->detail,
			     feature_infos[FEATURE_KALLSYMS].remedy);
}

/* Opening is what the kernel judges; access() would look at the mode of the file only. */
static bool may_read_maps(u32 pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno != EACCES && errno != EPERM;
	close(fd);
	return true;
}

static void note_user_names(const struct features *f, const struct capture_options *opt,
			    struct sink *out)
{
	size_t i, closed = 0;
	u32 first = 0;

	if (opt->target == CAPTURE_ALL) {
		if (f->at[FEATURE_CAP_SYS_PTRACE].state == FEATURE_NO)
			sink__puts(out, "coldspot: user frames of other users' processes may have "
					"no names: no CAP_SYS_PTRACE\n");
		return;
	}
	for (i = 0; i < opt->ids_len; i++) {
		if (may_read_maps(opt->ids[i]))
			continue;
		first = closed++ ? first : opt->ids[i];
	}
	if (closed == 1)
		sink__printf(out,
			     "coldspot: user frames of %u will have no names: its mappings are "
			     "closed to us; grant CAP_SYS_PTRACE\n",
			     first);
	else if (closed)
		sink__printf(out,
			     "coldspot: user frames of %u and %zu more will have no names: their "
			     "mappings are closed to us; grant CAP_SYS_PTRACE\n",
			     first, closed - 1);
}

static void note_depth(const struct features *f, struct sink *out)
{
	if (f->at[FEATURE_MAX_STACK].state == FEATURE_NO)
		sink__printf(out, "coldspot: stacks deeper than %s are cut off at their root; %s\n",
			     f->at[FEATURE_MAX_STACK].detail,
			     feature_infos[FEATURE_MAX_STACK].remedy);
}

void notes_write(const struct features *f, const struct capture_options *opt, struct sink *out)
{
	if (opt->kernel_stacks)
		note_kernel_names(f, out);
	if (opt->user_stacks)
		note_user_names(f, opt, out);
	if (opt->kernel_stacks || opt->user_stacks)
		note_depth(f, out);
}
