/* SPDX-License-Identifier: Apache-2.0 */

/* record: one window of some threads, as a summary and in files. */
#include "cli/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cause/cause_memo.h"
#include "app/child.h"
#include "app/outputs.h"
#include "app/recording_file.h"
#include "app/run.h"
#include "app/series.h"
#include "app/target.h"
#include "app/user_memory.h"
#include "base/log.h"
#include "capture/feature/privilege.h"
#include "cli/output_opts.h"
#include "cli/progress.h"
#include "cli/record_flight.h"
#include "cli/record_opts.h"
#include "cli/record_whom.h"
#include "gen/version.h"
#include "recording/writer.h"
#include "session/session.h"
#include "visit/visits.h"

#define DEFAULT_DURATION_NS (10 * NSEC_PER_SEC)

static u64 duration_of(const struct record_values *v)
{
	if (v->duration_ns != ~0ULL)
		return v->duration_ns;
	return v->cmd.argv || v->wait_all || v->last_ns ? 0 : DEFAULT_DURATION_NS;
}

struct recording {
	const struct record_values *v;
	const struct target *whom;
	struct session_options session;
	struct outputs outputs;
	struct recorder *recorder; /* for windows; NULL: there is one window, and it is an output */
	struct loaded_rules rules;
	struct child child;
	char command[1024];
	char target[256];
	char cgroup[PATH_MAX]; /* of a unit or a container */
};

/* For standard output in a format, or for files (NULL). */
static struct render_options render_options_of(const struct recording *rec, struct cause_memo *memo,
					       const char *format)
{
	const struct record_values *v = rec->v;
	struct render_options opt = {
		.interpreter = v->interpreter,
		.view = v->view,
		.object_frames = v->object_frames,
		.requests_milli = v->requests_milli,
		.details = v->verbose,
		.kernel_frames = !v->fold_kernel,
		.wakers = output_wakers(v->off_wake, v->chains),
		.memo = memo,
	};

	graph_values__apply(&v->graph, format, &opt);
	return opt;
}

/* Whoever sees only text may not know what else there is. */
static bool tells_of_pictures(const struct record_values *v)
{
	bool is_summary = !v->format || strcmp(v->format, "summary") == 0;

	return is_summary && !v->quiet && !v->outputs.len;
}

static int print(const struct recording *rec, const struct profile *p, struct cause_memo *memo,
		 struct err *err)
{
	const struct record_values *v = rec->v;
	const char *name = v->format ? v->format : "summary";
	struct render_options opt = render_options_of(rec, memo, name);
	const struct render_ops *format = render_find(name);
	struct debug_package package;

	if (v->quiet && !v->format)
		return 0;
	output_fit_terminal(format, &opt);
	output_find_package(format, p, &package, &opt);
	return output_put(STDOUT_FILENO, format, p, &opt, err);
}

/* Ended with its command, the recording lacks what the processes do that it left behind. */
static void say_left_behind(const struct recording *rec, const struct session *s)
{
	u32 left = rec->child.pid && child__ended(&rec->child) ? session__targets(s) : 0;

	if (left)
		fprintf(stderr,
			"coldspot: %u %s that '%s' started %s still running: --wait-all records "
			"until the last has exited\n",
			left, left > 1 ? "processes" : "process", rec->child.name,
			left > 1 ? "are" : "is");
}

static void say_end(struct recording *rec, const struct session *s)
{
	const struct session_times *t = session__times(s);
	char fate[128];

	say_left_behind(rec, s);
	/* only now: a Ctrl-C goes to the command as well, which needs a moment to exit */
	if (child__fate(&rec->child, fate, sizeof(fate)))
		fprintf(stderr, "coldspot: %s\n", fate);
	for (size_t i = 0; session__notice(s, i); i++)
		fprintf(stderr, "coldspot: %s\n", session__notice(s, i));
	if (rec->v->verbose)
		fprintf(stderr,
			"coldspot: opened in %.1f ms, drained in %.1f ms, built in %.1f ms, "
			"named in %.1f ms; %.1f MiB of kernel memory\n",
			(double)t->open_ns / NSEC_PER_MSEC, (double)t->stop_ns / NSEC_PER_MSEC,
			(double)t->build_ns / NSEC_PER_MSEC, (double)t->name_ns / NSEC_PER_MSEC,
			(double)session__kernel_memory_bytes(s) / (1 << 20));
}

/* A recording of nothing would look like one of a program that does not wait. */
static int check_matches(const struct recording *rec, const struct session *s, struct err *err)
{
	char none[256];

	if (rec->child.pid || session__threads(s))
		return 0;
	target_describe_none(rec->whom, none, sizeof(none));
	return err__set(err, -ESRCH, "%s", none);
}

