/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of formats. A new one needs its file, a declaration in formats.h and a line here. */
#include "render/formats.h"

#include <errno.h>

const struct render_ops *const render_formats[] = {
	&render_summary,
	&render_txt,
	&render_folded,
	&render_wide,
	&render_svg,
	&render_html,
	&render_tree,
	&render_json,
	&render_pprof,
	&render_speedscope,
	&render_csv,
	&render_hist,
	&render_hist_json,
	&render_ndjson,
	&render_firefox,
	&render_denet,
	&render_perf_script,
	&render_narrative,
	&render_perfetto,
	&render_chrome,
	&render_otlp,
	&render_speedscope_timeline,
	&render_firefox_timeline,
	NULL,
};

int render_check(const struct render_ops *format, const struct profile *p, struct err *err)
{
	if (!format->needs_moments || p->hdr.max_moments)
		return 0;
	if (p->hdr.source)
		return err__set(err, -EINVAL, "format %s: %s does not say when waits happened",
				format->name, profile__str(p, p->hdr.source));
	return err__set(err, -EINVAL,
			"format %s: the recording does not say when waits happened: record with "
			"--events",
			format->name);
}

const struct render_ops *render_find(const char *name)
{
	size_t i;

	for (i = 0; render_formats[i]; i++) {
		if (strcmp(render_formats[i]->name, name) == 0)
			return render_formats[i];
	}
	return NULL;
}

/* Length of the longest extension that `path` has, 0 for none. */
static size_t ending_len(const char *endings, const char *path)
{
	size_t path_len = strlen(path), best = 0, len;

	for (; *endings; endings += len, endings += strspn(endings, " ")) {
		len = strcspn(endings, " ");
		if (len > best && len < path_len &&
		    memcmp(path + path_len - len, endings, len) == 0)
			best = len;
	}
	return best;
}

const struct render_ops *render_find_by_path(const char *path)
{
	const struct render_ops *found = NULL;
	size_t best = 0, i;

	for (i = 0; render_formats[i]; i++) {
		size_t len = ending_len(render_formats[i]->endings, path);

		if (len > best) {
			best = len;
			found = render_formats[i];
		}
	}
	return found;
}
