/* SPDX-License-Identifier: Apache-2.0 */

/* The two threads share nothing: the profile has copies, and its files were handed over. */
#include "session/naming.h"

#include <errno.h>

#include "capture/errand.h"

/* Only a limit: the event ends the wait. */
#define POLL_MS 1000

struct naming {
	struct resolver *resolver;
	struct profile *profile;
	struct err err;
	int result;
};

static void find_names(void *arg)
{
	struct naming *n = arg;

	n->result = resolver__name_profile(n->resolver, n->profile, &n->err);
}

static int poll_until_done(const struct naming_poll *meanwhile, const struct errand *e,
			   struct err *err)
{
	int r = 0;

	while ((!r || r == -EINTR) && !errand__is_done(e))
		r = meanwhile->poll(meanwhile->arg, e->done_fd, POLL_MS, err);
	return r == -EINTR ? 0 : r;
}

int naming_run(struct resolver *resolver, struct profile *p, const struct naming_poll *meanwhile,
	       struct err *err)
{
	struct naming n = { .resolver = resolver, .profile = p };
	struct errand e;
	int r;

	if (errand__start(&e, find_names, &n))
		return resolver__name_profile(resolver, p, err);
	r = poll_until_done(meanwhile, &e, err);
	errand__finish(&e);
	if (n.result && err)
		*err = n.err;
	return n.result ? n.result : r;
}
