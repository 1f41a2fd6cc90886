/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_OUTPUT_OPTS_H
#define CLI_OUTPUT_OPTS_H

#include "cli/commands.h"
#include "cli/requests_opts.h"
#include "doctor/debug_package.h"
#include "render/words/palette.h"
#include "render/render.h"

/* Output options of commands that read recordings. A test compares this with the formats. */
#define OUTPUT_ENDINGS                                                                             \
	".coldspot (a recording), .html, .svg, .folded, .wide.folded, .txt, .tree.txt, "           \
	".hist.txt, .json, .ndjson, .hist.json, .pb.gz (pprof), .otlp, .csv, .speedscope.json, "   \
	".firefox.json, .denet.json, .perf.txt, .narrative.txt, .perfetto, .trace.json, "          \
	".timeline.firefox.json or .timeline.speedscope.json"
#define OUTPUT_FORMATS                                                                             \
	"summary, tree, hist, txt, folded, wide, svg, html, json, ndjson, hist-json, pprof, "      \
	"speedscope, firefox, denet, perf-script, narrative, perfetto, chrome, "                   \
	"firefox-timeline, speedscope-timeline, otlp or csv"

/* In the order of enum time_view; `t` is a u32 of the values `S`. */
/* clang-format off */
#define TIME_VIEW_OPT(S, t) \
	{ 0, "view", OPT_CHOICE(S, t), "TIME", \
	  "Which time to show, in a recording made with --on-cpu: off, waits; on, what " \
	  "threads did on a CPU; wall, both. Default: wall in graphs and data formats, off in " \
	  "text and without --on-cpu.", \
	  .choices = output_view_choices }

/* `off_wake` and `chains` are flags of the values `S`. */
#define WAKER_VIEW_OPTS(S, off_wake, chains) \
	{ 0, "off-wake", OPT_FLAG(S, off_wake), NULL, \
	  "In graphs, trees and stacks, show behind the stack of each wait the stack of the " \
	  "thread or interrupt that ended it, as bcc's offwaketime does. Needs a recording made " \
	  "with --wakers.", .excludes = "chains" }, \
	{ 0, "chains", OPT_FLAG(S, chains), NULL, \
	  "The same, followed by who woke the waker, and so on. The last frame says why the " \
	  "chain ends. Needs a recording made with --wakers." }
/* clang-format on */

struct view_values {
	u32 by; /* 0: place, else enum group_by + 1 */
	bool invert;
	bool interpreter;
	bool object_frames;
	u64 top;
	u32 time; /* 0: not given, else enum time_view */
	u32 idle; /* enum view_idle */
	u64 requests_milli; /* per 1000 s; 0: unknown */
	bool details;
	bool fold_kernel; /* true by default */
	bool off_wake;
	bool chains;
};

/* In the order of output_idle_choices. */
enum view_idle {
	VIEW_IDLE_AUTO = 0,
	VIEW_IDLE_SHOW,
	VIEW_IDLE_APART,
	VIEW_IDLE_HIDE,
};

/* `field` is a bool of the values `S`, true by default. */
/* clang-format off */
#define FOLD_KERNEL_OPT(S, field) \
	{ 0, "fold-kernel", OPT_FLAG(S, field), NULL, \
	  "In .pb.gz (pprof) and .otlp, leave out kernel frames below user frames, so that " \
	  "tables begin with code of the program.", .flags = OPT_NEGATABLE }
/* clang-format on */

