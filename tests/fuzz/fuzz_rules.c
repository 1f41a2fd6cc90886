/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of users: whatever is accepted can be asked. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cause/rule_file.h"
#include "analysis/cause/ruleset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ruleset_options opt = { 0 };
	struct ruleset *rules = NULL;
	struct rule_file f;
	struct err err = { 0 };
	size_t i;
	int r = rule_file__parse(&f, "fuzz", (const char *)data, size, &err);

	if (r && (r != -EINVAL || strncmp(err.msg, "fuzz:", 5) != 0))
		abort();
	for (i = 0; i < f.rules.len; i++) {
		const struct rule *rule = vec__at(&f.rules, i);

		if ((rule->kind == CAUSE_UNKNOWN && rule->class == CLASS_NONE) || !rule->line)
			abort();
	}
	opt.first = f.rules.data;
	opt.first_len = f.rules.len;
	opt.off = f.off.data;
	opt.off_len = f.off.len;
	if (!r)
		r = ruleset__new(&opt, &rules, &err);
	/* whatever is wrong is in a line */
	if (r == -EINVAL && strncmp(err.msg, "fuzz:", 5) != 0)
		abort();
	ruleset__free(rules);
	rule_file__done(&f);
	return 0;
}
