/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PPROF_PPROF_CODE_H
#define RENDER_PPROF_PPROF_CODE_H

#include "render/encode/code_book.h"
#include "render/encode/gzip.h"
#include "render/encode/proto.h"

enum pprof_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,
	PPROF_TIME_NS = 9,
	PPROF_DURATION_NS = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_SAMPLE_TYPE = 14,
};

/*
 * Writes all tables of the book as fields of the profile; nothing may be added afterwards. -ENOMEM,
 * -E2BIG, an error of `gz`, or 0.
 */
int pprof_put_code(struct code_book *b, struct gzip *gz);
/* Writes a field of the profile and empties it. */
void pprof_put(struct gzip *gz, struct proto *m);

#endif
