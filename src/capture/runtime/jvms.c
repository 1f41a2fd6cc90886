/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/runtime/jvms.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "abi/java.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/runtime/hotspot.h"
#include "proc/mapfile.h"
#include "proc/maps.h"

/*
 * Intervals for checking a starting JVM again, first and longest; also for programs that are not a
 * JVM yet.
 */
#define STARTS_FIRST_NS (10 * NSEC_PER_MSEC)
#define STARTS_MOST_NS NSEC_PER_SEC
#define NONE_FIRST_NS (100 * NSEC_PER_MSEC)
#define NONE_MOST_NS (60 * NSEC_PER_SEC)
/*
 * Each check takes some ms if a program is hostile: do at most this many at once, then other work.
 */
#define LOOKS_MAX 32
#define LOOKS_NS (100 * NSEC_PER_MSEC)
/* How often exited programs are dropped. */
#define FORGET_NS (10 * NSEC_PER_SEC)

enum java_state {
	JAVA_NONE = 0, /* not a JVM so far: a program may load one later */
	JAVA_STARTS, /* it has no interpreter yet */
	JAVA_READY, /* the programs know it */
	JAVA_REFUSED, /* not readable, or not like others */
};

struct java {
	u64 image;
	u32 tgid;
	u32 state; /* enum java_state */
	u64 pause_ns; /* until the next check */
	u64 due_mono_ns;
	struct hotspot layout;
};

struct java_method {
	/* the key */
	u64 image;
	u64 code;
	/* what is known about it */
	char *name; /* NULL: it could not be read, or was handed over */
	u64 bytes; /* counted for it */
	bool named;
};

#define KEY_SZ offsetof(struct java_method, name)

int jvms__init(struct jvms *js, int fd, volatile u32 *tables_gen)
{
	*js = (struct jvms){ .fd = fd, .tables_gen = tables_gen, .due_mono_ns = ~0ULL };
	vec__init(&js->list, sizeof(struct java));
	map64__init(&js->by_image);
	return intern__init(&js->methods, sizeof(struct java_method), KEY_SZ);
}

void jvms__done(struct jvms *js)
{
	u32 id;

	if (!js)
		return;
	for (id = 1; js->methods.items.data && id < intern__len(&js->methods); id++)
		mem_free(((struct java_method *)intern__at(&js->methods, id))->name);
	intern__done(&js->methods);
	map64__done(&js->by_image);
	vec__done(&js->list);
}

static bool read_process(void *arg, u64 addr, void *dst, size_t sz)
{
	struct iovec local = { .iov_base = dst, .iov_len = sz };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = sz };

	return process_vm_readv((pid_t) * (u32 *)arg, &local, 1, &remote, 1, 0) == (ssize_t)sz;
}

static struct hotspot_memory memory_of(struct java *java)
{
	return (struct hotspot_memory){ .read = read_process, .arg = &java->tgid };
}

/* -ENOENT: it is not a JVM. */
static int find_library(u32 tgid, struct hotspot_symbols *ret, struct err *err)
{
	const struct map_range *range;
	struct hotspot_mapping at;
	struct maps maps;
	int fd, r = maps__read(&maps, tgid, err);

	if (r)
		return r;
	range = maps__code_named(&maps, HOTSPOT_LIBRARY, true);
	r = range ? 0 : -ENOENT;
	if (!r)
		r = module_file_open(tgid, range, &fd, err);
	if (!r) {
		at = (struct hotspot_mapping){ .start = range->start, .off = range->off };
		r = hotspot_symbols__read(fd, range->path, &at, ret, err);
		close(fd);
	}
	maps__done(&maps);
	return r;
}

static bool has_ended(const struct java *java)
{
	return kill((pid_t)java->tgid, 0) && errno == ESRCH;
}

/* Forgets those that have ended; -ENOMEM or 0. */
static int forget(struct jvms *js)
{
	struct map64 left;
	size_t i = 0;
	int r = 0;

	map64__init(&left);
	while (!r && i < js->list.len) {
		struct java *java = vec__at(&js->list, i);

		if (!has_ended(java)) {
			r = map64__set(&left, java->image, i++);
			continue;
		}
		if (java->state == JAVA_READY)
			bpf_map_delete_elem(js->fd, &java->image);
		*java = *(struct java *)vec__at(&js->list, js->list.len - 1);
		js->list.len--;
	}
	map64__done(&js->by_image);
	js->by_image = left;
	return r;
}

