/* SPDX-License-Identifier: Apache-2.0 */
/* The short form becomes the long one, so one parser keeps passwords out of messages. */
#include "fleet/fleet_url.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/types.h"

static const char long_form[] = "clickhouse+http";
static const char short_form[] = "clickhouse://";

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

bool fleet_url_is(const char *text)
{
	return starts(text, long_form) || starts(text, short_form);
}

/* The port in USER:PASSWORD@HOST:PORT, where HOST may be [::1]; empty: none. */
static const char *port_of(const char *host, size_t len, size_t *ret_len)
{
	const char *end = host + len, *p = end;

	while (p > host && p[-1] != ':' && p[-1] != ']' && p[-1] != '@')
		p--;
	*ret_len = (size_t)(end - p);
	if (p > host && p[-1] == ':' && memchr(host, '@', (size_t)(p - host)))
		return p;
	/* without a user, the first ':' outside of brackets */
	if (p == host || p[-1] != ':')
		*ret_len = 0;
	return p;
}

static bool has_host(const char *host, size_t len)
{
	const char *name = host;

	for (size_t i = 0; i < len; i++)
		name = host[i] == '@' ? host + i + 1 : name;
	return name < host + len && *name != ':';
}

static bool is_tls(const char *port, size_t len)
{
	return (len == 4 && !strncmp(port, "8443", 4)) || (len == 3 && !strncmp(port, "443", 3));
}

int fleet_url_parse(struct push_url *u, const char *text, struct err *err)
{
	char full[PUSH_URL_SZ + 64];
	const char *host, *port, *db, *more;
	size_t host_len, port_len, db_len;

	if (!starts(text, short_form))
		return push_url__parse(u, text, err);
	host = text + strlen(short_form);
	host_len = strcspn(host, "/?#");
	db = host + host_len + (host[host_len] == '/');
	db_len = strcspn(db, "?#");
	more = db + db_len;
	if (!has_host(host, host_len))
		return err__set(err, -EINVAL, "the name of a host is missing in the URL");
	port = port_of(host, host_len, &port_len);
	if (memchr(db, '/', db_len))
		return err__set(err, -EINVAL,
				"clickhouse://HOST/DATABASE has one name behind the host: write a "
				"path as clickhouse+http://HOST:8123/PATH?database=NAME");
	if (snprintf(full, sizeof(full), "%s%s://%.*s%s/?%s%.*s%s%s", long_form,
		     is_tls(port, port_len) ? "s" : "", (int)host_len, host,
		     port_len ? "" : ":8123", db_len ? "database=" : "", (int)db_len, db,
		     db_len && *more == '?' ? "&" : "", more + (*more == '?')) >= (int)sizeof(full))
		return err__set(err, -EINVAL, "a URL has at most %d bytes", PUSH_URL_SZ - 1);
	return push_url__parse(u, full, err);
}
