/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user who asks "where" wants the lowest function of their own code. So frames are taken from the
 * leaf, and own_code.h says whose each is; on the kernel side the scheduler is skipped. In an
 * interpreted program, the user's functions are the interpreted ones. If nothing on a stack is the
 * program's, libraries stand for it, then any code outside the C library.
 *
 * What the program called is as interesting as itself if a library is between it and the kernel.
 * Without one, its own callers are more so.
 *
 * Texts are built once per stack, because many waits share a stack.
 */
#include "analysis/name/place.h"

#include <errno.h>

#include "analysis/name/java_name.h"
#include "analysis/name/place_words.h"
#include "analysis/name/stack_of_wait.h"
#include "base/mem.h"

#define TOKIO "tokio::"

#define PLACE_FRAMES 3

/*
 * Includes what the kernel itself counts as scheduler (.sched.text) and omits from the stack of a
 * thread that still sleeps at the end. Otherwise the same sleep would be two places, ended and
 * open.
 */
static const char *const scheduler_functions[] = {
	"__schedule",
	"schedule",
	"schedule_timeout",
	"schedule_hrtimeout",
	"schedule_hrtimeout_range",
	"schedule_hrtimeout_range_clock",
	"schedule_preempt_disabled",
	"schedule_idle",
	"io_schedule",
	"io_schedule_timeout",
	"preempt_schedule",
	"preempt_schedule_common",
	"preempt_schedule_irq",
	"preempt_schedule_thunk",
	"finish_task_switch",
	"wait_woken",
	"do_wait_intr_irq",
	"do_nanosleep",
	"__wait_for_common",
	"wait_for_completion_state",
};

static bool is_scheduler(const char *name)
{
	size_t len = strcspn(name, "."), i;

	for (i = 0; i < ARRAY_LEN(scheduler_functions); i++) {
		if (strlen(scheduler_functions[i]) == len &&
		    memcmp(scheduler_functions[i], name, len) == 0)
			return true;
	}
	return false;
}

enum module_is {
	MODULE_IS_RUNTIME = 1,
	MODULE_IS_CLIENT = 2,
	MODULE_IS_JAVA = 4, /* methods, interpreted or compiled; the latter among other code */
};

static u8 what_is(const struct profile *p, u32 module)
{
	u8 is = 0;

	if (own_code_is_c_runtime(p, module))
		is |= MODULE_IS_RUNTIME;
	if (own_code_is_client(p, module))
		is |= MODULE_IS_CLIENT;
	return is;
}

static bool is_in(const struct places *pl, u32 frame, enum module_is is)
{
	return pl->module_is[pl->p->frames[frame].module] & is;
}

/*
 * Finds the node of the client library function that the program called: the last one of the first
 * run of such frames, seen from the leaf. Parents come before their children.
 */
static int find_calls(struct places *pl)
{
	const struct profile_stack *stacks = pl->p->stacks;
	bool any = false;
	u32 i;

	for (i = 0; i < pl->p->modules_len; i++)
		any |= (pl->module_is[i] & MODULE_IS_CLIENT) != 0;
	if (!any)
		return 0;
	pl->call_of_stack = mem_array(pl->p->stacks_len, sizeof(u32));
	if (!pl->call_of_stack)
		return -ENOMEM;
	for (i = 1; i < pl->p->stacks_len; i++) {
		u32 parent = stacks[i].parent;
		bool begins = is_in(pl, stacks[i].frame, MODULE_IS_CLIENT) &&
			      !is_in(pl, stacks[parent].frame, MODULE_IS_CLIENT);

		pl->call_of_stack[i] = begins ? i : pl->call_of_stack[parent];
	}
	return 0;
}

/* 0: the program called none. */
static u32 client_call(const struct places *pl, u32 stack)
{
	return pl->call_of_stack ? pl->call_of_stack[stack] : 0;
}

