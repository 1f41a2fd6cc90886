/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PPROF_PPROF_CODE_H
#define RENDER_PPROF_PPROF_CODE_H

#include "analysis/name/label.h"
#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "profile/profile.h"
#include "render/encode/gzip.h"
#include "render/encode/proto.h"

/*
 * The tables of a pprof profile that name code: locations, functions, mappings and strings. They
 * fill as samples are written, and are written after them.
 */

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

struct pprof_module;

struct pprof_code {
	const struct profile *p; /* borrowed, as the labels */
	const struct labels *labels;
	struct strtab strings;
	struct intern chains; /* functions at one address; the id is that of a location */
	struct intern functions;
	struct intern notes; /* notes in place of missing frames */
	struct pprof_module *modules; /* by id of the profile */
	struct vec group; /* u32 frames of one address, leaf first */
};

/* -ENOMEM or 0. Release with pprof_code__done() in either case. */
int pprof_code__init(struct pprof_code *c, const struct profile *p, const struct labels *labels);
void pprof_code__done(struct pprof_code *c);
/* Any bytes as a string of the profile; 0 is "". -ENOMEM or 0. */
int pprof_code__str(struct pprof_code *c, const char *s, u32 *ret_id);
/*
 * The location of the frame of stack node *node, including those it is inlined in; *node advances
 * past them, towards the root, 0 at the end. -ENOMEM or 0.
 */
int pprof_code__location(struct pprof_code *c, u32 *node, u32 *ret_id);
/* A location without code: "[lost]". -ENOMEM or 0. */
int pprof_code__note(struct pprof_code *c, const char *note, u32 *ret_id);
/* Writes all tables; nothing may be added afterwards. -ENOMEM, -E2BIG, an error of `gz`, or 0. */
int pprof_code__put(struct pprof_code *c, struct gzip *gz);
/* Writes a field of the profile and empties it. */
void pprof_put(struct gzip *gz, struct proto *m);

#endif
