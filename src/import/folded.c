/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks: "comm;root;...;leaf 123". bcc and libbpf-tools write them with microseconds,
 * py-spy with counts of samples, stackcollapse-*.pl with anything: the unit is nowhere in the file,
 * so it must be given. Suffixes such as _[k] tell the side of a frame, and so does the frame "-" of
 * bcc's -d; without both, names do.
 */
#include <errno.h>
#include <string.h>

#include "import/format.h"
#include "import/name_hints.h"

#define DETECT_LINES 20

static bool is_folded_line(struct view line)
{
	u32 millionths;
	u64 whole;

	return import_take_number(&line, &whole, &millionths) && view__left(&line) > 1 &&
	       line.end[-1] == ' ';
}

static bool detect(struct view head)
{
	bool has_stack = false;
	struct view line;
	u32 n = 0;

	if (!import_is_text(head))
		return false;
	while (n < DETECT_LINES && import_head_line(&head, &line)) {
		/* the last one may be cut off */
		if (!view__left(&head) && n)
			break;
		if (view__left(&line) && *line.p != '#' && !is_folded_line(line))
			return false;
		n += view__left(&line) && *line.p != '#';
		has_stack |= view__left(&line) && memchr(line.p, ';', view__left(&line));
	}
	return has_stack;
}

/* "comm-12/34" as in coldspot's wide format and in stackcollapse-perf.pl --tid. */
static struct view take_ids(struct view comm, u32 *tgid, u32 *tid)
{
	struct view name = comm, ids, id, pid;
	u64 a, b;

	if (!import_split_last(&name, '-', &ids) || !view__left(&name))
		return comm;
	pid = ids;
	if (!import_split_last(&pid, '/', &id))
		return comm;
	a = view__eq(&pid, "?") ? 0 : view__dec(&pid);
	b = view__dec(&id);
	if (pid.bad || id.bad || view__left(&id) || a > ~0U || b > ~0U ||
	    (view__left(&pid) && !view__eq(&pid, "?")))
		return comm;
	*tgid = (u32)a;
	*tid = (u32)b;
	return name;
}

struct folded {
	struct input *in;
	struct gather *g;
	bool spied; /* py-spy's frames */
	bool has_threads, has_all_threads;
	enum import_unit unit;
};

/* "get (queue.py:171)" becomes "queue.py:get:171", as coldspot names functions of Python. */
static bool python_name(struct view frame, char *buf, size_t sz)
{
	struct view name = frame, place, line;

	if (!view__left(&frame) || frame.end[-1] != ')')
		return false;
	name.end--;
	if (!import_split_last(&name, '(', &place) || !import_split_last(&place, ':', &line) ||
	    !view__left(&line) || !view_ends(&place, ".py"))
		return false;
	name = import_trim(name);
	return snprintf(buf, sz, "%.*s:%.*s:%.*s", (int)view__left(&place), place.p,
			(int)view__left(&name), name.p, (int)view__left(&line), line.p) < (int)sz;
}

static int put_frame(struct folded *f, struct view text, enum gather_side side)
{
	struct gather_frame frame = { .side = side };
	char python[1024], suffix;
	bool is_python;

	suffix = name_hints_suffix(&text);
	is_python = suffix == 'p' || python_name(text, python, sizeof(python));
	f->spied |= is_python && suffix != 'p';
	frame.name = is_python && suffix != 'p' ? view__of_str(python) : text;
	frame.code = is_python;
	frame.inlined = suffix == 'i';
	if (suffix == 'k')
		frame.side = GATHER_SIDE_KERNEL;
	else if (suffix || is_python)
		frame.side = GATHER_SIDE_USER;
	return gather__frame(f->g, &frame);
}

/* The flag of a mark in place of a frame; 0 for a frame. */
static u32 mark_of(const struct view *frame)
{
	if (view_starts(frame, "[Missed User Stack]") ||
	    view_starts(frame, "[Missed Kernel Stack]") || view__eq(frame, "[lost]"))
		return WAIT_NO_RESUME;
	return 0;
}

static const u8 *frame_end(const struct view *stack)
{
	const u8 *at = view__left(stack) ? memchr(stack->p, ';', view__left(stack)) : NULL;

	return at ? at : stack->end;
}

/* "[state S]", of coldspot's wide format. */
static bool is_state(const struct view *frame, u32 *ret_state)
{
	const char *at;

	if (view__left(frame) != 9 || !view_starts(frame, "[state ") || frame->p[8] != ']')
		return false;
	at = strchr(PROFILE_STATE_LETTERS, frame->p[7]);
	*ret_state = at && *at ? (u32)(at - PROFILE_STATE_LETTERS) : 0;
	return at && *at;
}

