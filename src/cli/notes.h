/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include "base/sink.h"
#include "capture/features.h"
#include "capture/options.h"

/*
 * What a recording with these options will lack on this machine, with the cause and the cure: one
 * line "coldspot: ..." for each. Nothing when nothing will be missing. Tries to open the mappings
 * of the targets, for the kernel alone knows whether we may.
 */
void notes_write(const struct features *f, const struct capture_options *opt, struct sink *out);

#endif
