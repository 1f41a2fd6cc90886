/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What offcputime of bcc and of libbpf-tools prints: for each key the frames, leaf first, kernel
 * before user, then "-", the name and the number of the thread, then microseconds. bcc's header
 * says for how long; libbpf-tools have none in older versions. With -d a line "--" stands between
 * the two stacks; libbpf's -v prints addresses and files.
 */
#include <errno.h>
#include <string.h>

#include "import/format.h"
#include "import/name_hints.h"

#define HEADER "Tracing off-CPU time (us) of "

/* "    -                comm (123)" */
static bool is_thread_line(const struct view *line)
{
	struct view v = import_trim(*line);

	return view_starts(line, "    -") && view_starts(&v, "- ") && view_ends(&v, ")");
}

static bool detect(struct view head)
{
	struct view line;

	if (!import_is_text(head))
		return false;
	if (view_starts(&head, HEADER))
		return true;
	while (import_head_line(&head, &line)) {
		if (is_thread_line(&line))
			return true;
		if (view__left(&line) && !view_starts(&line, "    "))
			return false;
	}
	return false;
}

struct offcputime {
	struct input *in;
	struct gather *g;
	struct gather_wait w;
	size_t delimited; /* frames before "--"; 0: there was none */
	bool has_thread; /* of the block in hand */
	bool in_block;
	bool has_window;
};

/* "PIDs 1,2 by user + kernel stack for 3 secs." */
static int read_header(struct offcputime *o, struct view line)
{
	struct profile_header *h = builder__header(o->g->b);
	struct view rest, target, head = line;
	u64 secs;

	line.p += strlen(HEADER);
	target = import_trim(line);
	if (import_split_last(&head, ' ', &rest) && view_starts(&rest, "secs")) {
		if (import_split_last(&head, ' ', &rest)) {
			secs = view__dec(&rest);
			o->has_window = !rest.bad && !view__left(&rest) && secs &&
					secs < 1000000000;
			h->window_ns = o->has_window ? secs * NSEC_PER_SEC : 0;
		}
	}
	return gather__str(o->g, &target, &h->target);
}

/* "#10 0x00007fe1aa12d545 clock_nanosleep+0x65 (/usr/lib/libc.so.6+0xcf545)" */
static void read_verbose(struct view *text, struct gather_frame *f)
{
	struct view rest = *text, word, module;

	view__token(&rest, &word);
	view__token(&rest, &word);
	word.p += view_starts(&word, "0x") ? 2 : 0;
	f->addr = view__hex(&word);
	rest = import_trim(rest);
	if (view_ends(&rest, ")") && import_split_last(&rest, '(', &module)) {
		module.end--;
		import_take_offset(&module, &f->addr);
		f->module = module;
		f->side = GATHER_SIDE_USER;
	}
	*text = import_trim(rest);
}

static int read_frame(struct offcputime *o, struct view line)
{
	struct gather_frame f = { 0 };
	struct view text = import_trim(line);

	o->in_block = true;
	if (view_starts(&text, "[Missed ")) {
		o->w.flags |= WAIT_NO_RESUME;
		return 0;
	}
	if (view__eq(&text, "--") || view__eq(&text, "-")) {
		o->delimited = o->g->frames.len;
		return 0;
	}
	if (view_starts(&text, "#"))
		read_verbose(&text, &f);
	if (o->delimited)
		f.side = GATHER_SIDE_USER;
	import_take_offset(&text, &f.name_off);
	f.name = text;
	return gather__frame(o->g, &f);
}

static int read_thread(struct offcputime *o, struct view line, struct err *err)
{
	struct view text = import_trim(line), tid;
	u64 number;
	int r;

	text.end--;
	if (!import_split_last(&text, '(', &tid))
		return input__fault(o->in, err, "no thread number");
	number = view__dec(&tid);
	if (tid.bad || view__left(&tid) || number > ~0U)
		return input__fault(o->in, err, "the thread number is no number");
	text.p++;
	text = import_trim(text);
	o->has_thread = true;
	o->in_block = true;
	r = gather__task(o->g, &text, 0, (u32)number, &o->w.task);
	return r ? import_refuse(o->in, r, err) : 0;
}

/* A line with a number alone ends a block. */
static int end_block(struct offcputime *o, u64 us, struct err *err)
{
	int r;

	if (!o->has_thread)
		return input__fault(o->in, err, "a time without the line of its thread before it");
	r = import_ns(o->g->opt, IMPORT_UNIT_US, us, 0, &o->w.blocked_ns);
	if (!r)
		gather__kernel_above(o->g, o->delimited);
	if (!r)
		r = gather__wait(o->g, &o->w);
	o->w = (struct gather_wait){ .guess = true, .leaf_first = true, .sysno = -1 };
	o->has_thread = o->in_block = false;
	o->delimited = 0;
	return r ? import_refuse(o->in, r, err) : 0;
}

/* "WARNING: 3 stack traces lost and could not be displayed." */
static int read_warning(struct offcputime *o, struct view line)
{
	struct view word;
	u64 n;

	view__token(&line, &word);
	view__blank(&line);
	n = view__dec(&line);
	return line.bad ? 0 : builder__loss(o->g->b, LOSS_STACKS_FULL, n, 0);
}

static int read_line(struct offcputime *o, struct view line, struct err *err)
{
	struct view text = import_trim(line);
	u32 millionths;
	u64 us;
	int r = 0;

	if (!view__left(&text))
		return 0;
	if (view_starts(&line, HEADER))
		r = read_header(o, line);
	else if (view_starts(&line, "WARNING: "))
		r = read_warning(o, line);
	else if (is_thread_line(&line))
		return read_thread(o, line, err);
	else if (import_take_number(&text, &us, &millionths) && !view__left(&text))
		return end_block(o, us, err);
	else if (view_starts(&line, "    ") && !o->has_thread)
		r = read_frame(o, line);
	else
		return input__fault(o->in, err, "neither a frame, a thread nor a time");
	return r ? import_refuse(o->in, r, err) : 0;
}

static int read_offcputime(struct input *in, struct gather *g, struct profile **ret,
			   struct err *err)
{
	struct offcputime o = { .in = in,
				.g = g,
				.w = { .guess = true, .leaf_first = true, .sysno = -1 } };
	u32 unknown = UNKNOWN_BEGIN | UNKNOWN_MACHINE | UNKNOWN_ON_CPU | UNKNOWN_RUNQ |
		      UNKNOWN_STATES | UNKNOWN_PROCESSES | UNKNOWN_LOSSES;
	struct view line;
	int r;

	while ((r = input__line(in, &line, err)) > 0) {
		r = read_line(&o, line, err);
		if (r)
			return r;
	}
	if (r)
		return r;
	if (o.in_block)
		return input__fault(in, err, "it ends before the time of the last stack");
	if (!o.has_window)
		unknown |= UNKNOWN_WINDOW;
	return gather__finish(g, "offcputime", unknown, ret, err);
}

const struct import_format import_offcputime = {
	.name = "offcputime",
	.detect = detect,
	.read = read_offcputime,
};