u32 place_own_frame(const struct profile *p, u32 stack)
{
	u32 lowest = 0;

	for (stack = stack_of_wait(p, stack); stack; stack = p->stacks[stack].parent) {
		u32 frame = p->stacks[stack].frame;

		if (p->frames[frame].flags & FRAME_TRUNCATED)
			continue;
		if (!(own_code_is_c_runtime(p, p->frames[frame].module)))
			return frame;
		if (!lowest)
			lowest = frame;
	}
	return lowest;
}

/* Tasks of a language wait in its run time, which is code of one file with theirs; so is Tokio. */
static bool is_task_machinery(const struct profile *p, u32 frame)
{
	struct own_code code;

	own_code_of(p, frame, false, &code);
	return code.role == CODE_MACHINERY ||
	       strncmp(profile__str(p, p->frames[frame].name), TOKIO, sizeof(TOKIO) - 1) == 0;
}

/* Parents come before their children, so each node is visited once. */
u32 *place_own_frames(const struct profile *p)
{
	u32 *own = mem_array((size_t)p->stacks_len + 1, sizeof(*own)), i, at;
	u8 *runtime = mem_array((size_t)p->modules_len + 1, sizeof(*runtime));
	bool tasks = profile_header__is_of_tasks(&p->hdr);

	for (i = 0; i < p->modules_len && runtime; i++)
		runtime[i] = own_code_is_c_runtime(p, i);
	for (i = 1; i < p->stacks_len && own && runtime; i++) {
		const struct profile_frame *f = &p->frames[p->stacks[i].frame];

		own[i] = p->stacks[i].flags & STACK_WAKER || f->flags & FRAME_TRUNCATED ||
					 runtime[f->module] ||
					 (tasks && is_task_machinery(p, p->stacks[i].frame)) ?
				 own[p->stacks[i].parent] :
				 p->stacks[i].frame;
	}
	for (i = 1; i < p->stacks_len && own && runtime; i++) {
		for (at = i; at && !own[i]; at = p->stacks[at].parent) {
			if (!(p->frames[p->stacks[at].frame].flags & FRAME_TRUNCATED))
				own[i] = p->stacks[at].frame;
		}
	}
	if (!runtime) {
		mem_free(own);
		own = NULL;
	}
	mem_free(runtime);
	return own;
}

/* Marks the modules of interpreted methods, and the compiled code of the same processes. */
static void mark_java(struct places *pl)
{
	const struct profile *p = pl->p;
	u32 i, k;

	for (i = 1; i < p->modules_len; i++) {
		if (p->modules[i].kind != MODULE_CODE ||
		    strcmp(profile__str(p, p->modules[i].path), "[java]") != 0)
			continue;
		for (k = 1; k < p->modules_len; k++) {
			if (k == i || (p->modules[k].kind == MODULE_ANON &&
				       p->modules[k].tgid == p->modules[i].tgid))
				pl->module_is[k] |= MODULE_IS_JAVA;
		}
	}
}

void places__code(const struct places *pl, u32 frame, struct own_code *ret)
{
	own_code_of(pl->p, frame, is_in(pl, frame, MODULE_IS_JAVA), ret);
}

enum take {
	TAKE_CODE, /* named frames of the program that are interpreted */
	TAKE_PROGRAM, /* named frames of the program */
	TAKE_LIBRARY, /* named frames of libraries */
	TAKE_OUTSIDE, /* outside the C library; kernel frames outside the scheduler */
	TAKE_NAMED,
	TAKE_ANY,
};

/* In addition to these bits. */
#define IS_LIBRARY 0x40
#define TAKE_KNOWN 0x80

/* What a text is made of: frames, 0 after the last. */
struct joined {
	u32 frames[PLACE_FRAMES]; /* the key, with the next two */
	u32 library;
	u32 call;
	u32 text;
};

