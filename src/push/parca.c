/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parca's WriteRaw through its JSON gateway, which needs no gRPC. The agent of Parca calls a host
 * `node`, so the page lists ours beside it.
 */
#include "push/pprof_labels.h"
#include "render/encode/base64.h"
#include "render/encode/json_writer.h"

/* Addresses are those of files already: nothing is left to subtract. */
#define NORMALIZED true

static void put_labels(struct json *to, const struct push_label *labels)
{
	json__object(to, "labels");
	json__array(to, "labels");
	for (size_t i = 0; i < PUSH_LABELS_CNT; i++) {
		json__object(to, NULL);
		json__text(to, "name", labels[i].name);
		json__text(to, "value", labels[i].value);
		json__end_object(to);
	}
	json__end_array(to);
	json__end_object(to);
}

static void put_all(struct sink *body, const struct push_label *labels, const struct sink *pprof)
{
	struct json to = JSON_TO(body);

	json__object(&to, NULL);
	json__array(&to, "series");
	json__object(&to, NULL);
	put_labels(&to, labels);
	json__array(&to, "samples");
	sink__puts(body, "{\"rawProfile\":\"");
	base64_put(body, pprof->buf, pprof->len);
	sink__puts(body, "\"}");
	json__end_array(&to);
	json__end_object(&to);
	json__end_array(&to);
	json__bool(&to, "normalized", NORMALIZED);
	json__end_object(&to);
}

static int encode(const struct push_window *w, const struct push_url *url, struct push_parts *parts,
		  struct err *err)
{
	const struct http_part part = { .content_type = "application/json" };
	struct push_label labels[PUSH_LABELS_CNT];
	struct sink pprof, body;
	int r;

	sink__init_mem(&pprof);
	sink__init_mem(&body);
	push_labels_of(w, url, "node", labels);
	r = push_pprof(w, false, &pprof, err);
	if (!r) {
		put_all(&body, labels, &pprof);
		r = push_parts__add(parts, &part, &body, false, err);
	}
	sink__done(&pprof);
	sink__done(&body);
	return r;
}

const struct push_target push_parca = {
	.name = "parca",
	.path = "/api/profiles/writeraw",
	.help = "Parca, by its JSON gateway",
	.encode = encode,
};
