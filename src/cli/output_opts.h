/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_OUTPUT_OPTS_H
#define CLI_OUTPUT_OPTS_H

#include "cli/commands.h"
#include "render/palette.h"
#include "render/render.h"

/* What goes where and how, as options of every command that reads recordings. */

/* For help; a test holds them against the registry of formats. */
#define OUTPUT_ENDINGS                                                                             \
	".coldspot (a recording, which keeps all), .html, .svg, .folded, .wide.folded, .txt, "     \
	".tree.txt, .hist.txt, .json, .ndjson, .hist.json, .pb.gz (pprof), .speedscope.json, "     \
	".firefox.json, .denet.json or .csv"
#define OUTPUT_FORMATS                                                                             \
	"summary, tree, hist, txt, folded, wide, svg, html, json, ndjson, hist-json, pprof, "      \
	"speedscope, firefox, denet or csv"

/* In the order of enum render_root. */
#define OUTPUT_BY_NAMES                                                                            \
	"comm", "process", "thread", "cgroup", "cause", "module", "stack", "object", "owner",      \
		"class"

/* In the order of enum time_view; `t` is a u32 of the values `S`. */
/* clang-format off */
#define TIME_VIEW_OPT(S, t) \
	{ 0, "view", OPT_CHOICE(S, t), "TIME", \
	  "Of a recording made with --on-cpu: off, the waits; on, what threads did on a CPU; or " \
	  "wall, both in one. If not given, wall in graphs and data for other programs, and off " \
	  "in text, as it is where CPUs were not sampled.", \
	  .choices = output_view_choices }
/* clang-format on */

struct view_values {
	u32 by; /* 0: place, else enum render_root + 1 */
	bool invert;
	bool interpreter;
	bool object_frames;
	u64 top;
	u32 time; /* 0: not given, else enum time_view */
	u32 idle; /* enum view_idle */
	u64 requests_milli; /* in 1000 s; 0: not known */
};

/* In the order of output_idle_choices. */
enum view_idle {
	VIEW_IDLE_SHOW = 0,
	VIEW_IDLE_APART,
	VIEW_IDLE_HIDE,
};

/* `field` is an u64 of the values `S`, in 1000 seconds. */
/* clang-format off */
#define REQUESTS_OPT(S, field) \
	{ 0, "requests", OPT_CUSTOM(S, field), "N/s", \
	  "So many requests were served: the summary then says what each cost, and how many " \
	  "threads they keep busy. 1200, 1200/s or 90/m.", .parse = output_parse_requests }
/* clang-format on */

/* `v` is a struct view_values of the values `S`. */
/* clang-format off */
#define VIEW_OPTS(S, v) \
	{ 0, "by", OPT_CHOICE(S, v.by), "WHAT", \
	  "What waits are put together by: the second table of a summary, the first frames of " \
	  "graphs. A module is the file of the lowest function that is the program's own; place " \
	  "is each for itself, in graphs the name of the thread.", \
	  .choices = output_by_choices }, \
	{ 0, "invert", OPT_FLAG(S, v.invert), NULL, \
	  "Trees and graphs from the function that waited to its callers; without -f and -o, as " \
	  "a tree of lines." }, \
	TIME_VIEW_OPT(S, v.time), \
	{ 0, "top", OPT_U64(S, v.top), "N", \
	  "Rows of the tables of a summary; branches of the first level of a tree.", .min = 1, \
	  .max = 100000 }, \
	{ 0, "object-frames", OPT_FLAG(S, v.object_frames), NULL, \
	  "Show what was waited for, and who held it, as the last frames of folded stacks." }, \
	{ 0, "idle", OPT_CHOICE(S, v.idle), "HOW", \
	  "Waits for work in trees, graphs and folded stacks: show them like others, apart under " \
	  "a frame [idle], or hide them, which every output says. The summary has them apart.", \
	  .choices = output_idle_choices }, \
	REQUESTS_OPT(S, v.requests_milli), \
	{ 0, "interpreter-frames", OPT_FLAG(S, v.interpreter), NULL, \
	  "Show the interpreter's own frames too (_PyEval_EvalFrameDefault and such), which are " \
	  "left out where interpreted frames stand for them; .json has them always." }
/* clang-format on */

struct names_values {
	const char *debug_dir;
	const char *debuginfod;
	bool demangle; /* true by default */
	bool strip_suffixes;
};

/* `n` is a struct names_values of the values `S`. */
/* clang-format off */
#define NAMES_OPTS(S, n) \
	{ 0, "debug-dir", OPT_STRING(S, n.debug_dir), "DIR", \
	  "Where separate debug files are; /usr/lib/debug if not given.", .flags = OPT_FILE }, \
	{ 0, "debuginfod", OPT_STRING(S, n.debuginfod), "URLS", \
	  "Ask these servers, separated by spaces, for debug files that are not here, at most a " \
	  "minute; those of DEBUGINFOD_URLS if not given while recording, and '' for none." }, \
	{ 0, "demangle", OPT_FLAG(S, n.demangle), NULL, \
	  "Show C++ and Rust names in readable form.", \
	  .flags = OPT_NEGATABLE }, \
	{ 0, "strip-suffixes", OPT_FLAG(S, n.strip_suffixes), NULL, \
	  "Leave out what compilers append to names: the hash of Rust (::h0123456789abcdef) and " \
	  "the marks of copies and parts (.constprop.0, .isra.0, .part.0, .cold, .llvm.123)." }
/* clang-format on */

/* 0, or the exit status after a sentence. */
int names_values__check(const struct names_values *n, const struct opt_command *cmd);

/* Of flame graphs. */
struct graph_values {
	const char *palette;
	bool icicle;
	const char *title;
	u64 width; /* 0: not given */
};

/* `g` is a struct graph_values of the values `S`. */
/* clang-format off */
#define GRAPH_OPTS(S, g) \
	{ 0, "palette", OPT_STRING(S, g.palette), "NAME", \
	  "Its colours: " PALETTE_NAMES "; io if not given. With cause they tell what was waited " \
	  "for." }, \
	{ 0, "icicle", OPT_FLAG(S, g.icicle), NULL, "Draw it with the root on top." }, \
	{ 0, "title", OPT_STRING(S, g.title), "TEXT", "Its title." }, \
	{ 0, "width", OPT_U64(S, g.width), "PIXELS", "Its width; 1200 if not given.", \
	  .min = 400, .max = 20000 }
/* clang-format on */

/* 0, or the exit status after a sentence: what only `palette` can be wrong about. */
int graph_values__check(const struct graph_values *g, const struct opt_command *cmd);
/* Sets what concerns graphs; `format`: the one that is to be written, NULL for files. */
void graph_values__apply(const struct graph_values *g, const char *format,
			 struct render_options *opt);

extern const char *const output_by_choices[];
extern const char *const output_view_choices[];
extern const char *const output_idle_choices[];
extern const char *const hist_by_choices[]; /* with "all" for all in one */

/* -EINVAL with a sentence where a view is asked for of which a profile has nothing; or 0. */
int output_view_check(u32 time, const struct profile *p, struct err *err);
struct render_options view_values__options(const struct view_values *v);
int output_parse_requests(const char *text, void *value, struct err *err);
/* 0; -EINVAL with all names, if there is a name and no format has it. */
int output_format_check(const char *option, const char *name, struct err *err);
/* What standard output takes, where it is a terminal: colours, and how large a screen is. */
void output_fit_terminal(const struct render_ops *format, struct render_options *opt);

#endif