static int tell(struct jvms *js, const struct java *java)
{
	struct cs_java facts = {
		.start = java->layout.code_start,
		.end = java->layout.code_end,
		.method_const = java->layout.method_const,
		.const_pool = java->layout.const_pool,
		.const_name = java->layout.const_name,
		.const_signature = java->layout.const_signature,
		.pool_holder = java->layout.pool_holder,
		.pool_entries = java->layout.pool_entries,
		.klass_name = java->layout.klass_name,
		.symbol_len = java->layout.symbol_len,
		.symbol_body = java->layout.symbol_body,
	};
	int r = bpf_map_update_elem(js->fd, &java->image, &facts, BPF_ANY);

	if (!r)
		(*js->tables_gen)++;
	return r;
}

static bool may_look(struct jvms *js)
{
	u64 now_mono_ns = clock_mono_ns();

	if (now_mono_ns >= js->looks_until_ns) {
		js->looks_until_ns = now_mono_ns + LOOKS_NS;
		js->looks = 0;
	}
	return js->looks++ < LOOKS_MAX;
}

/* -EAGAIN also if too many others were checked just now. */
static int read_layout(struct jvms *js, struct java *java)
{
	struct hotspot_memory mem = memory_of(java);
	struct hotspot_symbols symbols;
	struct err err = { 0 };
	int r;

	if (java->state == JAVA_STARTS)
		return hotspot__read_interpreter(&java->layout, &mem);
	java->layout = (struct hotspot){ 0 };
	r = find_library(java->tgid, &symbols, &err);
	if (r && r != -ENOENT)
		log_debug("Java of %u: %s", java->tgid, err.msg);
	if (!r && !may_look(js))
		r = -EAGAIN;
	return r ? r : hotspot__read(&java->layout, &symbols, &mem);
}

static void put_off(struct jvms *js, struct java *java, u32 state, u64 first_ns, u64 most_ns)
{
	java->pause_ns = java->state == state && java->pause_ns ? 2 * java->pause_ns : first_ns;
	if (java->pause_ns > most_ns)
		java->pause_ns = most_ns;
	java->state = state;
	java->due_mono_ns = clock_mono_ns() + java->pause_ns;
	if (java->due_mono_ns < js->due_mono_ns)
		js->due_mono_ns = java->due_mono_ns;
}

/* Checks one; -ENOMEM or 0. */
static int look(struct jvms *js, struct java *java, struct notices *notices)
{
	char text[160];
	int r = read_layout(js, java);

	if (!r)
		r = tell(js, java);
	/* Unreadable data may still be loading. */
	if (r == -ENOENT || r == -EFAULT || (r == -EAGAIN && !java->layout.code)) {
		put_off(js, java, JAVA_NONE, NONE_FIRST_NS, NONE_MOST_NS);
		return 0;
	}
	if (r == -EAGAIN) {
		put_off(js, java, JAVA_STARTS, STARTS_FIRST_NS, STARTS_MOST_NS);
		return 0;
	}
	java->state = r ? JAVA_REFUSED : JAVA_READY;
	if (r == -E2BIG) /* others end */
		put_off(js, java, JAVA_NONE, FORGET_NS, NONE_MOST_NS);
	if ((r != -ENOTSUP && r != -E2BIG) || js->refused++)
		return r == -ENOMEM ? r : 0;
	snprintf(text, sizeof(text), "interpreted methods of JVM %u have no names: %s", java->tgid,
		 r == -E2BIG ? "there are too many JVMs" : "its layout is not known");
	return notices__add(notices, text);
}

int jvms__see(struct jvms *js, u32 tgid, u64 image, struct notices *notices)
{
	struct java *java;
	u64 idx;

	if (map64__get(&js->by_image, image, &idx))
		return 0;
	java = vec__push(&js->list);
	if (!java || map64__set(&js->by_image, image, js->list.len - 1))
		return -ENOMEM;
	java->image = image;
	java->tgid = tgid;
	if (!js->forget_mono_ns)
		js->forget_mono_ns = clock_mono_ns() + FORGET_NS;
	if (js->forget_mono_ns < js->due_mono_ns)
		js->due_mono_ns = js->forget_mono_ns;
	return look(js, java, notices);
}

int jvms__tick(struct jvms *js, u64 now_mono_ns, struct notices *notices)
{
	int r = 0;

	if (now_mono_ns < js->due_mono_ns)
		return 0;
	if (now_mono_ns >= js->forget_mono_ns) {
		r = forget(js);
		js->forget_mono_ns = now_mono_ns + FORGET_NS;
	}
	js->due_mono_ns = ~0ULL;
	for (size_t i = 0; !r && i < js->list.len; i++) {
		struct java *java = vec__at(&js->list, i);

		if (java->state == JAVA_READY || java->state == JAVA_REFUSED)
			continue;
		if (java->due_mono_ns <= now_mono_ns)
			r = look(js, java, notices);
		else if (java->due_mono_ns < js->due_mono_ns)
			js->due_mono_ns = java->due_mono_ns;
	}
	if (js->list.len && js->forget_mono_ns < js->due_mono_ns)
		js->due_mono_ns = js->forget_mono_ns;
	return r;
}

