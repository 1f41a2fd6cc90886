/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "base/err.h"
#include "base/sink.h"
#include "profile/profile.h"

/*
 * A profile to bytes. A format is one file with one const table, and one line in formats.c.
 * Rendering is pure: the same profile and options give the same bytes; the clock, the terminal
 * and the environment are not read. Safe from several threads, unless they share a memo.
 */

enum render_unit {
	RENDER_UNIT_US = 0,
	RENDER_UNIT_NS,
};

struct cause_memo;

/* The root frame of a graph. */
enum render_root {
	RENDER_ROOT_COMM = 0, /* "comm" of the thread, as bcc */
	RENDER_ROOT_PROCESS, /* "group_comm-tgid" */
	RENDER_ROOT_THREAD, /* "comm-tgid/tid" */
	RENDER_ROOT_CGROUP, /* these as analysis/group.h has them */
	RENDER_ROOT_CAUSE,
	RENDER_ROOT_MODULE,
	RENDER_ROOT_STACK,
	RENDER_ROOT_OBJECT,
	RENDER_ROOT_OWNER,
	RENDER_ROOT_CLASS,
};

/* Of what time the histograms are. */
enum render_of {
	RENDER_OF_OFF = 0,
	RENDER_OF_ON,
	RENDER_OF_RUNQ,
	RENDER_OF_BLOCKED,
};

/*
 * What a person may ask for. All zero is the default of every field; a format ignores what does
 * not concern it, which is said in brackets. Strings are borrowed for the call.
 */
struct render_options {
	u32 sides; /* enum profile_side; 0: what the profile has [txt folded wide svg html] */
	u32 unit; /* enum render_unit, of values [folded wide svg] */
	u32 root; /* enum render_root [svg speedscope tree summary hist] */
	u32 of; /* enum render_of [hist] */
	u32 steps; /* 1, 2 or 4 rows for each power of two; 0: 1 [hist] */
	bool groups; /* by `root`, in place of places or all in one [summary hist] */
	bool invert; /* from the function that waited to its callers [svg speedscope tree] */
	bool delimiter; /* "-" between user and kernel frames, in txt "--" [txt folded wide svg] */
	bool offsets; /* name+0xoff [txt] */
	bool verbose; /* number, address, offset and module of each frame [txt] */
	bool interpreter; /* the interpreter's own frames too [txt folded wide svg] */
	bool object_frames; /* what was waited for, and who held it, at the leaf [folded wide] */
	bool no_truncated; /* no frame for a missing root side [txt folded wide svg] */
	bool icicle; /* root on top [svg] */
	/*
	 * enum time_view; VIEW_DEFAULT: all of it where threads on a CPU were sampled, but time off
	 * the CPU in txt, folded, wide, tree and summary. [not json, which has all, hist, denet]
	 */
	u32 view;
	bool color; /* ANSI colours [summary] */
	bool idle_apart; /* waits for work below a frame of their own [folded wide svg tree] */
	struct cause_memo *memo; /* of causes of the profile; NULL: by the rules built in */
	const char *header; /* printed first, with an empty line behind; NULL: none [txt] */
	const char *title; /* NULL: one is made from the target [svg] */
	const char *command; /* NULL: the header's [svg] */
	const char *palette; /* name of palette.h; NULL: "io" [svg] */
	u64 requests_milli; /* in 1000 seconds, 0: not known [summary json] */
	u32 width; /* columns of summary (0: 100), pixels of svg (0: 1200) */
	u32 lines; /* of a screen; 0: 24 [summary] */
	/* of each table, first level; 0: as many as a screen has room for, all */
	u32 rows; /* [summary tree] */
	/* frames of a smaller part of the whole are left out; 0: 0.1 px, 0.5 % [svg tree] */
	double min_share;
};

struct render_ops {
	const char *name;
	const char *endings; /* of file names, with the dot, separated by a space; "" for none */
	const char *mime;
	const char *help; /* one line */
	const char
		*schema; /* a JSON Schema of it, or of each of its lines; NULL: none is written */
	bool takes_root; /* render_options.root has a say */
	bool takes_invert; /* render_options.invert, likewise */
	bool bare; /* there is no place in it to say what was selected or merged (scope_text.h) */
	/*
	 * Writes to `out`, which the caller finishes: errors of writing are found there. -ENOMEM,
	 * or -EINVAL for an option of unknown value.
	 */
	int (*render)(const struct profile *p, const struct render_options *opt, struct sink *out,
		      struct err *err);
};

/* Every format, NULL at the end. */
extern const struct render_ops *const render_formats[];

/* By name; NULL: there is none. */
const struct render_ops *render_find(const char *name);
/* By the ending of a file name, the longest that fits; NULL: none fits. */
const struct render_ops *render_find_by_path(const char *path);

#endif
