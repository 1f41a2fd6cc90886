/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording that never ends, in windows that end at multiples of their length by the wall clock.
 * The recording begins anew after a change of settings that it depends on, or after an error, with
 * longer and longer pauses. Everything else goes on meanwhile.
 */
#include "agent/agent.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/continued.h"
#include "agent/hourly.h"
#include "agent/keeper.h"
#include "agent/metering.h"
#include "agent/notify.h"
#include "agent/sender.h"
#include "agent/watching.h"
#include "agent/way.h"
#include "app/live.h"
#include "app/loaded_rules.h"
#include "app/run.h"
#include "app/user_memory.h"
#include "base/clock.h"
#include "base/text/units.h"
#include "capture/feature/features.h"
#include "capture/feature/privilege.h"
#include "session/session.h"

#define PAUSE_MIN_NS NSEC_PER_SEC
#define PAUSE_MAX_NS (60 * NSEC_PER_SEC)
#define PAUSE_STEP_NS (100 * NSEC_PER_MSEC)

struct agent {
	const struct agent_options *opt;
	struct agent_settings settings;
	struct keeper keeper;
	struct notify notify;
	struct sender sender;
	struct loaded_rules rules;
	struct features features;
	struct session *session; /* NULL: none */
	size_t notices; /* of the session, said so far */
	struct way way;
	struct watching watching;
	struct metering metering;
	struct hourly hourly;
	bool restart; /* with other settings, or another way */
	bool ready; /* the service manager knows */
	bool over_limit; /* was said */
};

static void __attribute__((format(printf, 3, 4)))
say(const struct agent *a, enum agent_level level, const char *fmt, ...)
{
	char text[640];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	a->opt->say(a->opt->say_arg, level, text);
}

int agent_read_settings(const struct agent_options *opt, struct agent_settings *ret,
			struct err *err)
{
	const char *path = opt->config ? opt->config : AGENT_SETTINGS_FILE;
	int r = 0;

	agent_settings__init(ret);
	if (opt->config || !access(path, F_OK))
		r = agent_settings__read(ret, path, err);
	if (!r && opt->store && strlen(opt->store) >= sizeof(ret->store))
		return err__set(err, -ENAMETOOLONG, "the path of the store is too long");
	if (!r && opt->store)
		snprintf(ret->store, sizeof(ret->store), "%s", opt->store);
	return r;
}

static struct session_options session_options_of(const struct agent *a)
{
	const struct agent_settings *s = &a->settings;
	bool visits = a->way.visits;

	return (struct session_options){
		.capture = {
			.target = CAPTURE_ALL,
			.user_threads = true,
			.kernel_threads = true,
			.max_ns = ~0ULL,
			.state_any = true,
			.user_stacks = true,
			.kernel_stacks = true,
			.objects = true,
			.wakers = s->wakers && !visits,
			.cgroup_paths = true,
			.max_memory = s->memory_bytes,
			.overhead_ppm = visits ? 0 : s->overhead_ppm,
			.visit_hz = visits ? WAY_VISIT_HZ : 0,
			.interval_ns = s->interval_ns,
			.windows = true,
			.gap_from_ns = a->keeper.end_mono_ns,
		},
		.demangle = true,
		.command = "coldspot agent",
		.target = "all threads",
		.version = a->opt->version,
	};
}

static void say_notices(struct agent *a)
{
	const char *text;

	while ((text = session__notice(a->session, a->notices))) {
		say(a, AGENT_WARNING, "%s", text);
		a->notices++;
	}
}

/* What the last window cost, in millionths of the machine. */
static u64 cost_of(const struct profile *p)
{
	u64 whole = p->hdr.window_ns * (p->hdr.ncpu ? p->hdr.ncpu : 1);

	return units_part(1000000, p->hdr.prog_ns + p->hdr.self_cpu_ns, whole);
}

static void tell_status(const struct agent *a, const struct profile *p)
{
	u64 cost = cost_of(p);
	char text[1536];

	snprintf(text, sizeof(text),
		 "STATUS=%llu windows in %s, %llu dropped; the last one cost %llu.%02llu %% of the "
		 "machine%s%s%s",
		 a->keeper.windows, a->settings.store, a->keeper.dropped, cost / 10000,
		 cost / 100 % 100,
		 p->hdr.visit_hz  ? ", by visits" :
		 p->hdr.period_ns ? ", sampled" :
				    "",
		 *a->sender.status ? "; " : "", a->sender.status);
	notify__send(&a->notify, text);
}

static void retain(struct agent *a)
{
	struct store_removed gone;
	struct err err = { 0 };
	char bytes[32];

	if (keeper__retain(&a->keeper, &a->settings, &gone, &err))
		say(a, AGENT_WARNING, "%s", err.msg);
	units_format_bytes(gone.bytes, bytes, sizeof(bytes));
	if (gone.files)
		say(a, AGENT_INFO, "removed %u file%s of the store, %s", gone.files,
		    units_plural(gone.files), bytes);
	if (gone.over && !a->over_limit)
		say(a, AGENT_WARNING,
		    "the file in use is larger than retention_bytes: the limit is too low");
	a->over_limit = gone.over;
}

