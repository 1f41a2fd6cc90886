/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gap starts where the last window ends. The store says it exactly, in the clock of the trace,
 * so no file beside it is needed that a crash could leave behind. Only the profile itself says of
 * which boot it is. Files are named by days, so one that was written while the wall clock was wrong
 * may be listed as the last one: of several, the latest end in this boot counts.
 */
#include "agent/continued.h"

#include <errno.h>
#include <string.h>

#include "base/boot_id.h"
#include "profile/profile.h"
#include "store/store.h"

/* So many files are looked at. */
#define FILES_MAX 8

/* The end of a window; 0 if its boot is not known, without which its clock means nothing. */
static int end_of(struct store *s, const struct store_window *w, u64 *ret_ns, struct err *err)
{
	char boot[BOOT_ID_SZ];
	struct profile *p;
	int r = store__read(s, &w->at, &p, err);

	*ret_ns = 0;
	if (r)
		return r;
	if (p->hdr.boot && boot_id_read(boot))
		*ret_ns = strcmp(profile__str(p, p->hdr.boot), boot) ?
				  CONTINUED_BOOT :
				  p->hdr.begin_mono_ns + p->hdr.window_ns;
	profile__free(p);
	return 0;
}

/* Of all files; those before the last one may be unreadable. */
static int latest_end(struct store *s, u64 *ret_ns, struct err *err)
{
	struct store_window last;
	struct err why;
	int r = store__last(s, 0, &last, err);

	if (!r)
		r = end_of(s, &last, ret_ns, err);
	if (r || !*ret_ns)
		return r;
	for (size_t skip = 1; skip < FILES_MAX && !store__last(s, skip, &last, &why); skip++) {
		u64 ns;

		r = end_of(s, &last, &ns, &why);
		if (r == -ENOMEM)
			return err__nomem(err);
		if (!r && ns > *ret_ns)
			*ret_ns = ns;
	}
	return 0;
}

int continued_from(const char *store, u64 *ret_ns, struct err *err)
{
	struct store *s;
	int r = store__open(store, &s, err);

	*ret_ns = 0;
	if (r)
		return r;
	r = latest_end(s, ret_ns, err);
	store__close(s);
	return r == -ENOENT ? 0 : r;
}
