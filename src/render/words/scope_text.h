/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_SCOPE_TEXT_H
#define RENDER_WORDS_SCOPE_TEXT_H

#include "profile/profile.h"

/* What a profile covers, if it is not one complete window: the same text in every format. */

/* Large enough for any of them; a long list of filters ends in "...". */
#define SCOPE_TEXT_SZ 768

/*
 * "selected 3.20 s of 48.1 s waited, 4 of 120 threads: --comm web"; false and empty without a
 * selection. `sz` is at most SCOPE_TEXT_SZ, and at least what the numbers need.
 */
bool scope_selection_text(const struct profile *p, char *buf, size_t sz);
/* "3 windows, 2.10 s between them not recorded"; false and empty for a single window. */
bool scope_windows_text(const struct profile *p, char *buf, size_t sz);

#endif
