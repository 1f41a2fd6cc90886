/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LIVE_TOP_STORE_H
#define CLI_LIVE_TOP_STORE_H

#include "analysis/cause/rule.h"
#include "app/time_range.h"
#include "base/err.h"
#include "tui/tui.h"

/*
 * `top` of a store: a window of it, with those before it, and keys that go to earlier and later
 * ones. Nothing is recorded, and no more is in memory than what is on the screen.
 *
 * Runs until the user quits or a signal comes. -ENOENT or another error of store_time__init().
 */
int top_store_run(const char *dir, const struct time_range *range, const struct ruleset *rules,
		  const struct terminal_options *terminal, struct err *err);

#endif
