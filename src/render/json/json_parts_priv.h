/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_JSON_PARTS_PRIV_H
#define RENDER_JSON_JSON_PARTS_PRIV_H

#include "profile/row_type.h"
#include "render/json/json_parts.h"

/* Between json_parts.c and json_wakers.c: members of several objects. */
struct flag_name {
	u32 bit;
	const char *name; /* NULL: the end */
};

extern const struct flag_name json_wait_flags[];

void json_put_str(struct json_parts *j, const char *key, u32 id);
void json_put_str_or_null(struct json_parts *j, const char *key, u32 id);
void json_put_number_or_null(struct json_parts *j, const char *key, bool known, u64 n);
/* null where the source of an import does not tell it: bits of enum profile_unknown. */
void json_put_known(struct json_parts *j, const char *key, u32 unknown, u64 n);
/* Ids of a profile begin at 1, indexes of the JSON at 0. */
void json_put_index(struct json_parts *j, const char *key, u32 id);
void json_put_flags(struct json_parts *j, const char *key, u32 bits, const struct flag_name *names);
/* The labels of a stack, leaf first. */
void json_put_names(struct json_parts *j, const char *key, u32 leaf);
/* The owner of the object. */
void json_put_owner(struct json_parts *j, u32 task, u32 tid);
/* A column of a row as docs/json.md has it; what follows from it comes behind it. */
void json_put_column(struct json_parts *j, const struct row_column *c, const void *row);

#endif
