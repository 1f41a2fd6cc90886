/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_REQUEST_TEXT_H
#define RENDER_WORDS_REQUEST_TEXT_H

#include "analysis/path/request_table.h"
#include "base/sink.h"

/* Stable, for JSON: "on-cpu", "run-queue", "blocked", "idle", "not-known", "not-split". */
const char *request_part_name(u32 part, bool is_idle);
/* "on a CPU", "disk-sync, at flush < main", "idle (pipe, at next)". Harmless on a terminal. */
void request_put_doing(const struct request_row *row, struct sink *out);

#endif
