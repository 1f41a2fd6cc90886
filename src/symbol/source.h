/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_SOURCE_H
#define SYMBOL_SOURCE_H

#include "base/vec.h"
#include "proc/kallsyms.h"
#include "profile/profile.h"
#include "symbol/modules.h"
#include "symbol/perfmap.h"

/*
 * Where names come from: one source for each kind of module, one file and one const table each,
 * and a line in sources.c. This is the inside of the resolver; nothing outside this layer needs it.
 */

/* What has been read of the perf map of one process. */
struct perfmap_entry {
	u32 tgid;
	bool given; /* by the caller: not looked for again */
	u64 pass; /* of the resolver, when it was looked for last */
	struct perfmap *map; /* NULL: there was none */
};

/* The state of a resolver, which sources share. */
struct resolver {
	char *debug_dir; /* NULL: the usual one */
	bool demangle;
	u64 pass; /* counts profiles */
	const struct kallsyms *kallsyms;
	struct modules modules;
	struct module_code vdso;
	struct vec perfmaps; /* of struct perfmap_entry */
};

struct symbol_query {
	const struct profile_module *module; /* the zero one for a kernel frame without module */
	const char *path; /* of the module */
	u64 addr; /* as of profile_frame; one less for a return address */
};

struct symbol_answer {
	const char *name; /* NULL: none; lives until the next question */
	u64 name_off; /* from the start of the symbol to query.addr */
	enum frame_reason reason; /* why there is no name */
};

struct symbol_source {
	enum module_kind kind; /* the modules it is asked about */
	/* Called for each frame; *ret is all zero before. -ENOMEM or 0. */
	int (*find)(struct resolver *r, const struct symbol_query *q, struct symbol_answer *ret);
};

/* NULL for a kind without one. */
const struct symbol_source *symbol_source_of(enum module_kind kind);

extern const struct symbol_source symbol_source_kernel;
extern const struct symbol_source symbol_source_elf;
extern const struct symbol_source symbol_source_vdso;
extern const struct symbol_source symbol_source_perfmap;

/* The entry of a process, made if there is none; NULL when memory is short. */
struct perfmap_entry *perfmap_entry_of(struct resolver *r, u32 tgid);

#endif
