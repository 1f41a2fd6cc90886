/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_HIST_BAR_H
#define RENDER_HIST_BAR_H

#include "base/sink.h"
#include "base/types.h"

/* The rows of a histogram in the form of bcc's, with times that say their unit. */

/* "     time blocked        : count    distribution" */
void hist_bar_head(struct sink *out, const char *what);
/* `below_ns` ~0: it has no end. `most`: the largest count of a row. */
void hist_bar(struct sink *out, u64 from_ns, u64 below_ns, u64 count, u64 most);
/* A name with nothing in it that moves a cursor; "[no name]" for an empty one. */
void hist_bar_name(struct sink *out, const char *name);
/* "[1024,2048,7]", `below_ns` ~0 as null. */
void hist_bar_json(struct sink *out, u64 from_ns, u64 below_ns, u64 count);

#endif
