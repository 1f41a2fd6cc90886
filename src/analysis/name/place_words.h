/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_PLACE_WORDS_H
#define ANALYSIS_NAME_PLACE_WORDS_H

#include "base/sink.h"

/*
 * Names of functions as a place shows them. Whole: nothing is cut. A name without the expected form
 * stays as it is.
 */

/* "shop/app.py:main:200" is "main (app.py:200)". */
void place_words_python(struct sink *out, const char *name);
/* The function in "file:function:line", not terminated; NULL for names of other forms. */
const char *place_words_python_function(const char *name, size_t *ret_len);
/* "JS:*handle /srv/app/server.js:46:12" is "handle (server.js:46)". */
void place_words_js(struct sink *out, const char *name);
/* "void com.shop.Cart.all(int)" is "Cart.all". */
void place_words_java(struct sink *out, const char *name);
/* A call of the C library by its public name: "__GI___libc_recv" is "recv". */
void place_words_call(struct sink *out, const char *name);

#endif
