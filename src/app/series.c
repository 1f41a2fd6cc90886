/* SPDX-License-Identifier: Apache-2.0 */
#include "app/series.h"

#include "analysis/cause/cause_memo.h"
#include "app/live.h"
#include "app/recording_file.h"
#include "profile/windows/source.h"
#include "recording/writer.h"

struct tee {
	struct profile_source from;
	const struct series *series;
};

static int keep(const struct series *series, const struct profile *p, struct err *err)
{
	struct cause_memo memo = { .rules = series->rules, .p = p };
	int r = recording_file_add(series->recorder, p, &memo, err);

	cause_memo__done(&memo);
	return r;
}

/* Each profile goes to the recording first. */
static int next(void *arg, struct profile **ret, struct err *err)
{
	const struct tee *tee = arg;
	int r = tee->from.next(tee->from.arg, ret, err), kept;

	if (r <= 0 || !tee->series->recorder)
		return r;
	kept = keep(tee->series, *ret, err);
	if (!kept)
		return r;
	profile__free(*ret);
	return kept;
}

/* The recorder has them. */
static int hand_on(const struct profile_source *src, const struct series *series, struct err *err)
{
	struct profile *p;
	int r;

	while ((r = src->next(src->arg, &p, err)) > 0) {
		if (series->each)
			r = series->each(series->each_arg, p, err);
		else
			profile__free(p);
		if (r < 0)
			return r;
	}
	return r;
}

int series_record(const struct series *series, struct session *s, const struct run_options *run,
		  struct profile **ret, struct err *err)
{
	struct live live;
	struct tee tee = { .series = series };
	const struct profile_source source = { next, &tee };
	int r;

	live__init(&live, s, run, series->every_ns, series->align);
	tee.from = live__source(&live);
	*ret = NULL;
	r = series->apart ? hand_on(&source, series, err) : profile_source_merge(&source, ret, err);
	if (run->watcher && run->watcher->ended)
		run->watcher->ended(run->watcher->arg);
	if (!r && series->recorder)
		r = recorder__finish(series->recorder, err);
	return r;
}
