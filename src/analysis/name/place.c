/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user who asks "where" wants the lowest function of their own code. So frames are taken from the
 * leaf, skipping mechanism: by module on the user side (every function of such a library is
 * mechanism) and by function on the kernel side. In an interpreted program, the user's functions
 * are the interpreted ones, and all native code is mechanism. Java compiles some of its methods,
 * which count like interpreted ones, and has a class library.
 *
 * Texts are built once per stack, because many waits share a stack.
 */
#include "analysis/name/place.h"

#include <errno.h>

#include "analysis/name/java_name.h"

#include "base/mem.h"

#define PLACE_FRAMES 3
/* Longer names are cut in a text. */
#define FRAME_NAME_SZ 161

static const char *const runtime_modules[] = {
	"libc.so",  "libc-2",	 "ld-linux", "ld-2.",	  "ld-musl", "libpthread",
	"librt.so", "libstdc++", "libgcc_s", "libc++.so", "libm.",   "libm-2",
};

/* Prefixes of the names of libraries that talk to a server. */
static const char *const client_modules[] = {
	"libpq.so",	"libmysqlclient", "libmariadb.so", "libhiredis",   "libssl.so",
	"libgnutls.so", "libcurl",	  "libsqlite3.so", "libmongoc",	   "librdkafka",
	"libzmq.so",	"libnghttp2",	  "libgrpc",	   "libcassandra", "libmemcached",
	"librabbitmq",	"libldap",	  "libnats.so",	   "libssh",	   "libdbus-1",
	"libodbc.so",	"libtds",	  "libclntsh",	   "libvirt.so",   "liburing.so",
};

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

/*
 * Functions with which single-file programs and run times wait: mechanism, like the C library.
 * Prefixes.
 */
static const char *const waiting_functions[] = {
	"WaitEventSetWait",
	"WaitLatch",
	"os::PlatformEvent::park",
	"os::PlatformMonitor",
	"Parker::park",
	"Unsafe_Park",
	"ObjectMonitor::EnterI",
	"uv__io_poll",
	"uv_cond_wait",
	"uv_sem_wait",
	"uv_run",
	"PyThread_acquire_lock_timed",
	"runtime.futex",
	"runtime.notesleep",
	"runtime.notetsleep",
	"runtime.mPark",
	"runtime.mcall",
	"__rust_begin_short_backtrace",
	"<std::sys::",
	"runtime/internal/syscall",
	"syscall.RawSyscall",
	"syscall.Syscall",
	"std::sys::",
	"core::ops::function",
	"void jdk.internal.misc.Unsafe.park",
};

static bool begins_with_one_of(const char *name, const char *const *begins, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++) {
		if (strncmp(name, begins[i], strlen(begins[i])) == 0)
			return true;
	}
	return false;
}

enum module_is {
	MODULE_IS_RUNTIME = 1,
	MODULE_IS_CLIENT = 2,
	MODULE_IS_JAVA = 4, /* methods, interpreted or compiled; the latter among other code */
};

static u8 what_is(const struct profile *p, const struct profile_module *m)
{
	const char *name = label_basename(profile__str(p, m->path));
	u8 is = 0;

	if (m->kind == MODULE_VDSO ||
	    begins_with_one_of(name, runtime_modules, ARRAY_LEN(runtime_modules)))
		is |= MODULE_IS_RUNTIME;
	if (m->kind == MODULE_ELF &&
	    begins_with_one_of(name, client_modules, ARRAY_LEN(client_modules)))
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

	for (; stack; stack = p->stacks[stack].parent) {
		u32 frame = p->stacks[stack].frame;

		if (p->frames[frame].flags & FRAME_TRUNCATED)
			continue;
		if (!(what_is(p, &p->modules[p->frames[frame].module]) & MODULE_IS_RUNTIME))
			return frame;
		if (!lowest)
			lowest = frame;
	}
	return lowest;
}

