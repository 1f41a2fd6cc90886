/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_PATH_TEXT_H
#define RENDER_WORDS_PATH_TEXT_H

#include "analysis/path/path_table.h"
#include "base/sink.h"

/* "make-4133" for one thread, "cc1 (8 threads)" for several. Harmless on a terminal. */
void path_put_threads(const struct profile *p, const struct path_row *row, struct sink *out);
/* "disk for file /srv/wal, at flush < main"; object and place may be "". */
void path_put_wait(enum cause cause, const char *object, const char *place, struct sink *out);
/*
 * What the threads did: "on a CPU", "disk for file /srv/wal, at flush < main; until [block
 * interrupt]", "pipe, at read_all; until a thread that is not recorded: sh".
 */
void path_put_doing(const struct path_row *row, struct sink *out);

#endif
