/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of https://www.speedscope.app, as py-spy, rbspy and others write it. A profile is a thread:
 * "sampled", stacks with weights, or "evented", frames that open and close at instants. Times may
 * be fractions. What is rounded is the time since the start of the profile, so the sum of all
 * stacks is the source's total and not off by half a ns for each.
 *
 * Most such files are of CPU profilers, which sample threads whether they wait or run: the output
 * says so. A file of coldspot has the whole first, and then its parts by cause.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "import/format.h"
#include "import/name_hints.h"

#define SCHEMA "speedscope.app/file-format-schema"
/* Longest stack; a hostile file could have one of millions. */
#define DEPTH_MAX 4096

struct speedscope {
	struct input *in;
	struct gather *g;
	json_t *frames; /* borrowed, as the next */
	json_t *profile;
	size_t number; /* of the profile */
	long double unit_ns;
	u32 task;
	bool is_ours;
	long double begin; /* of events */
	long double at; /* since the start of the profile, in its unit; all 64 bits of an integer */
	u64 at_ns;
};

static bool detect(struct view head)
{
	struct view text = head;

	view__blank(&text);
	return view__left(&text) && *text.p == '{' &&
	       memmem(head.p, view__left(&head), SCHEMA, strlen(SCHEMA));
}

static int fault(const struct speedscope *s, struct err *err, const char *what)
{
	return err__set(err, -EINVAL, "%s: profile %zu: %s", s->in->name, s->number + 1, what);
}

static int fault_at(const struct speedscope *s, const char *where, size_t i, const char *what,
		    struct err *err)
{
	return err__set(err, -EINVAL, "%s: profile %zu, %s %zu: %s", s->in->name, s->number + 1,
			where, i + 1, what);
}

static struct view text_of(json_t *object, const char *key)
{
	json_t *text = json_object_get(object, key);

	return view__of(json_string_value(text),
			json_is_string(text) ? json_string_length(text) : 0);
}

/* "queue.py:get:171", as coldspot names functions of Python. */
static bool python_name(const struct view *name, const struct view *file, json_t *line, char *buf,
			size_t sz)
{
	struct view base = *file, rest;
	char number[24] = "";

	if (!view_ends(file, ".py"))
		return false;
	if (import_split_last(&base, '/', &rest))
		base = rest;
	if (json_integer_value(line) > 0)
		snprintf(number, sizeof(number), ":%lld", json_integer_value(line));
	return snprintf(buf, sz, "%.*s:%.*s%s", (int)view__left(&base), base.p,
			(int)view__left(name), name->p, number) < (int)sz;
}

static int push_frame(struct speedscope *s, json_t *frame)
{
	struct view name = text_of(frame, "name"), file = text_of(frame, "file");
	json_t *line = json_object_get(frame, "line");
	struct gather_frame f = { .name = name, .side = GATHER_SIDE_GUESS };
	char python[1024];

	if (view__eq(&file, "[kernel]")) {
		f.side = GATHER_SIDE_KERNEL;
	} else if (python_name(&name, &file, line, python, sizeof(python))) {
		f.name = view__of_str(python);
		f.side = GATHER_SIDE_USER;
		f.code = true;
	} else {
		f.file = file;
		if (json_integer_value(line) > 0 && json_integer_value(line) <= INT32_MAX)
			f.line = (u32)json_integer_value(line);
	}
	return gather__frame(s->g, &f);
}

/* The frame with this index; NULL: there is none. */
static json_t *frame_at(const struct speedscope *s, json_t *index)
{
	json_int_t i = json_integer_value(index);

	return json_is_integer(index) && i >= 0 ? json_array_get(s->frames, (size_t)i) : NULL;
}

static long double number_of(json_t *number)
{
	return json_is_integer(number) ? (long double)json_integer_value(number) :
					 (long double)json_real_value(number);
}

/* Time goes on to `at`, in the unit of the profile; how much that is in ns. NULL, or the fault. */
static const char *advance(struct speedscope *s, long double at, u64 *ret_ns)
{
	long double ns = at * s->unit_ns;

	if (at < s->at)
		return "time goes back";
	if (!(ns < 9e18L))
		return "times add up to more than a number can hold";
	*ret_ns = (u64)llroundl(ns) - s->at_ns;
	s->at_ns += *ret_ns;
	s->at = at;
	return NULL;
}

