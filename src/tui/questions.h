/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_QUESTIONS_H
#define TUI_QUESTIONS_H

#include "base/err.h"
#include "base/types.h"

struct viewer;

/* What the user is asked in the last line, and what follows from the answer. */

/* Begin, or say why it is not possible. */
void question_export(struct viewer *v);
void question_add(struct viewer *v);
void question_remove(struct viewer *v);
/* While something is typed: 0, an error of viewer__show(), or 1: the key is for others. */
int question_key(struct viewer *v, u32 key, struct err *err);
/* What stands before the typed text. */
const char *question_text(const struct viewer *v);
void question_set_filter(struct viewer *v, const char *text);

#endif
