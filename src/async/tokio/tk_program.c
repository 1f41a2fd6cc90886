/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of each type of future have functions of their own. With the older mangling the symbol
 * of task::raw::poll has no type, only a hash; those of drop_in_place have one, and the vtable
 * leads to them: task::raw::poll and dealloc call them, or call what does.
 */
#include "async/tokio/tk_program.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "elf/lookup.h"
#include "symbol/demangle.h"

#define RODATA_MAX (256UL << 20)
#define POLL "7runtime4task3raw4poll"
#define HARNESS "4task7harness20Harness$LT$T$C$S$GT$4poll"
#define DROP "drop_in_place$LT$"
#define CORE "tokio..runtime..task..core.."
#define VERSION "/tokio-1."
#define DEALLOC "7runtime4task3raw7dealloc"
/* A longer function is searched up to there. */
#define CODE_MAX_SZ 16384
/* What an async function is in, before Rust 1.67. */
#define WRAPPER "core::future::from_generator::GenFuture<"
#define OPCODE_CALL 0xe8
#define OPCODE_JMP 0xe9
#define CALL_SZ 5
#define DEMANGLED_SZ 1024

bool tk_version_of(struct view text, char ret[TK_VERSION_SZ], u32 *ret_minor)
{
	const u8 *at = text.p;
	unsigned int minor, patch;
	char tail[24], end[8];

	while ((at = memmem(at, (size_t)(text.end - at), VERSION, sizeof(VERSION) - 1))) {
		struct view rest = view__of(at + sizeof(VERSION) - 1,
					    (size_t)(text.end - at) - (sizeof(VERSION) - 1));

		view__copy(&rest, tail, sizeof(tail));
		at++;
		if (sscanf(tail, "%3u.%5u%5s", &minor, &patch, end) != 3 ||
		    strncmp(end, "/src/", 5) != 0)
			continue;
		snprintf(ret, TK_VERSION_SZ, "1.%u.%u", minor, patch);
		*ret_minor = minor;
		return true;
	}
	return false;
}

/* What the compiler calls the body of an async function, in either mangling and in DWARF. */
static void strip_body(char *name)
{
	static const char *const bodies[] = { "::{{closure}}", "::{closure#0}",
					      "::{async_fn_env#0}" };
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		size_t sz = strlen(bodies[i]);

		if (len > sz && strcmp(name + len - sz, bodies[i]) == 0) {
			name[len - sz] = '\0';
			return;
		}
	}
}

/* The first of the arguments that begin at `at`. */
static bool first_argument(const char *at, char ret[TK_NAME_SZ])
{
	size_t len = 0;
	int depth = 0;

	if (strncmp(at, WRAPPER, sizeof(WRAPPER) - 1) == 0)
		at += sizeof(WRAPPER) - 1;
	for (; at[len] && (depth || (at[len] != ',' && at[len] != '>')); len++) {
		if (strchr("<([", at[len]))
			depth++;
		else if (strchr(">)]", at[len]) && !(len && at[len - 1] == '-'))
			depth--;
	}
	if (!len || !at[len])
		return false;
	if (len >= TK_NAME_SZ)
		snprintf(ret, TK_NAME_SZ, "%.*s...", TK_NAME_SZ - 4, at);
	else
		snprintf(ret, TK_NAME_SZ, "%.*s", (int)len, at);
	strip_body(ret);
	return true;
}

bool tk_type_of(const char *function, char ret[TK_NAME_SZ])
{
	static const char *const heads[] = { "task::core::Cell<", "task::core::CoreStage<",
					     "task::core::Stage<", "raw::poll::<", "raw::poll<" };

	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		const char *at = strstr(function, heads[i]);

		if (at)
			return first_argument(at + strlen(heads[i]), ret);
	}
	return strncmp(function, "poll<", 5) == 0 && first_argument(function + 5, ret);
}

/* A function that stands for several types, because their code is the same, is of none. */
static int add(struct tk_program *p, struct map64 *map, u64 vaddr, const char *name)
{
	char type[TK_NAME_SZ], other[TK_NAME_SZ], text[DEMANGLED_SZ];
	const char **slot;
	u64 known;

	if (map64__get(map, vaddr, &known)) {
		const char *before = *(const char **)vec__at(&p->symbols, known);
		bool same = demangle_name(name, text, sizeof(text)) && tk_type_of(text, type) &&
			    before && demangle_name(before, text, sizeof(text)) &&
			    tk_type_of(text, other) && strcmp(type, other) == 0;

		return same ? 0 : map64__set(map, vaddr, 0);
	}
	slot = vec__push(&p->symbols);
	if (!slot)
		return -ENOMEM;
	*slot = arena__strdup(&p->strings, name);
	return *slot ? map64__set(map, vaddr, p->symbols.len - 1) : -ENOMEM;
}

struct taking {
	struct tk_program *p;
	bool any; /* symbols */
	int r;
};

static bool take_symbol(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct taking *t = arg;

	t->any = true;
	if (strstr(name, POLL) && strstr(name, "5tokio"))
		t->r = add(t->p, &t->p->polls, vaddr, name);
	else if (strstr(name, DROP) && strstr(name, CORE))
		t->r = add(t->p, &t->p->drops, vaddr, name);
	if (!t->r && (strstr(name, POLL) || strstr(name, DEALLOC) || strstr(name, HARNESS)))
		t->r = map64__set(&t->p->sizes, vaddr, sz);
	return !t->r;
}

