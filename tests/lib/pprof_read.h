/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_PPROF_READ_H
#define TESTS_LIB_PPROF_READ_H

#include "base/types.h"

/*
 * Decodes a pprof file, written from profile.proto and sharing nothing with the writer except
 * base/.
 */

/* The bytes of one gzip member, NUL-terminated; NULL if it is not one. Free with mem_free(). */
char *gunzip(const void *data, size_t sz, size_t *ret_sz);

struct pprof_sums {
	u64 values[5]; /* of all samples, in the order of their types */
	u64 types;
	u64 samples;
};

/*
 * What an unzipped profile says, as text: a line for each sample, root first, with what is needed
 * to read a location written out, then mappings, then the rest:
 *
 *	sample 1000 1 main;outer+inner;schedule thread=app tid=7
 *	mapping 2 10000001000-10000002000 1000 /bin/app ab12 functions inlined
 *	location 3 in 2 at 10000001234 main
 *	period 1 off_cpu/nanoseconds
 *
 * NULL, and why in `ret_why`, for one that breaks the rules: an id that is not there or twice, a
 * sample without both values, a string table that does not begin with "", a field not known.
 */
char *pprof_text(const void *data, size_t sz, struct pprof_sums *ret_sums, const char **ret_why);

#endif
