/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_EFFORT_TEXT_H
#define RENDER_WORDS_EFFORT_TEXT_H

#include "profile/profile.h"

/* What a recording saw, what it cost, and how reliable its sums are: the same text everywhere. */

/* Large enough for any of them. */
#define EFFORT_TEXT_SZ 256

/*
 * "1,234 switches seen, 56 waits chosen (one per 1.00 ms waited)"; of visits "1,100 visits of
 * threads, 12 of them after a switch or on a CPU; 190 rounds at 19 Hz, late by ...".
 */
void effort_seen_text(const struct profile *p, char *buf, size_t sz);
/*
 * "threads were visited for 6.00 s of 10.0 s, ...", if hooks saw switches for the rest; else false
 * and an empty `buf`.
 */
bool effort_ways_text(const struct profile *p, char *buf, size_t sz);
/* "cost: 0.53% of the machine, 210 ns a switch", our process included in the share. */
void effort_cost_text(const struct profile *p, char *buf, size_t sz);
/*
 * "0.53%": such a time as a share of the machine's CPU time, to hundredths of a percent. A nonzero
 * share is never shown as zero. False and "?%" if the machine's time is not known.
 */
bool effort_share_text(const struct profile_header *h, u64 ns, char *buf, size_t sz);
/*
 * "only 3 samples", if an estimate relies on few (see profile/estimate.h); else false and an empty
 * `buf`.
 */
bool rough_text(u64 var_us2, u64 samples, char *buf, size_t sz);

#endif
