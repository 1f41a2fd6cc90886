/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_PYTHON_THREAD_H
#define VISIT_PYTHON_THREAD_H

#include "abi/python.h"
#include "base/types.h"
#include "visit/process.h"

/* The PyThreadState of a blocked thread. False: it has none, or it was not found. */
bool python_thread_state(struct process *p, u32 tid, const struct cs_python *layout, u64 *ret);

#endif
