/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_SOURCE_H
#define SYMBOL_SOURCE_H

#include "proc/kallsyms.h"
#include "profile/profile.h"
#include "symbol/functions.h"
#include "symbol/modules.h"
#include "symbol/runtime_code.h"

/*
 * Where names come from: one source for each kind of module, with a file, a const table and a line
 * in sources.c. Internal to the resolver; nothing outside this layer needs it.
 */

/* The state of a resolver, shared by its sources. */
struct resolver {
	char *debug_dir; /* NULL: the default */
	struct debuginfod *debuginfod; /* NULL: no queries */
	struct vec roots; /* int: descriptors of other roots */
	struct module_search search; /* built from the three above and the current profile */
	bool demangle;
	bool strip_suffixes;
	bool lines;
	bool inlines;
	u64 pass; /* counts profiles */
	const struct kallsyms *kallsyms;
	struct modules modules;
	struct module_code vdso;
	struct runtime_codes runtime;
	struct functions functions;
};

struct symbol_query {
	const struct profile_module *module; /* the zero one for a kernel frame without module */
	const char *path; /* of the module */
	u64 addr; /* as in profile_frame; one less for a return address */
	bool back; /* one less */
};

struct symbol_answer {
	const char *name; /* NULL: none; valid until the next lookup */
	u64 name_off; /* from the start of the symbol to query.addr */
	bool begins; /* the return address is the start of the symbol: there is no call before it */
	enum frame_reason reason; /* why there is no name */
	const char *file; /* of the line, if the source knows it; lives as long as `name` */
	u32 line;
};

struct symbol_source {
	enum module_kind kind; /* the modules it handles */
	/* Called for each frame; *ret is all zero on entry. -ENOMEM or 0. */
	int (*find)(struct resolver *r, const struct symbol_query *q, struct symbol_answer *ret);
};

/* The displayed form of a linker name: `name` itself or a form of it in `buf`. */
const char *resolver__readable(const struct resolver *r, const char *name, char *buf, size_t sz);

/*
 * Adds lines and inlined functions to the frames of a named profile, if the resolver's options ask
 * for them. -ENOMEM or 0.
 */
int resolver__add_source(struct resolver *r, struct profile *p);

/* NULL if the kind has none. */
const struct symbol_source *symbol_source_of(enum module_kind kind);

extern const struct symbol_source symbol_source_kernel;
extern const struct symbol_source symbol_source_elf;
extern const struct symbol_source symbol_source_vdso;
extern const struct symbol_source symbol_source_runtime;
extern const struct symbol_source symbol_source_python;

#endif
