/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/path/loaded_lanes.h"

#include <string.h>

#include "analysis/path/path_thread.h"
#include "app/recordings.h"
#include "cli/commands.h"

int loaded_lanes__init(struct loaded_lanes *l, const struct loaded_lanes_options *opt,
		       const struct opt_command *cmd, struct err *err)
{
	struct recordings_found found = { 0 };
	struct notices notices;
	int r;

	memset(l, 0, sizeof(*l));
	r = loaded_rules__init(&l->rules, opt->rules, err);
	if (r)
		return r;
	notices__init(&notices);
	r = recordings_load(opt->files, opt->range, &notices, &l->p, &found, err);
	command_say(cmd, &notices);
	notices__done(&notices);
	l->damaged = found.damaged;
	l->memo.p = l->p;
	l->memo.rules = l->rules.set;
	if (!r)
		r = path_thread_check(l->p, err);
	if (!r && lanes__init(&l->lanes, l->p))
		r = err__nomem(err);
	return r;
}

void loaded_lanes__done(struct loaded_lanes *l)
{
	if (!l)
		return;
	cause_memo__done(&l->memo);
	lanes__done(&l->lanes);
	profile__free(l->p);
	loaded_rules__done(&l->rules);
}
