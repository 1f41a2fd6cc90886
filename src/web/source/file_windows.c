/* SPDX-License-Identifier: Apache-2.0 */
#include "web/source/file_windows.h"

#include <errno.h>

#include "profile/windows/source.h"
#include "recording/reader.h"

static bool is_in(const struct query_range *range, size_t idx)
{
	return idx + 1 >= range->from && idx + 1 <= range->to;
}

typedef int each_fn(void *arg, u64 seq, struct profile *p, struct err *err);

static int read_range(struct recording *rec, const struct query_range *range, each_fn *each,
		      void *arg, struct err *err)
{
	size_t len = recording__windows_len(rec), i;
	int r = 0;

	for (i = 0; i < len && !r; i++) {
		struct profile *p = NULL;

		if (!is_in(range, i))
			continue;
		r = recording__read(rec, i, &p, err);
		if (r == -ENOMEM)
			break;
		r = each(arg, i + 1, r ? NULL : p, err);
	}
	return r;
}

int file_windows_read(const char *path, const struct query_range *range,
		      int (*each)(void *arg, u64 seq, struct profile *p, struct err *err),
		      void *arg, struct err *err)
{
	struct recording *rec;
	int r = recording__open(path, &rec, err);

	if (r)
		return r;
	r = read_range(rec, range, each, arg, err);
	recording__close(rec);
	return r;
}

static int add_to_pile(void *arg, u64 seq, struct profile *p, struct err *err)
{
	(void)seq;
	return p ? profile_pile__add(arg, p, err) : 0;
}

int file_windows_merge(const char *path, const struct query_range *range, u64 last,
		       struct profile **ret, struct err *err)
{
	struct query_range some = *range;
	struct profile_pile pile;
	struct recording *rec;
	u64 len;
	int r = recording__open(path, &rec, err);

	if (r)
		return r;
	len = recording__windows_len(rec);
	if (some.to > len)
		some.to = len;
	if (last && some.to > last && some.to - last + 1 > some.from)
		some.from = some.to - last + 1;
	*ret = NULL;
	profile_pile__init(&pile);
	r = read_range(rec, &some, add_to_pile, &pile, err);
	recording__close(rec);
	if (!r)
		r = profile_pile__take(&pile, ret, err);
	if (!r && !*ret)
		r = err__set(err, -ENOENT, "no such window: there are windows 1 to %llu", len);
	profile_pile__done(&pile);
	return r;
}
