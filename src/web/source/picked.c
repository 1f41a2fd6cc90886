/* SPDX-License-Identifier: Apache-2.0 */
#include "web/source/picked.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/self_memory.h"
#include "profile/windows/merge.h"
#include "web/source/file_windows.h"
#include "web/source/fleet_pick.h"
#include "web/source/store_pick.h"

int picked_path(struct web *w, const char *recording, char *path, struct err *err)
{
	*path = '\0';
	if (w->opt.mode == WEB_DIRECTORY) {
		if (recording)
			return shelf__path(&w->shelf, recording, path, err);
		return err__set(
			err, -EINVAL,
			"parameter 'recording' is missing; /api/v1/recordings lists the IDs");
	}
	if (recording)
		return err__set(err, -EINVAL,
				"parameter 'recording': this server does not show a directory");
	if (w->opt.mode == WEB_RECORDING)
		snprintf(path, PATH_MAX, "%s", w->opt.path);
	return 0;
}

static const struct kept_window *held_at(const struct picked *pk, size_t i)
{
	return *(struct kept_window **)vec__at(&pk->held, i);
}

static int no_windows(struct web *w, struct err *err)
{
	struct kept_span span = kept__span(&w->kept);

	if (!span.last_seq)
		return err__set(err, -ENOENT, "no window has ended yet; try again in a second");
	return err__set(err, -ENOENT, "no such window: windows %llu to %llu are kept",
			span.first_seq, span.last_seq);
}

/* The recording must not run out of memory because somebody looks at it. */
static int check_memory(const struct picked *pk, struct err *err)
{
	u64 rows = 0;
	size_t i;

	for (i = 0; i < pk->held.len; i++)
		rows += held_at(pk, i)->rows;
	if (self_memory_allows(rows * PICKED_BYTES_PER_ROW))
		return 0;
	return err__set(err, -ENOMEM,
			"not enough memory for %zu windows with %llu rows; ask for fewer windows",
			pk->held.len, rows);
}

static int merge(struct picked *pk, struct err *err)
{
	const struct profile **parts = mem_array(pk->held.len, sizeof(*parts));
	size_t i;
	int r;

	if (!parts)
		return err__nomem(err);
	for (i = 0; i < pk->held.len; i++)
		parts[i] = held_at(pk, i)->profile;
	r = profile_merge(parts, pk->held.len, &pk->own, err);
	mem_free(parts);
	return r;
}

/* Filters replace the profile, so they need one of their own. */
static int pick_kept(struct picked *pk, const struct pick *pick, struct err *err)
{
	struct query_range some = pick->range;
	u64 newest = kept__span(&pk->web->kept).last_seq;
	int r;

	if (some.to > newest)
		some.to = newest;
	if (pick->last && some.to > pick->last && some.to - pick->last + 1 > some.from)
		some.from = some.to - pick->last + 1;
	r = kept__take(&pk->web->kept, some.from, some.to, &pk->held);
	if (r)
		return err__nomem(err);
	if (!pk->held.len)
		return no_windows(pk->web, err);
	r = check_memory(pk, err);
	if (!r && (pk->held.len > 1 || pick->select))
		r = merge(pk, err);
	pk->p = pk->own ? pk->own : held_at(pk, 0)->profile;
	return r;
}

static int read_picked(struct picked *pk, const struct pick *pick, struct err *err)
{
	const struct store_pick store = { pick->range, pick->time, pick->last };
	const struct fleet_pick fleet = { pick->range, pick->time, pick->hosts, pick->services };
	char path[PATH_MAX];
	int r = picked_path(pk->web, pick->recording, path, err);

	if (!r && pk->web->opt.mode == WEB_STORE)
		r = store_pick__merge(pk->web, &store, &pk->own, err);
	else if (!r && pk->web->opt.mode == WEB_FLEET)
		r = fleet_pick__load(pk->web, &fleet, &pk->own, err);
	else if (!r && *path)
		r = file_windows_merge(path, &pick->range, pick->last, &pk->own, err);
	else if (!r)
		r = pick_kept(pk, pick, err);
	return r;
}

struct pick pick_of(const struct ask *ask)
{
	return (struct pick){
		.recording = ask->recording,
		.range = ask->range,
		.last = ask->last,
		.time = &ask->time,
		.hosts = &ask->hosts,
		.services = &ask->services,
		.select = ask__has_filters(ask) ? &ask->select : NULL,
	};
}

int picked__init(struct picked *pk, struct web *w, const struct pick *pick, struct err *err)
{
	int r;

	*pk = (struct picked){ .web = w };
	vec__init(&pk->held, sizeof(struct kept_window *));
	r = read_picked(pk, pick, err);
	if (!r && pick->select)
		r = selection__apply(pick->select, w->opt.rules, &pk->own, err);
	if (pk->own)
		pk->p = pk->own;
	return r;
}

void picked__done(struct picked *pk)
{
	profile__free(pk->own);
	kept__release(&pk->web->kept, &pk->held);
}