/* The stack of these indices, root first, was there for so long. */
static int add_stack(struct speedscope *s, json_t *stack, u64 ns)
{
	struct gather_wait w = { .task = s->task, .guess = true, .sysno = -1, .blocked_ns = ns };
	size_t i, first = 0;
	int r = 0;

	if (s->is_ours && json_array_size(stack)) {
		struct view comm = text_of(frame_at(s, json_array_get(stack, 0)), "name");

		r = gather__task(s->g, &comm, 0, 0, &w.task);
		first = 1;
	}
	for (i = first; !r && i < json_array_size(stack); i++)
		r = push_frame(s, frame_at(s, json_array_get(stack, i)));
	return r ? r : gather__wait(s->g, &w);
}

static const char *check_stack(const struct speedscope *s, json_t *stack)
{
	size_t i;

	if (!json_is_array(stack))
		return "not a stack";
	if (json_array_size(stack) > DEPTH_MAX)
		return "the stack is too deep";
	for (i = 0; i < json_array_size(stack); i++)
		if (!frame_at(s, json_array_get(stack, i)))
			return "a frame that does not exist";
	return NULL;
}

static int read_sampled(struct speedscope *s, struct err *err)
{
	json_t *samples = json_object_get(s->profile, "samples");
	json_t *weights = json_object_get(s->profile, "weights");
	size_t i, len = json_array_size(samples);
	int r = 0;

	if (!json_is_array(samples) || !json_is_array(weights) || json_array_size(weights) != len)
		return fault(s, err, "samples and weights are not of one length");
	for (i = 0; i < len && !r; i++) {
		json_t *stack = json_array_get(samples, i), *weight = json_array_get(weights, i);
		const char *wrong = check_stack(s, stack);
		u64 ns;

		if (!wrong && !json_is_number(weight))
			wrong = "the weight is no number";
		if (!wrong)
			wrong = advance(s, s->at + number_of(weight), &ns);
		if (wrong)
			return fault_at(s, "sample", i, wrong, err);
		if (ns)
			r = add_stack(s, stack, ns);
	}
	return r ? import_refuse(s->in, r, err) : 0;
}

/* Opens or closes a frame of the stack in hand. */
/* NULL, or what is wrong with it. */
static const char *turn(const struct speedscope *s, json_t *event, json_t *stack)
{
	struct view type = text_of(event, "type");
	json_t *frame = json_object_get(event, "frame");
	size_t depth = json_array_size(stack);

	if (!frame_at(s, frame))
		return "a frame that does not exist";
	if (view__eq(&type, "O")) {
		if (depth == DEPTH_MAX)
			return "the stack is too deep";
		return json_array_append(stack, frame) ? "memory ran out" : NULL;
	}
	if (!view__eq(&type, "C"))
		return "neither opens nor closes a frame";
	if (!depth || !json_equal(json_array_get(stack, depth - 1), frame))
		return "closes a frame that is not the innermost";
	json_array_remove(stack, depth - 1);
	return NULL;
}

/* What was open until this event, for how long. */
static int read_event(struct speedscope *s, size_t i, json_t *event, json_t *stack,
		      const char **ret_wrong)
{
	json_t *at = json_object_get(event, "at");
	u64 ns = 0;
	int r = 0;

	if (!json_is_number(at)) {
		*ret_wrong = "it has no time";
		return 0;
	}
	if (!i)
		s->begin = number_of(at);
	*ret_wrong = advance(s, number_of(at) - s->begin, &ns);
	if (!*ret_wrong && ns && json_array_size(stack))
		r = add_stack(s, stack, ns);
	if (!*ret_wrong && !r)
		*ret_wrong = turn(s, event, stack);
	return r;
}

static int read_evented(struct speedscope *s, json_t *stack, struct err *err)
{
	json_t *events = json_object_get(s->profile, "events");
	const char *wrong;
	size_t i;
	int r;

	if (!json_is_array(events))
		return fault(s, err, "no events");
	for (i = 0; i < json_array_size(events); i++) {
		r = read_event(s, i, json_array_get(events, i), stack, &wrong);
		if (r)
			return import_refuse(s->in, r, err);
		if (wrong)
			return fault_at(s, "event", i, wrong, err);
	}
	return json_array_size(stack) ? fault(s, err, "frames are open at its end") : 0;
}

