/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP/HTTP: the format `otlp` as it is, because a request to export has the fields of a file.
 * The rules are those of opentelemetry-proto's docs/specification.md: 200 with a partial success
 * is the end of it, whatever was rejected must not be sent again.
 */
#include <errno.h>

#include "push/otlp_answer.h"
#include "push/target.h"
#include "render/formats.h"

static int encode(const struct push_window *w, const struct push_url *url, struct push_parts *parts,
		  struct err *err)
{
	const struct render_options opt = { .memo = w->memo,
					    .service = *url->service ? url->service : NULL };
	const struct http_part part = { .content_type = "application/x-protobuf" };
	struct sink body;
	int r;

	sink__init_mem(&body);
	r = render_otlp.render(w->p, &opt, &body, err);
	if (!r)
		r = push_parts__add(parts, &part, &body, true, err);
	sink__done(&body);
	return r;
}

static enum push_verdict judge(const struct http_answer *answer, struct err *why)
{
	struct otlp_answer said;

	if (!otlp_answer__parse(&said, view__of(answer->body.buf, answer->body.len))) {
		err__set(why, -EPROTO, "status %u, but no answer of OTLP: is the path right?",
			 answer->status);
		return PUSH_LATER;
	}
	if (said.rejected <= 0)
		return PUSH_TAKEN;
	err__set(why, -EPROTO, "%lld profiles rejected: %s", (long long)said.rejected,
		 said.message);
	return PUSH_REFUSED;
}

const struct push_target push_otlp = {
	.name = "otlp",
	.path = "/v1development/profiles",
	.help = "OpenTelemetry: a collector, or whatever takes OTLP/HTTP profiles",
	.encode = encode,
	.judge = judge,
};
