/* SPDX-License-Identifier: Apache-2.0 */
/* What of this runs in a child process: see dwarf_child.h. */
#include <errno.h>
#include <libelf.h>

#include "elf/future/future_priv.h"

static int run_job(const void *arg, struct sink *out)
{
	const struct future_job *job = arg;
	struct future_index x;
	Dwarf *dwarf;
	Elf *elf;
	int r;

	elf_version(EV_CURRENT);
	elf = elf_begin(job->file->fd, ELF_C_READ_MMAP, NULL);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (!dwarf)
		return -EINVAL;
	r = future_index__read(&x, dwarf, job);
	return r ? r : future_types__write(&x, dwarf, out);
}

int future_read(struct dwarf_child *child, const struct srcline_file *file, const u64 *polls,
		size_t len, u64 limit_ns, struct err *err)
{
	const struct future_job job = { .file = file, .polls = polls, .len = len };

	return dwarf_child__start(child, run_job, &job, limit_ns, err);
}
