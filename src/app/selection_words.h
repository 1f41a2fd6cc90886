/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SELECTION_WORDS_H
#define APP_SELECTION_WORDS_H

#include "app/selection.h"
#include "base/err.h"

/*
 * A selection as text. Each parser adds to a field of struct selection, or returns -EINVAL with a
 * message that quotes the text. The message does not name the option, so that each can be an
 * opt.parse.
 */

/* "lock,net-recv"; `value` is a cause_set. */
int selection_parse_causes(const char *text, void *value, struct err *err);
/* "idle,bad"; `value` is a u32 of bits by enum wait_class. */
int selection_parse_classes(const char *text, void *value, struct err *err);
/* "S,DK"; `value` is a u32 like select_options.states. */
int selection_parse_states(const char *text, void *value, struct err *err);
/* "10ms" or "1%"; `value` is a struct select_bound, which is replaced. */
int selection_parse_bound(const char *text, void *value, struct err *err);

/* The filters as options, "--comm web --cause lock"; free with mem_free(). Or NULL. */
char *selection__words(const struct selection *v);

#endif
