/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_REPORT_DIFF_OPTS_H
#define CLI_REPORT_DIFF_OPTS_H

#include "app/loaded_rules.h"
#include "app/selection.h"
#include "app/time_range.h"
#include "base/types.h"
#include "base/vec.h"

struct diff_requests {
	u64 at[2]; /* 0: not given */
};

struct diff_values {
	struct vec files;
	struct time_range ranges[2];
	struct vec hosts[2]; /* const char *: of a ClickHouse, like the next */
	struct vec services;
	struct selection select;
	struct rules_options rules;
	u32 per; /* enum diff_per */
	struct diff_requests requests;
	struct vec limits; /* const char * */
	bool interpreter;
	u64 top;
	bool quiet;
	const char *format; /* NULL: not given */
	bool text;
	const char *svg;
	const char *html;
	const char *json;
	const char *folded;
	struct vec outputs; /* const char * */
	bool side_by_side;
	u64 width;
};

/*
 * Assigns each -f and -o to the option of its form. 0, or the exit status after a message about an
 * option given twice, or an unknown form.
 */
int diff_values__place_outputs(struct diff_values *v);
/* Number of outputs that go to standard output. */
u32 diff_values__on_stdout(const struct diff_values *v);

#endif
