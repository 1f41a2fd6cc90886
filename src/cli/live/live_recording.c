/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live/live_recording.h"

#include <errno.h>
#include <stdio.h>

#include "app/recording_file.h"
#include "app/user_memory.h"
#include "capture/feature/privilege.h"
#include "cli/commands.h"
#include "cli/output_opts.h"
#include "cli/record_whom.h"
#include "gen/version.h"
#include "recording/writer.h"

bool live_recording_is_wanted(const struct record_values *v)
{
	return v->pids.len || v->tids.len || v->program || v->cgroup || v->unit || v->container ||
	       v->comm || v->cmd.argv || v->outputs.len || v->wakers || v->overhead_ppm ||
	       record_wants_events(v);
}

int live_recording_check(const struct record_values *v, const struct opt_command *cmd)
{
	const char *file = v->outputs.len ? *(const char **)vec__at(&v->outputs, 0) : NULL;
	bool named = v->pids.len || v->tids.len;
	int status;

	if (v->cmd.argv && !v->cmd.argc)
		return command_usage(cmd, "no command after '--'");
	if (v->cmd.argv && (named || v->program))
		return command_usage(cmd, "a command cannot be combined with -p, -t or --name");
	if (v->tree && !v->pids.len)
		return command_usage(cmd, "--tree needs -p");
	if (v->outputs.len > 1 || (file && !recording_file_is(file)))
		return command_usage(cmd, "-o takes one recording, FILE.coldspot; `report` "
					  "makes other formats of it");
	status = record_values__check_names(v, cmd);
	return status ? status : names_values__check(&v->names, cmd);
}

static void fill_session(struct live_recording *lr, int argc, char **argv)
{
	const struct record_values *v = lr->v;

	target_describe(&lr->whom, lr->target, sizeof(lr->target));
	record_join_command(argc, argv, lr->command, sizeof(lr->command));
	record_fill_capture(&lr->options.capture, v);
	lr->options.command = lr->command;
	lr->options.target = lr->target;
	lr->options.version = COLDSPOT_VERSION;
	lr->options.debug_dir = v->names.debug_dir;
	lr->options.debuginfod = v->names.debuginfod;
	lr->options.demangle = v->names.demangle;
	lr->options.strip_suffixes = v->names.strip_suffixes;
	if (v->outputs.len)
		lr->file = *(const char **)vec__at(&v->outputs, 0);
}

int live_recording__prepare(struct live_recording *lr, struct record_values *v, int argc,
			    char **argv, struct err *err)
{
	int r = record_find_cgroup(v, lr->cgroup, sizeof(lr->cgroup), err);

	lr->v = v;
	lr->whom = record_target(v);
	if (!r)
		r = command_check_target(&lr->whom, err);
	if (!r)
		r = loaded_rules__init(&lr->rules, &v->rules, err);
	if (!r)
		fill_session(lr, argc, argv);
	return r;
}

static int settle(struct live_recording *lr, struct err *err)
{
	char none[256];
	int r;

	if (!lr->child.pid && !session__threads(lr->session)) {
		target_describe_none(&lr->whom, none, sizeof(none));
		return err__set(err, -ESRCH, "%s", none);
	}
	r = privilege__drop(PRIVILEGE_WHILE_TRACING, err);
	if (!r && lr->child.pid)
		r = session__expect_target(lr->session, (u32)lr->child.pid, err);
	if (r)
		return r;
	lr->run = (struct run_options){
		.ids = lr->options.capture.ids,
		.ids_len = lr->options.capture.ids_len,
		.child = lr->child.pid ? &lr->child : NULL,
	};
	lr->targets = (struct live_targets){
		.session = lr->session,
		.run = &lr->run,
		.words = lr->target,
		.words_sz = sizeof(lr->target),
	};
	return live_targets__init(&lr->targets, &lr->options.capture, err);
}

int live_recording__open(struct live_recording *lr, struct err *err)
{
	char **cmd = lr->v->cmd.argv;
	int r = features__probe(&lr->features, 0, err);

	if (!r)
		r = features__verdict(&lr->features, err);
	if (!r && cmd)
		r = child__start(&lr->child, cmd, err);
	run_catch_signals(); /* before there is a file, which a fatal signal would leave empty */
	if (!r && lr->file)
		r = recorder__create(lr->file, &lr->recorder, err);
	if (!r)
		r = user_memory_limit(0, err);
	if (!r)
		r = session__open(&lr->options, &lr->features, &lr->session, err);
	return r ? r : settle(lr, err);
}

int live_recording__run(struct live_recording *lr, const struct live_watch *watch, struct err *err)
{
	const struct series series = {
		.every_ns = lr->v->every_ns,
		.recorder = lr->recorder,
		.rules = lr->rules.set,
		.apart = true,
		.each = watch->each,
		.each_arg = watch->each_arg,
	};
	struct profile *none;

	lr->run.wait_all = watch->wait_all;
	lr->run.watcher = watch->watcher;
	lr->run.wake_fd = watch->wake_fd;
	return series_record(&series, lr->session, &lr->run, &none, err);
}

void live_recording__fate(struct live_recording *lr, char *buf, size_t sz)
{
	if (!child__fate(&lr->child, buf, sz))
		snprintf(buf, sz, "%s",
			 lr->child.pid ? "the command has ended" : "all processes have ended");
}

void live_recording__say_end(struct live_recording *lr)
{
	char fate[128];

	if (child__fate(&lr->child, fate, sizeof(fate)))
		fprintf(stderr, "coldspot: %s\n", fate);
	for (size_t i = 0; session__notice(lr->session, i); i++)
		fprintf(stderr, "coldspot: %s\n", session__notice(lr->session, i));
	if (lr->file)
		output_say_written(lr->file);
}

void live_recording__done(struct live_recording *lr)
{
	live_targets__done(&lr->targets);
	session__free(lr->session);
	recorder__free(lr->recorder);
	features__done(&lr->features);
	child__done(&lr->child);
	loaded_rules__done(&lr->rules);
}
