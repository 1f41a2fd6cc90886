/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_EXPECTED_H
#define CAPTURE_EXPECTED_H

#include "base/types.h"

/*
 * A program that is about to be started, mapped into our own address space, so that a walk over our
 * mappings meets its file before the first of its waits does. Nothing of it is run.
 */
struct expected {
	void *program; /* NULL: none */
	size_t program_sz;
	void *interpreter; /* of a script; NULL: none */
	size_t interpreter_sz;
};

/* `name` as execvp() takes it. What cannot be mapped is left out: it is met later. */
void expected__map(struct expected *e, const char *name);
void expected__unmap(struct expected *e);

#endif
