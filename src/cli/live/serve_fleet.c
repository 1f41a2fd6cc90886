/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live/serve_fleet.h"

#include "app/run.h"
#include "fleet/fleet_url.h"
#include "push/http.h"

int serve_fleet__init(struct web_options *opt, struct push_url *url, struct err *err)
{
	const struct http_limits limits = { .connect_ms = 1, .total_ms = 1, .body_bytes = 1 };
	struct http *http;
	int r = fleet_url_parse(url, opt->url, err);

	if (!r)
		r = http__new(&limits, NULL, &http, err);
	if (r)
		return r;
	http__free(http);
	opt->mode = WEB_FLEET;
	opt->target = url->name;
	opt->is_over = run_is_over;
	return 0;
}
