/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_OTLP_OTLP_DICTIONARY_H
#define RENDER_OTLP_OTLP_DICTIONARY_H

#include "analysis/view/wait_stacks.h"
#include "render/encode/code_book.h"
#include "render/encode/proto.h"

/*
 * The ProfilesDictionary of a message: what samples refer to by its index. Index 0 of each table is
 * the zero value.
 */
struct otlp_dictionary {
	struct code_book book;
	struct intern stacks;
	struct intern attributes;
	struct strtab values; /* texts of attributes */
	struct vec locations; /* u32, by index: the location of the book */
	struct vec index_of; /* u32, by location of the book: its index, 0 if it has none */
	struct vec mappings; /* u32, by index: the module */
	u32 *mapping_of; /* by module */
};

/* -ENOMEM or 0. Release with otlp_dictionary__done() in either case. */
int otlp_dictionary__init(struct otlp_dictionary *d, const struct profile *p,
			  const struct labels *labels);
void otlp_dictionary__done(struct otlp_dictionary *d);
/* A text in the table of strings. -ENOMEM or 0. */
int otlp_dictionary__str(struct otlp_dictionary *d, const char *text, u32 *ret_idx);
/* The stack of a wait; the kernel's side is that of `s`. -ENOMEM or 0. */
int otlp_dictionary__stack(struct otlp_dictionary *d, const struct wait_stacks *s, u32 *ret_idx);
/* An attribute; index 0 for an empty value. -ENOMEM or 0. */
int otlp_dictionary__text(struct otlp_dictionary *d, const char *key, const char *value,
			  u32 *ret_idx);
/* Likewise; index 0 for number 0. */
int otlp_dictionary__number(struct otlp_dictionary *d, const char *key, u64 value, u32 *ret_idx);
/* Writes the fields of the message; nothing may be added afterwards. -ENOMEM, -E2BIG or 0. */
int otlp_dictionary__put(struct otlp_dictionary *d, struct proto *message);

/* The fields of a KeyValue with a text, or of its value. */
void otlp_put_key_value(struct proto *to, u32 field, const char *key, const char *value);

#endif
