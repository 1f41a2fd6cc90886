/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user who sampled CPUs wants a graph of all the time; a format defined elsewhere for off-CPU
 * time stays that unless asked for more. Each format says which of the two it is.
 */
#include "render/render_view.h"

#include <stdio.h>

#include "base/text/units.h"

enum time_view render_view(const struct profile *p, const struct render_options *opt,
			   enum time_view usual)
{
	if (!profile__has_on_cpu(p))
		return VIEW_OFF;
	if (opt->view != VIEW_DEFAULT)
		return (enum time_view)opt->view;
	return p->waits_len == 1 && p->hots_len > 1 ? VIEW_ON : usual;
}

struct shown_options render_shown(const struct profile *p, const struct render_options *opt,
				  enum time_view usual)
{
	return (struct shown_options){
		.interpreter = opt->interpreter,
		.no_truncated = opt->no_truncated,
		.view = render_view(p, opt, usual),
		.wakers = (enum wakers_shown)opt->wakers,
		.waker_delimiter = opt->delimiter,
	};
}

struct tree_options render_tree_options(const struct render_options *opt, enum time_view view,
					struct cause_memo *memo)
{
	return (struct tree_options){
		.root = opt->root,
		.sides = opt->sides,
		.delimiter = opt->delimiter,
		.invert = opt->invert,
		.view = view,
		.idle_apart = opt->idle_apart,
		.memo = memo,
	};
}

const char *render_view_noun(enum time_view view)
{
	if (view == VIEW_ON)
		return "on-CPU time";
	return view == VIEW_WALL ? "wall-clock time" : "off-CPU time";
}

const char *render_view_words(enum time_view view)
{
	if (view == VIEW_ON)
		return "on a CPU";
	return view == VIEW_WALL ? "on a CPU, blocked and waiting for one" :
				   "blocked and waiting for a CPU";
}

int render_samples_text(const struct profile *p, char *buf, size_t sz)
{
	char on[32], count[32];
	u64 on_ns = 0, samples = 0;
	u32 i;

	buf[0] = '\0';
	if (!profile__has_on_cpu(p))
		return 0;
	for (i = 1; i < p->hots_len; i++) {
		on_ns += p->hots[i].on_ns;
		samples += p->hots[i].samples;
	}
	units_format_ns(on_ns, on, sizeof(on));
	units_format_count(samples, count, sizeof(count));
	return snprintf(buf, sz, "%s %s, as %s sample%s at %u Hz tell",
			profile_header__is_of_tasks(&p->hdr) ? "running" : "on a CPU", on, count,
			units_plural(samples), p->hdr.on_cpu_hz);
}
