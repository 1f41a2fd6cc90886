/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_HIST_BAR_H
#define RENDER_TEXT_HIST_BAR_H

#include "base/sink.h"
#include "base/types.h"
#include "profile/profile.h"
#include "render/encode/json_writer.h"

/* What histograms have in common: their rows in bcc's format with units, and their JSON. */

/* "     time blocked        : count    distribution" */
void hist_bar_head(struct sink *out, const char *what);
/* `below_ns` ~0: unbounded. `most`: the largest count of a row. */
void hist_bar(struct sink *out, u64 from_ns, u64 below_ns, u64 count, u64 most);
/* A name without control characters; "[no name]" for an empty one. */
void hist_bar_name(struct sink *out, const char *name);
/* "[1024,2048,7]", `below_ns` ~0 as null. */
void hist_bar_json(struct json *to, u64 from_ns, u64 below_ns, u64 count);
/* Opens the object. `of`: which histograms of threads, which have every event; NULL: of waits. */
void hist_json_head(struct json *to, const struct profile *p, const char *of);
/* Closes the array of groups and the object. */
void hist_json_foot(struct json *to);

#endif
