/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/path/loaded_lanes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/outputs.h"
#include "app/recordings.h"
#include "cli/commands.h"
#include "cli/output_opts.h"
#include "cli/terminal.h"

int loaded_lanes__init(struct loaded_lanes *l, const struct loaded_lanes_options *opt,
		       const struct opt_command *cmd, struct err *err)
{
	struct recordings_found found = { 0 };
	struct notices notices;
	int r;

	memset(l, 0, sizeof(*l));
	r = loaded_rules__init(&l->rules, opt->rules, err);
	if (r)
		return r;
	notices__init(&notices);
	r = recordings_load(opt->files, opt->range, &notices, &l->p, &found, err);
	command_say(cmd, &notices);
	notices__done(&notices);
	l->damaged = found.damaged;
	l->memo.p = l->p;
	l->memo.rules = l->rules.set;
	if (!r && lanes__init(&l->lanes, l->p))
		r = err__nomem(err);
	return r;
}

void loaded_lanes__done(struct loaded_lanes *l)
{
	if (!l)
		return;
	cause_memo__done(&l->memo);
	lanes__done(&l->lanes);
	profile__free(l->p);
	loaded_rules__done(&l->rules);
}

int loaded_lanes_find_form(const struct opt_command *cmd, const char *path,
			   const char *const *endings, u32 *form)
{
	char known[64] = "";

	for (u32 i = 0; path && endings[i]; i++) {
		size_t len = strlen(path), ending_len = strlen(endings[i]);

		if (len > ending_len && strcmp(path + len - ending_len, endings[i]) == 0) {
			*form = i;
			return STATUS_OK;
		}
		snprintf(known + strlen(known), sizeof(known) - strlen(known), " %s", endings[i]);
	}
	return path ? command_usage(cmd, "--output: unknown extension of '%s'; known extensions:%s",
				    path, known) :
		      STATUS_OK;
}

/* A file must not be one of the recordings. */
static int write_file(const struct loaded_lanes_options *opt, const struct sink *out,
		      struct err *err)
{
	struct vec paths;
	const char **slot;
	int r = 0;

	for (size_t i = 0; i < opt->files->len && !r; i++)
		r = output_spare(opt->output, *(const char **)vec__at(opt->files, i), err);
	if (!r)
		r = output_replace(opt->output, out, err);
	if (r)
		return r;
	vec__init(&paths, sizeof(const char *));
	slot = vec__push(&paths);
	if (slot) {
		*slot = opt->output;
		outputs_say_written(&paths);
	}
	vec__done(&paths);
	return 0;
}

static int print(struct loaded_lanes *l, const struct loaded_lanes_options *opt,
		 loaded_lanes_put_fn *put, const void *values, bool is_text, struct err *err)
{
	struct arena a;
	struct sink out;
	int r;

	arena__init(&a);
	sink__init_mem(&out);
	r = put(values, l, &a, &out, err);
	if (!r)
		r = sink__finish(&out, err);
	if (!r && opt->output)
		r = write_file(opt, &out, err);
	else if (!r)
		r = output_text(STDOUT_FILENO, &out, is_text && terminal_ascii(), err);
	sink__done(&out);
	arena__done(&a);
	return r;
}

int loaded_lanes_print(const struct opt_command *cmd, const struct loaded_lanes_options *opt,
		       loaded_lanes_put_fn *put, const void *values, bool is_text)
{
	struct loaded_lanes l;
	struct err err = { 0 };
	int r = loaded_lanes__init(&l, opt, cmd, &err);

	if (!r)
		r = print(&l, opt, put, values, is_text, &err);
	if (!r && l.damaged)
		r = err__set(&err, -EBADMSG, "part of the recording is lost");
	loaded_lanes__done(&l);
	return r ? command_fail(cmd, &err) : STATUS_OK;
}
