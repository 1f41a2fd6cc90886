/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_PAGE_READ_H
#define TESTS_LIB_PAGE_READ_H

#include "base/types.h"

/*
 * Decodes a page, written from render/page_data.h and sharing nothing with the writer except base/.
 */

/* The data of a page, unpacked and NUL-terminated; NULL if there is none. Free with mem_free(). */
char *page_data(const char *html, size_t *ret_sz);

/*
 * The values of a column (the first of *ret_rows); NULL if it is missing, does not fill its bytes
 * or exceeds the data. Free with mem_free().
 */
u64 *page_column(const char *data, size_t sz, const char *name, u32 *ret_rows);

#endif
