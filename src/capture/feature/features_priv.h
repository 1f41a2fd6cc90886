/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_FEATURE_FEATURES_PRIV_H
#define CAPTURE_FEATURE_FEATURES_PRIV_H

#include "base/view.h"
#include "capture/feature/features.h"

/* The parts of features__probe(); only features*.c and their tests include this. */

/* Sets the result and what was found; the text is cut to fit. */
void features__set(struct features *f, enum feature_id id, bool present, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void features__set_unknown(struct features *f, enum feature_id id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct btf;

/* Makes the excerpt, and reads it. -EINVAL: not a BTF that we know, -ENOMEM. */
int features__take_btf(struct features *f, struct view whole, struct err *err);
/* Types, fields and hooks; one pass over all types. */
void features__read_btf(struct features *f, const struct btf *btf);
/* Privileges, sysctls, mounts; no BPF. -ENOMEM or 0. */
int features__read_system(struct features *f);
/* Scans /proc/kallsyms up to the symbol. */
void features__find_resume_symbol(struct features *f);

/* "none [integrity] confidentiality" -> "integrity"; false for other text. */
bool features_text_lockdown(struct view text, char *buf, size_t sz);
/*
 * Whether a line of /proc/kallsyms is finish_task_switch itself or gcc's copy of it
 * ("finish_task_switch.isra.0"), but not a cold part or the padding before it.
 */
bool features_text_resume_symbol(struct view line, char *buf, size_t sz);
/* Whether any line in this beginning of /proc/kallsyms has a nonzero address. */
bool features_text_has_address(struct view text);
/* Whether all words are in the first "flags" line of /proc/cpuinfo; *ret_found: there is one. */
bool features_text_cpu_flags(struct view text, const char *const *words, bool *ret_found);
/* "5.10.0-8-amd64" -> 5, 10, 0; missing parts are 0. */
void features_text_release(const char *release, u32 ret_version[3]);

#endif