/*
 * From what the programs read; *ret_whole: it is complete. -EFAULT: not enough, *ret_name is NULL.
 */
static int told_name(const struct cs_method_event *ev, bool *ret_whole, char **ret_name)
{
	struct view v[CS_METHOD_TEXTS];
	struct hotspot_texts t;
	u32 i;

	*ret_whole = true;
	*ret_name = NULL;
	for (i = 0; i < CS_METHOD_TEXTS; i++) {
		*ret_whole &= ev->len[i] && ev->len[i] <= CS_METHOD_TEXT_SZ;
		v[i] = view__of(ev->text[i],
				ev->len[i] < CS_METHOD_TEXT_SZ ? ev->len[i] : CS_METHOD_TEXT_SZ);
	}
	t = (struct hotspot_texts){ .holder = v[0], .name = v[1], .signature = v[2] };
	return hotspot_texts__join(&t, ret_name);
}

/* From the process, if it still exists; -EFAULT if not. */
static int read_name(const struct jvms *js, const struct cs_method_event *ev, char **ret_name)
{
	struct hotspot_memory mem;
	struct java *java;
	u64 idx;

	if (!map64__get(&js->by_image, ev->image, &idx))
		return -EFAULT;
	java = vec__at(&js->list, idx);
	mem = memory_of(java);
	return java->state == JAVA_READY ? hotspot__name(&java->layout, ev->addr, &mem, ret_name) :
					   -EFAULT;
}

/*
 * A name that was too long for the record, or paged out when it was written, is read here. NULL if
 * neither has it; -ENOMEM or 0.
 */
static int name_of(const struct jvms *js, const struct cs_method_event *ev, char **ret_name)
{
	bool whole;
	char *name;
	int r = told_name(ev, &whole, ret_name);

	if (r != -ENOMEM && !whole) {
		r = read_name(js, ev, &name);
		if (!r) {
			mem_free(*ret_name);
			*ret_name = name;
		}
	}
	return r == -ENOMEM ? r : 0;
}

int jvms__take(struct jvms *js, const struct cs_method_event *ev)
{
	struct java_method key = { .image = ev->image, .code = ev->code }, *method;
	u64 bytes;
	u32 id;
	int r;

	if (js->bytes >= JVMS_BYTES) {
		js->full += !intern__find(&js->methods, &key);
		return 0;
	}
	if (intern__add(&js->methods, &key, &id))
		return -ENOMEM;
	method = intern__at(&js->methods, id);
	if (method->named)
		return 0;
	r = name_of(js, ev, &method->name);
	method->named = method->name;
	bytes = sizeof(*method) + (method->name ? strlen(method->name) + 1 : 0);
	js->bytes += bytes - method->bytes;
	method->bytes = bytes;
	return r;
}

u64 jvms__nameless(const struct jvms *js)
{
	u64 n = js->nameless_forgotten;

	for (u32 id = 1; id < intern__len(&js->methods); id++) {
		const struct java_method *method = intern__at(&js->methods, id);

		n += !method->named;
	}
	return n;
}

int jvms__give(struct jvms *js, int (*fn)(void *arg, const struct interpreted_code *code),
	       void *arg)
{
	u32 id;

	for (id = 1; id < intern__len(&js->methods); id++) {
		struct java_method *method = intern__at(&js->methods, id);
		struct interpreted_code out = {
			.image = method->image,
			.code = method->code,
			.name = method->name,
			.lines = view__of("", 0),
		};
		int r = method->name ? fn(arg, &out) : 0;

		if (r)
			return r;
		mem_free(method->name);
		method->name = NULL;
	}
	return 0;
}

struct sweep {
	struct jvms *js;
	const struct ended *ended;
};

static bool goes_on(void *arg, void *item)
{
	struct java_method *method = item;
	struct sweep *sweep = arg;

	if (!ended__has_image(sweep->ended, method->image))
		return true;
	sweep->js->nameless_forgotten += !method->named;
	sweep->js->bytes -= method->bytes;
	mem_free(method->name);
	return false;
}

void jvms__forget(struct jvms *js, const struct ended *ended)
{
	intern__retain(&js->methods, goes_on, &(struct sweep){ js, ended });
}
