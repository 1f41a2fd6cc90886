/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SELECTION_H
#define APP_SELECTION_H

#include "analysis/select/select.h"
#include "base/err.h"
#include "base/vec.h"
#include "profile/profile.h"

/*
 * The filters of report and similar commands. All zero, with empty vecs, is no filter. Texts are
 * borrowed; whoever filled the lists frees them.
 */
struct selection {
	struct vec comms; /* const char *, like all lists of texts */
	struct vec tids; /* u32 */
	struct vec pids; /* u32 */
	struct vec cgroups;
	struct vec units;
	struct vec containers;
	struct vec pods;
	struct vec under;
	struct vec not_under;
	struct vec modules;
	struct vec objects;
	struct vec owners;
	struct vec wakers;
	bool user_threads;
	bool kernel_threads;
	bool regex;
	cause_set causes;
	u32 classes; /* bits by enum wait_class */
	bool no_idle; /* all classes except idle */
	u32 states;
	struct select_bound min;
	struct select_bound max;
};

/*
 * Replaces *p by the selected part; does nothing without filters. `rules` assign causes and
 * classes; NULL: the built-in ones. Errors are those of select_profile(); then *p is unchanged.
 */
int selection__apply(const struct selection *v, const struct ruleset *rules, struct profile **p,
		     struct err *err);

#endif