static bool takes_code(const struct places *pl, u32 frame, enum take take)
{
	struct own_code code;

	if (pl->p->frames[frame].flags & FRAME_KERNEL)
		return false;
	places__code(pl, frame, &code);
	if (take == TAKE_LIBRARY)
		return code.role == CODE_LIBRARY;
	return code.role == CODE_PROGRAM && (take == TAKE_PROGRAM || code.interpreted);
}

static bool takes(const struct places *pl, u32 frame, enum take take)
{
	const struct profile_frame *f = &pl->p->frames[frame];
	const char *name = profile__str(pl->p, f->name);

	if (f->flags & FRAME_TRUNCATED)
		return false;
	if (take == TAKE_ANY)
		return true;
	if (!f->name)
		return false;
	if (take == TAKE_NAMED)
		return true;
	if (take < TAKE_OUTSIDE)
		return takes_code(pl, frame, take);
	if (f->flags & FRAME_KERNEL)
		return !is_scheduler(name);
	return !is_in(pl, frame, MODULE_IS_RUNTIME) && !own_code_name_is_machinery(name);
}

static u8 learn(const struct places *pl, u32 frame)
{
	struct own_code code;
	u8 known = TAKE_KNOWN;
	int i;

	for (i = TAKE_CODE; i <= TAKE_ANY; i++)
		known |= (u8)(takes(pl, frame, (enum take)i) << i);
	if (pl->p->frames[frame].flags & FRAME_KERNEL)
		return known;
	places__code(pl, frame, &code);
	return code.role == CODE_LIBRARY ? known | IS_LIBRARY : known;
}

/* Computed once per frame: stacks are many and frames few. */
static u8 known_of(const struct places *pl, u32 frame)
{
	if (!pl->takes_frame[frame])
		pl->takes_frame[frame] = learn(pl, frame);
	return pl->takes_frame[frame];
}

/*
 * Collects the frames that `take` accepts, from the leaf, at most `max`; returns the node of the
 * first, 0 if there is none.
 */
static u32 gather(const struct places *pl, u32 stack, enum take take, u32 *frames, u32 max)
{
	u32 n = 0, first = 0;

	for (; stack && n < max; stack = pl->p->stacks[stack].parent) {
		u32 frame = pl->p->stacks[stack].frame;

		if (!(known_of(pl, frame) >> take & 1))
			continue;
		first = first ? first : stack;
		frames[n++] = frame;
	}
	return first;
}

/* The library that the program called: the last one before node `own`, from the leaf. */
static u32 library_before(const struct places *pl, u32 stack, u32 own)
{
	u32 library = 0;

	for (; stack && stack != own; stack = pl->p->stacks[stack].parent) {
		u32 frame = pl->p->stacks[stack].frame;

		if (known_of(pl, frame) & IS_LIBRARY)
			library = frame;
	}
	return library;
}

/* The function of the C library that was called at the leaf, or else the leaf itself. */
static u32 leaf_call(const struct places *pl, u32 stack, u32 own)
{
	const struct profile *p = pl->p;
	u32 call = 0, at;

	for (at = stack; at && at != own; at = p->stacks[at].parent) {
		u32 frame = p->stacks[at].frame;

		if (!is_in(pl, frame, MODULE_IS_RUNTIME))
			break;
		if (p->frames[frame].name)
			call = frame;
	}
	if (!call && stack != own && p->frames[p->stacks[stack].frame].name)
		call = p->stacks[stack].frame;
	return call;
}

static void put_function(const struct places *pl, u32 frame, struct sink *out)
{
	const char *name = labels__frame(pl->labels, frame);
	const struct profile_frame *f = &pl->p->frames[frame];
	u32 kind = pl->p->modules[f->module].kind;

	if (is_in(pl, frame, MODULE_IS_JAVA))
		place_words_java(out, name);
	else if (kind == MODULE_CODE && f->name)
		place_words_python(out, profile__str(pl->p, f->name));
	else if (kind == MODULE_ANON && f->name)
		place_words_js(out, name);
	else
		sink__puts(out, name);
}

