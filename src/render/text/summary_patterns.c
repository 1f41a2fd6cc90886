/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Herds, storms, convoys and ping-pong: a line for each that matters, behind the blame. They are
 * about wakeups, so only waits are shown with them, not time on a CPU.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "render/render_view.h"
#include "render/text/summary_priv.h"
#include "render/words/pattern_text.h"

#define PATTERN_INDENT 6

static int put_pattern(const struct screen *s, const struct wake_pattern *w)
{
	const char *name = wake_pattern_name(w->kind);
	char *text = pattern_text(w, s->p->hdr.window_ns);

	if (!text)
		return -ENOMEM;
	sink__printf(s->out, "%s%c%s:%s ", screen_bold(s), toupper((unsigned char)*name), name + 1,
		     screen_plain(s));
	screen_put_wrapped(s, text, (u32)strlen(name) + 2, PATTERN_INDENT);
	mem_free(text);
	return 0;
}

int screen_put_patterns(const struct screen *s)
{
	struct wake_patterns patterns;
	struct arena a;
	u32 i;
	int r = 0;

	if (!s->p->hdr.wakers || s->view == VIEW_ON)
		return 0;
	arena__init(&a);
	r = wake_patterns__build(s->p, s->opt->memo, &a, &patterns, NULL);
	for (i = 0; !r && i < patterns.len && patterns.list[i].matters; i++)
		r = put_pattern(s, &patterns.list[i]);
	arena__done(&a);
	return r;
}
