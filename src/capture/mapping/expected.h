/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_EXPECTED_H
#define CAPTURE_MAPPING_EXPECTED_H

#include "base/types.h"

/*
 * A program that is about to be started, mapped into our own address space, so that a walk over our
 * mappings sees its file before its first wait. None of it is executed.
 */
struct expected {
	void *program; /* NULL: none */
	size_t program_sz;
	void *interpreter; /* of a script or dynamic program; NULL: none */
	size_t interpreter_sz;
};

/* `name` as for execvp(). Files that cannot be mapped are skipped: they are seen later. */
void expected__map(struct expected *e, const char *name);
void expected__unmap(struct expected *e);

#endif
