/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_FORMATS_H
#define RENDER_FORMATS_H

#include "render/render.h"

/* The tables of the formats, for the registry and for tests. */
extern const struct render_ops render_summary;
extern const struct render_ops render_txt;
extern const struct render_ops render_tree;
extern const struct render_ops render_folded;
extern const struct render_ops render_wide;
extern const struct render_ops render_perf_script;
extern const struct render_ops render_narrative;
extern const struct render_ops render_perfetto;
extern const struct render_ops render_chrome;
extern const struct render_ops render_svg;
extern const struct render_ops render_html;
extern const struct render_ops render_json;
extern const struct render_ops render_pprof;
extern const struct render_ops render_otlp;
extern const struct render_ops render_speedscope;
extern const struct render_ops render_speedscope_timeline;
extern const struct render_ops render_csv;
extern const struct render_ops render_ndjson;
extern const struct render_ops render_firefox;
extern const struct render_ops render_firefox_timeline;
extern const struct render_ops render_denet;
extern const struct render_ops render_hist;
extern const struct render_ops render_hist_json;

#endif