/* What is needed once the recording is set up. */
static u64 privileges_of(const struct recording *rec)
{
	u64 want = PRIVILEGE_WHILE_TRACING;

	if (rec->v->java_symbols)
		want |= PRIVILEGE_OTHER_USERS;
	if (rec->session.visit_hz)
		want |= PRIVILEGE_SYS_ADMIN; /* for /proc/PID/stack */
	if (rec->session.changes || rec->session.tasks)
		want |= PRIVILEGE_SYS_NICE; /* for a thread that visits others in time */
	return want;
}

static int run(struct recording *rec, struct session *s, struct err *err)
{
	const struct record_values *v = rec->v;
	struct cause_memo memo = { .rules = rec->rules.set };
	struct render_options opt = render_options_of(rec, &memo, NULL);
	const struct series series = {
		.every_ns = v->every_ns,
		.align = v->align,
		.recorder = rec->recorder,
		.rules = rec->rules.set,
		.apart = rec->recorder && v->quiet && !v->format && !rec->outputs.list.len,
	};
	struct progress progress;
	struct run_options run = {
		.duration_ns = duration_of(v),
		.ids = rec->session.capture.ids,
		.ids_len = rec->session.capture.ids_len,
		.child = rec->child.pid ? &rec->child : NULL,
		.wait_all = v->wait_all,
		.watcher = &progress.watcher,
	};
	struct profile *p = NULL;
	int r, printed;

	progress__init(&progress, v->announce, rec->target, run.duration_ns);
	r = check_matches(rec, s, err);
	if (!r)
		r = privilege__drop(privileges_of(rec), err);
	if (!r && rec->child.pid)
		r = session__expect_target(s, (u32)rec->child.pid, err);
	if (!r && v->last_ns)
		r = record_flight(v, s, &run, rec->rules.set, err);
	else if (!r)
		r = series_record(&series, s, &run, &p, err);
	if (r)
		return r;
	say_end(rec, s);
	if (!p)
		return 0;
	memo.p = p;
	r = outputs__write(&rec->outputs, p, &opt, err);
	printed = print(rec, p, &memo, r ? NULL : err);
	cause_memo__done(&memo);
	profile__free(p);
	return r ? r : printed;
}

static void say_outputs(const struct record_values *v)
{
	if (!v->quiet && !v->last_ns)
		outputs_say_written(&v->outputs);
	if (tells_of_pictures(v))
		dprintf(STDOUT_FILENO, "For a flame graph add -o FILE.svg, for a page to explore "
				       "-o FILE.html\n");
}

/* Warns in advance about what will be missing. */
static void say_missing(const struct recording *rec, const struct features *f)
{
	char family[128];

	static const enum feature_id wanted[] = { FEATURE_KALLSYMS, FEATURE_CAP_SYS_PTRACE,
						  FEATURE_ITER_TASK_SLEEPABLE };

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		const struct feature_info *info = &feature_infos[wanted[i]];

		if (wanted[i] == FEATURE_KALLSYMS && !rec->session.capture.kernel_stacks)
			continue;
		if (wanted[i] == FEATURE_CAP_SYS_PTRACE && rec->v->cmd.argv)
			continue; /* our own child */
		if (f->at[wanted[i]].state == FEATURE_NO)
			fprintf(stderr, "coldspot: no %s: %s; see `coldspot doctor`\n", info->name,
				info->cost);
	}
	if (target_says_family(rec->whom, family, sizeof(family)))
		fprintf(stderr, "coldspot: %s\n", family);
}

/*
 * A file of several windows is written during the recording, so it is created now rather than
 * replaced at the end.
 */
static int add_output(struct recording *rec, const char *path, struct err *err)
{
	if (rec->v->last_ns)
		return 0; /* it stands for files that may be written later */
	return rec->v->every_ns && recording_file_is(path) ?
		       recorder__create(path, &rec->recorder, err) :
		       outputs__add(&rec->outputs, path, err);
}

/* Without BPF, what can be recorded from /proc is better than nothing, and is said to be less. */
static int fall_back(struct recording *rec, int why, struct err *err)
{
	const char *needs_bpf = record_values__needs_bpf(rec->v);

	if ((why != -EPERM && why != -EOPNOTSUPP) || rec->v->no_proc)
		return why;
	if (needs_bpf)
		return err__wrap(err, why, "%s needs BPF", needs_bpf);
	rec->session.visit_hz = VISITS_HZ;
	fprintf(stderr,
		"coldspot: BPF is %s: recording from /proc, by visits; `coldspot doctor` says why "
		"and what is lost, --no-proc forbids it\n",
		why == -EPERM ? "not permitted" : "missing");
	return 0;
}

