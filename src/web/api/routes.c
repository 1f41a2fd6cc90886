/* SPDX-License-Identifier: Apache-2.0 */
#include "web/api/routes.h"

#include <errno.h>
#include <string.h>

#define LIVE (1U << WEB_LIVE)
#define RECORDING (1U << WEB_RECORDING)
#define DIRECTORY (1U << WEB_DIRECTORY)
#define STORE (1U << WEB_STORE)
#define FLEET (1U << WEB_FLEET)
#define ALL (LIVE | RECORDING | DIRECTORY | STORE | FLEET)

/* One line for each. */
/* clang-format off */
const struct route web_routes[] = {
	{ "/", METHOD_GET, ALL, true, false, api_page },
	{ "/api/v1/status", METHOD_GET, ALL, false, false, api_status },
	{ "/api/v1/windows", METHOD_GET, ALL & ~FLEET, false, false, api_windows },
	{ "/api/v1/stream", METHOD_GET, ALL & ~(STORE | FLEET), false, false, api_stream },
	{ "/api/v1/profile", METHOD_GET, ALL, false, false, api_profile },
	{ "/api/v1/requests", METHOD_GET, ALL & ~(STORE | FLEET), false, false, api_requests },
	{ "/api/v1/diff", METHOD_GET, ALL, false, false, api_diff },
	{ "/api/v1/recordings", METHOD_GET, DIRECTORY, false, false, api_recordings },
	{ "/api/v1/hosts", METHOD_GET, FLEET, false, false, api_hosts },
	{ "/api/v1/targets", METHOD_GET | METHOD_POST, LIVE, false, false, api_targets },
	{ "/api/v1/openapi.json", METHOD_GET, ALL, false, false, api_openapi },
	{ "/debug/pprof/", METHOD_GET, ALL & ~DIRECTORY, true, false, api_pprof_index },
	{ "/debug/pprof/offcpu", METHOD_GET, ALL & ~DIRECTORY, false, false, api_pprof },
	{ "/metrics", METHOD_GET, ALL & ~(STORE | FLEET), false, false, api_metrics },
	{ "/healthz", METHOD_GET, ALL, false, true, api_health },
	{ "/favicon.ico", METHOD_GET, ALL, false, true, api_icon },
	{ NULL, 0, 0, false, false, NULL },
};
/* clang-format on */

const struct route *route_find(const char *path)
{
	const struct route *r;

	for (r = web_routes; r->path; r++) {
		if (!strcmp(r->path, path))
			return r;
	}
	return NULL;
}

static int dispatch(const struct route *route, struct web *w, struct request *rq, struct answer *a,
		    struct err *err)
{
	static const char *const modes[] = { "records now", "shows one recording",
					     "shows a directory of recordings",
					     "shows the past, from a store",
					     "shows hosts, from ClickHouse" };

	if (route->modes >> w->opt.mode & 1)
		return route->handle(w, rq, a, err);
	return err__set(err, -ENOENT, "%s does not exist here: this server %s", route->path,
			modes[w->opt.mode]);
}

void route__answer(const struct route *route, struct web *w, struct request *rq, struct answer *a)
{
	struct err err = { 0 };
	int r = dispatch(route, w, rq, a, &err);

	if (!r && !a->stream)
		r = sink__finish(&a->body, &err);
	if (!r)
		return;
	if (r == -EINVAL || r == -E2BIG)
		web__refuse(w, WEB_REFUSED_OTHER);
	answer__error(a, answer_status_of(r), *err.msg ? err.msg : err_str(r));
	sink__finish(&a->body, NULL);
}
