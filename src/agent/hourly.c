/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program starts itself: a fork without exec would share the database connections of the agent,
 * which SQLite does not allow, and the locks of its threads.
 */
#include "agent/hourly.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "app/loaded_rules.h"
#include "app/past/rollup.h"
#include "app/store_hours.h"
#include "base/clock.h"
#include "base/text/units.h"

#define NICE 19

extern char **environ;

static int spawn(struct hourly *h, const struct agent_options *opt,
		 const struct agent_settings *settings)
{
	const char *const argv[] = {
		"coldspot",	 "agent",
		"--roll-up",	 "--store",
		settings->store, opt->config ? "--config" : NULL,
		opt->config,	 NULL,
	};
	sigset_t none, all;
	posix_spawnattr_t attr;
	int r = posix_spawnattr_init(&attr);

	if (r)
		return -r;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	r = posix_spawn(&h->pid, "/proc/self/exe", NULL, &attr, (char *const *)(uintptr_t)argv,
			environ);
	posix_spawnattr_destroy(&attr);
	if (r)
		h->pid = 0;
	return -r;
}

int hourly__take(struct hourly *h, const struct agent_options *opt,
		 const struct agent_settings *settings, const struct profile *p, struct err *err)
{
	u64 hour_ns = store_hour_of_window(p->hdr.begin_wall_ns, p->hdr.window_ns).from_ns;
	int r;

	if (!settings->rollup_months || h->pid || hour_ns == h->hour_ns)
		return 0;
	h->hour_ns = hour_ns;
	r = spawn(h, opt, settings);
	return r ? err__set(err, r, "cannot start the process for hourly sums: %s", err_str(-r)) :
		   0;
}

int hourly__poll(struct hourly *h, int *ret_status)
{
	int status;

	if (!h->pid || waitpid(h->pid, &status, WNOHANG) != h->pid)
		return 0;
	h->pid = 0;
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return *ret_status != 0;
}

void hourly__done(struct hourly *h)
{
	if (!h->pid)
		return;
	kill(h->pid, SIGTERM);
	waitpid(h->pid, NULL, 0);
	h->pid = 0;
}

static void say(const struct agent_options *opt, const struct rollup_done *done,
		const struct notices *notices)
{
	char text[128];

	for (size_t i = 0; notices__at(notices, i); i++)
		opt->say(opt->say_arg, AGENT_WARNING, notices__at(notices, i));
	snprintf(text, sizeof(text), "summed up %llu hour%s", done->hours,
		 units_plural(done->hours));
	if (done->hours)
		opt->say(opt->say_arg, AGENT_INFO, text);
	snprintf(text, sizeof(text), "removed %llu file%s of hourly sums", done->removed,
		 units_plural(done->removed));
	if (done->removed)
		opt->say(opt->say_arg, AGENT_INFO, text);
}

int hourly_run(const struct agent_options *opt, struct err *err)
{
	struct agent_settings settings;
	struct loaded_rules rules = { 0 };
	struct rules_options from = { 0 };
	struct rollup_done done = { 0 };
	struct notices notices;
	struct rollup ru = { .store = settings.store, .now_wall_ns = clock_wall_ns() };
	int r = agent_read_settings(opt, &settings, err);

	notices__init(&notices);
	setpriority(PRIO_PROCESS, 0, NICE);
	from.file = !r && *settings.rules ? settings.rules : NULL;
	if (!r)
		r = loaded_rules__init(&rules, &from, err);
	ru.rules = rules.set;
	ru.months = r ? 0 : settings.rollup_months;
	if (!r)
		r = rollup_run(&ru, &done, &notices, err);
	say(opt, &done, &notices);
	loaded_rules__done(&rules);
	notices__done(&notices);
	return r;
}