static void put_called(const struct places *pl, const struct joined *j, struct sink *out)
{
	struct own_code code;

	if (j->library) {
		places__code(pl, j->library, &code);
		sink__puts(out, " > ");
		sink__put(out, code.library, code.library_len);
	}
	if (!j->call)
		return;
	sink__puts(out, " > ");
	if (is_in(pl, j->call, MODULE_IS_RUNTIME))
		place_words_call(out, profile__str(pl->p, pl->p->frames[j->call].name));
	else
		put_function(pl, j->call, out);
}

/* Ends a sink of memory. */
static int take_text(struct places *pl, struct sink *out, u32 *ret_text)
{
	char *text;
	size_t len;
	int r;

	sink__finish(out, NULL);
	text = sink__steal(out, &len);
	sink__done(out);
	r = text ? strtab__add(&pl->texts, text, ret_text) : -ENOMEM;
	mem_free(text);
	return r;
}

static int join(struct places *pl, struct joined *j)
{
	struct sink out;
	u32 i;

	sink__init_mem(&out);
	for (i = 0; i < PLACE_FRAMES && j->frames[i]; i++) {
		sink__puts(&out, i ? " < " : "");
		put_function(pl, j->frames[i], &out);
	}
	put_called(pl, j, &out);
	return take_text(pl, &out, &j->text);
}

/* If the program called something that has a name for people, that replaces its callers. */
static void add_called(const struct places *pl, u32 stack, u32 own, enum take take,
		       struct joined *j)
{
	u32 call = client_call(pl, stack);
	bool scripted = take == TAKE_CODE && !is_in(pl, j->frames[0], MODULE_IS_JAVA);

	if (take > TAKE_PROGRAM)
		return;
	j->library = library_before(pl, stack, own);
	if (!j->library && !scripted)
		return;
	memset(j->frames + 1, 0, sizeof(j->frames) - sizeof(j->frames[0]));
	j->call = call ? pl->p->stacks[call].frame : leaf_call(pl, stack, own);
}

/* The frames that stand for a stack; returns the node of the lowest. */
static u32 find_own(const struct places *pl, u32 stack, u32 max, u32 *frames, enum take *ret_take)
{
	u32 call = max > 1 ? client_call(pl, stack) : 0, own;

	for (*ret_take = TAKE_CODE; call && *ret_take <= TAKE_PROGRAM; ++*ret_take) {
		own = gather(pl, pl->p->stacks[call].parent, *ret_take, frames, max);
		if (own)
			return own;
	}
	for (*ret_take = TAKE_CODE; *ret_take <= TAKE_ANY; ++*ret_take) {
		own = gather(pl, stack, *ret_take, frames, max);
		if (own)
			return own;
	}
	return 0;
}

static int make_text(struct places *pl, u32 stack, u32 max, u32 *ret_text)
{
	u32 len = intern__len(&pl->joined), own, id;
	struct joined item = { 0 }, *known;
	enum take take;
	int r;

	own = find_own(pl, stack, max, item.frames, &take);
	if (own && max > 1)
		add_called(pl, stack, own, take, &item);
	r = intern__add(&pl->joined, &item, &id);
	if (r)
		return r;
	known = intern__at(&pl->joined, id);
	if (id >= len)
		r = join(pl, known);
	*ret_text = known->text;
	return r;
}

static int text_of(struct places *pl, u32 *memo, u32 stack, u32 max, u32 *ret_text)
{
	int r;

	*ret_text = 0;
	stack = stack_of_wait(pl->p, stack);
	if (!stack)
		return 0;
	if (!memo[stack]) {
		r = make_text(pl, stack, max, ret_text);
		if (r)
			return r;
		memo[stack] = *ret_text + 1;
	}
	*ret_text = memo[stack] - 1;
	return 0;
}

int places__user(struct places *pl, u32 stack, u32 *ret_text)
{
	return text_of(pl, pl->user_of_stack, stack, PLACE_FRAMES, ret_text);
}

