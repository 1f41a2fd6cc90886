/* SPDX-License-Identifier: Apache-2.0 */
/* All patterns, also those that the summary on the terminal leaves out. */
#include "render/json/json_patterns.h"

#include <errno.h>

#include "analysis/model/wake_pattern.h"
#include "base/mem.h"
#include "render/words/pattern_text.h"

static void put_known(struct json *j, const char *key, const char *text)
{
	json__text(j, key, *text ? text : NULL);
}

static int put_sentence(struct json *j, const struct wake_pattern *w, u64 window_ns)
{
	char *text = pattern_text(w, window_ns);

	if (!text)
		return -ENOMEM;
	json__text(j, "sentence", text);
	mem_free(text);
	return 0;
}

/* Ids of a profile begin at 1, indexes of the JSON at 0. */
static int put_pattern(struct json *j, const struct wake_pattern *w, u64 window_ns)
{
	int r;

	json__object(j, NULL);
	json__text(j, "kind", wake_pattern_name(w->kind));
	json__bool(j, "matters", w->matters);
	json__u64(j, "waker", w->waker - 1);
	json__text(j, "who", w->who);
	json__text(j, "whom", w->whom);
	put_known(j, "site", w->place);
	put_known(j, "object", w->object);
	put_known(j, "then", w->then);
	json__u64(j, "wakers", w->wakers);
	json__u64(j, "sleepers", w->sleepers);
	json__u64(j, "wakes", w->wakes);
	json__u64(j, "bursts", w->bursts);
	json__u64(j, "brief", w->brief);
	json__u64(j, "again", w->again);
	json__u64(j, "cpu_ns", w->cpu_ns);
	json__u64(j, "wait_ns", w->wait_ns);
	r = put_sentence(j, w, window_ns);
	json__end_object(j);
	return r;
}

int json_patterns_put(struct json *j, const struct profile *p, const struct render_options *opt)
{
	struct wake_patterns patterns;
	struct arena a;
	u32 i;
	int r;

	if (!p->hdr.wakers)
		return 0;
	arena__init(&a);
	r = wake_patterns__build(p, opt->memo, &a, &patterns, NULL);
	if (!r) {
		json__array(j, "patterns");
		for (i = 0; i < patterns.len && !r; i++)
			r = put_pattern(j, &patterns.list[i], p->hdr.window_ns);
		json__end_array(j);
	}
	arena__done(&a);
	return r;
}
