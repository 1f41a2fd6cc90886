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

/* Raises *end_ns to the end of a window. */
static int see(struct store *s, const struct store_window *w, u64 *end_ns, struct err *err)
{
	char boot[BOOT_ID_SZ];
	struct profile *p;
	u64 ns = CONTINUED_BOOT;
	int r = store__read(s, &w->at, &p, err);

	if (r)
		return r;
	/* Without the ID of the boot, the clock of the window means nothing. */
	if (!p->hdr.boot || !boot_id_read(boot))
		ns = 0;
	else if (!strcmp(profile__str(p, p->hdr.boot), boot))
		ns = p->hdr.begin_mono_ns + p->hdr.window_ns;
	*end_ns = ns > *end_ns ? ns : *end_ns;
	profile__free(p);
	return 0;
}

int continued_from(const char *store, u64 *ret_ns, struct err *err)
{
	struct store_window last;
	u64 end_ns = 0;
	struct store *s;
	int r = store__open(store, &s, err);

	*ret_ns = 0;
	if (r)
		return r;
	for (size_t skip = 0; !r && skip < FILES_MAX; skip++) {
		r = store__last(s, skip, &last, err);
		if (!r)
			r = see(s, &last, &end_ns, err);
	}
	store__close(s);
	if (r && r != -ENOENT)
		return r;
	*ret_ns = end_ns;
	return 0;
}
