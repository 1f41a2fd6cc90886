/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_URL_H
#define PUSH_URL_H

#include "base/err.h"
#include "base/types.h"

/*
 * A target as users write it: NAME+http[s]://[USER:PASSWORD@]HOST[:PORT][/PATH][?PARAMETERS].
 * Parameters of ours are `service`, `tenant` and `header-file`, and of s3 `region` and
 * `credentials-file`; the others are the server's. A directory is dir:/PATH or file:///PATH.
 */
#define PUSH_URL_SZ 1024

struct push_target;

struct push_url {
	const struct push_target *target;
	char base[PUSH_URL_SZ]; /* http[s]://HOST[:PORT]/PATH; of a directory: its path */
	char query[PUSH_URL_SZ]; /* the server's parameters, as written: "a=b&c=d"; "": none */
	char user[PUSH_URL_SZ]; /* decoded; "": none */
	char password[PUSH_URL_SZ];
	char service[256]; /* a name for what is sent; "": as the target has it */
	char tenant[256]; /* X-Scope-OrgID; "": none */
	char header_file[PUSH_URL_SZ]; /* lines of headers, for example Authorization; "": none */
	char region[64]; /* of s3; "": not given */
	char credentials_file[PUSH_URL_SZ]; /* of s3; "": not given */
	/*
	 * NAME+http[s]://HOST[:PORT]/PATH or dir:/PATH: for messages, and what its cursor is named
	 * after.
	 */
	char name[PUSH_URL_SZ + 32];
};

/* -EINVAL with a message that does not contain the password. */
int push_url__parse(struct push_url *u, const char *text, struct err *err);
/* Whether both are one place on one server: a window sent to both would arrive twice. */
bool push_url__is_same(const struct push_url *a, const struct push_url *b);

#endif
