/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/targets.h"

#include "abi/program_glob.h"
#include "proc/family.h"
#include "proc/program.h"

/* As much as the hooks look at: bpf/lib/program.bpf.h. */
#define NAME_SZ 316

static bool runs(u32 pid, const struct cs_program_glob *glob)
{
	char name[NAME_SZ];

	program_file(pid, name, sizeof(name));
	if (name[0] && cs_program_glob_match(glob, name))
		return true;
	program_arg0(pid, name, sizeof(name));
	return name[0] && cs_program_glob_match(glob, name);
}

static int find_by_program(const char *program, struct vec *ret_pids, struct err *err)
{
	struct cs_program_glob glob = { 0 };
	struct vec all;
	u32 *place;
	int r;

	if (cs_program_glob_compile(&glob, program))
		return 0; /* refused when the programs were loaded */
	vec__init(&all, sizeof(u32));
	r = processes_list(&all, err);
	for (size_t i = 0; !r && i < all.len; i++) {
		u32 pid = *(const u32 *)vec__at(&all, i);

		if (!runs(pid, &glob))
			continue;
		place = vec__push(ret_pids);
		if (place)
			*place = pid;
		else
			r = err__nomem(err);
	}
	vec__done(&all);
	return r;
}

int targets_find(const struct capture_options *opt, struct vec *ret_pids, struct err *err)
{
	if (opt->program)
		return find_by_program(opt->program, ret_pids, err);
	if (opt->target == CAPTURE_PROCESSES && opt->follow && opt->ids_len)
		return family_find(opt->ids, opt->ids_len, ret_pids, err);
	return 0;
}
