/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/questions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"
#include "tui/view.h"
#include "tui/viewer.h"

#define CAUSE_FILTER "cause:"

void question_set_filter(struct viewer *v, const char *text)
{
	const struct view *view = view_of_tab(v->tab);

	filter__set(&v->filter, text);
	if (v->filter.wrong)
		viewer__say(v, "'%.100s' is not a regular expression", text + 1);
	if (v->p && view->filtered)
		view->filtered(v);
}

/* "cause:lock": not rows with this text, but waits with this cause, in every tab. */
static int filter_cause(struct viewer *v, const char *name, struct err *err)
{
	enum cause cause = cause_find(name);

	question_set_filter(v, "");
	if (cause == CAUSE_CNT) {
		viewer__say(v, "there is no cause '%s': tab 1 shows the names", name);
		return 0;
	}
	if (drill__push(&v->drill, TABLE_CNT, v->tab, cause_name(cause)))
		return err__nomem(err);
	return viewer__show(v, err);
}

static void filter_entered(struct viewer *v, const char *text)
{
	question_set_filter(v, text);
	if (v->filter.wrong)
		filter__set(&v->filter, "");
}

void question_export(struct viewer *v)
{
	if (!v->opt.host || !v->opt.host->write)
		viewer__say(v, "nothing can be written here");
	else if (!v->p)
		viewer__say(v, "there is nothing to write yet");
	else
		prompt__begin(&v->prompt, PROMPT_EXPORT, "");
}

/* What is seen, to a file whose ending says in which format. */
static void export(struct viewer *v, const char *path, bool replace)
{
	const struct viewer_host *host = v->opt.host;
	struct err err = { 0 };
	int r;

	if (!*path || !v->p)
		return;
	r = host->write(host->arg, v->p, v->memo, path, replace, &err);
	if (r == -EEXIST) {
		snprintf(v->asked_of, sizeof(v->asked_of), "%s", path);
		prompt__begin(&v->prompt, PROMPT_REPLACE, "");
	} else if (r) {
		viewer__say(v, "%s", err.msg);
	} else {
		viewer__say(v, "wrote %s", path);
	}
}

/* NULL: targets can be changed. */
static const char *why_not_targets(const struct viewer *v)
{
	return !v->opt.host	       ? "targets cannot be changed here" :
	       v->opt.host->no_targets ? v->opt.host->no_targets :
	       v->over		       ? "the recording is over" :
					 NULL;
}

void question_add(struct viewer *v)
{
	if (why_not_targets(v))
		viewer__say(v, "%s", why_not_targets(v));
	else
		prompt__begin(&v->prompt, PROMPT_ADD, "");
}

static bool parse_pid(const char *text, u32 *ret)
{
	u64 pid;

	if (units_parse_u64(text, 1, 1U << 30, &pid, NULL))
		return false;
	*ret = (u32)pid;
	return true;
}

static void change_target(struct viewer *v, bool adds, const char *whom)
{
	const struct viewer_host *host = v->opt.host;
	const char *kind = host->by_cgroup ? "cgroup" : "process";
	struct err err = { 0 };
	u32 pid;

	if (!*whom)
		return;
	if (!host->by_cgroup && !parse_pid(whom, &pid))
		viewer__say(v, "'%.40s' is not a PID", whom);
	else if (host->change_target(host->arg, adds, whom, &err))
		viewer__say(v, "%s", err.msg);
	else
		viewer__say(v, "%s %.200s is %s", kind, whom,
			    adds ? "recorded from now on" : "no longer recorded");
}

/* The PID of "comm-PID" or "comm-PID/TID". */
static bool chosen_pid(const struct viewer *v, u32 *ret)
{
	const struct list *list = &v->lists[v->tab];
	char digits[16];
	const char *dash;

	if (!v->has_table || list->row >= v->table.shown_len ||
	    (v->table.kind != TABLE_PROCESSES && v->table.kind != TABLE_THREADS))
		return false;
	dash = strrchr(v->table.texts[v->table.shown[list->row]], '-');
	if (!dash)
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)strcspn(dash + 1, "/"), dash + 1);
	return parse_pid(digits, ret);
}