int places__kernel(struct places *pl, u32 stack, u32 *ret_text)
{
	return text_of(pl, pl->kernel_of_stack, stack, 1, ret_text);
}

int places__wait(struct places *pl, const struct profile_wait *w, u32 *ret_text)
{
	int r = places__user(pl, w->ustack, ret_text);

	return r || *places__text(pl, *ret_text) ? r : places__kernel(pl, w->kstack, ret_text);
}

u32 places__own(struct places *pl, u32 stack)
{
	u32 frames[PLACE_FRAMES] = { 0 };
	enum take take;

	stack = stack_of_wait(pl->p, stack);
	if (stack && !pl->own_of_stack[stack]) {
		find_own(pl, stack, PLACE_FRAMES, frames, &take);
		pl->own_of_stack[stack] = frames[0] + 1;
	}
	return stack ? pl->own_of_stack[stack] - 1 : 0;
}

/* "libpq PQexec" */
static int name_library(struct places *pl, u32 call, u32 *ret_text)
{
	u32 frame = pl->p->stacks[call].frame;
	struct own_code code;
	struct sink out;

	places__code(pl, frame, &code);
	sink__init_mem(&out);
	sink__put(&out, code.library, code.library_len);
	if (pl->p->frames[frame].name)
		sink__printf(&out, " %s", profile__str(pl->p, pl->p->frames[frame].name));
	return take_text(pl, &out, ret_text);
}

int places__library(struct places *pl, u32 stack, u32 *ret_text)
{
	u32 call;
	int r = 0;

	*ret_text = 0;
	stack = stack_of_wait(pl->p, stack);
	if (!pl->library_of_stack[stack]) {
		call = client_call(pl, stack);
		if (call)
			r = name_library(pl, call, ret_text);
		if (r)
			return r;
		pl->library_of_stack[stack] = *ret_text + 1;
	}
	*ret_text = pl->library_of_stack[stack] - 1;
	return 0;
}

const char *places__text(const struct places *pl, u32 text)
{
	return strtab__get(&pl->texts, text);
}

int places__init(struct places *pl, const struct profile *p, const struct labels *labels,
		 struct err *err)
{
	u32 i;

	memset(pl, 0, sizeof(*pl));
	pl->p = p;
	pl->labels = labels;
	pl->user_of_stack = mem_array(p->stacks_len + 1, sizeof(u32));
	pl->kernel_of_stack = mem_array(p->stacks_len + 1, sizeof(u32));
	pl->library_of_stack = mem_array(p->stacks_len + 1, sizeof(u32));
	pl->own_of_stack = mem_array(p->stacks_len + 1, sizeof(u32));
	pl->module_is = mem_array(p->modules_len + 1, sizeof(*pl->module_is));
	pl->takes_frame = mem_array(p->frames_len + 1, sizeof(*pl->takes_frame));
	if (strtab__init(&pl->texts) ||
	    intern__init(&pl->joined, sizeof(struct joined), offsetof(struct joined, text)) ||
	    !pl->user_of_stack || !pl->kernel_of_stack || !pl->library_of_stack ||
	    !pl->own_of_stack || !pl->module_is || !pl->takes_frame)
		return err__nomem(err);
	for (i = 0; i < p->modules_len; i++)
		pl->module_is[i] = what_is(p, i);
	mark_java(pl);
	return find_calls(pl) ? err__nomem(err) : 0;
}

void places__done(struct places *pl)
{
	if (!pl)
		return;
	strtab__done(&pl->texts);
	intern__done(&pl->joined);
	mem_free(pl->call_of_stack);
	mem_free(pl->takes_frame);
	mem_free(pl->user_of_stack);
	mem_free(pl->kernel_of_stack);
	mem_free(pl->library_of_stack);
	mem_free(pl->own_of_stack);
	mem_free(pl->module_is);
	memset(pl, 0, sizeof(*pl));
}
