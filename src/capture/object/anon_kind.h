/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OBJECT_ANON_KIND_H
#define CAPTURE_OBJECT_ANON_KIND_H

#include "profile/object.h"

/* What a file without a path is, by the kernel's name of it; OBJECT_ANON: something else. */
enum object_kind anon_kind(const char *name);

#endif