/* Of a number of the profile. */
static int find_unit(struct speedscope *s, struct err *err)
{
	static const struct {
		const char *name;
		long double ns;
	} units[] = {
		{ "nanoseconds", 1 },
		{ "microseconds", NSEC_PER_USEC },
		{ "milliseconds", NSEC_PER_MSEC },
		{ "seconds", NSEC_PER_SEC },
	};
	const struct import_options *opt = s->g->opt;
	struct view unit = text_of(s->profile, "unit");
	u64 ns = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(units); i++) {
		if (view__eq(&unit, units[i].name)) {
			s->unit_ns = units[i].ns;
			return 0;
		}
	}
	if (!view__eq(&unit, "none") && view__left(&unit))
		return fault(s, err, "its unit is no time");
	if (opt->unit && import_ns(opt, opt->unit, 1, 0, &ns))
		ns = 0;
	if (!ns)
		return fault(s, err,
			     "it does not tell its unit: add --unit us, ns or ms, or samples and "
			     "--period");
	s->unit_ns = (long double)ns;
	return 0;
}

static int read_profile(struct speedscope *s, struct err *err)
{
	struct view type = text_of(s->profile, "type"), comm = text_of(s->profile, "name");
	json_t *stack;
	int r = find_unit(s, err);

	if (r)
		return r;
	s->at = s->begin = 0;
	s->at_ns = 0;
	r = gather__task(s->g, &comm, 0, 0, &s->task);
	if (r)
		return import_refuse(s->in, r, err);
	if (view__eq(&type, "sampled"))
		return read_sampled(s, err);
	if (!view__eq(&type, "evented"))
		return fault(s, err, "it is neither sampled nor evented");
	stack = json_array();
	r = stack ? read_evented(s, stack, err) : err__nomem(err);
	json_decref(stack);
	return r;
}

static int read_root(struct speedscope *s, json_t *root, struct err *err)
{
	json_t *profiles = json_object_get(root, "profiles");
	struct view exporter = text_of(root, "exporter");
	size_t len = json_array_size(profiles);
	int r = 0;

	s->frames = json_object_get(json_object_get(root, "shared"), "frames");
	s->is_ours = view_starts(&exporter, "coldspot");
	if (!json_is_array(s->frames) || !len)
		return err__set(err, -EINVAL, "%s: no frames or no profiles: not a speedscope file",
				s->in->name);
	if (s->is_ours)
		len = 1;
	for (s->number = 0; s->number < len && !r; s->number++) {
		s->profile = json_array_get(profiles, s->number);
		r = read_profile(s, err);
		if (r)
			return r;
	}
	return 0;
}

static int load(struct input *in, json_t **ret, struct err *err)
{
	struct view bytes;
	json_error_t why;
	int r = input__rest(in, &bytes, err);

	if (r)
		return r;
	*ret = json_loadb((const char *)bytes.p, view__left(&bytes), 0, &why);
	if (*ret)
		return 0;
	if (json_error_code(&why) == json_error_out_of_memory)
		return err__nomem(err);
	return err__set(err, -EINVAL, "%s:%d: not JSON: %s", in->name, why.line, why.text);
}

static int read_speedscope(struct input *in, struct gather *g, struct profile **ret,
			   struct err *err)
{
	u32 unknown = UNKNOWN_BEGIN | UNKNOWN_WINDOW | UNKNOWN_MACHINE | UNKNOWN_ON_CPU |
		      UNKNOWN_RUNQ | UNKNOWN_STATES | UNKNOWN_LOSSES | UNKNOWN_THREADS |
		      UNKNOWN_PROCESSES;
	struct speedscope s = { .in = in, .g = g };
	json_t *root = NULL;
	int r = load(in, &root, err);

	if (!r)
		r = read_root(&s, root, err);
	if (!r)
		r = gather__finish(g, s.is_ours ? "speedscope of coldspot" : "speedscope",
				   unknown | (s.is_ours ? 0 : UNKNOWN_MIXED), ret, err);
	json_decref(root);
	return r;
}

const struct import_format import_speedscope = {
	.name = "speedscope",
	.detect = detect,
	.read = read_speedscope,
};