/* `v` is a struct view_values of the values `S`. */
/* clang-format off */
#define VIEW_OPTS(S, v) \
	{ 0, "by", OPT_CHOICE(S, v.by), "WHAT", \
	  "Group waits by this: second table of a summary, first frames of graphs. " \
	  "module is the file of the innermost function of the program itself. place, the " \
	  "default, groups by place in the code; graphs then begin with the thread name.", \
	  .choices = output_by_choices, .flags = OPT_COMMON }, \
	{ 0, "invert", OPT_FLAG(S, v.invert), NULL, \
	  "Root trees and graphs at the function that waited, with its callers above. Without " \
	  "-f and -o, prints a tree.", .flags = OPT_COMMON }, \
	TIME_VIEW_OPT(S, v.time), \
	WAKER_VIEW_OPTS(S, v.off_wake, v.chains), \
	{ 0, "top", OPT_U64(S, v.top), "N", \
	  "Rows in tables of a summary, and branches of a tree.", .min = 1, \
	  .max = 100000, .flags = OPT_COMMON }, \
	{ 0, "object-frames", OPT_FLAG(S, v.object_frames), NULL, \
	  "Append object and owner to folded stacks as frames." }, \
	{ 0, "idle", OPT_CHOICE(S, v.idle), "HOW", \
	  "How trees, graphs and folded stacks show waits for work: show, like others; apart, " \
	  "under a frame [idle]; hide, and state how much. auto, the default: like others, but " \
	  "folded away in .svg and .html where they are most of the time, with a switch. The " \
	  "summary always shows them apart.", \
	  .choices = output_idle_choices }, \
	{ 0, "requests", OPT_CUSTOM(S, v.requests_milli), "[N/s]", REQUESTS_HELP, \
	  .parse = output_parse_requests, .omitted = REQUESTS_RECORDED_TEXT }, \
	FOLD_KERNEL_OPT(S, v.fold_kernel), \
	{ 'v', "verbose", OPT_FLAG(S, v.details), NULL, \
	  "Also show in the summary which hooks were used, and how much was seen." }, \
	{ 0, "interpreter-frames", OPT_FLAG(S, v.interpreter), NULL, \
	  "Also show the interpreter's own frames, such as _PyEval_EvalFrameDefault, which " \
	  "are hidden where interpreted frames replace them. .json always has them." }
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
	  "Directory of separate debug files. Default: /usr/lib/debug.", .flags = OPT_FILE }, \
	{ 0, "debuginfod", OPT_STRING(S, n.debuginfod), "URLS", \
	  "Fetch missing debug files from these servers, separated by spaces, within a " \
	  "minute. When recording, the default is DEBUGINFOD_URLS; '' means none." }, \
	{ 0, "demangle", OPT_FLAG(S, n.demangle), NULL, \
	  "Show C++ and Rust names demangled.", \
	  .flags = OPT_NEGATABLE }, \
	{ 0, "strip-suffixes", OPT_FLAG(S, n.strip_suffixes), NULL, \
	  "Strip suffixes that compilers append to names: Rust's hash (::h0123456789abcdef) " \
	  "and marks of clones and parts (.constprop.0, .isra.0, .part.0, .cold, .llvm.123)." }
/* clang-format on */

/* 0, or the exit status after a message. */
int names_values__check(const struct names_values *n, const struct opt_command *cmd);

/* For flame graphs. */
struct graph_values {
	const char *palette;
	u32 by_name; /* in the order of output_order_choices */
	bool icicle;
	const char *title;
	u64 width; /* 0: not given */
};

/* `g` is a struct graph_values of the values `S`. */
/* clang-format off */
#define GRAPH_OPTS(S, g) \
	{ 0, "palette", OPT_STRING(S, g.palette), "NAME", \
	  "Colours: " \
	  PALETTE_NAMES \
	  ". Default: cause, or hot and hotcold with time on a CPU. io is bcc's." }, \
	{ 0, "order", OPT_CHOICE(S, g.by_name), "HOW", \
	  "Frames of one parent from left to right: by time, the longest first (default), or " \
	  "by name, as flamegraph.pl.", .choices = output_order_choices }, \
	{ 0, "icicle", OPT_FLAG(S, g.icicle), NULL, \
	  "Draw the root at the top." }, \
	{ 0, "title", OPT_STRING(S, g.title), "TEXT", \
	  "Title of the graph." }, \
	{ 0, "width", OPT_U64(S, g.width), "PIXELS", \
	  "Width of the graph. Default: 1200.", \
	  .min = 400, .max = 20000 }
/* clang-format on */

/* 0, or the exit status after a message about an invalid `palette`. */
int graph_values__check(const struct graph_values *g, const struct opt_command *cmd);
/* Applies the graph options; `format`: the output format, NULL for files. */
void graph_values__apply(const struct graph_values *g, const char *format,
			 struct render_options *opt);

extern const char *const output_by_choices[];
extern const char *const output_order_choices[];
extern const char *const output_view_choices[];
extern const char *const output_idle_choices[];
extern const char *const hist_by_choices[]; /* plus "all" for a single group */

/* -EINVAL with a message if the profile has no data for the requested view; or 0. */
int output_view_check(u32 time, const struct profile *p, struct err *err);
/* The same for --off-wake and --chains. */
int output_wakers_check(const struct view_values *v, const struct profile *p, struct err *err);
/* enum wakers_shown */
u32 output_wakers(bool off_wake, bool chains);
struct render_options view_values__options(const struct view_values *v);
/* 0; -EINVAL listing all names if no format has this one. */
int output_format_check(const char *option, const char *name, struct err *err);
/* "coldspot: wrote db.svg (162.3 KiB)"; nothing of what is no regular file. */
void output_say_written(const char *path);
/* The same of each: const char *. */
void outputs_say_written(const struct vec *paths);
/* Adapts the output to a terminal on standard output: colours, characters, size. */
void output_fit_terminal(const struct render_ops *format, struct render_options *opt);

/* For a summary: finds dpkg's package with most of the names that `p` lacks; must outlive `opt`. */
void output_find_package(const struct render_ops *format, const struct profile *p,
			 struct debug_package *package, struct render_options *opt);

#endif
