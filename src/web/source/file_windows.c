/* SPDX-License-Identifier: Apache-2.0 */
#include "web/source/file_windows.h"

#include <errno.h>

#include "profile/windows/source.h"
#include "recording/reader.h"

static bool is_in(const struct query_range *range, size_t idx)
{
	return idx + 1 >= range->from && idx + 1 <= range->to;
}

int file_windows_read(const char *path, const struct query_range *range,
		      int (*each)(void *arg, u64 seq, struct profile *p, struct err *err),
		      void *arg, struct err *err)
{
	struct recording *rec;
	size_t len, i;
	int r = recording__open(path, &rec, err);

	if (r)
		return r;
	len = recording__windows_len(rec);
	for (i = 0; i < len && !r; i++) {
		struct profile *p = NULL;

		if (!is_in(range, i))
			continue;
		r = recording__read(rec, i, &p, err);
		if (r == -ENOMEM)
			break;
		r = each(arg, i + 1, r ? NULL : p, err);
	}
	recording__close(rec);
	return r;
}

static int add_to_pile(void *arg, u64 seq, struct profile *p, struct err *err)
{
	(void)seq;
	return p ? profile_pile__add(arg, p, err) : 0;
}

static int count(const char *path, u64 *ret, struct err *err)
{
	struct recording *rec;
	int r = recording__open(path, &rec, err);

	if (r)
		return r;
	*ret = recording__windows_len(rec);
	recording__close(rec);
	return 0;
}

int file_windows_merge(const char *path, const struct query_range *range, u64 last,
		       struct profile **ret, struct err *err)
{
	struct query_range some = *range;
	struct profile_pile pile;
	u64 len;
	int r = count(path, &len, err);

	if (r)
		return r;
	if (some.to > len)
		some.to = len;
	if (last && some.to > last && some.to - last + 1 > some.from)
		some.from = some.to - last + 1;
	*ret = NULL;
	profile_pile__init(&pile);
	r = file_windows_read(path, &some, add_to_pile, &pile, err);
	if (!r)
		r = profile_pile__take(&pile, ret, err);
	if (!r && !*ret)
		r = err__set(err, -ENOENT, "no such window: there are windows 1 to %llu", len);
	profile_pile__done(&pile);
	return r;
}
