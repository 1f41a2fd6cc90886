/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RECORD_WHOM_H
#define CLI_RECORD_WHOM_H

#include "app/target.h"
#include "base/err.h"
#include "capture/program/options.h"
#include "cli/record_opts.h"

/* What commands that record have in common. All borrow the values. */

/* From the name of a unit or container to v->cgroup, which is in `buf` then. */
int record_find_cgroup(struct record_values *v, char *buf, size_t sz, struct err *err);
struct target record_target(struct record_values *v);
void record_fill_capture(struct capture_options *c, const struct record_values *v);
/*
 * Whether threads may be visited instead, if hooks break the budget: it has one, is of the whole
 * machine, and wants nothing that visits cannot tell.
 */
bool record_may_visit(const struct record_values *v);
/* "coldspot record -a", as typed. */
void record_join_command(int argc, char **argv, char *buf, size_t sz);

#endif
