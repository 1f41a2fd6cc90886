/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_PARTS_H
#define RENDER_JSON_PARTS_H

#include <jansson.h>

#include "analysis/cause_memo.h"
#include "analysis/label.h"
#include "base/sink.h"
#include "profile/profile.h"

/*
 * The objects that JSON and NDJSON are made of, as docs/json.md names them. Errors are sticky, in
 * `error`; an object that could not be made whole is then of no use.
 */
struct json_parts {
	const struct profile *p; /* borrowed */
	struct sink *out;
	struct labels labels;
	struct causes causes;
	json_t **label_of_frame;
	int error; /* -ENOMEM */
};

/* `memo`: of causes, or NULL (cause_memo.h). -ENOMEM or 0; json_parts__done() in either case. */
int json_parts__init(struct json_parts *j, const struct profile *p, struct cause_memo *memo,
		     struct sink *out);
void json_parts__done(struct json_parts *j);

/* Writes a value to `out`, compact, and frees it; NULL is an error. */
void json_parts__put(struct json_parts *j, json_t *value);
void json_parts__set_number(struct json_parts *j, json_t *object, const char *key, u64 n);
/* Any bytes; what is not UTF-8 is replaced. */
void json_parts__set_text(struct json_parts *j, json_t *object, const char *key, const char *s);

/* The same of a string of the profile; null for none. */
void json_parts__set_str(struct json_parts *j, json_t *object, const char *key, u32 str);

/* New objects, for the caller to free or put; ids are those of the profile, not 0. */
json_t *json_parts__header(struct json_parts *j);
/* of a profile of more than one window, and of one that is a part of another */
json_t *json_parts__merged(struct json_parts *j);
json_t *json_parts__selection(struct json_parts *j);
json_t *json_parts__budget(struct json_parts *j);
/* NULL when nothing of that kind was lost. */
json_t *json_parts__loss(struct json_parts *j, enum profile_loss_kind kind);
json_t *json_parts__losses(struct json_parts *j);
/* null when user stacks were not recorded */
json_t *json_parts__user_stacks(struct json_parts *j);
json_t *json_parts__module(struct json_parts *j, u32 id);
json_t *json_parts__frame(struct json_parts *j, u32 id);
json_t *json_parts__stack(struct json_parts *j, u32 id);
json_t *json_parts__task(struct json_parts *j, u32 id);
json_t *json_parts__object(struct json_parts *j, u32 id);
json_t *json_parts__wait(struct json_parts *j, u32 id);
json_t *json_parts__hot(struct json_parts *j, u32 id);

#endif
