/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_MISSING_H
#define VISIT_MISSING_H

#include "base/notices.h"
#include "visit/look.h"

/* Adds a sentence for each thing that visits could not read. -ENOMEM or 0. */
int missing_say(const struct looker *l, struct notices *notices);

#endif
