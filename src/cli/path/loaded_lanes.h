/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_PATH_LOADED_LANES_H
#define CLI_PATH_LOADED_LANES_H

#include "analysis/cause/cause_memo.h"
#include "analysis/path/lanes.h"
#include "app/loaded_rules.h"
#include "app/time_range.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/sink.h"
#include "base/vec.h"
#include "cli/opt.h"

/* What commands that follow waits from thread to thread read. */
struct loaded_lanes {
	struct profile *p;
	struct lanes lanes;
	struct loaded_rules rules;
	struct cause_memo memo;
	bool damaged;
};

struct loaded_lanes_options {
	const struct vec *files; /* const char * */
	const struct time_range *range;
	const struct rules_options *rules;
	const char *output; /* a file instead of standard output; or NULL */
};

/*
 * Loads the recordings and prints the notices about them for `cmd`. Whether they have what the
 * command needs is for it to check: path_thread.h. Errors are those of recordings_load() and
 * loaded_rules__init(). loaded_lanes__done() in either case.
 */
int loaded_lanes__init(struct loaded_lanes *l, const struct loaded_lanes_options *opt,
		       const struct opt_command *cmd, struct err *err);
void loaded_lanes__done(struct loaded_lanes *l);

/*
 * The form of a file by the end of its name: an index of `endings`, which NULL ends. NULL as `path`
 * changes nothing. The exit status, after a message if it is not STATUS_OK.
 */
int loaded_lanes_find_form(const struct opt_command *cmd, const char *path,
			   const char *const *endings, u32 *form);

/* Writes the output of a command, and may allocate from `a`. -errno with a message. */
typedef int loaded_lanes_put_fn(const void *values, struct loaded_lanes *l, struct arena *a,
				struct sink *out, struct err *err);
/*
 * All of such a command behind its options: loads, has `put` write, prints. `is_text`: for people,
 * so it is ASCII where the terminal has nothing else. A file that was written is named on standard
 * error. The exit status, after a message if it is not STATUS_OK.
 */
int loaded_lanes_print(const struct opt_command *cmd, const struct loaded_lanes_options *opt,
		       loaded_lanes_put_fn *put, const void *values, bool is_text);

#endif
