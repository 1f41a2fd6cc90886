/* SPDX-License-Identifier: Apache-2.0 */
#include "app/loaded_rules.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#define MAX_FILE_SZ (1 << 20)

static int read_rules(struct loaded_rules *l, const char *path, struct err *err)
{
	char *text = NULL;
	size_t sz;
	int r = file_read(path, MAX_FILE_SZ, &text, &sz, err);

	if (!r)
		r = rule_file__parse(&l->file, path, text, sz, err);
	mem_free(text);
	return r;
}

int loaded_rules__init(struct loaded_rules *l, const struct rules_options *opt, struct err *err)
{
	struct ruleset_options set = { .no_idle = opt->no_idle };
	int r = 0;

	memset(l, 0, sizeof(*l));
	if (opt->file)
		r = read_rules(l, opt->file, err);
	if (r)
		return r;
	set.first = l->file.rules.data;
	set.first_len = l->file.rules.len;
	set.off = l->file.off.data;
	set.off_len = l->file.off.len;
	return ruleset__new(&set, &l->set, err);
}

void loaded_rules__done(struct loaded_rules *l)
{
	ruleset__free(l->set);
	rule_file__done(&l->file);
	memset(l, 0, sizeof(*l));
}
