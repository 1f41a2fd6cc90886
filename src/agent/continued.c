/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of the last window is the begin of what no window has. The store says it exactly, in the
 * clock of the trace, so no file beside it is needed that a crash could leave behind. Only the
 * profile itself says of which boot it is; it is read once, at the start.
 */
#include "agent/continued.h"

#include <errno.h>
#include <string.h>

#include "base/boot_id.h"
#include "profile/profile.h"
#include "store/store.h"

static int end_of(struct store *s, const struct store_window *w, u64 *ret_ns, struct err *err)
{
	char boot[BOOT_ID_SZ];
	struct profile *p;
	int r = store__read(s, &w->at, &p, err);

	if (r)
		return r;
	/* Without the ID of the boot, the clock of the window means nothing. */
	if (p->hdr.boot && boot_id_read(boot))
		*ret_ns = strcmp(profile__str(p, p->hdr.boot), boot) ?
				  CONTINUED_BOOT :
				  p->hdr.begin_mono_ns + p->hdr.window_ns;
	profile__free(p);
	return 0;
}

int continued_from(const char *store, u64 *ret_ns, struct err *err)
{
	struct store_window last;
	struct store *s;
	int r = store__open(store, &s, err);

	*ret_ns = 0;
	if (r)
		return r;
	r = store__last(s, &last, err);
	if (!r)
		r = end_of(s, &last, ret_ns, err);
	store__close(s);
	return r == -ENOENT ? 0 : r;
}
