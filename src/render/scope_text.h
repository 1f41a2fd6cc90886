/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_SCOPE_TEXT_H
#define RENDER_SCOPE_TEXT_H

#include "profile/profile.h"

/* Of what a profile is, where it is not one window whole: the same words in every format. */

/* Holds any of them, but for the words of many filters, which end in "..." then. */
#define SCOPE_TEXT_SZ 768

/*
 * "selected 3.20 s of 48.1 s waited, 4 of 120 threads: --comm web"; false, and nothing, where all
 * is there. `sz` is SCOPE_TEXT_SZ at most, and what the numbers take at least.
 */
bool scope_selection_text(const struct profile *p, char *buf, size_t sz);
/*
 * "3 windows, 2.10 s between them not recorded"; false, and nothing, where it is one.
 */
bool scope_windows_text(const struct profile *p, char *buf, size_t sz);

#endif
