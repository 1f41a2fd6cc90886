/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_OPT_VALUE_H
#define CLI_OPT_VALUE_H

#include "cli/opt.h"

/* One option value: from text into the caller's struct, and back for the help. */

/*
 * Parses `text` as the type of `o` and stores it in `values`; appends to lists. -EINVAL with a
 * message that quotes the text but does not name the option, or -ENOMEM.
 */
int opt_value_set(const struct opt *o, const char *text, void *values, struct err *err);
/* Whether a word can be nothing else than a list of ids. */
bool opt_value_is_ids(const char *text);
void opt_value_set_flag(const struct opt *o, bool on, void *values);
void opt_value_release(const struct opt *o, void *values);

/*
 * The default of an option as a user would type it: "10s", "yes", "text". False if it need not be
 * shown: no defaults, zero, false, no text, a list, or an unlimited number.
 */
bool opt_value_default(const struct opt *o, const void *defaults, char *buf, size_t sz);

#endif
