/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "analysis/model/group_by.h"
#include "base/err.h"
#include "base/sink.h"
#include "profile/profile.h"

/*
 * A profile to bytes. A format is one file with one const table, and one line in formats.c.
 * Rendering is pure: the same profile and options give the same bytes; the clock, the terminal and
 * the environment are not read. Thread-safe, unless threads share a memo.
 */

enum render_unit {
	RENDER_UNIT_US = 0,
	RENDER_UNIT_NS,
};

struct cause_memo;

/* Which time a histogram measures. */
enum render_of {
	RENDER_OF_OFF = 0,
	RENDER_OF_ON,
	RENDER_OF_RUNQ,
	RENDER_OF_BLOCKED,
};

/*
 * User options. All zero is the default of every field. A format ignores fields for other formats;
 * brackets list those that use a field. Strings are borrowed for the call.
 */
struct render_options {
	u32 sides; /* enum profile_side; 0: what the profile has [txt folded wide svg html] */
	u32 unit; /* enum render_unit, of values [folded wide svg] */
	enum group_by root; /* [svg speedscope tree summary hist] */
	u32 of; /* enum render_of [hist] */
	u32 steps; /* 1, 2 or 4 rows for each power of two; 0: 1 [hist] */
	bool groups; /* by `root`, instead of places or a single group [summary hist] */
	bool invert; /* from the function that waited to its callers [svg speedscope tree] */
	bool delimiter; /* "-" between user and kernel frames, in txt "--" [txt folded wide svg] */
	bool offsets; /* name+0xoff [txt] */
	bool verbose; /* number, address, offset and module of each frame [txt] */
	bool interpreter; /* include the interpreter's own frames [txt folded wide svg] */
	bool kernel_frames; /* also below user frames [pprof otlp] */
	bool object_frames; /* object and owner as frames at the leaf [folded wide] */
	bool no_truncated; /* no frame for a missing root side [txt folded wide svg] */
	bool icicle; /* root on top [svg] */
	/*
	 * enum time_view; VIEW_DEFAULT: everything if threads on a CPU were sampled, but off-CPU
	 * time in txt, folded, wide, tree and summary. [not json, which has everything, hist,
	 * denet]
	 */
	u32 view;
	/*
	 * enum wakers_shown: the stacks of wakers behind those of waits [txt folded wide svg html
	 * tree speedscope firefox pprof otlp csv]
	 */
	u32 wakers;
	bool color; /* ANSI colours [summary] */
	bool ascii; /* the reader has no UTF-8: see output_text() [summary tree hist] */
	bool idle_shown; /* waits for work are not folded away if they are most [svg html] */
	bool idle_apart; /* waits for work below a separate frame [folded wide svg tree] */
	struct cause_memo *memo; /* causes of the profile; NULL: by the built-in rules */
	const char *header; /* printed first, followed by an empty line; NULL: none [txt] */
	const char *title; /* NULL: one is made from the target [svg] */
	const char
		*about; /* what the time is, if it is not that of waits or samples; or NULL [svg] */
	const char *command; /* NULL: the header's [svg] */
	bool few_labels; /* of samples: only those with few values [pprof] */
	const char *service; /* service.name; NULL: made from the processes [otlp] */
	const char *palette; /* name in palette.h; NULL: the view's [svg] */
	bool by_name; /* frames of one parent by name, not the widest first [svg] */
	bool requests; /* they were recorded, though there may be none [html] */
	u64 requests_milli; /* per 1000 seconds, 0: unknown [summary json] */
	u32 width; /* columns of summary (0: 100), pixels of svg (0: 1200) */
	/* the package with the names that most addresses lack; NULL: not known [summary] */
	const char *debug_package;
	bool details; /* hooks, and what was seen [summary] */
	/* of each table, first level; 0: 8 to 10, or all */
	u32 rows; /* [summary tree] */
	/* frames with a smaller share are omitted; 0: 0.1 px, 0.5 % [svg tree] */
	double min_share;
};

struct render_ops {
	const char *name;
	const char *endings; /* of file names, with the dot, separated by spaces; "" for none */
	const char *mime;
	const char *help; /* one line */
	const char *schema; /* a JSON Schema of it, or of each of its lines; NULL: none */
	bool takes_root; /* uses render_options.root */
	bool takes_invert; /* uses render_options.invert */
	bool takes_wakers; /* uses render_options.wakers */
	bool needs_moments; /* says something only of recordings that have them */
	bool is_screen; /* for people at a terminal */
	bool bare; /* cannot state what was selected or merged (scope_text.h) */
	/*
	 * Writes to `out`, which the caller finishes: write errors are reported there. -ENOMEM, or
	 * -EINVAL for an invalid option value.
	 */
	int (*render)(const struct profile *p, const struct render_options *opt, struct sink *out,
		      struct err *err);
};

/* Every format, terminated by NULL. */
extern const struct render_ops *const render_formats[];

/*
 * Whether the profile has what the format needs. -EINVAL with a message if it lacks that: what the
 * format writes is then of no use.
 */
int render_check(const struct render_ops *format, const struct profile *p, struct err *err);

/* By name; NULL if there is none. */
const struct render_ops *render_find(const char *name);
/* By file extension, the longest that matches; NULL if none does. */
const struct render_ops *render_find_by_path(const char *path);

#endif
