/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_LOSS_TEXT_H
#define RENDER_LOSS_TEXT_H

#include "profile/profile.h"

/*
 * One loss in words: "1,204 waits not listed: the table of waits was full (3.20 s)". False, and an
 * empty text, when nothing of that kind was lost.
 */
bool loss_text(const struct profile *p, enum profile_loss_kind kind, char *buf, size_t sz);
/* For LOSS_UNNAMED: where most of the frames are, and why unnamed. Else false and empty. */
bool loss_reason_text(const struct profile *p, enum profile_loss_kind kind, char *buf, size_t sz);
/* Number of kinds of which something was lost. */
u32 loss_kinds(const struct profile *p);

#endif