static bool is_delimiter(const struct view *stack, const u8 *end)
{
	return end - stack->p == 1 && *stack->p == '-';
}

/* Whether the stack has a delimiter: then all before it are user frames. */
static bool is_delimited(struct view stack)
{
	const u8 *end;

	for (; view__left(&stack); stack.p = end + (end < stack.end)) {
		end = frame_end(&stack);
		if (is_delimiter(&stack, end))
			return true;
	}
	return false;
}

static int put_frames(struct folded *f, struct view stack, struct gather_wait *w)
{
	enum gather_side side = is_delimited(stack) ? GATHER_SIDE_USER : GATHER_SIDE_GUESS;
	const u8 *end;
	int r = 0;

	for (; view__left(&stack) && !r; stack.p = end + (end < stack.end)) {
		struct view frame;
		u32 mark;

		end = frame_end(&stack);
		frame = view__of(stack.p, (size_t)(end - stack.p));
		mark = mark_of(&frame);
		w->flags |= mark;
		if (is_delimiter(&stack, end))
			side = GATHER_SIDE_KERNEL;
		else if (is_state(&frame, &w->state))
			w->guess = false;
		else if (view__left(&frame) && !mark)
			r = put_frame(f, frame, side);
	}
	return r;
}

static int read_line(struct folded *f, struct view line, struct err *err)
{
	struct gather_wait w = { .guess = true, .sysno = -1 };
	char python[1024];
	struct view comm, name;
	u32 millionths, tgid = 0, tid = 0;
	u64 whole;
	const u8 *end;
	int r;

	if (!import_take_number(&line, &whole, &millionths) || !view__left(&line) ||
	    line.end[-1] != ' ')
		return input__fault(f->in, err, "no number at the end: not a folded stack");
	line = import_trim(line);
	end = frame_end(&line);
	comm = view__of(line.p, (size_t)(end - line.p));
	/* py-spy begins with a function, unless it prints threads */
	if (python_name(comm, python, sizeof(python))) {
		name = view__of_str("python");
	} else {
		name = take_ids(comm, &tgid, &tid);
		line.p = end < line.end ? end + 1 : end;
	}
	f->has_threads |= tid != 0;
	f->has_all_threads &= tid != 0;
	r = gather__task(f->g, &name, tgid, tid, &w.task);
	if (!r)
		r = put_frames(f, line, &w);
	if (!r)
		r = import_ns(f->g->opt, f->unit, whole, millionths, &w.blocked_ns);
	if (!r && !w.guess && !w.state) {
		w.runq_ns = w.blocked_ns;
		w.blocked_ns = 0;
	}
	r = r ? r : gather__wait(f->g, &w);
	return r ? import_refuse(f->in, r, err) : 0;
}

static int check_unit(const struct folded *f, struct err *err)
{
	const struct import_options *opt = f->g->opt;

	if (!opt->unit)
		return err__set(
			err, -EINVAL,
			"'%s' has folded stacks, which do not state their unit: add --unit us "
			"if it is from offcputime -f, or ns, ms, or samples and --period",
			f->in->name);
	if (opt->unit == IMPORT_UNIT_SAMPLES && !opt->period_ns)
		return err__set(err, -EINVAL,
				"'%s' counts samples: add --period, the time that each stands for, "
				"such as 10ms at 100 Hz",
				f->in->name);
	return 0;
}

static int read_folded(struct input *in, struct gather *g, struct profile **ret, struct err *err)
{
	struct folded f = { .in = in, .g = g, .unit = g->opt->unit, .has_all_threads = true };
	u32 unknown = UNKNOWN_BEGIN | UNKNOWN_WINDOW | UNKNOWN_MACHINE | UNKNOWN_ON_CPU |
		      UNKNOWN_RUNQ | UNKNOWN_STATES | UNKNOWN_LOSSES;
	struct view line;
	int r = check_unit(&f, err);

	while (!r && (r = input__line(in, &line, err)) > 0) {
		r = 0;
		if (view__left(&line) && *line.p != '#')
			r = read_line(&f, line, err);
	}
	if (r)
		return r;
	if (!f.has_all_threads || !f.has_threads)
		unknown |= UNKNOWN_THREADS | UNKNOWN_PROCESSES;
	if (f.unit == IMPORT_UNIT_SAMPLES)
		unknown |= UNKNOWN_MIXED;
	return gather__finish(g, f.spied ? "folded stacks of py-spy" : "folded stacks", unknown,
			      ret, err);
}

const struct import_format import_folded = {
	.name = "folded",
	.detect = detect,
	.read = read_folded,
};
