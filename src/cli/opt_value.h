/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_OPT_VALUE_H
#define CLI_OPT_VALUE_H

#include "cli/opt.h"

/* One value of an option: from its text into the struct of the caller, and back for the help. */

/*
 * Reads `text` as the type of `o` says and puts it into `values`; lists are added to. -EINVAL with
 * a sentence that quotes the text but does not name the option, or -ENOMEM.
 */
int opt_value_set(const struct opt *o, const char *text, void *values, struct err *err);
void opt_value_set_flag(const struct opt *o, bool on, void *values);
void opt_value_release(const struct opt *o, void *values);

/*
 * The default of an option as a person would type it: "10s", "yes", "text". False when there is
 * nothing worth saying: no defaults, zero, false, no text, a list, or an unlimited number.
 */
bool opt_value_default(const struct opt *o, const void *defaults, char *buf, size_t sz);

#endif
