/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_COPY_H
#define STORE_COPY_H

#include "base/err.h"
#include "base/types.h"

/* Whether a file of a store has windows in a log beside it, which a copy of the file would lack. */
bool store_file_has_log(const char *path);
/*
 * Writes a file of a store to `to`, with what is in its log, and to the disk; a file that is there
 * is replaced. Its mode is 0640. A damaged file without a log is copied as it is. -ENOENT if it was
 * removed; -EBADMSG if it is damaged and has a log; or an error of reading or writing, without the
 * file `to`. *ret_bytes: the size.
 */
int store_copy_file(const char *path, const char *to, u64 *ret_bytes, struct err *err);

#endif
