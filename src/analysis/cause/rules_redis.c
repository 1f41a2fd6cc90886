/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redis and Valkey: one thread serves all clients, so anything that blocks it blocks all of them.
 */
#include "analysis/cause/rule.h"

/* one file under several names in Debian */
#define REDIS "redis-server valkey-server redis-check-* redis-sentinel valkey-check-*"
#define HELD (~(RULE_KIND(CAUSE_STOPPED) | RULE_KIND(CAUSE_EXIT)))

/* clang-format off */
static const struct rule rules[] = {
	{ "redis/idle-loop", .class = CLASS_IDLE, .seen = "Redis 7.0; tests/causes redis",
	  .user = { "aeMain aeProcessEvents" },
	  .kinds = RULE_KIND(CAUSE_POLL) },
	{ "redis/blocked-loop", .class = CLASS_BAD, .user = { "aeMain" }, .kinds = HELD,
	  .seen = "Redis 7.0; tests/causes redis" },
	{ "redis/idle-job", .class = CLASS_IDLE, .caller = "bioProcessBackgroundJobs",
	  .seen = "Redis 7.0; tests/causes redis" },
};
/* clang-format on */

const struct rule_table rules_redis = { rules, ARRAY_LEN(rules), REDIS };
