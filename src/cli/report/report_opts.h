/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_REPORT_REPORT_OPTS_H
#define CLI_REPORT_REPORT_OPTS_H

#include "app/loaded_rules.h"
#include "app/selection.h"
#include "app/time_range.h"
#include "base/types.h"
#include "base/vec.h"
#include "cli/opt.h"
#include "cli/output_opts.h"

/* For report, export and hist. */
struct report_values {
	struct vec files;
	struct vec outputs;
	const char *format;
	bool quiet;
	struct time_range range;
	struct vec hosts; /* const char *: of a ClickHouse, like the next */
	struct vec services;
	struct selection select;
	struct view_values view;
	struct names_values names;
	struct graph_values graph;
	struct rules_options rules;
	const char *explain; /* report, like the next two */
	struct vec narrative; /* u32: TIDs */
	bool critical_path;
	bool by_host;
	const char *trace; /* id of a trace, or its first digits; NULL: none */
	bool json; /* hist, like the next two */
	u32 of; /* enum render_of */
	u64 steps;
};

/* Checks the options for `cmd`, one of the three. 0, or the exit status after the message. */
int report_values__check(const struct report_values *v, const struct opt_command *cmd);

#endif
