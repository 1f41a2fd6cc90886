/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOCTOR_FILE_H
#define DOCTOR_FILE_H

#include "base/err.h"
#include "elf/image.h"
#include "elf/symtab.h"
#include "proc/maps.h"

/* What a mapped file provides for stacks and names. */
struct doctor_file {
	const struct map_range *range; /* borrowed */
	struct err why; /* code 0: it was read */
	bool is_32bit;
	bool is_go;
	u32 unwind_pct; /* of its code: with unwind tables */
	u64 bare_sz; /* bytes of its code that have none, in long stretches */
	enum symtab_source source;
	size_t functions;
	char build_id[2 * IMAGE_BUILD_ID_MAX + 1];
};

/* Never fails: an unreadable file is a finding. */
void doctor_file__look(struct doctor_file *f, u32 tgid, const struct map_range *range);
/* The same for a file that no process needs to have mapped: only `range->path` is used. */
void doctor_file__look_at_path(struct doctor_file *f, const struct map_range *range);
/* Whether stacks can be unwound through it; Go code needs no tables. */
bool doctor_file__unwinds(const struct doctor_file *f);
/* Whether all its functions have names, not just the exported ones. */
bool doctor_file__named(const struct doctor_file *f);
/*
 * "1,234 functions in .symtab"; if something is missing, also what is there, and the build ID: "3
 * exported functions only; no unwind tables; build ID none". `sz` of at least 192.
 */
void doctor_file__describe(const struct doctor_file *f, char *buf, size_t sz);
/* Its two parts; `sz` of at least 64. */
void doctor_file__describe_names(const struct doctor_file *f, char *buf, size_t sz);
void doctor_file__describe_tables(const struct doctor_file *f, char *buf, size_t sz);
/* The name without its directories. */
const char *doctor_file__name(const struct doctor_file *f);

#endif
