/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From sums to parts. How many threads a name stands for is known only now. A part has its own
 * number of them; those that waited for it have that of all parts on the same path.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/model/blame_priv.h"
#include "base/mem.h"

struct names {
	const char **of_sum;
	const char **of_path;
};

static int longest_first(const void *a, const void *b)
{
	const struct blame_part *x = a, *y = b;
	int r = (x->ns < y->ns) - (x->ns > y->ns), i;

	if (!r)
		r = (int)x->kind - (int)y->kind;
	for (i = 0; i < BLAME_LINKS && !r; i++)
		r = strcmp(x->who[i], y->who[i]);
	if (!r)
		r = (int)x->cause - (int)y->cause;
	if (!r)
		r = (int)x->class - (int)y->class;
	if (!r)
		r = strcmp(x->object, y->object);
	return r ? r : strcmp(x->place, y->place);
}

static void put_who(const struct blaming *b, const struct names *names, u32 id,
		    struct blame_part *part)
{
	const struct sum *sum = intern__at(&b->sums, id);
	const struct path *path = intern__at(&b->paths, sum->path);
	u32 i;

	for (i = 0; i < BLAME_LINKS; i++)
		part->who[i] = "";
	if (names->of_sum[id])
		part->who[path->depth] = names->of_sum[id];
	for (i = sum->path; i; i = path->before) {
		path = intern__at(&b->paths, i);
		part->who[path->depth - 1] = names->of_path[i];
	}
}

static int to_part(const struct blaming *b, const struct names *names, u32 id, struct arena *a,
		   struct blame_part *part)
{
	const struct sum *sum = intern__at(&b->sums, id);

	put_who(b, names, id, part);
	part->kind = (enum blame_kind)sum->kind;
	part->cause = sum->cause;
	part->class = sum->class;
	part->object = arena__strdup(a, strtab__get(&b->texts, sum->object));
	part->place = arena__strdup(a, strtab__get(&b->texts, sum->place));
	part->sampled = sum->sampled;
	part->ns = sum->ns;
	return part->object && part->place ? 0 : -ENOMEM;
}

static int make_room(const struct blaming *b, u32 sets_len, struct arena *a, struct blame *sets)
{
	u32 i;

	memset(sets, 0, sets_len * sizeof(*sets));
	for (i = 1; i < intern__len(&b->sums); i++)
		sets[((const struct sum *)intern__at(&b->sums, i))->set].len++;
	for (i = 0; i < sets_len; i++) {
		sets[i].parts = arena__array(a, sets[i].len, sizeof(*sets[i].parts));
		if (!sets[i].parts)
			return -ENOMEM;
		sets[i].len = 0;
	}
	return 0;
}

static int find_names(const struct blaming *b, struct arena *a, struct names *names)
{
	u32 sums_len = intern__len(&b->sums), paths_len = intern__len(&b->paths);
	int r;

	names->of_sum = mem_array(sums_len, sizeof(*names->of_sum));
	names->of_path = mem_array(paths_len, sizeof(*names->of_path));
	if (!names->of_sum || !names->of_path)
		return -ENOMEM;
	r = link_threads__names(&b->sum_threads, sums_len, a, names->of_sum);
	return r ? r : link_threads__names(&b->path_threads, paths_len, a, names->of_path);
}

int blame_freeze(const struct blaming *b, u32 sets_len, struct arena *a, struct blame *sets)
{
	struct names names = { 0 };
	int r = make_room(b, sets_len, a, sets);
	u32 i;

	if (!r)
		r = find_names(b, a, &names);
	for (i = 1; i < intern__len(&b->sums) && !r; i++) {
		const struct sum *sum = intern__at(&b->sums, i);
		struct blame *set = &sets[sum->set];

		set->ns += sum->ns;
		set->by_waker_ns += sum->kind < BLAME_WOKEN ? sum->ns : 0;
		r = to_part(b, &names, i, a, &set->parts[set->len++]);
	}
	for (i = 0; i < sets_len && !r; i++) {
		if (sets[i].len)
			qsort(sets[i].parts, sets[i].len, sizeof(*sets[i].parts), longest_first);
	}
	mem_free(names.of_sum);
	mem_free(names.of_path);
	return r;
}
