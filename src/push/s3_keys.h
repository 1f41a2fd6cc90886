/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_S3_KEYS_H
#define PUSH_S3_KEYS_H

#include "base/err.h"
#include "base/view.h"

struct push_url;

/* What signs requests. */
struct s3_keys {
	char key_id[256];
	char secret[256];
	char token[3000]; /* of the session; "": none */
};

/*
 * From the URL, its file, or the environment, the first one that names any. They are read for each
 * request, because they change. -EINVAL with a sentence without them.
 */
int s3_keys__find(struct s3_keys *keys, const struct push_url *url, struct err *err);
/*
 * From a file as the tools of AWS have it: lines "name = value", of the section [default] or before
 * any. False: a value is too long, or has a control character.
 */
bool s3_keys__parse(struct s3_keys *keys, struct view text);

#endif
