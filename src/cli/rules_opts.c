/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rules_opts.h"

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

int loaded_rules__init(struct loaded_rules *l, const struct rules_values *v, struct err *err)
{
	struct ruleset_options opt = { .no_idle = v->no_idle };
	int r = 0;

	memset(l, 0, sizeof(*l));
	if (v->file)
		r = read_rules(l, v->file, err);
	if (r)
		return r;
	opt.first = l->file.rules.data;
	opt.first_len = l->file.rules.len;
	opt.off = l->file.off.data;
	opt.off_len = l->file.off.len;
	return ruleset__new(&opt, &l->set, err);
}

void loaded_rules__done(struct loaded_rules *l)
{
	ruleset__free(l->set);
	rule_file__done(&l->file);
	memset(l, 0, sizeof(*l));
}