/* A first window is short, and has the cost of the start. */
static void choose_way(struct agent *a, const struct profile *p)
{
	u64 cost = cost_of(p), budget = a->settings.overhead_ppm;

	if (a->settings.hooks_only || p->hdr.window_ns < a->settings.window_ns / 2 ||
	    !way__take(&a->way, cost, budget, clock_mono_ns()))
		return;
	a->restart = true;
	if (a->way.visits)
		say(a, AGENT_WARNING,
		    "hooks cost %llu.%02llu %% of the machine, max_overhead is %llu.%02llu %%: "
		    "threads are visited instead for an hour, which knows less; hooks_only "
		    "forbids it",
		    cost / 10000, cost / 100 % 100, budget / 10000, budget / 100 % 100);
	else
		say(a, AGENT_INFO, "trying hooks again");
}

/* Takes the window. */
static void keep(struct agent *a, struct profile *p)
{
	u64 missing = a->keeper.missing;
	struct err err = { 0 };

	if (keeper__add(&a->keeper, &a->settings, a->rules.set, p, &err)) {
		if (!missing)
			say(a, AGENT_ERROR, "cannot write to the store, windows are dropped: %s",
			    err.msg);
	} else if (missing) {
		say(a, AGENT_WARNING, "writing to the store again; %llu window%s dropped", missing,
		    missing > 1 ? "s were" : " was");
	}
	if (hourly__take(&a->hourly, a->opt, &a->settings, p, &err))
		say(a, AGENT_WARNING, "%s", err.msg);
	watching__take(&a->watching, &a->settings, a->rules.set, p);
	retain(a);
	metering__take(&a->metering, &a->settings, a->rules.set, &a->keeper, p);
	tell_status(a, p);
	choose_way(a, p);
	profile__free(p);
}

static void reload(struct agent *a)
{
	struct agent_settings fresh, before = a->settings;
	struct err err = { 0 };
	char text[64];

	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%llu",
		 clock_mono_ns() / NSEC_PER_USEC);
	notify__send(&a->notify, text);
	if (agent_read_settings(a->opt, &fresh, &err)) {
		say(a, AGENT_ERROR, "the settings stay as they are: %s", err.msg);
	} else {
		a->restart = agent_settings__need_restart(&a->settings, &fresh);
		/* the store that is open stays until the window is in it */
		if (!a->restart) {
			watching__keep(&a->watching, &a->settings, &fresh);
			metering__keep(&a->metering, &a->settings, &fresh);
			a->settings = fresh;
		}
		if (!a->restart && agent_settings__push_otherwise(&before, &fresh))
			sender__set(&a->sender, a->opt, &fresh);
		say(a, AGENT_INFO, "read the settings again");
	}
	notify__send(&a->notify, "READY=1");
}

static void on_turn(void *arg, u64 since_ns)
{
	struct agent *a = arg;
	int status;

	(void)since_ns;
	notify__alive(&a->notify, clock_mono_ns());
	sender__turn(&a->sender, clock_mono_ns());
	watching__poll(&a->watching, clock_mono_ns());
	if (hourly__poll(&a->hourly, &status))
		say(a, AGENT_WARNING, "hourly sums failed (status %d), and are tried again later",
		    status);
	if (run_take_reload())
		reload(a);
}

static void on_begin(void *arg)
{
	struct agent *a = arg;

	if (!a->ready)
		notify__send(&a->notify, "READY=1\nSTATUS=recording the first window");
	a->ready = true;
}

static int open_session(struct agent *a, struct err *err)
{
	const struct session_options options = session_options_of(a);
	int r = features__probe(&a->features, 0, err);

	if (!r)
		r = features__verdict(&a->features, err);
	if (!r)
		r = user_memory_limit(a->settings.user_memory_bytes, err);
	if (!r)
		r = session__open(&options, &a->features, &a->session, err);
	a->notices = 0;
	return r ? r : privilege__drop(PRIVILEGE_WHILE_TRACING, err);
}

static void close_session(struct agent *a)
{
	session__free(a->session);
	a->session = NULL;
	features__done(&a->features);
	a->features = (struct features){ 0 };
}

/* One recording, until it must begin anew or is over. */
static int record(struct agent *a, struct err *err)
{
	const struct run_watcher watcher = { .began = on_begin, .goes_on = on_turn, .arg = a };
	const struct run_options run = { .watcher = &watcher, .stop = &a->restart };
	struct profile_source source;
	struct profile *p;
	struct live live;
	int r = open_session(a, err);

	if (!r) {
		live__init(&live, a->session, &run, a->settings.window_ns, true);
		source = live__source(&live);
		while ((r = source.next(source.arg, &p, err)) > 0) {
			say_notices(a);
			keep(a, p);
			notify__alive(&a->notify, clock_mono_ns());
		}
	}
	close_session(a);
	return r;
}

