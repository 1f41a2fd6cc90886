/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_OPENJDK_H
#define CAPTURE_RUNTIME_OPENJDK_H

#include "capture/runtime/runtime.h"

/* OpenJDK and its derivatives: the HotSpot JVM. Known by its process: see jvms.h. */
extern const struct runtime runtime_openjdk;

#endif
