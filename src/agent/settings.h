/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_SETTINGS_H
#define AGENT_SETTINGS_H

#include "agent/setting.h"
#include "agent/watch.h"
#include "base/err.h"
#include "base/sink.h"
#include "base/types.h"
#include "base/view.h"

/* Where they are unless --config names another file. */
#define AGENT_SETTINGS_FILE "/etc/coldspot/agent.toml"

#define AGENT_TARGETS_MAX 8
#define AGENT_TARGET_SZ SETTING_URL_SZ
#define WATCH_RULES_MAX 32

/* What an agent does (docs/agent.md has a line for each). */
struct agent_settings {
	char store[1024]; /* directory */
	u64 window_ns;
	u64 overhead_ppm; /* of the machine's CPU time */
	u64 interval_ns; /* parts of a window, for the error of comparisons; 0: none */
	u64 memory_bytes; /* of the kernel's tables; 0: the default of `record` */
	u64 user_memory_bytes; /* our own; 0: likewise */
	bool wakers;
	bool hooks_only; /* also where they cost more than the budget */
	bool keep_short_threads; /* also those that live less than a window, one by one */
	char rules[1024]; /* file; "": only the built-in ones */
	u64 retention_days; /* 0: unlimited */
	u64 rollup_months; /* of hourly sums; 0: none are made */
	u64 retention_bytes; /* 0: unlimited */
	char metrics_file[1024]; /* "": none */
	char push[AGENT_TARGETS_MAX][AGENT_TARGET_SZ]; /* URLs of push/url.h; "" after the last */
	struct watch_rule watches[WATCH_RULES_MAX];
	u32 watches_len;
};

void agent_settings__init(struct agent_settings *s);
/*
 * Reads a file on top of `s`, which is unchanged on error: -EINVAL with "FILE: line 3: ...", for
 * unknown names, names given twice, and values out of bounds; or an error of file_read().
 */
int agent_settings__read(struct agent_settings *s, const char *path, struct err *err);
/* The same from memory, without the name of a file. */
int agent_settings__parse(struct agent_settings *s, struct view text, struct err *err);
/* As a file that agent_settings__read() accepts. */
void agent_settings__put(const struct agent_settings *s, struct sink *out);
/* Whether they send windows elsewhere, or send them from another store or with other causes. */
bool agent_settings__push_otherwise(const struct agent_settings *from,
				    const struct agent_settings *to);
/* Whether a change of `from` to `to` needs the recording to begin anew. */
bool agent_settings__need_restart(const struct agent_settings *from,
				  const struct agent_settings *to);

#endif