static int choose_way(struct recording *rec, struct features *f, struct err *err)
{
	const struct record_values *v = rec->v;
	int r;

	if (v->proc || v->tasks) {
		rec->session.tasks = v->tasks;
		rec->session.visit_hz = v->hz ? (u32)v->hz : VISITS_HZ;
		return 0;
	}
	r = features__probe(f, v->resume == CAPTURE_RESUME_KPROBE ? FEATURES_RESUME_SYMBOL : 0,
			    err);
	if (!r)
		r = features__verdict(f, err);
	return r ? fall_back(rec, r, err) : 0;
}

static int record(struct recording *rec, struct err *err)
{
	const struct record_values *v = rec->v;
	struct session *s = NULL;
	struct features f = { 0 };
	int r = choose_way(rec, &f, err);

	if (!r && !rec->session.visit_hz)
		say_missing(rec, &f);
	/* the child is held back, with the signals that it would have without us */
	if (!r && v->cmd.argv)
		r = child__start(&rec->child, v->cmd.argv, err);
	if (v->last_ns)
		run_catch_trigger();
	run_catch_signals(); /* before there are files, which a fatal signal would leave empty */
	for (size_t i = 0; !r && i < v->outputs.len; i++)
		r = add_output(rec, *(const char **)vec__at(&v->outputs, i), err);
	if (!r)
		r = user_memory_limit(v->max_user_memory, err);
	if (!r)
		r = session__open(&rec->session, &f, &s, err);
	if (!r)
		r = run(rec, s, err);
	session__free(s);
	recorder__free(rec->recorder);
	features__done(&f);
	return r;
}

/* The exit status. */
static int print_schema(const struct record_values *v)
{
	const struct render_ops *format = render_find(v->format ? v->format : "json");
	struct err err = { 0 };
	struct sink sink;
	int r;

	if (!format || !format->schema)
		return command_usage(&record_opts, "--json-schema: format '%s' has no schema",
				     v->format);
	sink__init_fd(&sink, STDOUT_FILENO);
	sink__puts(&sink, format->schema);
	r = sink__finish(&sink, &err);
	sink__done(&sink);
	return r ? command_fail(&record_opts, &err) : STATUS_OK;
}

int cmd_record(int argc, char **argv)
{
	struct recording rec = { 0 };
	struct record_values v;
	struct target target;
	struct err err = { 0 };
	u64 slow_request_ns;
	int status, r;

	if (!command_begin(&record_opts, argc, argv, &v, &status))
		return status;
	if (v.json_schema) {
		status = print_schema(&v);
		goto out;
	}
	status = record_values__check(&v);
	if (!status && record_flight_check(&v, &slow_request_ns, &err))
		status = command_usage(&record_opts, "%s", err.msg);
	if (!status)
		status = graph_values__check(&v.graph, &record_opts);
	if (!status)
		status = names_values__check(&v.names, &record_opts);
	if (status)
		goto out;
	if (v.verbose)
		log_enable(true);
	r = record_find_cgroup(&v, rec.cgroup, sizeof(rec.cgroup), &err);
	target = record_target(&v);
	rec.v = &v;
	rec.whom = &target;
	outputs__init(&rec.outputs);
	if (!r)
		r = command_check_target(&target, &err);
	if (!r)
		r = loaded_rules__init(&rec.rules, &v.rules, &err);
	if (!r) {
		target_describe(&target, rec.target, sizeof(rec.target));
		record_join_command(argc, argv, rec.command, sizeof(rec.command));
		record_fill_capture(&rec.session.capture, &v);
		rec.session.capture.slow_request_ns = slow_request_ns;
		rec.session.command = rec.command;
		rec.session.target = rec.target;
		rec.session.version = COLDSPOT_VERSION;
		rec.session.changes = record_may_visit(&v);
		rec.session.debug_dir = v.names.debug_dir;
		rec.session.debuginfod = v.names.debuginfod ? v.names.debuginfod :
							      getenv("DEBUGINFOD_URLS");
		rec.session.demangle = v.names.demangle;
		rec.session.strip_suffixes = v.names.strip_suffixes;
		rec.session.lines = v.lines;
		rec.session.inlines = v.inlines;
		rec.session.java_symbols = v.java_symbols;
		r = record(&rec, &err);
	}
	status = r ? command_fail(&record_opts, &err) : STATUS_OK;
	if (!r)
		say_outputs(&v);
	if (status == STATUS_OK)
		status = child__exit_status(&rec.child);
	child__done(&rec.child);
	outputs__done(&rec.outputs);
	loaded_rules__done(&rec.rules);
out:
	opt_release(&record_opts, &v);
	return status;
}
