/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_KALLSYMS_H
#define PROC_KALLSYMS_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * The symbols of the running kernel, its modules and BPF programs. Immutable, so threads may share
 * one.
 */
struct kallsyms;

/*
 * Reads /proc/kallsyms. If the kernel hides the addresses (kptr_restrict, no CAP_SYSLOG), this is
 * no error: the object has no symbols and kallsyms__hidden() says so.
 */
int kallsyms__load(struct kallsyms **ret, struct err *err);
/* The same from text in that format. -EINVAL with the line number; -ENOMEM. */
int kallsyms__parse(struct kallsyms **ret, struct view text, struct err *err);
/* NULL is fine. */
void kallsyms__free(struct kallsyms *k);

/* Every address in the file was zero. */
bool kallsyms__hidden(const struct kallsyms *k);
/* Number of text symbols that have an address. */
size_t kallsyms__len(const struct kallsyms *k);

/*
 * The text symbol that contains `addr`. A symbol ends where the next one of any type begins, but
 * after at most 1 MiB, so that the last symbol of the kernel or of a module does not cover
 * everything after it. If an address has several names, the first in the file is taken, as the
 * kernel does. *ret_module is "" for the kernel itself, "bpf" for BPF programs. The strings live as
 * long as `k`.
 */
bool kallsyms__find(const struct kallsyms *k, u64 addr, const char **ret_name,
		    const char **ret_module, u64 *ret_off);

/* The bytes [*ret_start, *ret_end) of the first text symbol with that name. A linear search. */
bool kallsyms__range(const struct kallsyms *k, const char *name, u64 *ret_start, u64 *ret_end);

#endif
