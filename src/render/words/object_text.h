/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_OBJECT_TEXT_H
#define RENDER_WORDS_OBJECT_TEXT_H

#include "analysis/model/top.h"

#define OBJECT_TEXT_SZ 1024

/*
 * The object of most of a row by place, and its owner: "for lock cache_lock (app), held by
 * worker-3/4133, itself 2% on a CPU and 95% disk-sync". The last part covers all of that thread's
 * time; a task is "running" instead. False if nothing is known.
 */
bool object_text(const struct top_row *row, char *buf, size_t sz);

#endif
