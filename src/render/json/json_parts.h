/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_JSON_PARTS_H
#define RENDER_JSON_JSON_PARTS_H

#include "analysis/cause/cause_memo.h"
#include "analysis/name/label.h"
#include "profile/profile.h"
#include "render/encode/json_writer.h"

/*
 * The objects in JSON and NDJSON, named as in docs/json.md. Errors are sticky, in `error`; the
 * output is then unusable.
 */
struct json_parts {
	const struct profile *p; /* borrowed */
	struct json to;
	struct labels labels;
	struct causes causes;
	bool alone; /* each object is read alone: rows have no indexes of stacks */
	int error; /* -ENOMEM */
};

/* `memo`: of causes, or NULL (cause_memo.h). -ENOMEM or 0; json_parts__done() in either case. */
int json_parts__init(struct json_parts *j, const struct profile *p, struct cause_memo *memo,
		     struct sink *out);
void json_parts__done(struct json_parts *j);

/*
 * The members of one object, between the caller's json__object() and json__end_object(). Ids are
 * those of the profile, not 0.
 */
void json_parts__header(struct json_parts *j);
/* for a profile of several windows, and for a selection */
void json_parts__merged(struct json_parts *j);
void json_parts__selection(struct json_parts *j);
void json_parts__budget(struct json_parts *j);
void json_parts__loss(struct json_parts *j, enum profile_loss_kind kind);
/* only if json_parts__has_user_stacks() */
void json_parts__user_stacks(struct json_parts *j);
void json_parts__module(struct json_parts *j, u32 id);
void json_parts__frame(struct json_parts *j, u32 id);
void json_parts__stack(struct json_parts *j, u32 id);
void json_parts__task(struct json_parts *j, u32 id);
void json_parts__object(struct json_parts *j, u32 id);
void json_parts__wait(struct json_parts *j, u32 id);
void json_parts__hot(struct json_parts *j, u32 id);
void json_parts__measured(struct json_parts *j, u32 id);
void json_parts__waker(struct json_parts *j, u32 id);
void json_parts__wake(struct json_parts *j, u32 id);

/* False if user stacks were not recorded. */
bool json_parts__has_user_stacks(const struct json_parts *j);
/* False if nothing of that kind was lost. */
bool json_parts__has_loss(const struct json_parts *j, enum profile_loss_kind kind);

#endif
