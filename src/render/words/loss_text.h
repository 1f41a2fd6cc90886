/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_LOSS_TEXT_H
#define RENDER_WORDS_LOSS_TEXT_H

#include "base/sink.h"
#include "profile/profile.h"

/*
 * One loss as text: "1,204 waits not listed: the table of waits was full (3.20 s)". False, and an
 * empty text, if nothing of that kind was lost, and always for LOSS_UNNAMED: a wait without a name
 * has its time and its stack, see names_text().
 */
bool loss_text(const struct profile *p, enum profile_loss_kind kind, char *buf, size_t sz);
/* The same for the sum over several profiles. */
bool loss_sum_text(const struct profile_loss *loss, enum profile_loss_kind kind, char *buf,
		   size_t sz);
/*
 * Addresses without a name: how many, the file that has most of them, why, and what to do. False,
 * and an empty text, if all have one. `package`: the one with the names of that file, or NULL; then
 * a command says what is known of the file. `sz`: at least LOSS_TEXT_SZ.
 */
bool names_text(const struct profile *p, const char *package, char *buf, size_t sz);
/* Number of kinds of loss that occurred. */
u32 loss_kinds(const struct profile *p);
/* A line "Lost: ..." for each, or "Nothing lost."; then "Names: ..." if any is missing. */
void losses_put(const struct profile *p, struct sink *out);

#define LOSS_TEXT_SZ 512

#endif
