/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_STACK_OF_WAIT_H
#define ANALYSIS_NAME_STACK_OF_WAIT_H

#include "profile/profile.h"

/* The stack of the wait alone, in a view with stacks of wakers behind it (wake_view.h). */
u32 stack_of_wait(const struct profile *p, u32 stack);

#endif
