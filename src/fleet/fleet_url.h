/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEET_FLEET_URL_H
#define FLEET_FLEET_URL_H

#include "base/err.h"
#include "push/url.h"

/*
 * Where rows are read: a target of `push` for ClickHouse, or the short form
 * clickhouse://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?PARAMETERS]. Its port is 8123; of 443 and
 * 8443 it is https.
 */

/* Whether a text is meant as one of them, rather than as the name of a file. */
bool fleet_url_is(const char *text);
/* -EINVAL with a message that does not contain the password. */
int fleet_url_parse(struct push_url *u, const char *text, struct err *err);

#endif
