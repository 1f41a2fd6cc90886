/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pyroscope's PusherService, as a call of Connect: the message push.v1.PushRequest in a POST. Not
 * /ingest, which files any type of sample with "cpu" in its name under process_cpu.
 *
 * Pyroscope makes a series of each set of labels of samples, and takes 5,000 of a tenant unless its
 * limits are changed. So samples have only labels with few values.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "push/pprof_labels.h"
#include "render/encode/proto.h"

/* Numbers of fields, by message. */
enum {
	REQUEST_SERIES = 1,
	SERIES_LABEL = 1,
	SERIES_SAMPLE = 2,
	LABEL_NAME = 1,
	LABEL_VALUE = 2,
	SAMPLE_PROFILE = 1,
	SAMPLE_ID = 2,
};

struct message {
	struct proto request;
	struct proto series;
	struct proto inner;
};

static void put_text(struct proto *m, u32 field, const char *text)
{
	proto__bytes(m, field, text, strlen(text));
}

static void put_all(struct message *m, const struct push_label *labels, const struct sink *pprof,
		    const char *id)
{
	for (size_t i = 0; i < PUSH_LABELS_CNT; i++) {
		put_text(&m->inner, LABEL_NAME, labels[i].name);
		put_text(&m->inner, LABEL_VALUE, labels[i].value);
		proto__message(&m->series, SERIES_LABEL, &m->inner);
	}
	proto__bytes(&m->inner, SAMPLE_PROFILE, pprof->buf, pprof->len);
	put_text(&m->inner, SAMPLE_ID, id);
	proto__message(&m->series, SERIES_SAMPLE, &m->inner);
	proto__message(&m->request, REQUEST_SERIES, &m->series);
}

static int encode(const struct push_window *w, const struct push_url *url, struct push_parts *parts,
		  struct err *err)
{
	const struct http_part part = { .content_type = "application/proto",
					.header = "Connect-Protocol-Version: 1" };
	struct push_label labels[PUSH_LABELS_CNT];
	struct message m;
	struct sink pprof, body;
	int r;

	sink__init_mem(&pprof);
	sink__init_mem(&body);
	proto__init(&m.request);
	proto__init(&m.series);
	proto__init(&m.inner);
	push_labels_of(w, url, "host", labels);
	r = push_pprof(w, true, &pprof, err);
	if (!r) {
		put_all(&m, labels, &pprof, w->id);
		sink__put(&body, m.request.bytes.data, m.request.bytes.len);
		r = m.request.error ? err__set(err, m.request.error, "the window is too large") : 0;
	}
	if (!r)
		r = push_parts__add(parts, &part, &body, false, err);
	proto__done(&m.request);
	proto__done(&m.series);
	proto__done(&m.inner);
	sink__done(&pprof);
	sink__done(&body);
	return r;
}

const struct push_target push_pyroscope = {
	.name = "pyroscope",
	.path = "/push.v1.PusherService/Push",
	.help = "Grafana Pyroscope, and servers with its API",
	.encode = encode,
};
