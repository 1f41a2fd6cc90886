/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_TARGETS_H
#define CAPTURE_TARGETS_H

#include "base/err.h"
#include "base/vec.h"
#include "capture/program/options.h"

/*
 * Appends the processes (u32) that exist and are targets besides those that were named: the
 * descendants of these, and those that run a program of the wanted name. Call it when the hooks are
 * attached: they see what starts from then on. -ENOMEM, or an error of reading /proc.
 */
int targets_find(const struct capture_options *opt, struct vec *ret_pids, struct err *err);

#endif
