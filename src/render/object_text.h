/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_OBJECT_TEXT_H
#define RENDER_OBJECT_TEXT_H

#include "analysis/top.h"

#define OBJECT_TEXT_SZ 1024

/*
 * What most of a row by place was for, and who held it: "for lock cache_lock (app), held by
 * worker-3/4133, itself 2% on a CPU and 95% disk-sync". The last part is of all of that thread's
 * time. False when nothing is known.
 */
bool object_text(const struct top_row *row, char *buf, size_t sz);

#endif
