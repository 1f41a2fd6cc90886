/* SPDX-License-Identifier: Apache-2.0 */
/* record --last: the flight recorder, and its words for the user. */
#include "cli/record_flight.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "app/flight/flight.h"
#include "app/series.h"
#include "app/user_memory.h"
#include "base/mem.h"
#include "base/text/units.h"

#define DEFAULT_FILES 10
/* Of our own memory: a file is built in memory too, and the window that goes on needs some. */
#define KEPT_PART 4

static void say(void *arg, const char *sentence)
{
	(void)arg;
	fprintf(stderr, "coldspot: %s\n", sentence);
}

static int add(void *arg, struct profile *p, struct err *err)
{
	return flight__add(arg, p, err);
}

/* *ret is freed with mem_free(). */
static int parse_triggers(const struct record_values *v, struct trigger_spec **ret, struct err *err)
{
	struct trigger_spec *specs = mem_array(v->triggers.len + 1, sizeof(*specs));
	int r = 0;

	*ret = NULL;
	if (!specs)
		return err__nomem(err);
	for (size_t i = 0; i < v->triggers.len && !r; i++)
		r = trigger_spec__parse(&specs[i], *(const char **)vec__at(&v->triggers, i), err);
	if (r) {
		mem_free(specs);
		specs = NULL;
	}
	*ret = specs;
	return r;
}

int record_flight_check(const struct record_values *v, u64 *ret_request_ns, struct err *err)
{
	struct trigger_spec *specs;
	int r = parse_triggers(v, &specs, err);
	u64 ns = r ? ~0ULL : triggers_request_ns(specs, v->triggers.len);

	mem_free(specs);
	*ret_request_ns = ns == ~0ULL ? 0 : ns;
	if (!r && *ret_request_ns && !v->requests.len)
		r = err__set(err, -EINVAL,
			     "--trigger: 'request' needs --request, which says what a request is");
	return r;
}

static void say_begin(const struct flight_options *opt, size_t triggers)
{
	char last[32], bytes[32];

	units_format_ns(opt->last_ns, last, sizeof(last));
	units_format_bytes(opt->max_bytes, bytes, sizeof(bytes));
	fprintf(stderr, "coldspot: keeps the last %s, in at most %s; `kill -USR1 %d` writes it%s\n",
		last, bytes, (int)getpid(), triggers ? ", and so do triggers" : "");
}

static void say_end(const struct flight *f)
{
	char bytes[32];

	units_format_bytes(f->most_bytes, bytes, sizeof(bytes));
	fprintf(stderr, "coldspot: wrote %u file%s; kept at most %s\n", f->files,
		units_plural(f->files), bytes);
	if (f->held_off)
		fprintf(stderr,
			"coldspot: triggers fired within --hold-off of a file %llu time%s, and "
			"wrote nothing\n",
			(unsigned long long)f->held_off, units_plural(f->held_off));
	if (f->cut_short)
		fprintf(stderr,
			"coldspot: memory was short: %llu window%s were let go before --last was "
			"over; --max-user-memory allows more\n",
			(unsigned long long)f->cut_short, units_plural(f->cut_short));
}

int record_flight(const struct record_values *v, struct session *s, const struct run_options *run,
		  const struct ruleset *rules, struct err *err)
{
	const struct flight_options opt = {
		.path = *(const char **)vec__at(&v->outputs, 0),
		.last_ns = v->last_ns,
		.hold_off_ns = v->hold_off_ns == ~0ULL ? v->last_ns : v->hold_off_ns,
		.max_bytes = user_memory_bytes(v->max_user_memory) / KEPT_PART,
		.max_files = v->max_files ? (u32)v->max_files : DEFAULT_FILES,
		.rules = rules,
		.session = s,
		.say = say,
	};
	struct trigger_spec *specs = NULL;
	struct profile *none = NULL;
	struct flight flight;
	struct run_options cut = *run;
	int r = parse_triggers(v, &specs, err);

	if (r)
		return r;
	r = flight__init(&flight, &opt, specs, v->triggers.len, err);
	if (!r) {
		const struct series series = { .every_ns = flight_window_ns(v->last_ns),
					       .rules = rules,
					       .apart = true,
					       .each = add,
					       .each_arg = &flight };

		cut.cut = flight__cuts;
		cut.cut_arg = &flight;
		if (!v->quiet)
			say_begin(&opt, v->triggers.len);
		r = series_record(&series, s, &cut, &none, err);
	}
	if (!r)
		r = flight__end(&flight, err);
	if (!r && !v->quiet)
		say_end(&flight);
	flight__done(&flight);
	mem_free(specs);
	return r;
}
