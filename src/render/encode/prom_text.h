/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_ENCODE_PROM_TEXT_H
#define RENDER_ENCODE_PROM_TEXT_H

#include "base/sink.h"
#include "base/types.h"

/*
 * The text format of Prometheus, 0.0.4: a head for each metric, then its samples. Seconds have nine
 * digits behind the point, so they are exact. Names, types and help are text of ours, without
 * characters that need an escape.
 */

/* "# HELP" and "# TYPE"; `type` is "counter" or "gauge". */
void prom_put_head(struct sink *out, const char *name, const char *type, const char *help);
/* The value of a label, without its quotes: valid UTF-8 in one line, from any bytes. */
void prom_put_label(struct sink *out, const char *text);
/* What ends a sample: a blank, the number, and the end of the line. */
void prom_put_seconds(struct sink *out, u64 ns);
void prom_put_count(struct sink *out, u64 n);
/* A metric of one sample without labels, with its head. A time is a counter. */
void prom_put_one(struct sink *out, const char *name, const char *type, const char *help, u64 n);
void prom_put_one_time(struct sink *out, const char *name, const char *help, u64 ns);

#endif
