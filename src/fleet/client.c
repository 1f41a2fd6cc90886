/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that everybody meets once say what to do; the others say what the server says. */
#include "fleet/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_MS 10000
#define TOTAL_MS 600000
#define SQL_MAX (1u << 20)
#define ANSWER_MAX (1u << 30)

int client__init(struct client *c, const struct push_url *url, bool (*stop)(void), struct err *err)
{
	const struct http_limits limits = {
		.connect_ms = CONNECT_MS,
		.total_ms = TOTAL_MS,
		.body_bytes = SQL_MAX,
		.silent_s = TOTAL_MS / 1000, /* it adds up before it says anything */
		.answer_bytes = ANSWER_MAX,
	};

	*c = (struct client){ .url = url };
	return http__new(&limits, stop, &c->http, err);
}

void client__done(struct client *c)
{
	http__free(c->http);
	c->http = NULL;
}

/* The number in "Code: 60. DB::Exception: ..."; 0: another text. */
static u64 code_of(const char *text)
{
	const char *at = strstr(text, "Code: ");

	return at ? strtoull(at + strlen("Code: "), NULL, 10) : 0;
}

static int refuse(const struct client *c, u32 status, const char *text, struct err *err)
{
	const char *name = c->url->name;

	switch (code_of(text)) {
	case 81: /* UNKNOWN_DATABASE */
		return err__set(err, -ENOENT,
				"%s has no such database: give another ?database=", name);
	case 60: /* UNKNOWN_TABLE */
		return err__set(err, -ENOENT,
				"%s has no tables of coldspot in this database: give another "
				"?database=, or make them by coldspot push --clickhouse-schema",
				name);
	case 16: /* NO_SUCH_COLUMN_IN_TABLE */
	case 47: /* UNKNOWN_IDENTIFIER */
		return err__set(err, -EPROTO,
				"the tables of %s are of another version of coldspot: the "
				"statements of coldspot push --clickhouse-schema add what is "
				"missing",
				name);
	case 192: /* UNKNOWN_USER */
	case 193: /* WRONG_PASSWORD */
	case 194: /* REQUIRED_PASSWORD */
	case 516: /* AUTHENTICATION_FAILED */
		status = 401;
		break;
	default:
		break;
	}
	if (status == 401 || status == 403)
		return err__set(err, -EACCES,
				"%s refuses the user or password: write USER:PASSWORD@ before the "
				"host, or headers in a file as ?header-file=FILE",
				name);
	return err__set(err, -EPROTO, "%s answered with status %u%s%.200s", name, status,
			*text ? ": " : "", text);
}

static int check(const struct client *c, const struct http_answer *answer, struct err *err)
{
	char text[1024];
	size_t len = answer->body.len < sizeof(text) - 1 ? answer->body.len : sizeof(text) - 1;

	if (!answer->status)
		return err__set(err, -EIO, "no whole answer of %s: %s", c->url->name,
				answer->trouble);
	if (len)
		memcpy(text, answer->body.buf, len);
	text[len] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	if (answer->status != 200)
		return refuse(c, answer->status, text, err);
	if (answer->is_cut)
		return err__set(err, -EFBIG,
				"the answer of %s has more than 1 GiB: ask for less time with "
				"--since, or fewer hosts with --host",
				c->url->name);
	return 0;
}

int client__ask(struct client *c, struct sink *sql, struct http_answer *ret, struct err *err)
{
	struct http_part part = { .content_type = "text/plain; charset=utf-8" };
	int r = sink__finish(sql, err);

	*ret = (struct http_answer){ 0 };
	sink__init_mem(&ret->body);
	part.body = *sql;
	sink__init_mem(sql);
	if (!r)
		r = http__post(c->http, c->url, &part, ret, err);
	if (!r)
		r = check(c, ret, err);
	sink__done(&part.body);
	return r;
}
