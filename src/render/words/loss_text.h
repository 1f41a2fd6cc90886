/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_LOSS_TEXT_H
#define RENDER_WORDS_LOSS_TEXT_H

#include "profile/profile.h"

/*
 * One loss as text: "1,204 waits not listed: the table of waits was full (3.20 s)". False, and an
 * empty text, if nothing of that kind was lost.
 */
bool loss_text(const struct profile *p, enum profile_loss_kind kind, char *buf, size_t sz);
/*
 * For LOSS_UNNAMED: the module with most of the frames, and why they are unnamed. Else false and
 * empty.
 */
bool loss_reason_text(const struct profile *p, enum profile_loss_kind kind, char *buf, size_t sz);
/* Number of kinds of loss that occurred. */
u32 loss_kinds(const struct profile *p);

#endif
