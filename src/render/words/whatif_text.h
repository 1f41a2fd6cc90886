/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_WHATIF_TEXT_H
#define RENDER_WORDS_WHATIF_TEXT_H

#include "analysis/path/whatif.h"
#include "base/sink.h"

/* Sentences, up to a NULL. */
extern const char *const whatif_assumptions[];

/* "disk-sync for file /srv/wal", "sleep, at poll_once < main", with the number of waits. */
void whatif_put_row(const struct whatif_row *row, struct sink *out);

#endif
