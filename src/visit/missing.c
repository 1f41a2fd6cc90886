/* SPDX-License-Identifier: Apache-2.0 */
/* `stack` is not among them: only root may read it, and one line per recording says enough. */
#include "visit/missing.h"

#include <stdio.h>

#include "base/err.h"

struct lack {
	enum proc_file file;
	const char *costs;
};

static const struct lack lacks[] = {
	{ PROC_SYSCALL, "no user stacks, system calls and objects" },
	{ PROC_WCHAN, "no kernel functions" },
};

int missing_say(const struct looker *l, struct notices *notices)
{
	char text[256];
	int r = 0;

	if (l->coarse)
		r = notices__add(notices,
				 "no counters in /proc/PID/schedstat: times are exact to a "
				 "clock tick, and waiting for a CPU counts as blocked; "
				 "see `coldspot doctor`");
	for (size_t i = 0; !r && i < ARRAY_LEN(lacks); i++) {
		enum proc_file file = lacks[i].file;
		bool some = l->proc.read_cnt[file];

		if (!l->proc.missing_cnt[file])
			continue;
		snprintf(text, sizeof(text),
			 "cannot read /proc/PID/%s%s: %s: %s; see `coldspot doctor`",
			 proc_file_name(file), some ? " of some threads" : "",
			 err_str(-l->proc.missing[file]), lacks[i].costs);
		r = notices__add(notices, text);
	}
	for (size_t i = 0; !r && notices__at(&l->code.notices, i); i++)
		r = notices__add(notices, notices__at(&l->code.notices, i));
	return r;
}