/* With the settings as they are in the file now. */
static int begin_anew(struct agent *a, struct err *err)
{
	const struct rules_options rules = { .file = *a->settings.rules ? a->settings.rules :
									  NULL };
	struct loaded_rules fresh = { 0 };
	int r = loaded_rules__init(&fresh, &rules, err);

	if (r) {
		loaded_rules__done(&fresh);
		return r;
	}
	loaded_rules__done(&a->rules);
	a->rules = fresh;
	return 0;
}

/* Windows go on without it, but they do not know what the time before them lacks. */
static void find_end(struct agent *a)
{
	struct err err = { 0 };

	a->keeper.end_mono_ns = 0;
	if (continued_from(a->settings.store, &a->keeper.end_mono_ns, &err))
		say(a, AGENT_WARNING,
		    "cannot read where the store ends, so the gap before the first window is not "
		    "known: %s",
		    err.msg);
}

static void change_settings(struct agent *a)
{
	struct agent_settings before = a->settings;
	struct err err = { 0 };

	a->restart = false;
	if (agent_read_settings(a->opt, &a->settings, &err) || begin_anew(a, &err)) {
		a->settings = before;
		say(a, AGENT_ERROR, "the settings stay as they are: %s", err.msg);
		return;
	}
	watching__keep(&a->watching, &before, &a->settings);
	metering__keep(&a->metering, &before, &a->settings);
	if (!strcmp(before.store, a->settings.store))
		return;
	if (keeper__move(&a->keeper, a->settings.store, &err)) {
		memcpy(a->settings.store, before.store, sizeof(before.store));
		say(a, AGENT_ERROR, "the store stays '%s': %s", before.store, err.msg);
		return;
	}
	find_end(a);
}

static void change(struct agent *a)
{
	struct agent_settings before = a->settings;

	change_settings(a);
	if (agent_settings__push_otherwise(&before, &a->settings))
		sender__set(&a->sender, a->opt, &a->settings);
}

static void pause_for(struct agent *a, u64 ns)
{
	u64 until_ns = clock_mono_ns() + ns;

	while (!run_is_over() && !a->restart && clock_mono_ns() < until_ns) {
		clock_sleep_until_mono_ns(clock_mono_ns() + PAUSE_STEP_NS);
		on_turn(a, 0);
	}
}

/* The first error ends it; a later one is a reason to try again. */
static int record_on(struct agent *a, struct err *err)
{
	u64 pause_ns = PAUSE_MIN_NS;

	while (!run_is_over()) {
		u64 before = a->keeper.windows + a->keeper.dropped;
		struct err why = { 0 };
		int r = record(a, &why);

		if (a->restart)
			change(a);
		if (!r || run_is_over())
			continue;
		if (!a->ready)
			return err__set(err, r, "%s", why.msg);
		if (a->keeper.windows + a->keeper.dropped != before)
			pause_ns = PAUSE_MIN_NS;
		say(a, AGENT_ERROR, "the recording ended, and begins again in %llu s: %s",
		    pause_ns / NSEC_PER_SEC, why.msg);
		pause_for(a, pause_ns);
		pause_ns = pause_ns * 2 < PAUSE_MAX_NS ? pause_ns * 2 : PAUSE_MAX_NS;
	}
	return 0;
}

int agent_run(const struct agent_options *opt, struct err *err)
{
	struct agent a = { .opt = opt,
			   .watching = { .say = opt->say, .say_arg = opt->say_arg },
			   .metering = { .opt = opt } };
	int r = agent_read_settings(opt, &a.settings, err);

	notify__init(&a.notify);
	run_catch_signals();
	run_catch_reload();
	if (!r)
		r = begin_anew(&a, err);
	if (!r)
		r = keeper__init(&a.keeper, a.settings.store, err);
	if (!r) {
		say(&a, AGENT_INFO, "recording all threads to '%s', in windows of %llu s",
		    a.settings.store, a.settings.window_ns / NSEC_PER_SEC);
		sender__set(&a.sender, opt, &a.settings);
		find_end(&a);
		r = record_on(&a, err);
	}
	notify__send(&a.notify, "STOPPING=1");
	sender__done(&a.sender);
	watching__done(&a.watching);
	metering__done(&a.metering);
	hourly__done(&a.hourly);
	keeper__done(&a.keeper);
	loaded_rules__done(&a.rules);
	notify__done(&a.notify);
	if (!r)
		say(&a, AGENT_INFO, "stopped; %llu window%s written, %llu dropped",
		    a.keeper.windows, units_plural(a.keeper.windows), a.keeper.dropped);
	return r;
}