/* Parents come before their children, so each node is visited once. */
u32 *place_own_frames(const struct profile *p)
{
	u32 *own = mem_array((size_t)p->stacks_len + 1, sizeof(*own)), i, at;
	u8 *runtime = mem_array((size_t)p->modules_len + 1, sizeof(*runtime));

	for (i = 0; i < p->modules_len && runtime; i++)
		runtime[i] = what_is(p, &p->modules[i]) & MODULE_IS_RUNTIME;
	for (i = 1; i < p->stacks_len && own && runtime; i++) {
		const struct profile_frame *f = &p->frames[p->stacks[i].frame];

		own[i] = f->flags & FRAME_TRUNCATED || runtime[f->module] ?
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

/* CPython's own frames for imports: compiled into it, in no file. */
static bool is_frozen(const char *name)
{
	return strncmp(name, "<frozen ", 8) == 0;
}

/* A frame of the program, in an interpreted language. */
static bool is_own_code(const struct places *pl, u32 frame)
{
	const struct profile_frame *f = &pl->p->frames[frame];
	const char *name = profile__str(pl->p, f->name);

	if (is_in(pl, frame, MODULE_IS_JAVA))
		return java_name_is(name) && !java_name_is_library(name);
	return pl->p->modules[f->module].kind == MODULE_CODE && !is_frozen(name);
}

enum take {
	TAKE_CODE, /* named frames of interpreted code outside the interpreter's own library */
	TAKE_OWN, /* named frames of the program, kernel frames outside the scheduler */
	TAKE_NAMED,
	TAKE_ANY,
};

/* In addition to these bits. */
#define TAKE_KNOWN 0x80

/* The frames of a text. */
struct joined {
	u32 frames[PLACE_FRAMES]; /* the key; 0 after the last */
	u32 text;
};

static bool takes(const struct places *pl, u32 frame, enum take take)
{
	const struct profile_frame *f = &pl->p->frames[frame];

	if (f->flags & FRAME_TRUNCATED)
		return false;
	if (take == TAKE_ANY)
		return true;
	if (!f->name)
		return false;
	if (take == TAKE_NAMED)
		return true;
	if (take == TAKE_CODE)
		return is_own_code(pl, frame);
	if (f->flags & FRAME_KERNEL)
		return !is_scheduler(profile__str(pl->p, f->name));
	return !is_in(pl, frame, MODULE_IS_RUNTIME) &&
	       !begins_with_one_of(profile__str(pl->p, f->name), waiting_functions,
				   ARRAY_LEN(waiting_functions));
}

/* The same, computed once per frame: stacks are many and frames few. */
static bool takes_known(const struct places *pl, u32 frame, enum take take)
{
	u8 *known = &pl->takes_frame[frame];
	int i;

	for (i = TAKE_CODE; i <= TAKE_ANY && !(*known & TAKE_KNOWN); i++)
		*known |= (u8)(takes(pl, frame, (enum take)i) << i);
	*known |= TAKE_KNOWN;
	return *known >> take & 1;
}

/* Collects the frames that `take` accepts, from the leaf, at most `max`; returns their number. */
static u32 gather(const struct places *pl, u32 stack, enum take take, u32 *frames, u32 max)
{
	u32 n = 0;

	if (take == TAKE_CODE && !pl->has_code)
		return 0;
	for (; stack && n < max; stack = pl->p->stacks[stack].parent) {
		u32 frame = pl->p->stacks[stack].frame;

		if (takes_known(pl, frame, take))
			frames[n++] = frame;
	}
	return n;
}

static void name_frame(const struct places *pl, u32 frame, char buf[FRAME_NAME_SZ])
{
	const char *name = labels__frame(pl->labels, frame);

	if (is_in(pl, frame, MODULE_IS_JAVA))
		java_name_shorten(name, buf, FRAME_NAME_SZ);
	else
		snprintf(buf, FRAME_NAME_SZ, "%s", name);
}

static int join(struct places *pl, struct joined *j)
{
	char buf[512], name[FRAME_NAME_SZ];
	size_t len = 0;
	u32 i;

	buf[0] = '\0';
	for (i = 0; i < PLACE_FRAMES && j->frames[i] && len < sizeof(buf); i++) {
		name_frame(pl, j->frames[i], name);
		len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%s", i ? " < " : "", name);
	}
	return strtab__add(&pl->texts, buf, &j->text);
}

static int make_text(struct places *pl, u32 stack, u32 max, u32 *ret_text)
{
	u32 call = max > 1 ? client_call(pl, stack) : 0, len = intern__len(&pl->joined), n = 0, id;
	struct joined item = { 0 }, *known;
	int take, r;

	for (take = TAKE_CODE; call && take <= TAKE_OWN && !n; take++)
		n = gather(pl, pl->p->stacks[call].parent, (enum take)take, item.frames, max);
	for (take = TAKE_CODE; take <= TAKE_ANY && !n; take++)
		n = gather(pl, stack, (enum take)take, item.frames, max);
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

/* "libpq PQexec" */
static int name_library(struct places *pl, u32 call, u32 *ret_text)
{
	u32 frame = pl->p->stacks[call].frame;
	const struct profile_frame *f = &pl->p->frames[frame];
	const char *file = label_basename(profile__str(pl->p, pl->p->modules[f->module].path));
	char buf[256];

	snprintf(buf, sizeof(buf), "%.*s%s%.160s", (int)strcspn(file, "."), file,
		 f->name ? " " : "", profile__str(pl->p, f->name));
	return strtab__add(&pl->texts, buf, ret_text);
}

int places__library(struct places *pl, u32 stack, u32 *ret_text)
{
	u32 call;
	int r = 0;

	*ret_text = 0;
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
	pl->module_is = mem_array(p->modules_len + 1, sizeof(*pl->module_is));
	pl->takes_frame = mem_array(p->frames_len + 1, sizeof(*pl->takes_frame));
	if (strtab__init(&pl->texts) ||
	    intern__init(&pl->joined, sizeof(struct joined), offsetof(struct joined, text)) ||
	    !pl->user_of_stack || !pl->kernel_of_stack || !pl->library_of_stack || !pl->module_is ||
	    !pl->takes_frame)
		return err__nomem(err);
	for (i = 0; i < p->modules_len; i++) {
		pl->module_is[i] = what_is(p, &p->modules[i]);
		pl->has_code |= p->modules[i].kind == MODULE_CODE;
	}
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
	mem_free(pl->module_is);
	memset(pl, 0, sizeof(*pl));
}