void question_remove(struct viewer *v)
{
	u32 pid;

	if (why_not_targets(v)) {
		viewer__say(v, "%s", why_not_targets(v));
	} else if (v->opt.host->by_cgroup) {
		prompt__begin(&v->prompt, PROMPT_DROP, "");
	} else if (!chosen_pid(v, &pid)) {
		viewer__say(v, "choose a process in tab %u first",
			    viewer__number_of_tab(v, TAB_PROCESSES));
	} else {
		prompt__begin(&v->prompt, PROMPT_REMOVE, "");
		snprintf(v->asked_of, sizeof(v->asked_of), "%u", pid);
	}
}

static int entered(struct viewer *v, struct err *err)
{
	enum prompt_for what = v->prompt.what;
	const char *text = v->prompt.text;
	size_t cause_len = strlen(CAUSE_FILTER);

	v->prompt.what = PROMPT_NONE;
	if (what == PROMPT_FILTER && strncmp(text, CAUSE_FILTER, cause_len) == 0)
		return filter_cause(v, text + cause_len, err);
	if (what == PROMPT_FILTER)
		filter_entered(v, text);
	else if (what == PROMPT_EXPORT)
		export(v, text, false);
	else if (what == PROMPT_ADD || what == PROMPT_DROP)
		change_target(v, what == PROMPT_ADD, text);
	return 0;
}

static void typed(struct viewer *v)
{
	const char *text = v->prompt.text;

	if (v->prompt.what != PROMPT_FILTER)
		return;
	/* what begins a cause, as long as it is typed, is no text of a row */
	if (strncmp(text, CAUSE_FILTER, strlen(CAUSE_FILTER)) == 0)
		question_set_filter(v, "");
	else
		question_set_filter(v, text);
}

static bool is_yes_or_no(enum prompt_for what)
{
	return what == PROMPT_REPLACE || what == PROMPT_REMOVE;
}

/* Anything but 'y' is a no. */
static void answer(struct viewer *v, bool yes)
{
	enum prompt_for what = v->prompt.what;
	char of[PROMPT_SZ];

	snprintf(of, sizeof(of), "%s", v->asked_of);
	v->asked_of[0] = '\0';
	v->prompt.what = PROMPT_NONE;
	if (!yes)
		viewer__say(v, "nothing has changed");
	else if (what == PROMPT_REPLACE)
		export(v, of, true);
	else
		change_target(v, false, of);
}

int question_key(struct viewer *v, u32 key, struct err *err)
{
	bool filter = v->prompt.what == PROMPT_FILTER;

	if (is_yes_or_no(v->prompt.what)) {
		answer(v, key == 'y' || key == 'Y');
		return 0;
	}
	switch (prompt__key(&v->prompt, key)) {
	case PROMPT_TYPED:
		typed(v);
		return 0;
	case PROMPT_ENTERED:
		return entered(v, err);
	case PROMPT_CANCELLED:
		v->prompt.what = PROMPT_NONE;
		if (filter)
			question_set_filter(v, "");
		return 0;
	default:
		return 1;
	}
}

const char *question_text(const struct viewer *v)
{
	switch (v->prompt.what) {
	case PROMPT_EXPORT:
		return "write what is seen to (.html .svg .folded .json .pb.gz .coldspot ...): ";
	case PROMPT_ADD:
		return v->opt.host->by_cgroup ? "also record the cgroup: " : "also record PID: ";
	case PROMPT_DROP:
		return "stop recording the cgroup: ";
	case PROMPT_REPLACE:
		return "the file exists; replace it? (y/n) ";
	case PROMPT_REMOVE:
		return "stop recording this process? (y/n) PID ";
	default:
		return "/";
	}
}
