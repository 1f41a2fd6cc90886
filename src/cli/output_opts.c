/* SPDX-License-Identifier: Apache-2.0 */
/* The same options mean the same wherever a recording is read. */
#include "cli/output_opts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/view/time_view.h"
#include "analysis/view/unnamed.h"
#include "analysis/view/wake_view.h"
#include "base/text/units.h"
#include "cli/terminal.h"

#define X(NAME, name) name,
const char *const output_by_choices[] = { "place", GROUPS(X) NULL };
const char *const output_view_choices[] = { "auto", "off", "on", "wall", NULL };
const char *const output_order_choices[] = { "time", "name", NULL };
const char *const output_idle_choices[] = { "auto", "show", "apart", "hide", NULL };
const char *const hist_by_choices[] = { "all", GROUPS(X) NULL };
#undef X

struct render_options view_values__options(const struct view_values *v)
{
	return (struct render_options){
		.root = v->by ? (enum group_by)(v->by - 1) : GROUP_BY_COMM,
		.groups = v->by,
		.invert = v->invert,
		.interpreter = v->interpreter,
		.object_frames = v->object_frames,
		.rows = (u32)v->top,
		.idle_shown = v->idle == VIEW_IDLE_SHOW,
		.idle_apart = v->idle == VIEW_IDLE_APART,
		.requests_milli = v->requests_milli,
		.details = v->details,
		.kernel_frames = !v->fold_kernel,
		.view = v->time,
		.wakers = output_wakers(v->off_wake, v->chains),
	};
}

u32 output_wakers(bool off_wake, bool chains)
{
	if (chains)
		return WAKERS_CHAIN;
	return off_wake ? WAKERS_ONE : WAKERS_HIDDEN;
}

int output_wakers_check(const struct view_values *v, const struct profile *p, struct err *err)
{
	if (p->hdr.wakers || !(v->off_wake || v->chains))
		return 0;
	return err__set(err, -EINVAL, "--%s: the recording has no wakers; record with --wakers",
			v->chains ? "chains" : "off-wake");
}

int output_view_check(u32 time, const struct profile *p, struct err *err)
{
	if (time < VIEW_ON || profile__has_on_cpu(p))
		return 0;
	return err__set(err, -EINVAL, "--view %s: needs samples of CPUs; record with --on-cpu",
			output_view_choices[time]);
}

int output_parse_requests(const char *text, void *value, struct err *err)
{
	char *end;
	double n = strtod(text, &end);

	if (!strcmp(text, REQUESTS_RECORDED_TEXT)) {
		*(u64 *)value = REQUESTS_RECORDED;
		return 0;
	}
	if (strcmp(end, "/m") == 0)
		n /= 60;
	else if (strcmp(end, "/s") != 0 && *end)
		n = -1;
	/* this refuses a NaN too */
	if (end == text || !(n >= 0.001 && n <= 1e12))
		return err__set(err, -EINVAL, "'%.64s' is not a request rate; try 1200/s", text);
	*(u64 *)value = (u64)(n * 1000 + 0.5);
	return 0;
}

int names_values__check(const struct names_values *n, const struct opt_command *cmd)
{
	struct stat st;

	if (!n->debug_dir)
		return STATUS_OK;
	if (stat(n->debug_dir, &st))
		return command_usage(cmd, "--debug-dir: '%s': %s", n->debug_dir, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return STATUS_OK;
	return command_usage(cmd, "--debug-dir: '%s' is not a directory", n->debug_dir);
}

int graph_values__check(const struct graph_values *g, const struct opt_command *cmd)
{
	if (palette_find(g->palette))
		return 0;
	return command_usage(cmd, "--palette: no palette '%s'; try " PALETTE_NAMES, g->palette);
}

void graph_values__apply(const struct graph_values *g, const char *format,
			 struct render_options *opt)
{
	opt->palette = g->palette;
	opt->by_name = g->by_name;
	opt->icicle = g->icicle;
	opt->title = g->title;
	if (!format || strcmp(format, "svg") == 0)
		opt->width = (u32)g->width; /* in other formats it counts columns */
}

static void format_names(char *buf, size_t sz)
{
	size_t len = 0, i;

	buf[0] = '\0';
	for (i = 0; render_formats[i] && len < sz; i++)
		len += (size_t)snprintf(buf + len, sz - len, "%s%s", i ? ", " : "",
					render_formats[i]->name);
}

int output_format_check(const char *option, const char *name, struct err *err)
{
	char known[256];

	if (!name || render_find(name))
		return 0;
	format_names(known, sizeof(known));
	return err__set(err, -EINVAL, "%s: unknown format '%s'; known formats: %s", option, name,
			known);
}

void output_say_written(const char *path)
{
	struct stat st;
	char size[32];

	if (strcmp(path, "-") == 0 || stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	units_format_bytes((u64)st.st_size, size, sizeof(size));
	fprintf(stderr, "coldspot: wrote %s (%s)\n", path, size);
}

void outputs_say_written(const struct vec *paths)
{
	for (size_t i = 0; i < paths->len; i++)
		output_say_written(*(const char *const *)vec__at(paths, i));
}

void output_fit_terminal(const struct render_ops *format, struct render_options *opt)
{
	opt->color = terminal_color();
	opt->ascii = terminal_ascii();
	if (strcmp(format->name, "summary") == 0)
		opt->width = terminal_columns();
}

void output_find_package(const struct render_ops *format, const struct profile *p,
			 struct debug_package *package, struct render_options *opt)
{
	const struct profile_module *m;
	struct unnamed un;

	if (strcmp(format->name, "summary") != 0 || unnamed__find(&un, p) || !un.most ||
	    un.reason != FRAME_NO_SYMBOL)
		return;
	m = &p->modules[un.module];
	if (m->kind == MODULE_ELF &&
	    debug_package_of_build(profile__str(p, m->path), profile__str(p, m->build_id), package))
		opt->debug_package = package->name;
}
