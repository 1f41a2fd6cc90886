/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LIVE_SERVE_FLEET_H
#define CLI_LIVE_SERVE_FLEET_H

#include "push/url.h"
#include "web/source/web.h"

/*
 * Makes options of `serve` for the ClickHouse of opt->url, and checks that libcurl is there before
 * threads load it. `url` must stay as long as the options. -EINVAL or -EOPNOTSUPP with a message
 * that does not contain the password, or -ENOMEM.
 */
int serve_fleet__init(struct web_options *opt, struct push_url *url, struct err *err);

#endif
