/* SPDX-License-Identifier: Apache-2.0 */

/* The drop-ins for bcc's tools: same flags, same output, but our numbers. */
#include "cli/dropin/bcc_tool.h"

#include <errno.h>
#include <stdio.h>

#include "app/run.h"
#include "app/target.h"
#include "base/log.h"
#include "capture/feature/privilege.h"
#include "gen/version.h"
#include "profile/state.h"
#include "session/session.h"

const char *const bcc_unwind_names[] = { "tables", "fp", NULL };

int bcc_parse_states(const char *text, void *value, struct err *err)
{
	struct bcc_states *st = value;

	return state_mask_parse(text, &st->mask, &st->runnable, &st->any, err);
}

static void describe_ids(const char *what, const struct vec *ids, char *buf, size_t sz)
{
	size_t len = (size_t)snprintf(buf, sz, "%s ", what);

	for (size_t i = 0; i < ids->len && len < sz; i++)
		len += (size_t)snprintf(buf + len, sz - len, "%s%u", i ? "," : "",
					*(const u32 *)vec__at(ids, i));
}

void bcc_describe_threads(const struct bcc_values *v, char *buf, size_t sz)
{
	if (v->pids.len)
		describe_ids(v->pids.len > 1 ? "PIDs" : "PID", &v->pids, buf, sz);
	else if (v->tids.len)
		describe_ids(v->tids.len > 1 ? "TIDs" : "TID", &v->tids, buf, sz);
	else if (v->user_threads)
		snprintf(buf, sz, "user threads");
	else if (v->kernel_threads)
		snprintf(buf, sz, "kernel threads");
	else
		snprintf(buf, sz, "all threads");
}

const char *bcc_stack_words(const struct bcc_values *v)
{
	if (v->user_stacks)
		return "user";
	return v->kernel_stacks ? "kernel" : "user + kernel";
}

void bcc_put_duration(const struct bcc_values *v)
{
	if (v->duration_ns)
		printf(" for %llu secs.\n", v->duration_ns / NSEC_PER_SEC);
	else
		printf("... Hit Ctrl-C to end.\n");
	fflush(stdout);
}

static void fill_options(struct session_options *opt, const struct bcc_tool *tool,
			 const struct bcc_values *v, char *command, size_t sz)
{
	const struct vec *ids = v->tids.len ? &v->tids : &v->pids;

	snprintf(command, sz, "coldspot %s", tool->cmd->name);
	*opt = (struct session_options){
		.capture = {
			.target = v->tids.len ? CAPTURE_THREADS :
				  v->pids.len ? CAPTURE_PROCESSES :
						CAPTURE_ALL,
			.ids = ids->data,
			.ids_len = ids->len,
			.user_threads = !v->kernel_threads,
			.kernel_threads = !v->user_threads,
			.min_ns = v->min_ns,
			.max_ns = v->max_ns,
			.state_mask = v->states.mask,
			.state_any = v->states.any,
			.state_r = v->states.runnable,
			.user_stacks = !v->kernel_stacks,
			.kernel_stacks = !v->user_stacks,
			.max_stacks = (u32)v->stack_storage,
			.stack_depth = (u32)v->stack_depth,
			.fp_only = v->unwind,
			.wakers = tool->wakers,
		},
		.demangle = true,
		.command = command,
		.target = tool->cmd->name,
		.version = COLDSPOT_VERSION,
	};
}

/* A loss that bcc never reports. */
static void say_loss(const struct profile *p, enum profile_loss_kind kind)
{
	const struct profile_loss *loss = &p->losses[kind];

	if (loss->events)
		fprintf(stderr, "WARNING: %llu %s (%llu us).\n", loss->events,
			loss->events == 1 ? loss_sentence_of_one(kind) : loss_sentence(kind),
			loss->ns / NSEC_PER_USEC);
}

/* bcc's words for dropped stacks, with bcc's advice; and other losses. */
static void say_losses(const struct profile *p)
{
	const struct profile_loss *stacks = &p->losses[LOSS_STACKS_FULL];

	if (stacks->events)
		fprintf(stderr,
			"WARNING: %llu stack traces lost and could not be displayed. Consider "
			"increasing --stack-storage-size.\n",
			stacks->events);
	say_loss(p, LOSS_WAITS_FULL);
	say_loss(p, LOSS_WAKERS_FULL);
	say_loss(p, LOSS_WAKERS_MISSED);
}

static int trace(const struct bcc_values *v, struct session *s, struct profile **ret,
		 struct err *err)
{
	struct run_options run = { .duration_ns = v->duration_ns };
	int r = privilege__drop(PRIVILEGE_WHILE_TRACING, err);

	if (!r)
		r = run_session(s, &run, err);
	return r ? r : session__finish(s, ret, err);
}

static int run(const struct bcc_tool *tool, const struct bcc_values *v, const void *values,
	       struct err *err)
{
	struct session_options opt;
	struct profile *p = NULL;
	struct session *s = NULL;
	struct features f;
	char command[64];
	int r;

	fill_options(&opt, tool, v, command, sizeof(command));
	r = features__probe(&f, 0, err);
	run_catch_signals();
	if (!r)
		r = session__open(&opt, &f, &s, err);
	features__done(&f);
	if (r)
		return r;
	if (!v->folded)
		tool->header(values);
	r = trace(v, s, &p, err);
	if (!r) {
		/* bcc's empty line between header and stacks */
		if (!v->folded)
			printf("\n");
		fflush(stdout);
		r = tool->print(p, values, err);
		say_losses(p);
	}
	profile__free(p);
	session__free(s);
	return r;
}

int bcc_tool_run(const struct bcc_tool *tool, struct bcc_values *v, const void *values)
{
	struct target target = { .pids = &v->pids, .tids = &v->tids };
	struct err err = { 0 };

	if (v->min_ns > v->max_ns)
		return command_usage(tool->cmd, "-m is longer than -M: no wait matches");
	if (command_check_target(&target, &err) || run(tool, v, values, &err))
		return command_fail(tool->cmd, &err);
	return STATUS_OK;
}