static int check_version(struct tk_program *p, struct err *err)
{
	struct view text;

	if (!image__section(p->image, ".rodata", RODATA_MAX, &text) ||
	    !tk_version_of(text, p->version, &p->minor))
		return p->polls.len ?
			       err__set(err, -ENOTSUP,
					"its version of Tokio is not known, so its tasks cannot be "
					"read: the paths of Tokio's source files are not in it") :
			       -ENOENT;
	if (p->image->machine != EM_X86_64)
		return err__set(err, -ENOTSUP, "tasks of Tokio can be read on x86-64 only");
	if (p->minor < TK_MINOR_MIN || p->minor > TK_MINOR_MAX)
		return err__set(err, -ENOTSUP,
				"tasks of Tokio %s cannot be read: those of 1.%u to 1.%u can",
				p->version, TK_MINOR_MIN, TK_MINOR_MAX);
	return 0;
}

static int read_file(struct tk_program *p, struct err *err)
{
	struct taking t = { .p = p };
	int r;

	lookup_symbols(p->image, LOOKUP_SYMTAB, take_symbol, &t);
	if (t.r)
		return err__nomem(err);
	if (t.any && !p->polls.len)
		return -ENOENT;
	r = check_version(p, err);
	if (!r && !p->polls.len)
		return err__set(err, -ENOTSUP,
				"it runs Tokio %s, but its symbols were removed, without which its "
				"tasks cannot be found: build it with strip = \"debuginfo\" or "
				"less",
				p->version);
	return r;
}

int tk_program__open(struct tk_program *p, int fd, const char *path, struct err *err)
{
	int r;

	*p = (struct tk_program){ 0 };
	arena__init(&p->strings);
	map64__init(&p->polls);
	map64__init(&p->drops);
	map64__init(&p->sizes);
	vec__init(&p->symbols, sizeof(const char *));
	r = vec__push(&p->symbols) ? image__open(fd, path, &p->image, err) : -ENOMEM;
	if (!r)
		r = read_file(p, err);
	if (r)
		tk_program__done(p);
	return r;
}

void tk_program__done(struct tk_program *p)
{
	if (!p || !p->symbols.elem_sz)
		return;
	image__free(p->image);
	map64__done(&p->polls);
	map64__done(&p->drops);
	map64__done(&p->sizes);
	vec__done(&p->symbols);
	arena__done(&p->strings);
	*p = (struct tk_program){ 0 };
}

static bool type_of_symbol(const struct tk_program *p, const struct map64 *map, u64 vaddr,
			   char ret[TK_NAME_SZ])
{
	char text[DEMANGLED_SZ];
	const char *name;
	u64 idx;

	if (!map64__get(map, vaddr, &idx) || !idx)
		return false;
	name = *(const char **)vec__at(&p->symbols, idx);
	return demangle_name(name, text, sizeof(text)) && tk_type_of(text, ret);
}

bool tk_program__is_single(const struct tk_program *p, u64 poll)
{
	u64 idx;

	return map64__get(&p->polls, poll, &idx) && idx;
}

/* What is known of a type from the functions that were looked through. */
struct evidence {
	const struct tk_program *p;
	bool doubtful; /* a function of several types, or functions of different ones */
	char type[TK_NAME_SZ]; /* "": none */
};

static void take_callee(struct evidence *e, u64 vaddr)
{
	char type[TK_NAME_SZ];
	u64 idx;

	if (!map64__get(&e->p->drops, vaddr, &idx))
		return;
	if (!idx)
		e->doubtful = true;
	if (!type_of_symbol(e->p, &e->p->drops, vaddr, type))
		return;
	e->doubtful = e->doubtful || (*e->type && strcmp(e->type, type) != 0);
	snprintf(e->type, sizeof(e->type), "%s", type);
}

/* Only its own bytes: those behind it are of another type's. */
static void look_through(struct evidence *e, u64 vaddr, u32 depth)
{
	struct view code;
	u64 sz;

	if (!map64__get(&e->p->sizes, vaddr, &sz))
		return;
	sz = sz < CODE_MAX_SZ ? sz : CODE_MAX_SZ;
	if (!lookup_bytes(e->p->image, vaddr, sz, &code))
		return;
	for (u64 i = 0; i + CALL_SZ <= sz; i++) {
		s32 distance;
		u64 to;

		if (code.p[i] != OPCODE_CALL && code.p[i] != OPCODE_JMP)
			continue;
		memcpy(&distance, code.p + i + 1, sizeof(distance));
		to = vaddr + i + CALL_SZ + (u64)(s64)distance;
		take_callee(e, to);
		if (depth && to != vaddr)
			look_through(e, to, depth - 1);
	}
}

bool tk_program__type(const struct tk_program *p, u64 poll, u64 dealloc, char ret[TK_NAME_SZ])
{
	struct evidence e = { .p = p };

	if (type_of_symbol(p, &p->polls, poll, ret))
		return true;
	look_through(&e, poll, 1);
	look_through(&e, dealloc, 0);
	if (e.doubtful || !*e.type)
		return false;
	memcpy(ret, e.type, TK_NAME_SZ);
	return true;
}
