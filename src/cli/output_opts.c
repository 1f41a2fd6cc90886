/* SPDX-License-Identifier: Apache-2.0 */
/* The same words mean the same wherever a recording is looked at. */
#include "cli/output_opts.h"

#include <stdio.h>

const char *const output_by_choices[] = { "place", OUTPUT_BY_NAMES, NULL };
const char *const hist_by_choices[] = { "all", OUTPUT_BY_NAMES, NULL };

struct render_options view_values__options(const struct view_values *v)
{
	return (struct render_options){
		.root = v->by ? v->by - 1 : RENDER_ROOT_COMM,
		.groups = v->by,
		.invert = v->invert,
		.interpreter = v->interpreter,
		.rows = (u32)v->top,
	};
}

void output_format_names(char *buf, size_t sz)
{
	size_t len = 0, i;

	buf[0] = '\0';
	for (i = 0; render_formats[i] && len < sz; i++)
		len += (size_t)snprintf(buf + len, sz - len, "%s%s", i ? ", " : "",
					render_formats[i]->name);
}
