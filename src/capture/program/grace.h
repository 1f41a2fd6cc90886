/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_GRACE_H
#define CAPTURE_PROGRAM_GRACE_H

#include "base/types.h"

/*
 * Waits until the BPF programs that run now have ended. False: the kernel refuses to tell, so only
 * time has passed.
 */
bool grace_wait(void);

#endif
