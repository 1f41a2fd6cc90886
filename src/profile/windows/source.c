/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/windows/source.h"

#include <errno.h>
#include <string.h>

#include "profile/windows/merge.h"

/* So many windows become one. */
#define BATCH 32

void profile_pile__init(struct profile_pile *pile)
{
	vec__init(&pile->profiles, sizeof(struct profile *));
	pile->run = 0;
}

static struct profile **at(const struct profile_pile *pile, size_t idx)
{
	return vec__at(&pile->profiles, idx);
}

void profile_pile__done(struct profile_pile *pile)
{
	for (size_t i = 0; i < pile->profiles.len; i++)
		profile__free(*at(pile, i));
	vec__done(&pile->profiles);
}

/* Makes one of the profiles from `first` on. */
static int merge_from(struct profile_pile *pile, size_t first, struct err *err)
{
	size_t len = pile->profiles.len - first;
	struct profile *merged;
	int r;

	if (len < 2)
		return 0;
	r = profile_merge((const struct profile *const *)at(pile, first), len, &merged, err);
	if (r)
		return r;
	for (size_t i = first; i < pile->profiles.len; i++)
		profile__free(*at(pile, i));
	*at(pile, first) = merged;
	pile->profiles.len = first + 1;
	return 0;
}

static bool is_same_boot(const struct profile *a, const struct profile *b)
{
	return !strcmp(profile__str(a, a->hdr.boot), profile__str(b, b->hdr.boot));
}

int profile_pile__add(struct profile_pile *pile, struct profile *p, struct err *err)
{
	struct profile **slot = vec__push(&pile->profiles);

	if (!slot) {
		profile__free(p);
		return err__nomem(err);
	}
	*slot = p;
	if (pile->profiles.len - 1 > pile->run && !is_same_boot(*at(pile, pile->run), p))
		pile->run = pile->profiles.len - 1;
	return pile->profiles.len - pile->run < BATCH ? 0 : merge_from(pile, pile->run, err);
}

void profile_pile__break(struct profile_pile *pile)
{
	pile->run = pile->profiles.len;
}

int profile_pile__take(struct profile_pile *pile, struct profile **ret, struct err *err)
{
	int r = merge_from(pile, 0, err);

	*ret = NULL;
	if (r || !pile->profiles.len)
		return r;
	*ret = *at(pile, 0);
	pile->profiles.len = 0;
	pile->run = 0;
	return 0;
}

int profile_source_merge(const struct profile_source *src, struct profile **ret, struct err *err)
{
	struct profile_pile pile;
	struct profile *p;
	int r;

	profile_pile__init(&pile);
	while ((r = src->next(src->arg, &p, err)) > 0) {
		if (r == PROFILE_ANOTHER)
			profile_pile__break(&pile);
		r = profile_pile__add(&pile, p, err);
		if (r)
			break;
	}
	if (!r)
		r = profile_pile__take(&pile, ret, err);
	if (!r && !*ret)
		r = err__set(err, -ENOENT, "there is no window");
	profile_pile__done(&pile);
	return r;
}
